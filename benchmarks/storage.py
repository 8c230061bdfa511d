"""Results in the store, the ladder and the export, beside bare SQLite and NumPy."""

import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import cycle
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
import psutil

from arena.model import MatchResult
from arena.registry import load
from arena.store import Store
from benchmarks.floor.recording import first_legal, record
from benchmarks.floor.stored import fill, write_config
from benchmarks.measure import Line, Run, Scale, Target, cpu_in_turns, in_turns, run

__all__ = ["measure"]

_ROUNDS = 3
_EXPORT_MAX = 10_000  # matches; more take minutes, and are exported once, in full scale only
_BARE = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
CREATE TABLE match (number INTEGER PRIMARY KEY, bot_a, bot_b, deal, lane, points);
CREATE TABLE record (match INTEGER PRIMARY KEY, body BLOB);
"""
_COUNT = "SELECT bot_a, bot_b, COUNT(*), SUM(points) FROM match GROUP BY bot_a, bot_b"
_READ_BARE = f"""
import sqlite3, sys, click, numpy
sqlite3.connect(sys.argv[1]).execute({_COUNT!r}).fetchall()
"""
_EXPORT_BARE = """
import sqlite3, sys, zlib, msgspec
for body, in sqlite3.connect(sys.argv[1]).execute("SELECT body FROM record"):
    sys.stdout.buffer.write(msgspec.json.encode(msgspec.msgpack.decode(zlib.decompress(body))) + b"\\n")
