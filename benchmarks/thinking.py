"""Bots that think 20 ms a move, a match for each core: are the cores theirs, are the clocks right?"""

import os
import sys
from collections.abc import Iterator

from arena.model import TimeControl
from benchmarks.floor.recording import first_legal, job, place, record
from benchmarks.floor.replay import Replay
from benchmarks.floor.side import Cost, FloorSide, RefereeSide
from benchmarks.measure import Line, Scale, Target, in_turns

__all__ = ["measure"]

_THINK_MS = 20
_MOVE_MS = 100


def measure(scale: Scale) -> Iterator[Line | str]:
    """The floor's bots think as much, and wait for nothing but each other and the machine. At the end of each round a
    core has no match left, which takes some percent of a short one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    bot = first_legal(sys.executable, "--think-ms", str(_THINK_MS))
    time = TimeControl(move_ms=_MOVE_MS)
    recording = record(bot, scale.choose(1, 4), scale.directory, time=time)
    ours = RefereeSide(job(bot, time=time), place(bot, scale.directory), recording, cores, may_abort=True)
    floor = FloorSide(Replay(recording, cores))
    rounds, matches = scale.choose((1, 2), (3, 30), (10, 200))
    with ours, floor:
        ours.warm_up(cores)
        floor.warm_up(cores)
        found, bare = in_turns(rounds, lambda: ours.measure(matches), lambda: floor.measure(min(matches, 30)))
    subject = f"{cores} at once, {_THINK_MS} of {_MOVE_MS} ms"

    def shares(costs: list[Cost]) -> list[float]:
        return [100 * cost.bots_s / (cost.wall_s * cores) for cost in costs]

    target = Target("figure", "at least", 95)
    yield Line(subject, "cores' time in bots", "%", shares(found), "bare ROUTER", shares(bare), target=target)
    timeouts = sum(cost.timeouts for cost in found)
    target = Target("figure", "at most", 0)
    yield Line(subject, f"false timeouts in {rounds * matches} matches", "", [timeouts], target=target)
    unjudged = sum(cost.unjudged for cost in found)
    yield Line(subject, "aborted, the machine's fault", "", [unjudged])
