"""Processes that have ended or closed their link: noticed at once, judged a little later.

A bot may answer and exit at once, and the exit be seen first. So an exit is judged when the messages that were under
way have been read. A closed link is judged later still, because an exit that follows is the better evidence.
"""

import selectors
from collections.abc import Callable, Iterator
from functools import partial

from arena.referee.bot_process import BotProcess
from arena.referee.bots import BotPool

__all__ = ["Exits"]

_EXIT_GRACE_MS = 10.0  # from an exit to its judgement: messages on their way through the kernel are read first
_LINK_GRACE_MS = 250.0


class Exits:
    """may_collect: whether a process that has ended may be collected now, with all that it started; asked every tick
    until it may."""

    def __init__(
        self, selector: selectors.BaseSelector, pool: BotPool, may_collect: Callable[[BotProcess], bool]
    ) -> None:
        self._selector = selector
        self._pool = pool
        self._may_collect = may_collect
        self._ended: list[BotProcess] = []
        self._due_ms: dict[BotProcess, float] = {}

    def __bool__(self) -> bool:
        """Whether anything is to be judged soon."""
        return bool(self._due_ms or self._ended)

    def watch(self, process: BotProcess) -> None:
        """Notice when a process ends."""
        if process.confined.exit_watch is not None:
            notice = partial(self._notice, process)
            self._selector.register(process.confined.exit_watch, selectors.EVENT_READ, notice)

    def note_closed_link(self, process: BotProcess, now_ms: float) -> None:
        """A process has closed its link. One that was told to go may do so."""
        if not process.is_leaving:
            self._due_ms.setdefault(process, now_ms + _LINK_GRACE_MS)

    def tick(self, now_ms: float) -> None:
        """Look for ends that cannot be watched for, and collect what may be collected."""
        for process in self._pool:
            if process.confined.exit_watch is None and not process.has_exited and process not in self._ended:
                self._notice_unwatched(process)
        self._collect(now_ms)

    def due(self, now_ms: float, *, is_drained: bool) -> Iterator[BotProcess]:
        """The processes that are to be judged now: when no message is left to be read, or none can be hoped for."""
        if self._ended:
            self._collect(now_ms)
        for process, due_ms in list(self._due_ms.items()):
            if now_ms >= due_ms and (is_drained or now_ms > due_ms + _LINK_GRACE_MS):
                del self._due_ms[process]
                yield process

    def _notice(self, process: BotProcess) -> None:
        """The watched descriptor says that a process has ended."""
        assert process.confined.exit_watch is not None, "it was watched"
        self._selector.unregister(process.confined.exit_watch)
        self._ended.append(process)

    def _notice_unwatched(self, process: BotProcess) -> None:
        if process.confined.has_ended():
            self._ended.append(process)

    def _collect(self, now_ms: float) -> None:
        for process in list(self._ended):
            if self._may_collect(process) and self._pool.collect(process):
                self._ended.remove(process)
                process.ended_ms = now_ms
                self._due_ms[process] = now_ms + _EXIT_GRACE_MS
