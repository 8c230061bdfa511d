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

from arena.config.tournament import load_config
from arena.formats.round_robin import RoundRobin
from arena.model import MatchResult, MatchSpec, Outcome
from arena.plan import Identity, Plan, TournamentProgress, lane_of
from arena.schedule import Schedule
from arena.testing import ResultsInMemory
from arena.tournament import prepare
from benchmarks.floor.recording import GAME, first_legal
from benchmarks.floor.stored import fill, write_config
from benchmarks.measure import Line, Scale, Target, cpu_in_turns, in_turns

__all__ = ["measure"]

_DIGESTED = bytes(100)
_IDENTITY = Identity("a benchmark", GAME, {})
_ROUNDS = 3
_TRACED = 50_000  # steps; tracing is slow
_FIRST = Target("figure", "at most", 2000)
_INSERT = """
INSERT INTO match
SELECT NULL, ?5, ?3, ?4, a.number, b.number, 2, 'goal', '', NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL
FROM bot AS a, bot AS b WHERE a.name = ?1 AND b.name = ?2
"""


def measure(scale: Scale) -> Iterator[Line | str]:
    """One deal for every two of 1,000 bots makes 999,000 matches; so do very many deals of few bots."""
    yield from _plan_lines(scale.choose(100, 1000))
    shapes = scale.choose([(100, 1)], [(300, 1), (2, 45_000)], [(1000, 1), (20, 2600), (5, 50_000), (2, 500_000)])
    for bots, pairs in shapes:
        yield from _resume_lines(scale, bots, pairs)


def _subject(bots: int, pairs: int = 1) -> str:
    return f"{bots:,} bots, {pairs * bots * (bots - 1):,} matches"


def _planned(names: list[str]) -> Iterator[MatchSpec]:
    """Every match, each over before the next one starts."""
    progress = TournamentProgress(ResultsInMemory())
    plan = Plan(RoundRobin(1), names, progress, _IDENTITY)
    while (spec := plan.next()) is not None:
        progress.started.discard(lane_of(spec))
        yield spec


def _plan_lines(bots: int) -> Iterator[Line]:
    """Without a store. The floor makes as many names of as many pairs."""
    names = [f"bot {number:04}" for number in range(bots)]

    def first() -> None:
        schedule = Schedule(RoundRobin(1), names, ResultsInMemory(), _IDENTITY, {})
        assert next(schedule) is not None, "the first match waits for nothing"

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


def _resume_lines(scale: Scale, bots: int, pairs: int) -> Iterator[Line]:
    """With half of it in a store. The floor reads as many rows into a set."""
    store = scale.directory / f"plan-{bots}"
    config = write_config(store.with_suffix(".yaml"), first_legal(sys.executable), bots, pairs)
    bare = store.with_suffix(".sqlite")
    _fill(config, store, bare, pairs * bots * (bots - 1) // 2)

    def load() -> float:
        begun = time.perf_counter()
        load_config(config)
        return 1000 * (time.perf_counter() - begun)

    settings = load_config(config)

    def resume() -> float:
        begun = time.perf_counter()
        with prepare(settings, store) as run:
            assert run.first is not None, "half of it is still to be played"
            return 1000 * (time.perf_counter() - begun)

    def read() -> float:
        begun = time.perf_counter()
        with closing(sqlite3.connect(bare)) as connection:
            played = set(connection.execute("SELECT bot_a, bot_b, deal, lane FROM match"))
            assert played, "half of it has been played"
        return 1000 * (time.perf_counter() - begun)

    loads, resumes, reads = in_turns(_ROUNDS, load, resume, read)
    subject = _subject(bots, pairs)
    yield Line(subject, "reading the config, wall", "ms", loads)
    yield Line(
        subject, "half played: first match, wall", "ms", resumes, "reading it, bare SQLite", reads, target=_FIRST
    )


def _fill(config: Path, directory: Path, path: Path, matches: int) -> None:
    """The first half of the plan into a store and into bare SQLite; into the store's own table, many at once, since
    match by match it takes minutes."""
    any_result = MatchResult(MatchSpec("", ("", ""), 0, 0, b""), Outcome(0, "goal"))
    with closing(sqlite3.connect(path)) as bare:
        bare.execute("CREATE TABLE match (bot_a, bot_b, deal, lane)")
        for store, chunk in fill(config, directory, matches, [any_result]):
            rows = [(*sorted(spec.bots), spec.deal, spec.lane, spec.id) for spec in (each.spec for each in chunk)]
            bare.executemany("INSERT INTO match VALUES (?, ?, ?, ?)", [row[:4] for row in rows])
            bare.commit()
            with closing(sqlite3.connect(store.directory / "results.sqlite")) as ours:
                ours.executemany(_INSERT, rows)
                ours.commit()