"""

_T = TypeVar("_T")


class _Place(NamedTuple):
    """The same results in a store and in bare SQLite."""

    store: Path
    bare: Path
    matches: int
    bots: int

    @property
    def subject(self) -> str:
        return f"{self.matches:,} matches"


def measure(scale: Scale) -> Iterator[Line | str]:
    """Results of real matches under other names."""
    bot = first_legal(sys.executable)
    results = record(bot, scale.choose(2, 16), scale.directory).results
    sizes = [(1_000, 10), *scale.choose([], [(10_000, 30), (100_000, 50)])]
    sizes += scale.choose([], [], [(1_000_000, 1000)])
    for matches, bots in sizes:
        place = _Place(scale.directory / f"store-{matches}", scale.directory / f"bare-{matches}", matches, bots)
        config = write_config(place.store.with_suffix(".yaml"), bot, bots, -(-matches // (bots * (bots - 1))))
        yield _append_line(place, config, results)
        yield from _reading_lines(place, scale.rounds)
        yield from _ladder_lines(place)
        if matches <= _EXPORT_MAX or scale.size == "full":
            yield from _export_lines(place)


def _append_line(place: _Place, config: Path, results: Sequence[MatchResult]) -> Line:
    """Filling both, chunk by chunk in turns."""
    ours, floor = [], []
    bodies = cycle([zlib.compress(msgspec.msgpack.encode([each.events, each.decisions]), 1) for each in results])
    with closing(sqlite3.connect(place.bare, isolation_level=None)) as bare:
        bare.executescript(_BARE)
        for store, chunk in fill(config, place.store, place.matches, results):
            ours.append(_us_each(chunk, store.append))
            packed = list(zip(chunk, bodies, strict=False))
            floor.append(_us_each(packed, lambda pair: _append_bare(bare, *pair)))
    return Line(place.subject, "append, wall", "us", ours, "bare SQLite, packed before", floor)


def _us_each(values: Sequence[_T], call: Callable[[_T], object]) -> float:
    begun = time.perf_counter()
    for value in values:
        call(value)
    return 1e6 * (time.perf_counter() - begun) / len(values)


def _append_bare(bare: sqlite3.Connection, result: MatchResult, body: bytes) -> None:
    spec = result.spec
    bare.execute("BEGIN IMMEDIATE")
    row = (*spec.bots, spec.deal, spec.lane, result.outcome.winner)
    number = bare.execute("INSERT INTO match VALUES (NULL, ?, ?, ?, ?, ?)", row).lastrowid
    bare.execute("INSERT INTO record VALUES (?, ?)", (number, body))
    bare.execute("COMMIT")


def _reading_lines(place: _Place, rounds: int) -> Iterator[Line]:
    """What a ladder is made of."""
    method = load("ratings", "bradley_terry")()
    matrix = np.eye(place.bots) + 1 / place.bots

    def afresh(read: Callable[[Store], object] = lambda _: None) -> Callable[[], None]:
        """With a store that remembers nothing yet."""

        def call() -> None:
            with Store.open(place.store) as fresh:
                read(fresh)

        return call

    def open_bare() -> None:
        with closing(sqlite3.connect(place.bare)) as connection:
            connection.execute("SELECT * FROM match LIMIT 1").fetchone()

    with Store.open(place.store) as store, closing(sqlite3.connect(place.bare)) as bare:
        tallies = store.tallies()
        calls: dict[str, tuple[Callable[[], object], str, Callable[[], object]]] = {
            "open": (afresh(), "bare SQLite", open_bare),
            "tallies": (afresh(Store.tallies), "bare GROUP BY", lambda: bare.execute(_COUNT).fetchall()),
            "totals": (afresh(Store.totals), "bare GROUP BY", lambda: bare.execute(_COUNT).fetchall()),
            "standings": (afresh(Store.standings), "bare GROUP BY", lambda: bare.execute(_COUNT).fetchall()),
            "rating": (
                lambda: method.rate(store.entrants, tallies, anchor=None, confidence=0.95),
                "numpy.linalg.inv",
                lambda: np.linalg.inv(matrix),
            ),
        }
        for name, (ours, beside, floor) in calls.items():
            found = cpu_in_turns(rounds, ours, floor)
            ms = [[1000 * seconds for seconds in side] for side in found]
            yield Line(place.subject, f"{name}, CPU", "ms", ms[0], beside, ms[1])


def _ladder_lines(place: _Place) -> Iterator[Line]:
    arena = [sys.executable, "-m", "arena", "leaderboard", str(place.store)]
    bare = [sys.executable, "-c", _READ_BARE, str(place.bare)]
    found = in_turns(_ROUNDS, lambda: _watched(arena), lambda: _watched(bare))
    cpu = [[each.cpu_s for each, _ in side] for side in found]
    target = Target("figure", "at most", 1) if place.matches <= 100_000 else None
    yield Line(place.subject, "arena leaderboard, CPU", "s", cpu[0], "bare GROUP BY program", cpu[1], target=target)
    peak = [[peak_mb for _, peak_mb in side] for side in found]
    yield Line(place.subject, "arena leaderboard, peak memory", "MB", peak[0], "bare GROUP BY program", peak[1])


def _export_lines(place: _Place) -> Iterator[Line]:
    arena = [sys.executable, "-m", "arena", "export", str(place.store)]
    bare = [sys.executable, "-c", _EXPORT_BARE, str(place.bare)]
    rounds = _ROUNDS if place.matches <= _EXPORT_MAX else 1
    found = in_turns(rounds, lambda: _watched(arena), lambda: _watched(bare))
    us = [[1e6 * each.cpu_s / place.matches for each, _ in side] for side in found]
    yield Line(place.subject, "arena export, CPU, match", "us", us[0], "unpack and pack as JSON", us[1])
    peak = [[peak_mb for _, peak_mb in side] for side in found]
    yield Line(place.subject, "arena export, peak memory", "MB", peak[0], "unpack and pack as JSON", peak[1])


def _watched(command: Sequence[str]) -> tuple[Run, float]:
    """A program's cost, and the most memory that it was seen to have, in MB: what the kernel says at its end is never
    less than what its parent has."""
    seen = [0]

    def watch(pid: int) -> None:
        with suppress(psutil.Error):
            seen.append(psutil.Process(pid).memory_info().rss)

    return run(command, watch=watch), max(seen) / (1 << 20)
