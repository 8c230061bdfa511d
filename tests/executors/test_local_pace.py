"""The pace of real workers: it follows what their results say."""

from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path

from arena.contracts import Place
from arena.executors.local import Local
from arena.model import MatchSpec
from arena.processes import usable_cores
from tests.executors.paced_play import Computing


def endless() -> Iterator[MatchSpec]:
    for number in count():
        yield MatchSpec(f"match {number}", ("ann", "bob"), number, 0, bytes(32))


def held(play: Computing) -> list[str]:
    with closing(Local(workers=1).run(endless(), play, Place({}, Path()))) as running:
        return [result.outcome.detail for result in islice(running, 5 * play.size)]


def test_eight_matches_of_quick_bots_are_in_progress_and_of_slow_ones_as_many_as_there_are_cores():
    cores = usable_cores()
    for cpu_ms, size in ((0.1, max(8, cores)), (400.0, cores)):
        assert held(Computing(cpu_ms, size))[-size:] == [f"{size} of {cores}"] * size
