"""The plan of a round robin of many bots, and going on with half of it played."""

import hmac
import sqlite3
import sys
import time
import tracemalloc
from collections import deque
from collections.abc import Iterator
from contextlib import closing
from itertools import combinations, islice
from pathlib import Path

from arena.config import load_config
from arena.formats.round_robin import RoundRobin
from arena.model import MatchResult, MatchSpec, Outcome
from arena.schedule import Identity, Schedule, plan
from arena.testing import ResultsInMemory
from arena.tournament import prepare
from benchmarks.floor.recording import GAME, first_legal
from benchmarks.floor.stored import fill, write_config
from benchmarks.measure import Line, Scale, Target, cpu_in_turns, in_turns

__all__ = ["measure"]

_DIGESTED = bytes(100)
_ROUNDS = 3
_TRACED = 50_000  # steps; tracing is slow
_FIRST = Target("figure", "at most", 2000)


def measure(scale: Scale) -> Iterator[Line | str]:
    """One deal for every two of 1,000 bots makes 999,000 matches; half of them take minutes to store."""
    yield from _plan_lines(scale.choose(100, 1000))
    yield from _resume_lines(scale, scale.choose(100, 300, 1000))


def _subject(bots: int) -> str:
    return f"{bots:,} bots, {bots * (bots - 1):,} matches"


def _planned(names: list[str]) -> Iterator[MatchSpec]:
    results = ResultsInMemory()
    return plan(RoundRobin(1).pairings(names, results), results, Identity("a benchmark", GAME, {}))


def _plan_lines(bots: int) -> Iterator[Line]:
    """Without a store. The floor makes as many names of as many pairs."""
    names = [f"bot {number:04}" for number in range(bots)]

    def first() -> None:
        assert next(Schedule(_planned(names), {})) is not None, "the first match waits for nothing"

    def whole() -> None:
        deque(_planned(names), maxlen=0)

    def bare_first() -> None:
        _digest_pair(next(combinations(names, 2)))

    def bare() -> None:
        deque(map(_digest_pair, combinations(names, 2)), maxlen=0)

    for figure, ours, floor in (("first match", first, bare_first), ("whole plan", whole, bare)):
        found = cpu_in_turns(_ROUNDS, ours, floor)
        ms = [[1000 * seconds for seconds in side] for side in found]
        yield Line(_subject(bots), f"{figure}, CPU", "ms", ms[0], "pairs and HMACs", ms[1])
    peak = [_peak_mb(_planned(names)), _peak_mb(map(_digest_pair, combinations(names, 2)))]
    yield Line(_subject(bots), f"first {_TRACED:,}, memory", "MB", peak[:1], "pairs and HMACs", peak[1:])


def _digest_pair(pair: tuple[str, str]) -> tuple[bytes, ...]:
    """A deal and two ids."""
    return tuple(hmac.digest(name.encode(), _DIGESTED, "sha256") for name in (*pair, pair[0]))


def _peak_mb(steps: Iterator[object]) -> float:
    """The most memory in use while so many steps are taken, and dropped."""
    tracemalloc.start()
    try:
        deque(islice(steps, _TRACED), maxlen=0)
        return tracemalloc.get_traced_memory()[1] / (1 << 20)
    finally:
        tracemalloc.stop()


def _resume_lines(scale: Scale, bots: int) -> Iterator[Line]:
    """With half of it in a store. The floor reads as many rows into a set."""
    config = write_config(scale.directory / "plan.yaml", first_legal(sys.executable), bots, 1)
    store, bare = scale.directory / "plan", scale.directory / "plan.sqlite"
    _fill(config, store, bare, bots * (bots - 1) // 2)

    def load() -> float:
        begun = time.perf_counter()
        load_config(config)
        return 1000 * (time.perf_counter() - begun)

    settings = load_config(config)

    def resume() -> float:
        begun = time.perf_counter()
        with prepare(settings, store) as run:
            assert next(run.schedule) is not None, "half of it is still to be played"
            return 1000 * (time.perf_counter() - begun)

    def read() -> float:
        begun = time.perf_counter()
        with closing(sqlite3.connect(bare)) as connection:
            played = set(connection.execute("SELECT bot_a, bot_b, deal, lane FROM match"))
            assert played, "half of it has been played"
        return 1000 * (time.perf_counter() - begun)

    loads, resumes, reads = in_turns(_ROUNDS, load, resume, read)
    yield Line(_subject(bots), "reading the config, wall", "ms", loads)
    yield Line(
        _subject(bots), "half played: first match, wall", "ms", resumes, "reading it, bare SQLite", reads, target=_FIRST
    )


def _fill(config: Path, directory: Path, path: Path, matches: int) -> None:
    """The first half of the plan into a store and into bare SQLite."""
    won = MatchResult(MatchSpec("", ("", ""), 0, 0, b""), Outcome(0, "goal"))
    with closing(sqlite3.connect(path)) as bare:
        bare.execute("CREATE TABLE match (bot_a, bot_b, deal, lane)")
        for store, chunk in fill(config, directory, matches, [won]):
            for result in chunk:
                store.append(result)
                spec = result.spec
                bare.execute("INSERT INTO match VALUES (?, ?, ?, ?)", (*sorted(spec.bots), spec.deal, spec.lane))
            bare.commit()
