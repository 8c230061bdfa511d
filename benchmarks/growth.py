"""A run that has played much, beside one that has just begun: a match more, its memory, going on with it."""

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import psutil

from arena.config.tournament import TournamentConfig, load_config
from arena.contracts import Orders, Place, Play
from arena.executors.local import Local
from arena.model import MatchResult, MatchSpec
from arena.testing.executors import wait_for_orders
from arena.tournament import prepare
from benchmarks.floor.recording import first_legal, record
from benchmarks.floor.stored import write_config
from benchmarks.measure import Line, Scale, cpu_in_turns

__all__ = ["measure"]

_BOTS = 10
_DEAL = _BOTS * (_BOTS - 1)  # its matches


@dataclass(frozen=True)
class _Recorded:
    """A `Play`: every match ends at once, as a recorded one did."""

    results: Sequence[MatchResult]

    def __call__(self, orders: Orders, report: Callable[[MatchResult], None], place: Place) -> None:
        while (specs := orders.take()) is not None:
            for spec in specs:
                report(replace(self.results[spec.deal % len(self.results)], spec=spec))
            if not specs:
                wait_for_orders(orders)


@dataclass(frozen=True)
class _WithoutBots:
    """An executor: the local one, whose only worker has recorded matches."""

    results: Sequence[MatchResult]

    def run(self, specs: Iterator[MatchSpec | None], _: Play, place: Place) -> Generator[MatchResult, None, None]:
        return Local(workers=1, matches_at_once=4).run(specs, _Recorded(self.results), place)


def measure(scale: Scale) -> Iterator[Line | str]:
    """Schedule, executor and store are those of any run; the matches are recorded ones."""
    sizes = scale.choose([1_000], [1_000, 10_000], [1_000, 10_000, 100_000])
    bot = first_legal(sys.executable)
    results = record(bot, scale.choose(2, 16), scale.directory).results
    path = write_config(scale.directory / "growth.yaml", bot, _BOTS, sizes[-1])
    config = replace(load_config(path), executor=_WithoutBots(results))
    for size in sizes:
        yield from _lines(config, scale, size)


def _lines(config: TournamentConfig, scale: Scale, size: int) -> Iterator[Line]:
    subject = f"{size:,} matches played"
    grown, young = (scale.directory / f"growth-{size}-{which}" for which in ("grown", "young"))
    with _playing(config, grown) as results:
        _take(results, _DEAL)
        first_mb = _memory_mb()
        _take(results, size - _DEAL)
        yield Line(subject, "memory", "MB", [_memory_mb()], f"after {_DEAL} matches", [first_mb], "difference")
        with _playing(config, young) as others:
            _take(others, _DEAL)
            cpu = cpu_in_turns(scale.rounds, lambda: _take(results, _DEAL), lambda: _take(others, _DEAL))
    us = [[1e6 * seconds / _DEAL for seconds in side] for side in cpu]
    yield Line(subject, "a further match, CPU", "us", us[0], "in a run that has just begun", us[1])
    cpu = cpu_in_turns(scale.rounds, lambda: _go_on(config, grown))
    yield Line(subject, "going on: first match, CPU", "ms", [1000 * seconds for seconds in cpu[0]])


@contextmanager
def _playing(config: TournamentConfig, directory: Path) -> Iterator[Iterator[MatchResult]]:
    with prepare(config, directory) as run, closing(run.results()) as results:
        yield results


def _take(results: Iterator[MatchResult], number: int) -> None:
    assert sum(1 for _ in islice(results, number)) == number, "there is always something to be played"


def _go_on(config: TournamentConfig, directory: Path) -> None:
    with prepare(config, directory) as run:
        assert run.first is not None, "there is always something to be played"


def _memory_mb() -> float:
    """What this process has in memory (its resident set)."""
    return float(psutil.Process().memory_info().rss) / (1 << 20)
