"""Results of matches for tests, in few words."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.model import BotSpec, Decision, Fault, FaultRecord, MatchResult, MatchSpec, Outcome
from arena.store import Store

BOTS = ("ann", "bob", "cyd")


@contextmanager
def directory() -> Iterator[Path]:
    """A directory for results, in memory where the system has files there: these tests need not wait for a disk."""
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as path:
        yield Path(path)


def bot(name: str, fingerprint: str = "1") -> BotSpec:
    return BotSpec(name, ("run", name), ".", fingerprint=fingerprint)


def spec(bot_a: str, bot_b: str, deal: int = 0, lane: int = 0) -> MatchSpec:
    assert bot_a < bot_b
    bots = (bot_a, bot_b) if lane == 0 else (bot_b, bot_a)
    return MatchSpec(f"{bot_a}-{bot_b}-{deal}-{lane}", bots, deal, lane, bytes(32))


def played(
    bot_a: str,
    bot_b: str,
    deal: int = 0,
    lane: int = 0,
    winner: str | None = None,
    *,
    faults: Sequence[tuple[str, Fault]] = (),
    times_ms: Sequence[tuple[str, float]] = (),
) -> MatchResult:
    """`winner` by name, None for a draw; `faults` and `times_ms` (of decisions) also by name."""
    match = spec(bot_a, bot_b, deal, lane)
    seat_of = {name: seat for seat, name in enumerate(match.bots)}
    records = tuple(sorted(FaultRecord(seat_of[name], fault) for name, fault in faults))
    reason = "+".join(record.fault for record in records) or ("goal" if winner else "max_rounds")
    outcome = Outcome(None if winner is None else seat_of[winner], reason, f"{winner} won", records)
    decisions = tuple(Decision(seat_of[name], "duel", [5], ms, False) for name, ms in times_ms)
    return MatchResult(match, outcome, ({"event": "deal", "cards": 7},), decisions)


def won(winner: str, loser: str, deal: int = 0, lane: int = 0, **more: object) -> MatchResult:
    bot_a, bot_b = sorted((winner, loser))
    return played(bot_a, bot_b, deal, lane, winner, **more)  # type: ignore[arg-type]


def failed(loser: str, winner: str, deal: int, lane: int = 0) -> MatchResult:
    return won(winner, loser, deal, lane, faults=[(loser, Fault.STARTUP_FAILURE)])


def ids(store: Store) -> list[str]:
    return [match.id for match in store.matches()]
