"""Each launcher that works here: from the start of a bot to its hello, and a decision."""

import sys
import time
from collections.abc import Iterator

from arena.contracts import Launcher
from arena.model import BotSpec
from arena.registry import load, names
from benchmarks.floor.recording import Recording, first_legal, job, place, record
from benchmarks.floor.replay import Replay, Router
from benchmarks.floor.side import FloorSide, RefereeSide
from benchmarks.measure import Line, Scale, in_turns

__all__ = ["measure"]


def measure(scale: Scale) -> Iterator[Line | str]:
    """Beside the same bot without a launcher and a referee."""
    bot = first_legal(sys.executable)
    recording = record(bot, scale.choose(2, 8), scale.directory)
    for name in names("launchers"):
        launcher: Launcher = load("launchers", name)()
        if reason := launcher.unavailable():
            yield f"{name} is left out: {reason}"
            continue
        yield _start_line(scale, name, launcher, bot)
        yield _decision_line(scale, name, launcher, recording)


def _start_line(scale: Scale, name: str, launcher: Launcher, bot: BotSpec) -> Line:
    def start_confined() -> float:
        return _start_ms(bot, launcher)

    def start_bare() -> float:
        return _start_ms(bot, None)

    confined, bare = in_turns(scale.choose(3, 15), start_confined, start_bare)
    return Line(name, "start to hello", "ms", confined, "no launcher", bare)


def _start_ms(bot: BotSpec, launcher: Launcher | None) -> float:
    """From before the start of a process until its hello is here."""
    begun = time.perf_counter()
    with Router(bot, 1, launcher):
        return 1000 * (time.perf_counter() - begun)


def _decision_line(scale: Scale, name: str, launcher: Launcher, recording: Recording) -> Line:
    ours = RefereeSide(job(recording.bot, launcher=launcher), place(recording.bot, scale.directory), recording, 1)
    floor = FloorSide(Replay(recording, 1))
    matches = scale.choose(20, 100)
    with ours, floor:
        ours.warm_up(1)
        floor.warm_up(1)
        found, bare = in_turns(scale.rounds, lambda: ours.measure(matches), lambda: floor.measure(matches))
    walls = [[cost.wall_us for cost in costs] for costs in (found, bare)]
    return Line(name, "wall, decision, 1 at once", "us", walls[0], "bare ROUTER", walls[1])
