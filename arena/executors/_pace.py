"""Which match may begin beside those in progress, judged by what each bot computes. Pure: no clock, no I/O.

Theory of operation
-------------------
A match *loads* the machine with so many cores: the CPU time of its decisions in relation to the time that they take
when nobody else is there. That follows from its two bots, not from what else is in progress: a measure that changed
with the number of matches would chase its own tail. A decision takes `_WAITING_MS` besides the bot's own computing, so
for two bots that compute for a and b milliseconds a decision

    load = (a + b) / (a / cores of a + _WAITING_MS + b / cores of b + _WAITING_MS)

where the cores are how many a bot keeps busy at once: one, as a rule. Of matches with this load, cores / load share the
machine, rounded, and at most `_MATCHES_MAX` for each worker when bots answer at once. So each takes up one *part* of
that many, and a match begins when its part is still free. A bot of which nothing is known yet counts as one that
computes all the time. With nothing in progress, everything is free: some match may always begin.

Matches begin in the order of the schedule, but where one has no room yet, lighter ones may overtake it; the oldest one
that waits at most `OVERTAKEN_MAX` times, then it is next whatever comes.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Literal, NamedTuple

from arena.model import MatchResult, MatchSpec

__all__ = ["LOOKAHEAD", "OVERTAKEN_MAX", "Pace"]

LOOKAHEAD = 8
"""How many matches may wait for room."""

OVERTAKEN_MAX = 16
"""How many matches may begin before one that waits."""

_WAITING_MS = 1.0
"""What a decision takes besides the bot's computing, in transport and in queues."""
_MATCHES_MAX = 8  # on one worker: with more, so many processes share the caches that all become slower
_JUDGED = 8  # the newest measurements of a bot, by which it is judged
_ROUNDING = 1e-9  # the sum of some parts that make up a whole may be a little more


class _Effort(NamedTuple):
    """What a decision costs. cpu_ms: CPU time. cores: how many of them it keeps busy at once, at least 1."""

    cpu_ms: float
    cores: float


_UNKNOWN = _Effort(1000.0, 1.0)


class Pace:
    """Decides which match begins next, on a machine with `cores` for `workers` referees.

    at_once: a fixed number of matches in progress on each worker, whatever they cost; "auto": by what they cost.
    """

    def __init__(self, cores: int, workers: int, at_once: int | Literal["auto"]) -> None:
        self._cores = cores
        self._is_fixed = at_once != "auto"
        self._slots = max(cores, _MATCHES_MAX * workers) if at_once == "auto" else at_once * workers
        self._seen: dict[str, deque[_Effort]] = {}  # by bot
        self._efforts: dict[str, _Effort] = {}  # what follows from these
        self._waiting: deque[MatchSpec] = deque()
        self._overtaken = 0  # how often, the first of those

    def observe(self, result: MatchResult) -> None:
        """Learn from a result what its bots cost, as far as it says so."""
        for bot, cpu_ms, cores in zip(result.spec.bots, result.cpu_ms, result.cores, strict=True):
            if cpu_ms is None or cores is None:
                continue
            seen = self._seen.setdefault(bot, deque(maxlen=_JUDGED))
            seen.append(_Effort(cpu_ms, cores))
            # cores: the most, because among many others nobody keeps as many busy as it would alone
            self._efforts[bot] = _Effort(fmean(each.cpu_ms for each in seen), max(1.0, *(each.cores for each in seen)))

    def part(self, spec: MatchSpec) -> float:
        """The part of the whole that a match takes up while it is in progress, above 0 and at most 1."""
        if self._is_fixed:
            return 1 / self._slots
        efforts = [self._efforts.get(bot, _UNKNOWN) for bot in spec.bots]
        cpu_ms = sum(effort.cpu_ms for effort in efforts)
        alone_ms = sum(effort.cpu_ms / effort.cores + _WAITING_MS for effort in efforts)
        sharing = self._cores * alone_ms / max(cpu_ms, _WAITING_MS / _MATCHES_MAX)
        return 1 / max(1, min(self._slots, round(sharing)))

    def next(self, specs: Iterator[MatchSpec | None], in_progress: Iterable[MatchSpec]) -> MatchSpec | None:
        """The match that begins now, beside those in progress; None when none may.

        One is taken from `specs` only when there is room for a light match; up to `LOOKAHEAD` that turn out to be
        heavier wait here.
        """
        free = 1 + _ROUNDING - sum(map(self.part, in_progress))
        if free < 1 / self._slots:
            return None
        for place, spec in enumerate(self._candidates(specs)):
            if self.part(spec) <= free:
                self._overtaken = self._overtaken + 1 if place else 0
                del self._waiting[place]
                return spec
        return None

    def _candidates(self, specs: Iterator[MatchSpec | None]) -> Iterator[MatchSpec]:
        """What may begin now if there is room for it, in the order of the schedule."""
        if self._overtaken >= OVERTAKEN_MAX:
            yield self._waiting[0]
            return
        yield from tuple(self._waiting)
        while len(self._waiting) < LOOKAHEAD and (spec := next(specs, None)) is not None:
            self._waiting.append(spec)
            yield spec
