"""Tables: where matches are played, and who gets a seat when.

A match that was ordered waits until there is a process for each seat: one that is idle, or a new one. A start can cost
seconds of CPU, and its clock must not run while many others take the cores. So while processes load, each of them and
each match counts as a core, and no further match or process starts when all cores are taken.
"""

from collections.abc import Callable, Mapping

from arena.clock import Clock
from arena.errors import HostError
from arena.match import ArenaFailed, BotExited, BotReady, Match, MatchEvent
from arena.model import Seat
from arena.referee.bot_process import BotProcess
from arena.referee.bots import BotPool, SpawnFailed
from arena.referee.clocks import AnswerClock

__all__ = ["Seating", "Table"]


class Table:
    """Where one match is played: the match, who sits there, and the clocks of what they were asked. seats_free: those
    for which there is no process yet."""

    def __init__(self, match: Match, ordered_ms: float) -> None:
        self.match = match
        self.ordered_ms = ordered_ms
        self.seats_free: list[Seat] = [0, 1]
        self.processes: list[BotProcess | None] = [None, None]
        self.clocks = (AnswerClock(), AnswerClock())

    def seat_of(self, process: BotProcess) -> Seat:
        return 0 if self.processes[0] is process else 1


class Seating:
    """The tables that wait for processes. tables: all that are in use, by match. cores: how many are this worker's.
    handle: what to do with an event of a match."""

    def __init__(
        self,
        pool: BotPool,
        tables: Mapping[str, Table],
        cores: int,
        handle: Callable[[Table, MatchEvent], None],
        clock: Clock,
    ) -> None:
        self._pool = pool
        self._tables = tables
        self._cores = cores
        self._handle = handle
        self._clock = clock
        self._waiting: list[Table] = []  # in the order in which they came
        self._has_changed = False
        self._seated_ms = 0.0  # when it was last looked whether there are any

    @property
    def is_due(self) -> bool:
        """Whether a table may get a process now that had none before."""
        return self._has_changed and bool(self._waiting)

    def add(self, table: Table) -> None:
        """A match has been ordered."""
        self._waiting.append(table)
        self._has_changed = True

    def note_change(self) -> None:
        """A process or a core may have become free."""
        self._has_changed = True

    def seat(self) -> None:
        """Give processes to the matches that wait for them, as far as there are any."""
        now_ms = self._clock()
        since_ms, self._seated_ms = now_ms - self._seated_ms, now_ms
        waiting, self._waiting, self._has_changed = self._waiting, [], False
        for table in waiting:
            if table.match.spec.id in self._tables:
                self._seat_at(table, min(since_ms, now_ms - table.ordered_ms))
                if table.seats_free:
                    self._waiting.append(table)

    def _seat_at(self, table: Table, waited_ms: float) -> None:
        spec = table.match.spec
        for seat in list(table.seats_free):
            if not self._has_room():
                return
            try:
                process = self._pool.acquire(spec.bots[seat], spec.lane, spec.id, waited_ms)
            except HostError as error:
                table.seats_free.clear()
                self._handle(table, ArenaFailed(str(error)))
                return
            except SpawnFailed as error:
                table.seats_free.remove(seat)
                self._handle(table, BotExited(seat, str(error)))
                continue
            if process is not None:
                table.seats_free.remove(seat)
                table.processes[seat] = process
                if process.is_ready:
                    self._handle(table, BotReady(seat))

    def _has_room(self) -> bool:
        """Whether a match or a process may start."""
        loading = self._pool.loading
        return not loading or loading + sum(table.match.is_playing for table in self._tables.values()) < self._cores
