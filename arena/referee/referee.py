"""The referee: plays matches between bot processes by the loop of this package, many at once.

Theory of operation
-------------------
The referee performs what each `Match` instructs and reports to it what happens; it decides nothing about a match. A
deadline is set once, when its request is with the socket, and moved by nothing but the arena's own standstill: time in
which this process could not read is not counted, and what is still missing then is judged. The tick only bounds how
late the passing of a deadline is noticed: an answer is judged by when it was read, not by whether the tick came first.

*Orders* come from the executor, results go back to it. When the orders say stop, everything is ended and nothing is
reported.
"""

import selectors
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from arena.clock import Clock, monotonic_ms
from arena.contracts import Launcher, Orders, Place
from arena.match import (
    IGNORED_MAX,
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    BotReady,
    DeadlinePassed,
    FrameRejected,
    Match,
    MatchEvent,
    MatchTerms,
    Send,
)
from arena.model import Limits, MatchResult, Seat
from arena.referee.bot_log import BoundedLog, log_name
from arena.referee.bot_process import BotProcess
from arena.referee.evidence import Evidence
from arena.referee.loop import Loop
from arena.referee.tables import Seating, Table
from protocol.messages import Action, Message
from protocol.session import Stale

__all__ = ["Referee", "Trace"]

_STOP_PATIENCE_MS = 2500.0

Trace = Callable[[float, str, Seat, Message], None]
"""Called for each message of a match: milliseconds on the clock, "sent" or "received", seat, message."""


