"""The referee: one process, one thread, one loop, many matches at once.

Theory of operation
-------------------
The referee performs what each `Match` instructs and reports to it what happens; it decides nothing about a match. One
pass of the loop takes the messages that are waiting, then (every `TICK_MS`) looks at the deadlines, and waits when
nothing is left: for a message, a process's exit or output, an order, or the next tick. A deadline is absolute, set
once when its request is with the socket; the tick only bounds how late its passing is noticed, and an answer is
judged by when it was read, not by whether the tick came first.

*Standing still.* A pass that takes much longer than a tick means that the referee itself was not running (a suspended
machine, a loaded one, a debugger). Answers that came meanwhile were read late through no fault of a bot, so the
excess is kept for each open request, and the match decides with it: what could have been in time is aborted, not
lost. It is looked for once a pass, and again before anybody is judged late.

*Haste.* While answers come thick and fast, neither the referee nor a bot interrupts another when it is woken: each
waits for its turn, finds more to do when it has it, and does it while the processor's caches still hold what it needs.
When bots think, an answer is taken at once. The number of answers since the last tick says which it is.

*Exits.* A bot may answer and exit at once, and the exit be seen first. So an exit is judged a little later than it is
noticed, when the messages that were under way have been read.

*Orders* come from the executor, results go back to it. When they say stop, or their other end is gone, everything is
ended and nothing is reported.
"""

import contextlib
import os
import selectors
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import NamedTuple

from arena.clock import Clock, monotonic_ms
from arena.contracts import Launcher, Orders, Place
from arena.errors import HostError
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
from arena.model import Fault, Limits, MatchResult, MatchSpec, Seat
from arena.processes import wait_for_turns
from arena.referee.bot_log import BoundedLog, log_name
from arena.referee.bots import BotPool, BotProcess, SpawnFailed
from arena.referee.reception import Reception
from protocol.messages import Action, Message
from protocol.session import Stale

__all__ = ["TICK_MS", "Referee", "Trace"]

TICK_MS = 20
"""How late the passing of a deadline may be noticed."""

_BRISK = 20  # answers in a tick: one every millisecond
_BURST_MS = 5  # of messages in one pass, so that a flood cannot keep the loop from its other duties
_EXIT_GRACE_MS = 10.0  # from an exit to its judgement: messages on their way through the kernel are read first
_LINK_GRACE_MS = 250.0  # the same for a closed link: an exit that follows is the better evidence
_STOP_PATIENCE_MS = 2500.0
_SILENCE = (Fault.TIMEOUT, Fault.STARTUP_FAILURE)  # that what a bot wrote may be stuck in its buffer
_OUTPUT_BYTES_A_TICK = 1 << 20  # 50 MB/s for a bot's log: more than an honest one writes, little to read

Trace = Callable[[float, str, Seat, Message], None]
"""Called for each message of a match: milliseconds on the clock, "sent" or "received", seat, message."""


