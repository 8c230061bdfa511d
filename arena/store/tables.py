"""The tables of a store, and the transactions in which they are written to."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from arena.errors import HostError

__all__ = ["COUNTED", "FORMAT", "NAMED", "create", "transaction"]

FORMAT = "1"
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
COUNTED = """
CREATE TEMP TABLE entrant (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TEMP VIEW counted AS SELECT * FROM match WHERE set_aside IS NULL  -- with a +, since an index is no help here
    AND +bot_a IN (SELECT number FROM entrant) AND +bot_b IN (SELECT number FROM entrant);
"""

NAMED = "JOIN entrant AS a ON a.number = bot_a JOIN entrant AS b ON b.number = bot_b"


def create(path: Path) -> None:
    """Make an empty store. Built beside its place and moved there, so that an interrupt never leaves half of one."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    for side in ("-wal", "-shm"):  # of a store that was deleted: its results would be back in the new one
        path.with_name(path.name + side).unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(draft)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
        connection.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
        connection.commit()
    draft.rename(path)


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
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
