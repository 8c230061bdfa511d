"""What is played next: identities and seeds of matches, and the order in which they may start. Pure.

Theory of operation
-------------------
A match's id and its deal's seed follow from the tournament's seed, the game, the two bots' names, the deal's index and
the seats, and from nothing else: the same config plans the same matches on every machine, whatever was played before.

`Schedule` hands the planned matches out. A bot is on *probation* until a process of it has started: one match of it
at a time, the others wait. So a bot that cannot start loses exactly its first `STARTS_MAX` matches of the schedule,
with one worker or with many, interrupted or not; then it is *suspended*: its other matches are left out, and those of
the others go on. A match that the arena failed at is played again, at most `ATTEMPTS_MAX` times in all.
"""

import hashlib
import hmac
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from arena.contracts import Results
from arena.model import Fault, MatchResult, MatchSpec, Pairing

__all__ = ["ATTEMPTS_MAX", "STARTS_MAX", "Identity", "Schedule", "commitment", "plan"]

STARTS_MAX = 3
"""Failures to start in a row after which a bot is suspended."""

ATTEMPTS_MAX = 3
"""How often a match is begun before the arena gives it up."""

_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_HELD_MAX = 1000  # how far the plan is looked through for a match that may start


class Identity:
    """Ids and seeds of one tournament's matches, from its seed and its game.

    Formula: HMAC-SHA-256 under the tournament's seed (UTF-8) of a compact JSON list of what is named; 80 bits of it for
    an id, all 256 for a seed.
    """

    def __init__(self, seed: str, game_name: str, public_rules: Mapping[str, Any]) -> None:
        self._key = seed.encode()
        self._game = _compact([game_name, public_rules])

    def match_id(self, pairing: Pairing, lane: int) -> str:
        """20 hexadecimal digits."""
        return self._digest("match", pairing, lane).hex()[:20]

    def deal_seed(self, pairing: Pairing) -> bytes:
        """32 bytes, the same for both matches of a pair, different for every pair."""
        return self._digest("deal", pairing)

    def _digest(self, *what: object) -> bytes:
        text = f"[{self._game},{_compact(what)[1:]}"  # of [game, *what], of which the game is long and always the same
        return hmac.digest(self._key, text.encode(), "sha256")


def commitment(seed: str) -> str:
    """The hash by which a tournament's seed is promised before the first match: SHA-256 of its UTF-8 text, in hex."""
    return hashlib.sha256(seed.encode()).hexdigest()


def plan(pairings: Iterable[Pairing], results: Results, identity: Identity) -> Iterator[MatchSpec]:
    """The matches of some pairings that have no result yet, lazily, lane 0 first."""
    for pairing in pairings:
        finished = results.is_finished(pairing)
        seed = identity.deal_seed(pairing)
        for lane, bots in enumerate([(pairing.bot_a, pairing.bot_b), (pairing.bot_b, pairing.bot_a)]):
            if not finished[lane]:
                yield MatchSpec(identity.match_id(pairing, lane), bots, pairing.deal, lane, seed)


class Schedule(Iterator[MatchSpec | None]):
    """Planned matches in the order in which they may start; None while nothing may start before another result is in.

    failures: for each bot, how many failures to start in a row stand at the end of its results so far. in_flight: how
    many matches have started and not ended.
    """

    def __init__(self, planned: Iterator[MatchSpec], failures: Mapping[str, int]) -> None:
        self._planned = planned
        self._failures = dict(failures)
        self._proven: set[str] = set()
        self._on_trial: dict[str, str] = {}  # bot on probation -> id of the match that tries it
        self._held: list[MatchSpec] = []  # matches that wait for a bot's trial, in schedule order
        self._ready: deque[MatchSpec] = deque()
        self.in_flight = 0
        self.given_up: list[MatchResult] = []

    @property
    def suspended(self) -> tuple[str, ...]:
        """The bots that have failed to start too often, sorted."""
        return tuple(sorted(bot for bot in self._failures if self._is_suspended(bot)))

    def __next__(self) -> MatchSpec | None:
        spec = self._next_ready() or self._next_planned()
        if spec is not None:
            self.in_flight += 1
            return spec
        if self.in_flight:
            return None
        raise StopIteration

    def settle(self, result: MatchResult) -> bool:
        """Take note of a match's end; whether it is a result to keep."""
        self.in_flight -= 1
        spec, outcome = result.spec, result.outcome
        self._end_trial(spec)
        if outcome.is_aborted:
            if spec.attempt + 1 < ATTEMPTS_MAX:
                self._held.insert(0, replace(spec, attempt=spec.attempt + 1))
            else:
                self.given_up.append(result)
        else:
            failed = {record.seat for record in outcome.faults if record.fault is Fault.STARTUP_FAILURE}
            for seat, bot in enumerate(spec.bots):
                self._note_start(bot, has_failed=seat in failed)
        self._release()
        return not outcome.is_aborted

    def _note_start(self, bot: str, *, has_failed: bool) -> None:
        if has_failed:
            self._failures[bot] = self._failures.get(bot, 0) + 1
            self._proven.discard(bot)
        else:
            self._failures[bot] = 0
            self._proven.add(bot)

    def _is_suspended(self, bot: str) -> bool:
        return self._failures.get(bot, 0) >= STARTS_MAX

    def _end_trial(self, spec: MatchSpec) -> None:
        for bot in [bot for bot, trial in self._on_trial.items() if trial == spec.id]:
            del self._on_trial[bot]

    def _next_ready(self) -> MatchSpec | None:
        """The next match that was found ready, if its bots have not been suspended since."""
        while self._ready:
            spec = self._ready.popleft()
            if not any(self._is_suspended(bot) for bot in spec.bots):
                return spec
            self._end_trial(spec)
            self._release()
        return None

    def _next_planned(self) -> MatchSpec | None:
        """The next planned match that may start; what may not yet is held, in order."""
        blocked = {bot for spec in self._held for bot in spec.bots}
        while len(self._held) < _HELD_MAX:
            spec = next(self._planned, None)
            if spec is None:
                return None
            if self._may_start(spec, blocked):
                return spec
        return None

    def _release(self) -> None:
        """Look through the held matches again, after a trial has ended."""
        held, self._held = self._held, []
        blocked: set[str] = set()
        for spec in held:
            if self._may_start(spec, blocked):
                self._ready.append(spec)

    def _may_start(self, spec: MatchSpec, blocked: set[str]) -> bool:
        """Whether a match may start now. If not it is held (and `blocked` grows, since a bot on probation plays in
        schedule order), or dropped for good when a bot of it is suspended."""
        if any(self._is_suspended(bot) for bot in spec.bots):
            return False
        unproven = [bot for bot in spec.bots if bot not in self._proven]
        if any(bot in self._on_trial or bot in blocked for bot in unproven):
            self._held.append(spec)
            blocked.update(unproven)
            return False
        for bot in unproven:
            self._on_trial[bot] = spec.id
        return True
