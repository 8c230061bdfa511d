"""One loop for everything that bot processes do: one thread, one place to wait, many processes at once.

Theory of operation
-------------------
One pass of the loop takes the messages that are waiting, then (every `TICK_MS`) does what need not be done at once, and
waits when nothing is left: for a message, a process's exit or output, whatever its owner has registered, or the next
tick. The loop decides nothing: it tells its *player* what processes say and when they are gone. `arena.referee.referee`
plays tournaments by it, `arena.check` talks to one bot by it.

*Standing still.* A pass that takes much longer than a tick means that this process itself was not running (a suspended
machine, a loaded one, a debugger). Answers that came meanwhile were read late through no fault of a bot. The loop adds
up for how long it stood still; a clock that is running meanwhile does not count that time.

*Patience.* Waiting for all kinds of things at once costs more than waiting for messages alone. While messages are all
that is to be expected for the moment, the loop waits for those first; the rest can wait as long.
"""

import selectors
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from arena.clock import Clock
from arena.contracts import Launcher
from arena.model import BotSpec, Limits
from arena.referee.bot_log import BoundedLog
from arena.referee.bot_process import BotProcess
from arena.referee.bots import BotPool
from arena.referee.exits import Exits
from arena.referee.outputs import Outputs
from arena.referee.reception import Listener, Reception, Tap
from arena.referee.turns import Turns

__all__ = ["TICK_MS", "Loop", "Player"]

TICK_MS = 20
"""How late the passing of a deadline may be noticed."""

_BURST_MS = 5  # of messages in one pass, so that a flood cannot keep the loop from its other duties


class Player(Listener, Protocol):
    """Whom the loop serves."""

    @property
    def expects_only_messages(self) -> bool:
        """Whether nothing else is to be expected for the moment."""

    def may_wait(self) -> bool:
        """Whether the loop may wait now; not when what was just heard is to be acted upon first."""

    def tick(self, *, is_drained: bool) -> None:
        """`TICK_MS` have passed; `is_drained`: every message that was waiting has been heard."""

    def may_collect(self, process: BotProcess) -> bool:
        """Whether a process that has ended may be collected now, with all that it started; asked until it may."""

    def gone(self, process: BotProcess) -> None:
        """A process has ended or closed its link, and all that it said before has been heard."""

    def closed(self, process: BotProcess) -> None:
        """A process has ended, and all that it wrote has been read: nothing of it is left."""


class Loop:
    """The processes of some bots, their connections, and the one place to wait for them. `run_pass` again and again,
    then `close`."""

    def __init__(
        self,
        bots: Mapping[str, BotSpec],
        player: Player,
        *,
        launcher: Launcher,
        limits: Limits,
        directory: Path,
        open_log: Callable[[str], BoundedLog],
        clock: Clock,
        tap: Tap | None = None,
    ) -> None:
        self._player = player
        self._clock = clock
        self._stalled_ms = 0.0
        self._next_tick_ms = self._last_pass_ms = clock()
        self._speaks_by_lines = False
        self._answers = 0  # that had been heard at the last tick
        self.selector = selectors.DefaultSelector()
        self.reception = Reception(directory, self.selector, player, self._note_closed_link, clock=clock, tap=tap)
        self.pool = BotPool(
            bots,
            launcher=launcher,
            limits=limits,
            endpoint=self.reception.endpoint,
            directory=directory,
            log=open_log,
            clock=clock,
            started=self._watch,
            dismissed=self.reception.dismiss,
        )
        self._outputs = Outputs(self.selector, self.pool)
        self._exits = Exits(self.selector, self.pool, player.may_collect)
        self._turns = Turns()

    def stalled_ms(self, now_ms: float) -> float:
        """How long this process has stood still in all, until now."""
        return self._stalled_ms + _standstill_ms(now_ms - self._last_pass_ms)

    def run_pass(self) -> None:
        """Hear what has come; wait a little when nothing has."""
        now_ms = self._clock()
        self._stalled_ms += _standstill_ms(now_ms - self._last_pass_ms)
        self._last_pass_ms = now_ms
        is_patient = self._player.expects_only_messages and not (self._speaks_by_lines or self._exits)
        is_drained = self.reception.take(now_ms + _BURST_MS, is_patient=is_patient)
        if self._speaks_by_lines:
            self._serve_selector()  # lines are messages too, and wait for no quiet moment
        if now_ms >= self._next_tick_ms:
            self._next_tick_ms = now_ms + TICK_MS
            self._tick(is_drained=is_drained)
        if self._exits:
            self._judge_exits(is_drained=is_drained)
        if is_drained and self._player.may_wait():
            self.reception.wait(2 if self._exits else TICK_MS)
            self._serve_selector()

    def close(self) -> None:
        """End whatever is left, at once."""
        self._turns.choose(self._pids(), is_batch=False)
        self.pool.close()
        self.reception.close()
        self.selector.close()

    def _serve_selector(self) -> None:
        for key, _ in self.selector.select(0):
            key.data()

    def _tick(self, *, is_drained: bool) -> None:
        """What need not be done at once: deadlines, ends of grace, output, and whatever cannot be waited for here."""
        self._turns.judge(self.reception.answers - self._answers, self._pids())
        self._answers = self.reception.answers
        self._serve_selector()
        self.reception.notice_closed()
        self._outputs.resume()
        now_ms = self._clock()  # for both: a grace that ended in between would kill what nobody has seen was left
        self._exits.tick(now_ms)
        self.pool.enforce(now_ms)
        self._player.tick(is_drained=is_drained)

    def _pids(self) -> list[int]:
        return [process.confined.pid for process in self.pool if not process.has_exited]

    def _watch(self, process: BotProcess) -> None:
        """A process has been started."""
        process.stalled_before_ms = self.stalled_ms(process.started_ms)
        self.reception.expect(process)
        self._speaks_by_lines = self._speaks_by_lines or process.pipe is not None
        self._exits.watch(process)
        self._outputs.watch(process)

    def _note_closed_link(self, process: BotProcess) -> None:
        self._exits.note_closed_link(process, self._clock())

    def _judge_exits(self, *, is_drained: bool) -> None:
        for process in self._exits.due(self._clock(), is_drained=is_drained):
            self._player.gone(process)
            if process.has_exited:
                self.pool.dismiss(process)
                self._outputs.close(process)
                self.reception.forget(process)
                process.confined.close()
                self._player.closed(process)


def _standstill_ms(passed_ms: float) -> float:
    """How much of the time of one pass was no part of its work: a pass waits for a tick at most, and works less."""
    return max(0.0, passed_ms - 2 * TICK_MS)
