"""What is played next: the order in which planned matches may start. Pure.

Theory of operation
-------------------
`Schedule` hands out the matches of a plan. A bot is on *probation* until a process of it has started: one match of it
at a time, the others wait. So a bot that cannot start loses exactly its first `STARTS_MAX` matches of the schedule,
with one worker or with many, interrupted or not; then it is *suspended*: its other matches are left out, and those of
the others go on. A match that the arena failed at is played again, at most `ATTEMPTS_MAX` times in all; then it is
given up for this run, and the next run tries it again.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from arena.contracts import Format, Results
from arena.model import Fault, MatchResult, MatchSpec
from arena.plan import Identity, Plan, TournamentProgress, lane_of

__all__ = ["ATTEMPTS_MAX", "STARTS_MAX", "Schedule"]

STARTS_MAX = 3
"""Failures to start in a row after which a bot is suspended."""

ATTEMPTS_MAX = 3
"""How often a match is begun before the arena gives it up."""

_HELD_MAX = 1000  # how far the plan is looked through for a match that may start


class Schedule(Iterator[MatchSpec | None]):
    """Planned matches in the order in which they may start; None while nothing may start before another result is in.

    results: those so far; what is settled must be in them when the next match is asked for. failures: for each bot, how
    many failures to start in a row stand at the end of its results so far. in_flight: how many matches have started and
    not ended. given_up: the last result of each match that the arena failed at too often, without its events.
    is_complete: whether the plan is at its end, with nothing given up.
    """

    def __init__(
        self,
        format_: Format,
        entrants: Sequence[str],
        results: Results,
        identity: Identity,
        failures: Mapping[str, int],
    ) -> None:
        self._failures = dict(failures)
        self.progress = TournamentProgress(results)
        self.progress.suspended |= {bot for bot in entrants if failures.get(bot, 0) >= STARTS_MAX}
        self._plan = Plan(format_, entrants, self.progress, identity)
        self._entrants = entrants
        self._proven: set[str] = set()
        self._on_trial: dict[str, str] = {}  # bot on probation -> id of the match that tries it
        self._held: list[MatchSpec] = []  # matches that wait for a bot's trial, in schedule order
        self._ready: deque[MatchSpec] = deque()
        self.in_flight = 0
        self.is_complete = False
        self.given_up: list[MatchResult] = []

    @property
    def suspended(self) -> tuple[str, ...]:
        """The bots that have failed to start too often, sorted."""
        return tuple(sorted(self.progress.suspended))

    def __next__(self) -> MatchSpec | None:
        spec = self._next_ready() or self._next_planned()
        if spec is not None:
            self.in_flight += 1
            return spec
        if self.in_flight:
            return None
        self.is_complete = not self.given_up
        raise StopIteration

    def settle(self, result: MatchResult) -> bool:
        """Take note of a match's end; whether it is a result to keep."""
        self.in_flight -= 1
        spec, outcome = result.spec, result.outcome
        self._end_trial(spec)
        if outcome.is_aborted and spec.attempt + 1 < ATTEMPTS_MAX:
            self._held.insert(0, replace(spec, attempt=spec.attempt + 1))
        elif outcome.is_aborted:
            self.given_up.append(replace(result, events=(), decisions=()))
            self.progress.given_up.add(lane_of(spec))
            self._forget(spec)
        else:
            self._forget(spec)
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
        if self._failures[bot] >= STARTS_MAX:
            self.progress.suspended.add(bot)
        else:
            self.progress.suspended.discard(bot)

    def _has_suspended(self, spec: MatchSpec) -> bool:
        return not self.progress.suspended.isdisjoint(spec.bots)

    def _forget(self, spec: MatchSpec) -> None:
        """A match is over, or will not be played: the format may be asked for what follows."""
        self.progress.started.discard(lane_of(spec))
        self._plan.note_end()

    def _end_trial(self, spec: MatchSpec) -> None:
        for bot in [bot for bot, trial in self._on_trial.items() if trial == spec.id]:
            del self._on_trial[bot]

    def _next_ready(self) -> MatchSpec | None:
        """The next match that was found ready, if its bots have not been suspended since."""
        while self._ready:
            spec = self._ready.popleft()
            if not self._has_suspended(spec):
                return spec
            self._end_trial(spec)
            self._forget(spec)
            self._release()
        return None

    def _next_planned(self) -> MatchSpec | None:
        """The next planned match that may start; what may not yet is held, in order. What is planned is played, so no
        more is taken of the plan than has to be: the format may want something else after the next result."""
        blocked = {bot for spec in self._held for bot in spec.bots}
        while len(self._held) < _HELD_MAX and self._are_two_free(blocked):
            spec = self._plan.next()
            if spec is None:
                return None
            if self._may_start(spec, blocked):
                return spec
        return None

    def _are_two_free(self, blocked: set[str]) -> bool:
        """Whether there can be a match that may start now."""
        waiting = blocked.union(self._on_trial) - self._proven | self.progress.suspended
        return len([*islice((bot for bot in self._entrants if bot not in waiting), 2)]) == 2

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
        if self._has_suspended(spec):
            self._forget(spec)
            return False
        unproven = [bot for bot in spec.bots if bot not in self._proven]
        if any(bot in self._on_trial or bot in blocked for bot in unproven):
            self._held.append(spec)
            blocked.update(unproven)
            return False
        for bot in unproven:
            self._on_trial[bot] = spec.id
        return True
