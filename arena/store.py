"""Results on disk: append-only, one SQLite transaction a match. The only file with SQL.

Theory of operation
-------------------
The table `match` holds one narrow row for each result, `record` its events and decisions (compressed MessagePack), so
that ratings and tables read little: who got what on which deal is in an index, those that lost by a fault are found by
two others, and how matches ended takes one pass over `match`. A result is never changed or deleted. What no longer
counts (a bot's program has changed) is *set aside*: kept, with the reason, and out of every table from then on.
Uniqueness of what counts is the database's own business: a partial unique index over (deal, bots, lane).

Write-ahead logging with synchronous=NORMAL: a killed process loses nothing that was committed, and the file is never
torn. After a power failure the last moments may be missing; those matches are then simply planned again. One run at a
time: a lock file is held while writing. Readers need no lock and may look on while a run is writing.

Bots are stored as versions (name and fingerprint), and results refer to versions, so what was played with which program
stays known. `bot_a` and `bot_b` of a match are in the order of their names; in lane 0 `bot_a` has seat 0.
"""

import contextlib
import json
import sqlite3
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from operator import attrgetter, itemgetter
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Self

from msgspec import Struct, msgpack

from arena.errors import HostError, StoreError
from arena.model import (
    BotSpec,
    Decision,
    Event,
    Fault,
    FaultRecord,
    MatchResult,
    Outcome,
    Pairing,
    Seat,
    Standing,
    StoredMatch,
    Tally,
    Totals,
)

__all__ = ["Store"]