class _Table:
    """Where one match is played: the match, who sits there, and the clocks of what they were asked."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.processes: list[BotProcess | None] = [None, None]
        self.sent_ms = [0.0, 0.0]
        self.deadline_ms = [inf, inf]
        self.stalled_ms = [0.0, 0.0]

    def seat_of(self, process: BotProcess) -> Seat:
        return 0 if self.processes[0] is process else 1


class _Held(NamedTuple):
    """A result that waits for the end of some processes, because what they write then may be evidence."""

    result: MatchResult
    blamed: list[BotProcess]
    awaited: set[BotProcess]


class Referee:
    """Plays matches between bot processes of its own. `serve` is the loop; everything else happens inside it."""

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
        self._send_result = report
        self._clock = clock
        self._trace = trace
        self._tables: dict[str, _Table] = {}
        self._held: list[_Held] = []
        self._leavers: dict[BotProcess, float] = {}  # exits and closed links, with the time of their judgement
        self._paused: list[BotProcess] = []  # whose output is not read before the next tick
        self._stopping = False
        self._speaks_by_lines = False
        self._awaits_orders = True
        self._answers = 0  # since the last tick
        self._is_brisk = False
        self._next_tick_ms = self._last_pass_ms = clock()
        self._selector = selectors.DefaultSelector()
        if orders.watch is not None:
            self._selector.register(orders.watch, selectors.EVENT_READ, self._take_orders)
        self._reception = Reception(directory, self._selector, self, clock=clock)

        def open_log(bot: str) -> BoundedLog:
            suffix = "" if place.worker == 0 else f"@{place.worker}"  # no bot's name has an @ in its log's name
            return BoundedLog(place.logs / f"{log_name(bot)}{suffix}.log", limits.output_mb << 20)

        self._pool = BotPool(
            place.bots,
            launcher=launcher,
            limits=limits,
            endpoint=self._reception.endpoint,
            directory=directory,
            log=open_log,
            clock=clock,
            started=self._watch,
            dismissed=self._reception.dismiss,
        )

    # --- the loop -------------------------------------------------------------------------------------------------

    def serve(self, is_done: Callable[[], bool] = lambda: False) -> None:
        """Play what is ordered until a stop is ordered (or `is_done`); then end all bots."""
        try:
            while not (self._stopping or is_done()):
                self._pass()
            self._stopping = True
            self._end_all()
        finally:
            self._be_brisk(False)
            self._pool.close()
            self._reception.close()
            self._selector.close()

    def stop(self) -> None:
        """Leave the loop at the next pass; matches in progress have no result."""
        self._stopping = True

    def _pass(self) -> None:
        now_ms = self._clock()
        self._excuse_standstill(now_ms)
        is_drained = self._reception.take(now_ms + _BURST_MS, is_patient=self._is_absorbed)
        if self._speaks_by_lines:
            self._serve_selector()  # lines are messages too, and wait for no quiet moment
        if now_ms >= self._next_tick_ms:
            self._next_tick_ms = now_ms + TICK_MS
            self._tick(is_drained=is_drained)
        if self._leavers:
            self._judge_leavers(is_drained=is_drained)
        if is_drained:
            self._reception.wait(2 if self._leavers else TICK_MS)
            self._serve_selector()

    @property
    def _is_absorbed(self) -> bool:
        """Whether nothing but messages over ZeroMQ is to be expected, for the moment."""
        return bool(self._tables) and not (self._speaks_by_lines or self._leavers or self._awaits_orders)

    def _excuse_standstill(self, now_ms: float) -> None:
        passed_ms, self._last_pass_ms = now_ms - self._last_pass_ms, now_ms
        if passed_ms <= 2 * TICK_MS:
            return
        for table in self._tables.values():
            for seat in (0, 1):
                table.stalled_ms[seat] += passed_ms - TICK_MS

    def _serve_selector(self) -> None:
        for key, _ in self._selector.select(0):
            key.data()

    def _tick(self, *, is_drained: bool) -> None:
        """What need not be done at once: deadlines, ends of grace, output, and whatever cannot be waited for here."""
        self._judge_haste()
        self._serve_selector()
        self._reception.notice_closed()
        for process in self._paused:
            if not process.output.closed:
                self._watch_output(process)
        self._paused.clear()
        self._pool.enforce(self._clock())
        for process in self._pool:
            process.read_since_tick = 0
            if process.confined.exit_watch is None and not process.has_exited:
                self._notice_exit(process)
        if self._orders.watch is None:
            self._take_orders()
        if is_drained:
            self._check_deadlines()

    def _judge_haste(self) -> None:
        """Half as many answers are enough to stay brisk: a change concerns every process, and is not for each tick."""
        answers, self._answers = self._answers, 0
        self._be_brisk(answers >= (_BRISK // 2 if self._is_brisk else _BRISK))

    def _be_brisk(self, is_brisk: bool) -> None:
        """Let everybody wait for turns while bots are quick, and nobody else."""
        if is_brisk == self._is_brisk:
            return
        self._is_brisk = is_brisk
        for pid in [os.getpid(), *(process.confined.pid for process in self._pool if not process.has_exited)]:
            wait_for_turns(pid, patiently=is_brisk)

    def _check_deadlines(self) -> None:
        now_ms = self._clock()
        self._excuse_standstill(now_ms)
        for table in list(self._tables.values()):
            for seat in (0, 1):
                if now_ms > table.deadline_ms[seat]:
                    elapsed_ms = now_ms - table.sent_ms[seat]
                    self._handle(table, DeadlinePassed(seat, elapsed_ms, table.stalled_ms[seat]))
        startup_ms = self._terms.time.startup_ms
        for process in self._pool.starting:
            waited_ms = now_ms - process.started_ms
            if waited_ms > startup_ms:
                self._tell_tables(process, partial(DeadlinePassed, elapsed_ms=waited_ms))

    # --- orders and results ---------------------------------------------------------------------------------------

    def _take_orders(self) -> None:
        self._awaits_orders = False
        specs = self._orders.take()
        if specs is None:
            self.stop()
        for spec in specs or ():
            self._start(spec)

    def _start(self, spec: MatchSpec) -> None:
        table = _Table(Match(spec, self._terms))
        self._tables[spec.id] = table
        for seat, bot in enumerate(spec.bots):
            try:
                table.processes[seat] = self._pool.acquire(bot, spec.lane, spec.id)
            except HostError as error:
                self._handle(table, ArenaFailed(str(error)))
                return
            except SpawnFailed as error:
                self._handle(table, BotExited(seat, str(error)))
        for seat, process in enumerate(table.processes):
            if process is not None and process.is_ready:
                self._handle(table, BotReady(seat))

    def _finish(self, table: _Table, result: MatchResult) -> None:
        del self._tables[result.spec.id]
        blamed = []
        faults = dict(result.outcome.faults)
        cpu_ms = [None if process is None else process.measure_answers() for process in table.processes]
        result = replace(result, cpu_ms=(cpu_ms[0], cpu_ms[1]))
        for seat, process in enumerate(table.processes):
            if process is None:
                continue
            # after an abort both must go: the match is played again, and they have seen the deal
            self._pool.release(process, result.spec.id, replace=seat in faults or result.outcome.is_aborted)
            if seat in faults:
                blamed.append(process)
        awaited = {process for process in blamed if faults[table.seat_of(process)] in _SILENCE and process.may_flush}
        if awaited:
            self._held.append(_Held(result, blamed, awaited))
        else:
            self._report(result, blamed)

    def _release_held(self, process: BotProcess) -> None:
        """A process has ended: report the results that waited for its last output."""
        for held in self._held:
            held.awaited.discard(process)
        ready = [held for held in self._held if not held.awaited]
        self._held = [held for held in self._held if held.awaited]
        for held in ready:
            self._report(held.result, held.blamed)

    def _report(self, result: MatchResult, blamed: list[BotProcess]) -> None:
        """Send a result to the executor, with what the bots to blame have written."""
        if self._stopping:
            return
        if blamed:
            for process in blamed:
                self._pool.read_output(process)
            lines = [result.outcome.detail, *(process.describe_output() for process in blamed)]
            result = replace(result, outcome=replace(result.outcome, detail="\n".join(lines)))
        self._send_result(result)
        self._awaits_orders = True

    def _handle(self, table: _Table, event: MatchEvent) -> None:
        """Report an event to a match and do what it says."""
        for instruction in table.match.handle(event):
            if isinstance(instruction, Send):
                seat = instruction.seat
                table.deadline_ms[seat] = inf
                process = table.processes[seat]
                if process is not None:
                    self._send(process, instruction.message, seat)
                if instruction.limit_ms is not None:
                    now_ms = self._clock()
                    table.sent_ms[seat] = now_ms
                    table.deadline_ms[seat] = now_ms + instruction.limit_ms
                    table.stalled_ms[seat] = 0.0
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
        """See `arena.referee.reception.Listener`, as for the next four."""
        process.measure_answers()  # what it took to start is no part of any answer
        self._tell_tables(process, BotReady)

    def refused(self, process: BotProcess, code: str, text: str) -> None:
        self._tell_tables(process, partial(FrameRejected, code=code, detail=f"its hello was refused: {text}"))

    def heard(self, process: BotProcess, message: Action | Stale) -> None:
        if isinstance(message, Stale):
            self._ignore(process, message)
            return
        self._answers += 1
        process.answers += 1
        table = self._tables[message.match]
        seat = table.seat_of(process)
        if self._trace is not None:
            self._trace(self._clock(), "received", seat, message)
        now_ms = self._clock()
        if now_ms > table.deadline_ms[seat]:
            self._excuse_standstill(now_ms)
        elapsed_ms = now_ms - table.sent_ms[seat]
        event = ActionReceived(seat, message.request, message.action, elapsed_ms, table.stalled_ms[seat])
        table.deadline_ms[seat] = inf
        self._handle(table, event)

    def violated(self, process: BotProcess, code: str, text: str) -> None:
        """A frame that no match can be blamed for is held against all that its process plays."""
        if not process.matches:
            self._pool.dismiss(process)
        self._tell_tables(process, partial(FrameRejected, code=code, detail=text))

    def left(self, process: BotProcess) -> None:
        if not process.is_leaving:
            self._leavers.setdefault(process, self._clock() + _LINK_GRACE_MS)

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

    def _watch(self, process: BotProcess) -> None:
        """A process has been started."""
        self._reception.expect(process)
        self._speaks_by_lines = self._speaks_by_lines or process.pipe is not None
        watch = process.confined.exit_watch
        if watch is not None:
            self._selector.register(watch, selectors.EVENT_READ, partial(self._notice_exit, process))
        self._watch_output(process)

    def _watch_output(self, process: BotProcess) -> None:
        self._selector.register(process.output, selectors.EVENT_READ, partial(self._read_output, process))

    def _read_output(self, process: BotProcess) -> None:
        """Take one piece of output; a process that writes very much has to wait for the next tick in its own write."""
        length = self._pool.read_output(process)
        process.read_since_tick += length or 0
        if length is None:
            self._selector.unregister(process.output)
        elif process.read_since_tick > _OUTPUT_BYTES_A_TICK:
            self._selector.unregister(process.output)
            self._paused.append(process)

    def _notice_exit(self, process: BotProcess) -> None:
        if not self._pool.collect(process):
            return
        if process.confined.exit_watch is not None:
            self._selector.unregister(process.confined.exit_watch)
        process.confined.close()
        self._leavers[process] = self._clock() + _EXIT_GRACE_MS

    def _judge_leavers(self, *, is_drained: bool) -> None:
        now_ms = self._clock()
        for process, due_ms in list(self._leavers.items()):
            if now_ms < due_ms or not (is_drained or now_ms > due_ms + _LINK_GRACE_MS):
                continue
            del self._leavers[process]
            self._tell_tables(process, partial(BotExited, detail=process.describe_exit()))
            self._pool.dismiss(process)
            if process.has_exited:
                self._close_output(process)
                self._reception.forget(process)
                self._release_held(process)

    def _close_output(self, process: BotProcess) -> None:
        if not process.output.closed:
            with contextlib.suppress(KeyError):  # paused, or at its end already
                self._selector.unregister(process.output)
            process.output.close()

    def _end_all(self) -> None:
        """End every bot: word to those in a match, `bye`, grace, and the certain way for who does not go."""
        for table in list(self._tables.values()):
            self._handle(table, ArenaFailed("the run was stopped; this match will be played again"))
        for process in list(self._pool):
            self._pool.dismiss(process)
        give_up_ms = self._clock() + _STOP_PATIENCE_MS
        while self._clock() < give_up_ms and any(True for _ in self._pool):
            self._reception.wait(TICK_MS)
            self._serve_selector()
            self._tick(is_drained=False)
            self._judge_leavers(is_drained=True)
