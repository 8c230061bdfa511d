"""The results of a tournament: opened, added to, read one by one."""

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Self

from msgspec import Struct, msgpack

from arena.errors import StoreError
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
    StoredMatch,
)
from arena.store.counts import Counts
from arena.store.played import Played
from arena.store.tables import COUNTED, FORMAT, NAMED, create, transaction

__all__ = ["Store"]

_FILE = "results.sqlite"

# entrants' other programs; and those of them that have results which count, found in one pass however many there are
_OLD = "SELECT bot.number FROM bot JOIN entrant USING (name) WHERE bot.number <> entrant.number"
_CHANGED = f"""
WITH old AS ({_OLD})
SELECT number, name FROM bot WHERE number IN (
    SELECT bot_a FROM match WHERE set_aside IS NULL AND bot_a IN old
    UNION SELECT bot_b FROM match WHERE set_aside IS NULL AND bot_b IN old
) ORDER BY name
"""

_NUMBER_OF = "(SELECT number FROM entrant WHERE name = ?)"
_STORED = f"""
SELECT id, a.name, b.name, deal, lane, points_a, reason, detail, fault_a, fault_b, body
FROM counted {NAMED} JOIN record ON record.match = counted.number
"""

# which lanes have a result, as `Played.mark` takes them; an index has all of it, in this order
_PLAYED = """
SELECT bot_a, bot_b, deal, SUM(1 << lane) FROM counted WHERE deal BETWEEN ? AND ? GROUP BY deal, bot_a, bot_b
"""


class _Record(Struct):
    """What the table `record` holds, as MessagePack."""

    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]


_read_record = msgpack.Decoder(_Record).decode


class Store(Counts):
    """The results of one tournament in a directory; a `Results` for formats.

    `open` reads, `open_to_write` also takes the lock. Raises `StoreError` with words when the directory has no results,
    is in use, or was written by another version.
    """

    def __init__(self, directory: Path, connection: sqlite3.Connection, unlock: Callable[[], None] | None) -> None:
        super().__init__(connection)
        self.directory = directory
        self._unlock = unlock
        self._played: Played | None = None

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
                create(directory / _FILE)
            return cls._connect(directory, lock.release)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _connect(cls, directory: Path, unlock: Callable[[], None] | None) -> Self:
        connection = sqlite3.connect(directory / _FILE, isolation_level=None, timeout=30)
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(COUNTED)
            store = cls(directory, connection, unlock)
            if store.meta("format") != FORMAT:
                raise StoreError(
                    f"{directory}: written in format {store.meta('format')}, this version of arena reads {FORMAT}"
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
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(notes.items()))

    def enter(self, bots: Sequence[BotSpec]) -> dict[str, int]:
        """These are the entrants from now on. Results of their other programs are set aside; returns how many, by
        bot."""
        aside: Counter[str] = Counter()
        with transaction(self._connection) as connection:
            rows = [(bot.name, bot.fingerprint, json.dumps(bot.command)) for bot in bots]
            connection.executemany("INSERT OR IGNORE INTO bot (name, fingerprint, command) VALUES (?, ?, ?)", rows)
            entered = json.dumps([row[:2] for row in rows])
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('entrants', ?)", (entered,))
            self._choose_entrants()
            changed = connection.execute(_CHANGED).fetchall() if connection.execute(_OLD).fetchone() else []
            for number, name in changed:
                aside[name] += self._set_aside(f"{name} has changed", "bot_a = ? OR bot_b = ?", (number, number))
        return +aside  # without those whose results were all set aside for another one

    def set_aside_startup_failures(self, bot: str) -> int:
        """Give a bot that could not start another chance: its start-up failures count no longer; returns how many."""
        fault = Fault.STARTUP_FAILURE.value
        where = f"(bot_a = {_NUMBER_OF} AND fault_a = ?) OR (bot_b = {_NUMBER_OF} AND fault_b = ?)"
        with transaction(self._connection):
            return self._set_aside(f"{bot} was tried again", where, (bot, fault) * 2)

    def _set_aside(self, why: str, where: str, values: Sequence[object]) -> int:
        self._played = None
        statement = f"UPDATE match SET set_aside = ? WHERE set_aside IS NULL AND ({where})"
        return self._connection.execute(statement, (why, *values)).rowcount

    def _choose_entrants(self) -> None:
        self._played = None
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
        with transaction(self._connection) as connection:
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
        if self._played is not None and spec.deal in self._played.deals:
            self._played.mark([(spec.bots[seat_a], spec.bots[1 - seat_a], spec.deal, 1 << spec.lane)])

    def give_up(self, result: MatchResult) -> None:
        """Note that the arena could not play a match; it is planned again by the next run."""
        row = (result.spec.id, " - ".join(result.spec.bots), result.outcome.detail)
        with transaction(self._connection) as connection:
            connection.execute("INSERT OR REPLACE INTO aborted VALUES (?, ?, ?)", row)

    # --- what has been played ---------------------------------------------------------------------------------------

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        """See `arena.contracts.Results`. Reads the results of many deals at once when the deal is none of those that
        were read last, so ask deal by deal."""
        if self._played is None or pairing.deal not in self._played.deals:
            self._played = self._read_deals(pairing.deal)
        return self._played.lanes(pairing)

    def _read_deals(self, deal: int) -> Played:
        names = self._names()
        played = Played(names.values(), deal)
        results = self._connection.execute(_PLAYED, (played.deals[0], played.deals[-1]))
        played.mark((names[bot_a], names[bot_b], of_deal, lanes) for bot_a, bot_b, of_deal, lanes in results)
        return played

    # --- results out ------------------------------------------------------------------------------------------------

    def matches(self) -> Iterator[StoredMatch]:
        """Every result that counts, in the order (deal, bots, lane), read as it is asked for."""
        # numbers are put in order, and not rows: SQLite would write all records of a deal to a temporary file
        numbers = f"SELECT counted.number FROM counted {NAMED} ORDER BY deal, a.name, b.name, lane"
        for number in self._connection.execute(numbers):
            yield from map(_stored_match, self._connection.execute(f"{_STORED} WHERE counted.number = ?", number))

    def match(self, prefix: str) -> list[StoredMatch]:
        """The results whose id begins with `prefix`; more than a few mean that it is too short."""
        pattern = prefix.lower().replace("%", "").replace("_", "") + "%"
        rows = self._connection.execute(f"{_STORED} WHERE id LIKE ? ORDER BY id LIMIT 10", (pattern,))
        return [_stored_match(row) for row in rows]


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
