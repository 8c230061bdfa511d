"""A whole tournament by `arena run`, beside a bare loop that says as many of the same messages."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import psutil

from arena.processes import cpu_seconds
from arena.store import Store
from benchmarks.floor.recording import Recording, decisions_of, first_legal, record
from benchmarks.floor.replay import Replay
from benchmarks.floor.side import FloorSide
from benchmarks.floor.stored import write_config
from benchmarks.measure import Line, Scale, Target, in_turns, run

__all__ = ["measure"]

_BOTS = 5
_AT_ONCE = (8, 16)  # what `auto` comes to, and what a referee alone is measured with


class _Whole(NamedTuple):
    """What a tournament cost from start to end, in seconds of time and CPU."""

    wall_s: float
    run_s: float
    referee_s: float
    bots_s: float
    decisions: int

    @property
    def cpu_s(self) -> float:
        return self.run_s + self.referee_s + self.bots_s


def measure(scale: Scale) -> Iterator[Line | str]:
    """Five bots that answer at once; starts and ends of all processes are part of both sides.

    The floor says other matches, so what it costs a match is for as many decisions."""
    matches = scale.choose(200, 2000)
    bot = first_legal(sys.executable)
    config = write_config(scale.directory / "run.yaml", bot, _BOTS, matches // (_BOTS * (_BOTS - 1)))
    recording = record(bot, scale.choose(2, 16), scale.directory)
    places = (scale.directory / f"run-{number}" for number in count())
    ours, *floors = in_turns(
        scale.choose(1, 3),
        lambda: _run(config, next(places)),
        *(partial(_floor, recording, matches, at_once) for at_once in _AT_ONCE),
    )
    for at_once, floor in zip(_AT_ONCE, floors, strict=True):
        yield from _lines(matches, ours, f"bare ROUTER, {at_once} at once", floor)


def _lines(matches: int, ours: list[_Whole], beside: str, floor: list[_Whole]) -> Iterator[Line]:
    subject, target = f"{matches:,} matches", Target("relation", "at most", 1.5)
    for name, of in (("wall", "wall_s"), ("CPU", "cpu_s")):
        us = [[1e6 * getattr(whole, of) / whole.decisions for whole in side] for side in (ours, floor)]
        yield Line(subject, f"{name}, decision", "us", us[0], beside, us[1], target=target)
        ms = [
            [us_each * whole.decisions / matches / 1000 for us_each, whole in zip(side, ours, strict=True)]
            for side in us
        ]
        yield Line(subject, f"{name}, match", "ms", ms[0], beside, ms[1])
    for name, of in (("run process's", "run_s"), ("referee's", "referee_s"), ("bots'", "bots_s")):
        us = [[1e6 * getattr(whole, of) / whole.decisions for whole in side] for side in (ours, floor)]
        yield Line(subject, f"of it the {name} CPU", "us", us[0], beside, us[1], "difference")


class _Watch:
    """Reads the clocks of a run and of the referees that it has started, again and again."""

    def __init__(self) -> None:
        self.run_s = self.referee_s = 0.0
        self._referees: list[int] = []

    def __call__(self, pid: int) -> None:
        self.run_s = cpu_seconds(pid)
        with suppress(OSError, psutil.Error):  # not started yet, or gone
            self._referees = self._referees or [child.pid for child in psutil.Process(pid).children()]
            self.referee_s = sum(map(cpu_seconds, self._referees))


def _run(config: Path, directory: Path) -> _Whole:
    watch = _Watch()
    command = [sys.executable, "-m", "arena", "run", str(config), "--output", str(directory)]
    whole = run(command, watch=watch)
    with Store.open(directory) as store:
        decisions = sum(map(decisions_of, store.matches()))
    shutil.rmtree(directory)
    bots_s = whole.cpu_s - watch.run_s - watch.referee_s
    return _Whole(whole.wall_s, watch.run_s, watch.referee_s, bots_s, decisions)


def _floor(recording: Recording, matches: int, at_once: int) -> _Whole:
    begun = time.perf_counter()
    with FloorSide(Replay(recording, at_once)) as side:
        decisions = side.play(matches)
        referee_s, bots_s = side.spent()
    return _Whole(time.perf_counter() - begun, 0.0, referee_s, bots_s, decisions)
