"""What an executor must satisfy."""

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from arena.contracts import Executor, Orders, Place
from arena.model import (
    ABORTED,
    MatchResult,
    MatchSpec,
    Outcome,
)

__all__ = ["check_executor", "wait_for_orders"]


def check_executor(executor: Executor) -> None:
    """An executor plays everything once, pulls no more than it has room for, survives its workers, and cleans up."""
    before = _children()
    _check_all_played(executor)
    _check_waiting(executor)
    _check_lost_worker(executor)
    _check_closing(executor)
    assert _children() <= before, "processes are left"


@dataclass(frozen=True)
class _Echo:
    """A `Play`: every match ends at once. A doomed one takes its worker with it, when that is a process of its own."""

    checker: int
    doomed: str = ""

    def __call__(self, orders: Orders, report: Callable[[MatchResult], None], place: Place) -> None:
        while (specs := orders.take()) is not None:
            for spec in specs:
                if spec.id == self.doomed and os.getpid() != self.checker:
                    os.kill(os.getpid(), signal.SIGKILL)
                report(MatchResult(spec, Outcome(0, "echo")))
            if not specs:
                wait_for_orders(orders)


def wait_for_orders(orders: Orders) -> None:
    """Return when something may have come."""
    if orders.watch is None:
        time.sleep(_PAUSE_S)
    else:
        select.select([orders.watch], [], [])


_PAUSE_S = 0.002
_PLACE = Place({}, Path())
"""Nothing is needed of a place where nothing is started."""


def _children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def _specs(count: int) -> list[MatchSpec]:
    return [MatchSpec(f"match {number}", ("ann", "bob"), number, 0, bytes(32)) for number in range(count)]


def _check_all_played(executor: Executor) -> None:
    for specs in ([], _specs(50)):
        results = list(executor.run(iter(specs), _Echo(os.getpid()), _PLACE))
        assert all(result.outcome == Outcome(0, "echo") for result in results), "results are not those of the play"
        played = sorted((result.spec for result in results), key=lambda spec: spec.deal)
        assert played == specs, f"not every match was played once: {len(played)} results of {len(specs)}"


def _check_waiting(executor: Executor) -> None:
    """Each match may start only when the one before it has ended: what is None now is not None for ever."""
    left, in_flight = _specs(5), [False]

    def one_at_a_time() -> Iterator[MatchSpec | None]:
        while left:
            if in_flight[0]:
                yield None
            else:
                in_flight[0] = True
                yield left.pop(0)

    count = 0
    for _ in executor.run(one_at_a_time(), _Echo(os.getpid()), _PLACE):
        in_flight[0] = False
        count += 1
    assert count == 5, f"{count} of 5 matches were played that had to wait for each other"


def _check_lost_worker(executor: Executor) -> None:
    specs = _specs(50)
    play = _Echo(os.getpid(), doomed=specs[3].id)
    results = list(executor.run(iter(specs), play, _PLACE))
    ids = sorted(result.spec.deal for result in results)
    assert ids == list(range(50)), "after the loss of a worker not every match has come back once"
    ends = {result.spec.id: result.outcome.reason for result in results}
    assert ends[play.doomed] in (ABORTED, "echo"), f"a lost match ended by {ends[play.doomed]}"
    assert "echo" in ends.values(), "nothing was played after the loss of a worker"


def _check_closing(executor: Executor) -> None:
    pulled = 0

    def endless() -> Iterator[MatchSpec]:
        nonlocal pulled
        while True:
            yield MatchSpec(f"match {pulled}", ("ann", "bob"), pulled, 0, bytes(32))
            pulled += 1

    running = executor.run(endless(), _Echo(os.getpid()), _PLACE)
    for _ in range(5):
        next(running)
    running.close()
    assert pulled < 10_000, f"{pulled} matches were pulled before 5 had ended"
