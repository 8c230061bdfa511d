"""A referee (or what stands in for one) in a process of its own, measured while it plays."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple, Self

from arena.contracts import Place
from arena.executors._referees import Link
from arena.model import Fault, MatchResult
from arena.processes import cpu_seconds
from arena.referee.job import RefereeJob
from benchmarks.floor.recording import Recording, decisions_of, match_spec
from benchmarks.floor.replay import Replay
from benchmarks.measure import Line, Target, descendants

__all__ = ["Cost", "FloorSide", "RefereeSide", "cost_lines"]

_PATIENCE_S = 10


class Cost(NamedTuple):
    """What some matches cost: elapsed time and CPU in seconds, how many decisions there were, and in our own referee
    how many matches were lost by a timeout, or aborted because it had stood still itself."""

    wall_s: float
    referee_s: float
    bots_s: float
    decisions: int
    timeouts: int
    unjudged: int

    @property
    def wall_us(self) -> float:
        """Per decision, as for the next two."""
        return 1e6 * self.wall_s / self.decisions

    @property
    def referee_us(self) -> float:
        return 1e6 * self.referee_s / self.decisions

    @property
    def bots_us(self) -> float:
        return 1e6 * self.bots_s / self.decisions


class _Side(AbstractContextManager["_Side"]):
    """A process that is called with a connection, and its bots."""

    def __init__(self, play: Callable[[Connection], None], recording: Recording) -> None:
        self._play = play
        self._recording = recording
        self._timeouts = self._unjudged = 0

    def __enter__(self) -> Self:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=self._play, args=(theirs,))
        self._process.start()
        theirs.close()
        assert self._process.pid is not None, "just started"
        self._pid = self._process.pid
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.is_alive():
            self._connection.send(None)
        self._connection.close()
        self._process.join(_PATIENCE_S)
        self._process.close()

    def warm_up(self, at_once: int) -> None:
        """Play a match, so that everybody knows what a process offers, and then so many that all processes start."""
        self.play(1)
        self.play(2 * at_once)

    def measure(self, matches: int) -> Cost:
        """Play the recording's matches, in turns, and say what that cost. No process may start or end meanwhile."""
        referee_s, bots_s = self.spent()
        begun = time.perf_counter()
        self._timeouts = self._unjudged = 0
        decisions = self.play(matches)
        wall_s = time.perf_counter() - begun
        referee_end_s, bots_end_s = self.spent()
        return Cost(wall_s, referee_end_s - referee_s, bots_end_s - bots_s, decisions, self._timeouts, self._unjudged)

    def spent(self) -> tuple[float, float]:
        """Seconds of CPU of the process and of its bots, since they started."""
        return cpu_seconds(self._pid), sum(map(cpu_seconds, descendants(self._pid)))

    def play(self, matches: int) -> int:
        """Play so many matches; returns the number of their decisions."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Served:
    """A referee's job at a place, over a connection that it is called with."""

    job: RefereeJob
    place: Place

    def __call__(self, connection: Connection) -> None:
        link = Link(connection)
        self.job(link, link.report, self.place)


class RefereeSide(_Side):
    """Our referee, with so many matches in progress. may_abort: whether it may stand still on a machine that has other
    things to do; else that is an error."""

    def __init__(
        self, job: RefereeJob, place: Place, recording: Recording, at_once: int, *, may_abort: bool = False
    ) -> None:
        super().__init__(_Served(job, place), recording)
        self._at_once = at_once
        self._may_abort = may_abort
        self._count = 0

    def play(self, matches: int) -> int:
        recorded = len(self._recording.results)
        first = self._count * recorded
        specs = iter([match_spec(first + number, recorded) for number in range(matches)])
        self._count += -(-matches // recorded)
        decisions = 0
        for _ in range(min(self._at_once, matches)):
            self._connection.send(next(specs))
        for _ in range(matches):
            result: MatchResult = self._connection.recv()
            decisions += self._judged(result)
            spec = next(specs, None)
            if spec is not None:
                self._connection.send(spec)
        if not (self._timeouts or self._unjudged) and decisions != self._recording.decisions(matches):
            raise RuntimeError("the bots do not play as they did when they were recorded")
        return decisions

    def _judged(self, result: MatchResult) -> int:
        """The decisions of a match that ended as a measurement may."""
        faults = {record.fault for record in result.outcome.faults}
        if faults - {Fault.TIMEOUT} or (result.outcome.is_aborted and not self._may_abort):
            raise RuntimeError(f"a measured match went wrong: {result.outcome.detail}")
        self._timeouts += bool(faults)
        self._unjudged += result.outcome.is_aborted
        return decisions_of(result)


class FloorSide(_Side):
    """The bare loop."""

    def __init__(self, replay: Replay) -> None:
        super().__init__(replay, replay.recording)

    def play(self, matches: int) -> int:
        self._connection.send(matches)
        self._connection.recv()
        return self._recording.decisions(matches)


_ABOVE_FLOOR_US = Target("relation", "at most", 15)


def cost_lines(
    subject: str, ours: Sequence[Cost], beside: str, floor: Sequence[Cost], target: Target | None = _ABOVE_FLOOR_US
) -> Iterator[Line]:
    """What a decision costs two sides that were measured in turns; `target` is for the CPU of the referee."""
    walls = [[cost.wall_us for cost in costs] for costs in (ours, floor)]
    yield Line(subject, "wall, decision", "us", walls[0], beside, walls[1])
    referees = [[cost.referee_us for cost in costs] for costs in (ours, floor)]
    yield Line(subject, "referee CPU, decision", "us", referees[0], beside, referees[1], "difference", target)
    bots = [[cost.bots_us for cost in costs] for costs in (ours, floor)]
    yield Line(subject, "bots' CPU, decision", "us", bots[0], beside, bots[1], "difference")
