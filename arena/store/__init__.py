"""Results on disk: append-only, one SQLite transaction a match. The only folder with SQL.

`tables` are the tables and how they are written to, `played` what a schedule needs to know of them, `counts` what a
ladder is made of, `store` all of it.

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

from arena.store.store import Store

__all__ = ["Store"]
