"""A decision over stdin and stdout, beside a bare loop over pipes, and beside ZeroMQ."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from benchmarks.floor.recording import first_legal, job, place, record
from benchmarks.floor.replay import Replay
from benchmarks.floor.side import FloorSide, RefereeSide, cost_lines
from benchmarks.measure import Line, Scale, in_turns

__all__ = ["measure"]


def measure(scale: Scale) -> Iterator[Line | str]:
    """The same bot over pipes in our referee and in a bare loop, and over ZeroMQ in our referee."""
    by_lines, by_zeromq = first_legal(sys.executable, protocol="stdio"), first_legal(sys.executable)
    recording = record(by_lines, scale.choose(2, 8), scale.directory)
    for at_once in (1, 16):
        matches = scale.choose(30, 60 if at_once == 1 else 100)
        sides = (
            RefereeSide(job(by_lines), place(by_lines, scale.directory), recording, at_once),
            FloorSide(Replay(recording, at_once)),
            RefereeSide(job(by_zeromq), place(by_zeromq, scale.directory), recording, at_once),
        )
        with ExitStack() as stack:
            for side in sides:
                stack.enter_context(side).warm_up(at_once)
            ours, floor, zeromq = in_turns(scale.rounds, *[partial(side.measure, matches) for side in sides])
        yield from cost_lines(f"stdio, {at_once} at once", ours, "bare pipes", floor)
        yield from cost_lines(f"stdio or ZeroMQ, {at_once}", ours, "our ZeroMQ", zeromq, target=None)
