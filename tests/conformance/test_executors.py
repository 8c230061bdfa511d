"""Every executor keeps its contract; and the check of the contract finds executors that do not."""

import subprocess
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, takewhile
from queue import SimpleQueue

import pytest

from arena.contracts import Place, Play
from arena.executors.local import Local
from arena.model import MatchResult, MatchSpec, Outcome
from arena.registry import load, names
from arena.testing import check_executor
from tests.orders import Queue


@pytest.mark.parametrize("name", names("executors"))
def test_executor_keeps_its_contract(name):
    check_executor(load("executors", name)())


class Thread:
    """A proper executor without a process: a thread that plays one match at a time. Each below breaks one promise."""

    @contextmanager
    def playing(self, play: Play, place: Place) -> Iterator[tuple[Queue, "SimpleQueue[MatchResult]"]]:
        orders, results = Queue(), SimpleQueue[MatchResult]()
        thread = threading.Thread(target=play, args=(orders, results.put, place))
        thread.start()
        try:
            yield orders, results
        finally:
            orders.put(None)
            thread.join()

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        with self.playing(play, place) as (orders, results):
            for spec in specs:
                assert spec is not None, "nothing is in flight here between two matches"
                orders.put(spec)
                yield results.get()


class SkipsTheLast(Thread):
    def run(self, specs, play, place):
        results = list(super().run(specs, play, place))
        yield from results[:-1]


class PlaysTwice(Thread):
    def run(self, specs, play, place):
        yield from super().run((spec for spec in specs for _ in range(2)), play, place)


class MakesUpResults(Thread):
    def run(self, specs, play, place):
        for spec in specs:
            yield MatchResult(spec, Outcome(1, "luck"))


class TakesAWaitForTheEnd(Thread):
    def run(self, specs, play, place):
        started = list(takewhile(lambda spec: spec is not None, specs))
        yield from super().run(iter(started), play, place)


class PullsEverything(Thread):
    def run(self, specs, play, place):
        while started := list(takewhile(lambda spec: spec is not None, islice(specs, 20_000))):
            yield from super().run(iter(started), play, place)


class ForgetsWhatIsLost(Local):
    def run(self, specs, play, place):
        yield from (result for result in super().run(specs, play, place) if not result.outcome.is_aborted)


class BlamesABot(Local):
    def run(self, specs, play, place):
        for result in super().run(specs, play, place):
            lost = result.outcome.is_aborted
            yield replace(result, outcome=Outcome(0, "crash")) if lost else result


class LeavesAProcess(Thread):
    def __init__(self) -> None:
        self.left: list[subprocess.Popen[bytes]] = []

    def run(self, specs, play, place):
        self.left.append(subprocess.Popen(["sleep", "600"]))
        yield from super().run(specs, play, place)


def test_a_proper_executor_passes():
    check_executor(Thread())


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (SkipsTheLast(), "not every match was played once: 49 results of 50"),
        (PlaysTwice(), "not every match was played once: 100 results of 50"),
        (MakesUpResults(), "not those of the play"),
        (TakesAWaitForTheEnd(), "1 of 5 matches were played that had to wait"),
        (PullsEverything(), "were pulled before 5 had ended"),
        (ForgetsWhatIsLost(), "after the loss of a worker not every match has come back once"),
        (BlamesABot(), "a lost match ended by crash"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_executor_is_caught(broken, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_executor(broken)


def test_an_executor_that_leaves_a_process_is_caught():
    broken = LeavesAProcess()
    with pytest.raises(AssertionError, match="processes are left"):
        check_executor(broken)
    for process in broken.left:
        process.kill()
        process.wait()