class Referee:
    """Plays what is ordered; an `arena.referee.loop.Player`. `serve` runs the loop, everything else happens in it."""

    def __init__(
        self,
        terms: MatchTerms,
        place: Place,
        *,
        launcher: Launcher,
        limits: Limits,
        orders: Orders,
        report: Callable[[MatchResult], None],
        directory: Path,
        clock: Clock = monotonic_ms,
        trace: Trace | None = None,
    ) -> None:
        self._terms = terms
        self._orders = orders
        self._report_result = report
        self._clock = clock
        self._trace = trace
        self._tables: dict[str, Table] = {}
        self._stopping = False
        self._awaits_orders = True

        def open_log(bot: str) -> BoundedLog:
            suffix = "" if place.worker == 0 else f"@{place.worker}"  # no bot's name has an @ in its log's name
            return BoundedLog(place.logs / f"{log_name(bot)}{suffix}.log", limits.output_mb << 20)

        self._loop = Loop(
            place.bots, self, launcher=launcher, limits=limits, directory=directory, open_log=open_log, clock=clock
        )
        self._pool = self._loop.pool
        self._reception = self._loop.reception
        self._evidence = Evidence(self._pool, self._report)
        self._seating = Seating(self._pool, self._tables, place.cores, self._handle, clock)
        if orders.watch is not None:
            self._loop.selector.register(orders.watch, selectors.EVENT_READ, self._take_orders)

    # --- the loop -------------------------------------------------------------------------------------------------

    def serve(self, is_done: Callable[[], bool] = lambda: False) -> None:
        """Play what is ordered until a stop is ordered (or `is_done`); then end all bots."""
        try:
            while not (self._stopping or is_done()):
                self._loop.run_pass()
                if self._seating.is_due:
                    self._seating.seat()
            self._stopping = True
            self._end_all()
        finally:
            self._loop.close()

    def stop(self) -> None:
        """Leave the loop at the next pass; matches in progress have no result."""
        self._stopping = True

    @property
    def expects_only_messages(self) -> bool:
        """See `arena.referee.loop.Player`, as for what follows it."""
        return bool(self._tables) and not self._awaits_orders

    def may_wait(self) -> bool:
        return not self._seating.is_due

    def tick(self, *, is_drained: bool) -> None:
        self._seating.note_change()  # a process that loads may only be waiting by now
        if self._orders.watch is None and not self._stopping:
            self._take_orders()
        if is_drained:
            self._check_deadlines()

    def _check_deadlines(self) -> None:
        now_ms = self._clock()
        stalled_ms = self._loop.stalled_ms(now_ms)
        for table in list(self._tables.values()):
            for seat in (0, 1):
                clock = table.clocks[seat]
                if clock.is_past(now_ms, stalled_ms):
                    self._handle(table, DeadlinePassed(seat, *clock.times_ms(now_ms, stalled_ms)))
        startup_ms = self._terms.time.startup_ms
        for process in self._pool.starting:
            stood_still_ms = stalled_ms - process.stalled_before_ms
            waited_ms = now_ms - process.started_ms - stood_still_ms
            if waited_ms > startup_ms:
                event = partial(DeadlinePassed, elapsed_ms=waited_ms, stalled_ms=stood_still_ms)
                self._tell_tables(process, event)
                self._pool.dismiss(process)  # also when its match still waits for the other bot, and for a core

    # --- orders and results ---------------------------------------------------------------------------------------

    def _take_orders(self) -> None:
        self._awaits_orders = False
        specs = self._orders.take()
        if specs is None:
            self.stop()
        for spec in specs or ():
            table = Table(Match(spec, self._terms), self._clock())
            self._tables[spec.id] = table
            self._seating.add(table)

    def _finish(self, table: Table, result: MatchResult) -> None:
        del self._tables[result.spec.id]
        self._seating.note_change()
        blamed = []
        faults = dict(result.outcome.faults)
        costs = self._pool.costs
        efforts = [None if each is None else costs.measure(each.spec.name, each.meter) for each in table.processes]
        cpu_ms, cores = ([effort and effort[field] for effort in efforts] for field in (0, 1))
        wall_ms = self._clock() - table.ordered_ms
        result = replace(result, cpu_ms=(cpu_ms[0], cpu_ms[1]), cores=(cores[0], cores[1]), wall_ms=wall_ms)
        for seat, process in enumerate(table.processes):
            if process is None:
                continue
            # after an abort both must go: the match is played again, and they have seen the deal
            self._pool.release(process, result.spec.id, replace=seat in faults or result.outcome.is_aborted)
            if seat in faults:
                blamed.append((process, faults[seat]))
        self._evidence.take(result, blamed)

    def _report(self, result: MatchResult) -> None:
        if not self._stopping:
            self._report_result(result)
            self._awaits_orders = True

    def _handle(self, table: Table, event: MatchEvent) -> None:
        """Report an event to a match and do what it says."""
        for instruction in table.match.handle(event):
            if isinstance(instruction, Send):
                seat = instruction.seat
                clock, process = table.clocks[seat], table.processes[seat]
                clock.stop()
                if process is not None:
                    self._send(process, instruction.message, seat)
                if instruction.limit_ms is not None:
                    now_ms = self._clock()
                    clock.start(now_ms, instruction.limit_ms, self._loop.stalled_ms(now_ms))
            else:
                self._finish(table, instruction.result)

    def _tell_tables(self, process: BotProcess, event: Callable[[Seat], MatchEvent]) -> None:
        """Report something that happened to a process to every match that it plays."""
        for match in sorted(process.matches):
            table = self._tables[match]
            self._handle(table, event(table.seat_of(process)))

    # --- messages -------------------------------------------------------------------------------------------------

    def _send(self, process: BotProcess, message: Message, seat: Seat) -> None:
        if not process.is_ready:
            return  # it never said hello: there is nobody to tell
        self._reception.send(process, message)
        if self._trace is not None:
            self._trace(self._clock(), "sent", seat, message)

    def ready(self, process: BotProcess) -> None:
        self._pool.costs.note_ready(process.spec.name, process.meter)
        self._seating.note_change()
        self._tell_tables(process, BotReady)

    def refused(self, process: BotProcess, code: str, text: str) -> None:
        self._tell_tables(process, partial(FrameRejected, code=code, detail=f"its hello was refused: {text}"))
        self._pool.dismiss(process)

    def heard(self, process: BotProcess, message: Action | Stale) -> None:
        if isinstance(message, Stale):
            self._ignore(process, message)
            return
        table = self._tables[message.match]
        seat = table.seat_of(process)
        if self._trace is not None:
            self._trace(self._clock(), "received", seat, message)
        clock, now_ms = table.clocks[seat], self._clock()
        times_ms = clock.times_ms(now_ms, self._loop.stalled_ms(now_ms))
        clock.stop()
        process.meter.note_answer(times_ms[0])
        self._handle(table, ActionReceived(seat, message.request, message.action, *times_ms))

    def violated(self, process: BotProcess, code: str, text: str) -> None:
        """A frame that no match can be blamed for is held against all that its process plays."""
        if not process.matches:
            self._pool.dismiss(process)
        self._tell_tables(process, partial(FrameRejected, code=code, detail=text))

    def _ignore(self, process: BotProcess, stale: Stale) -> None:
        """An answer that nothing was open for; one for no match at all counts in every match of its process."""
        process.ignored += 1
        concerned = {stale.match} & process.matches or process.matches
        tables = [self._tables[match] for match in sorted(concerned) if self._tables[match].match.is_playing]
        for table in tables:
            self._handle(table, AnswerIgnored(table.seat_of(process)))
        if not tables and process.ignored > IGNORED_MAX:
            self.violated(process, "flood", f"{process.ignored} answers that nobody had asked for")

    # --- processes ------------------------------------------------------------------------------------------------

    def may_collect(self, process: BotProcess) -> bool:
        return True

    def gone(self, process: BotProcess) -> None:
        self._tell_tables(process, partial(BotExited, detail=process.describe_exit()))
        self._pool.dismiss(process)

    def closed(self, process: BotProcess) -> None:
        self._seating.note_change()
        self._evidence.release(process)

    def _end_all(self) -> None:
        """End every bot: word to those in a match, `bye`, grace, and the certain way for who does not go."""
        for table in list(self._tables.values()):
            self._handle(table, ArenaFailed("the run was stopped; this match will be played again"))
        for process in list(self._pool):
            self._pool.dismiss(process)
        give_up_ms = self._clock() + _STOP_PATIENCE_MS
        while self._clock() < give_up_ms and any(True for _ in self._pool):
            self._loop.run_pass()