_FORMAT = "1"
_FILE = "results.sqlite"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bot (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    command TEXT NOT NULL,
    UNIQUE (name, fingerprint)
);
CREATE TABLE match (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    deal INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    bot_a INTEGER NOT NULL REFERENCES bot (number),
    bot_b INTEGER NOT NULL REFERENCES bot (number),
    points_a INTEGER NOT NULL,      -- of bot_a: 2 a win, 1 a draw, 0 a loss
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    fault_a TEXT,
    fault_b TEXT,
    decisions_a INTEGER NOT NULL,   -- that bot_a was asked for
    decisions_b INTEGER NOT NULL,
    median_us_a INTEGER,            -- of those, microseconds
    median_us_b INTEGER,
    ignored_a INTEGER NOT NULL,
    ignored_b INTEGER NOT NULL,
    set_aside TEXT                  -- why this result no longer counts
);
CREATE TABLE record (match INTEGER PRIMARY KEY REFERENCES match (number), body BLOB NOT NULL);
CREATE UNIQUE INDEX match_once ON match (deal, bot_a, bot_b, lane) WHERE set_aside IS NULL;
CREATE UNIQUE INDEX match_id ON match (id) WHERE set_aside IS NULL;
CREATE INDEX match_tally ON match (bot_a, bot_b, deal, lane, points_a) WHERE set_aside IS NULL;
CREATE INDEX match_fault_a ON match (fault_a, bot_a) WHERE fault_a IS NOT NULL;
CREATE INDEX match_fault_b ON match (fault_b, bot_b) WHERE fault_b IS NOT NULL;
CREATE TABLE aborted (id TEXT PRIMARY KEY, bots TEXT NOT NULL, detail TEXT NOT NULL) WITHOUT ROWID;
"""


# what every table and rating is made of: results that were not set aside, between bots that are entered now
_COUNTED = """
CREATE TEMP TABLE entrant (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TEMP VIEW counted AS SELECT * FROM match WHERE set_aside IS NULL  -- with a +, since an index is no help here
    AND +bot_a IN (SELECT number FROM entrant) AND +bot_b IN (SELECT number FROM entrant);
"""

_NAMED = "JOIN entrant AS a ON a.number = bot_a JOIN entrant AS b ON b.number = bot_b"

# what `bot_a` got on each deal in lane 0 and in lane 1 (NULL: not played), deals that went alike in one row; an index
# has all of it, in this order
_DEALS = """
SELECT bot_a, bot_b, lane_0, lane_1, COUNT(*) FROM (
    SELECT bot_a, bot_b,
        SUM(CASE lane WHEN 0 THEN points_a END) AS lane_0, SUM(CASE lane WHEN 1 THEN points_a END) AS lane_1
    FROM counted GROUP BY bot_a, bot_b, deal
) GROUP BY bot_a, bot_b, lane_0, lane_1 ORDER BY bot_a, bot_b
"""

# the few that lost by a fault are found by an index
_FAULTS = """
SELECT bot, fault, COUNT(*) FROM (
    SELECT bot_a AS bot, fault_a AS fault FROM counted WHERE fault_a IS NOT NULL
    UNION ALL SELECT bot_b, fault_b FROM counted WHERE fault_b IS NOT NULL
) GROUP BY bot, fault ORDER BY fault
"""

# how results ended that count, by whether their bots are entered, and those that were set aside: the table from its
# beginning to its end, since any index would jump about in it
_ENDS = """
SELECT set_aside, bot_a IN (SELECT number FROM entrant) AND bot_b IN (SELECT number FROM entrant), reason, COUNT(*)
FROM match NOT INDEXED GROUP BY 1, 2, 3 ORDER BY 1
"""

# how long decisions took in the newest results
_SPEEDS = """
SELECT bot_a, median_us_a, decisions_a, bot_b, median_us_b, decisions_b FROM counted ORDER BY number DESC LIMIT ?
"""
_MEDIAN_MATCHES = 20_000

_FAILED_TO_START = f"""
SELECT number, name FROM entrant WHERE number IN (
    SELECT bot_a FROM match WHERE fault_a = '{Fault.STARTUP_FAILURE.value}' AND set_aside IS NULL
    UNION SELECT bot_b FROM match WHERE fault_b = '{Fault.STARTUP_FAILURE.value}' AND set_aside IS NULL
)
"""


class _Record(Struct):
    """What the table `record` holds, as MessagePack."""

    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]


_read_record = msgpack.Decoder(_Record).decode


class _Counts(NamedTuple):
    """What the results come to. half_points: for each entrant, how many matches gave it 0, 1, 2 of them."""

    tallies: list[Tally]
    half_points: dict[str, list[int]]
    half_points_of_seat_0: int


class Store:
    """The results of one tournament in a directory; a `Results` for formats.

    `open` reads, `open_to_write` also takes the lock. Raises `StoreError` with words when the directory has no results,
    is in use, or was written by another version.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection, unlock: Callable[[], None] | None) -> None:
        self.directory = directory
        self._connection = connection
        self._unlock = unlock
        self._deal: tuple[int, set[tuple[str, str, int]]] | None = None
        self._memory: tuple[tuple[int, int], _Counts] | None = None

    # --- opening --------------------------------------------------------------------------------------------------

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Open existing results for reading."""
        if not (directory / _FILE).is_file():
            raise StoreError(f"{directory}: no results here (a tournament writes them with: arena run CONFIG)")
        return cls._connect(directory, None)

    @classmethod
    def open_to_write(cls, directory: Path) -> Self:
        """Open results for writing; creates the directory and an empty store when there is none yet."""
        from filelock import FileLock, Timeout  # who reads needs no lock, and should be quick

        lock = FileLock(directory / "lock")
        try:
            directory.mkdir(parents=True, exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout:
            raise StoreError(f"{directory}: another run is writing here; wait for it, or give --output") from None
        except OSError as error:
            raise StoreError(f"{directory}: cannot be written to: {error.strerror or error}") from error
        try:
            if not (directory / _FILE).exists():
                _create(directory / _FILE)
            return cls._connect(directory, lock.release)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _connect(cls, directory: Path, unlock: Callable[[], None] | None) -> Self:
        connection = sqlite3.connect(directory / _FILE, isolation_level=None, timeout=30)
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_COUNTED)
            store = cls(directory, connection, unlock)
            if store.meta("format") != _FORMAT:
                raise StoreError(
                    f"{directory}: written in format {store.meta('format')}, this version of arena reads {_FORMAT}"
                )
            store._choose_entrants()
        except sqlite3.DatabaseError as error:
            connection.close()
            raise StoreError(f"{directory / _FILE}: cannot be read as results: {error}") from error
        except StoreError:
            connection.close()
            raise
        return store

    def close(self) -> None:
        self._connection.close()
        if self._unlock is not None:
            self._unlock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the tournament as a whole ----------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """What is noted under `key`; None when nothing is."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, notes: Mapping[str, str]) -> None:
        """Note something, all at once, in place of what was noted."""
        with _transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(notes.items()))

    @property
    def entrants(self) -> list[str]:
        """The bots that are entered now, sorted."""
        return [name for (name,) in self._connection.execute("SELECT name FROM entrant ORDER BY name")]

    def enter(self, bots: Sequence[BotSpec]) -> dict[str, int]:
        """These are the entrants from now on. Results of their other programs are set aside; returns how many, by
        bot."""
        aside: dict[str, int] = {}
        with _transaction(self._connection) as connection:
            for bot in bots:
                row = (bot.name, bot.fingerprint, json.dumps(bot.command))
                connection.execute("INSERT OR IGNORE INTO bot (name, fingerprint, command) VALUES (?, ?, ?)", row)
                others = connection.execute("SELECT number FROM bot WHERE name = ? AND fingerprint <> ?", row[:2])
                for (other,) in others.fetchall():
                    where = "bot_a = ? OR bot_b = ?"
                    count = self._set_aside(f"{bot.name} has changed", where, (other, other))
                    if count:
                        aside[bot.name] = aside.get(bot.name, 0) + count
            entered = json.dumps([(bot.name, bot.fingerprint) for bot in bots])
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('entrants', ?)", (entered,))
        self._choose_entrants()
        return aside

    def set_aside_startup_failures(self, bot: str) -> int:
        """Give a bot that could not start another chance: its start-up failures count no longer; returns how many."""
        fault = Fault.STARTUP_FAILURE.value
        number = "(SELECT number FROM entrant WHERE name = ?)"
        where = f"(bot_a = {number} AND fault_a = ?) OR (bot_b = {number} AND fault_b = ?)"
        with _transaction(self._connection):
            return self._set_aside(f"{bot} was tried again", where, (bot, fault) * 2)

    def _set_aside(self, why: str, where: str, values: Sequence[object]) -> int:
        self._deal = None
        statement = f"UPDATE match SET set_aside = ? WHERE set_aside IS NULL AND ({where})"
        return self._connection.execute(statement, (why, *values)).rowcount

    def _choose_entrants(self) -> None:
        self._deal = None
        self._connection.execute("DELETE FROM entrant")  # a table of this connection's own
        self._connection.executemany(
            "INSERT INTO entrant SELECT number, name FROM bot WHERE name = ? AND fingerprint = ?",
            json.loads(self.meta("entrants") or "[]"),
        )

    # --- results in -------------------------------------------------------------------------------------------------

    def append(self, result: MatchResult) -> None:
        """Keep one result: one transaction, committed on return. A match has one result that counts: a second one
        raises `sqlite3.IntegrityError`, since the schedule never plans it."""
        spec, outcome = result.spec, result.outcome
        assert not outcome.is_aborted, "an aborted match has no result"
        seat_a = spec.lane
        by_side = (seat_a, 1 - seat_a)
        points = 1 if outcome.winner is None else 2 * (outcome.winner == seat_a)
        faults = {record.seat: record.fault.value for record in outcome.faults}
        asked = [[each.elapsed_ms for each in result.decisions if each.seat == s and not each.forced] for s in (0, 1)]
        body = zlib.compress(msgpack.encode(_Record(result.events, result.decisions)), 1)
        with _transaction(self._connection) as connection:
            number = connection.execute(
                f"INSERT INTO match VALUES (NULL, ?, ?, ?, {_NUMBER_OF}, {_NUMBER_OF}{', ?' * 11}, NULL)",
                (
                    *(spec.id, spec.deal, spec.lane, spec.bots[seat_a], spec.bots[1 - seat_a]),
                    *(points, outcome.reason, outcome.detail),
                    *(faults.get(seat) for seat in by_side),
                    *(len(asked[seat]) for seat in by_side),
                    *(round(1000 * median(asked[seat])) if asked[seat] else None for seat in by_side),
                    *(result.ignored[seat] for seat in by_side),
                ),
            ).lastrowid
            connection.execute("INSERT INTO record VALUES (?, ?)", (number, body))
            connection.execute("DELETE FROM aborted WHERE id = ?", (spec.id,))
        if self._deal is not None and self._deal[0] == spec.deal:
            self._deal[1].add((spec.bots[seat_a], spec.bots[1 - seat_a], spec.lane))

    def give_up(self, result: MatchResult) -> None:
        """Note that the arena could not play a match; it is planned again by the next run."""
        row = (result.spec.id, " - ".join(result.spec.bots), result.outcome.detail)
        with _transaction(self._connection) as connection:
            connection.execute("INSERT OR REPLACE INTO aborted VALUES (?, ?, ?)", row)

    # --- what has been played ---------------------------------------------------------------------------------------

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        """See `arena.contracts.Results`. Reads a deal's results when a pairing of another deal was asked for before, so
        ask deal by deal."""
        bot_a, bot_b, deal = pairing
        if self._deal is None or self._deal[0] != deal:
            rows = self._connection.execute(
                f"SELECT a.name, b.name, lane FROM counted {_NAMED} WHERE deal = ?", (deal,)
            ).fetchall()
            self._deal = (deal, set(rows))
        played = self._deal[1]
        return (bot_a, bot_b, 0) in played, (bot_a, bot_b, 1) in played

    def tallies(self) -> list[Tally]:
        """See `arena.contracts.Results`; sorted by bots."""
        return self._counts().tallies

    def _counts(self) -> _Counts:
        """Remembered until something is written, here or through another connection."""
        (others,) = self._connection.execute("PRAGMA data_version").fetchone()
        version = (self._connection.total_changes, others)
        if self._memory is None or self._memory[0] != version:
            self._memory = version, self._count()
        return self._memory[1]

    def _count(self) -> _Counts:
        names = self._names()
        tallies = []
        half_points = {name: [0, 0, 0] for name in names.values()}
        of_seat_0 = 0
        for bots, rows in groupby(self._connection.execute(_DEALS), key=itemgetter(0, 1)):
            bot_a, bot_b = names[bots[0]], names[bots[1]]
            p, s = [0] * 5, [0] * 3
            for _, _, lane_0, lane_1, deals in rows:
                (s if None in (lane_0, lane_1) else p)[(lane_0 or 0) + (lane_1 or 0)] += deals
                for seat_a, points_a in ((0, lane_0), (1, lane_1)):
                    if points_a is not None:
                        half_points[bot_a][points_a] += deals
                        half_points[bot_b][2 - points_a] += deals
                        of_seat_0 += deals * (points_a if seat_a == 0 else 2 - points_a)
            tallies.append(Tally(bot_a, bot_b, (p[0], p[1], p[2], p[3], p[4]), (s[0], s[1], s[2])))
        return _Counts(sorted(tallies, key=attrgetter("bot_a", "bot_b")), half_points, of_seat_0)

    def _names(self) -> dict[int, str]:
        """Entrants by their numbers."""
        return dict(self._connection.execute("SELECT number, name FROM entrant").fetchall())

    def startup_failures(self, most: int) -> dict[str, int]:
        """For each entrant how many failures to start in a row stand at the end of its results, counted up to `most`.

        The few that have any are found by an index; whoever has none is not looked at.
        """
        failed = self._connection.execute(_FAILED_TO_START).fetchall()
        return dict.fromkeys(self.entrants, 0) | {name: self._startup_failures(number, most) for number, name in failed}

    def _startup_failures(self, bot: int, most: int) -> int:
        faults = self._connection.execute(
            """
            SELECT CASE WHEN bot_a = ?1 THEN fault_a ELSE fault_b END FROM counted
            WHERE bot_a = ?1 OR bot_b = ?1 ORDER BY number DESC LIMIT ?2
            """,
            (bot, most),
        )
        return sum(1 for _ in takewhile(lambda row: row[0] == Fault.STARTUP_FAILURE, faults))

    def standings(self) -> dict[str, Standing]:
        """Every entrant's, by name."""
        names, half_points, median_ms = self._names(), self._counts().half_points, self._median_ms()
        faults: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for bot, fault, count in self._connection.execute(_FAULTS):
            faults[names[bot]][fault] = count
        return {
            name: Standing(name, wins, draws, losses, faults[name], median_ms[name])
            for name, (losses, draws, wins) in sorted(half_points.items())
        }

    def _median_ms(self) -> dict[str, float | None]:
        """For each entrant the median over its decisions, each taken to have lasted its match's median: within a few
        percent of the true one, and known without reading a record. Of very many results the newest are enough."""
        spread: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for bot_a, us_a, asked_a, bot_b, us_b, asked_b in self._connection.execute(_SPEEDS, (_MEDIAN_MATCHES,)):
            if us_a is not None:
                spread[bot_a].append((us_a, asked_a))
            if us_b is not None:
                spread[bot_b].append((us_b, asked_b))
        return {name: _weighted_median(sorted(spread[number])) for number, name in self._names().items()}

    def totals(self) -> Totals:
        """All results together."""
        counts = self._counts()
        reasons, set_aside = Counter[str](), Counter[str]()
        of_others = 0
        for why, entered, reason, count in self._connection.execute(_ENDS):
            if why is not None:
                set_aside[why] += count
            elif entered:
                reasons[reason] += count
            else:
                of_others += count
        return Totals(
            matches=sum(map(sum, counts.half_points.values())) // 2,
            pairs=sum(sum(tally.pairs) for tally in counts.tallies),
            seat_0_points=counts.half_points_of_seat_0 / 2,
            reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
            set_aside=dict(set_aside),
            of_others=of_others,
            aborted=self._connection.execute("SELECT id, bots, detail FROM aborted ORDER BY id").fetchall(),
        )

    @property
    def matches_counted(self) -> int:
        """How many results count: a part of what `totals` says, and much quicker."""
        (count,) = self._connection.execute("SELECT COUNT(*) FROM counted").fetchone()
        return int(count)

    # --- results out ------------------------------------------------------------------------------------------------

    def matches(self) -> Iterator[StoredMatch]:
        """Every result that counts, in the order (deal, bots, lane), read as it is asked for."""
        # numbers are put in order, and not rows: SQLite would write all records of a deal to a temporary file
        numbers = f"SELECT counted.number FROM counted {_NAMED} ORDER BY deal, a.name, b.name, lane"
        for number in self._connection.execute(numbers):
            yield from map(_stored_match, self._connection.execute(f"{_STORED} WHERE counted.number = ?", number))

    def match(self, prefix: str) -> list[StoredMatch]:
        """The results whose id begins with `prefix`; more than a few mean that it is too short."""
        pattern = prefix.lower().replace("%", "").replace("_", "") + "%"
        rows = self._connection.execute(f"{_STORED} WHERE id LIKE ? ORDER BY id LIMIT 10", (pattern,))
        return [_stored_match(row) for row in rows]


_NUMBER_OF = "(SELECT number FROM entrant WHERE name = ?)"
_STORED = f"""
SELECT id, a.name, b.name, deal, lane, points_a, reason, detail, fault_a, fault_b, body
FROM counted {_NAMED} JOIN record ON record.match = counted.number
"""


def _stored_match(row: tuple[Any, ...]) -> StoredMatch:
    match, bot_a, bot_b, deal, lane, points, reason, detail, fault_a, fault_b, body = row
    seat_a: Seat = lane
    winner = None if points == 1 else (seat_a if points == 2 else 1 - seat_a)
    sides = sorted([(seat_a, fault_a), (1 - seat_a, fault_b)])
    faults = tuple(FaultRecord(seat, Fault(fault)) for seat, fault in sides if fault is not None)
    record = _read_record(zlib.decompress(body))
    return StoredMatch(
        id=match,
        pairing=Pairing(bot_a, bot_b, deal),
        lane=lane,
        outcome=Outcome(winner, reason, detail, faults),
        events=record.events,
        decisions=record.decisions,
    )


def _weighted_median(values: Sequence[tuple[int, int]]) -> float | None:
    """In milliseconds, of (microseconds, count) ascending."""
    half = sum(count for _, count in values) / 2
    reached = 0
    for us, count in values:
        reached += count
        if reached >= half:
            return us / 1000
    return None


def _create(path: Path) -> None:
    """Make an empty store. Built beside its place and moved there, so that an interrupt never leaves half of one."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    for side in ("-wal", "-shm"):  # of a store that was deleted: its results would be back in the new one
        path.with_name(path.name + side).unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
        connection.execute("INSERT INTO meta VALUES ('format', ?)", (_FORMAT,))
        connection.commit()
    draft.rename(path)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing. Raises `HostError` when the machine cannot write (a full disk, a lost one)."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        raise HostError(f"results cannot be written: {error}") from error
    finally:
        if connection.in_transaction:  # some errors end it by themselves
            connection.execute("ROLLBACK")
