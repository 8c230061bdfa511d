"""Results on their way to the executor, with what the bots to blame have written.

A bot that lost because it said nothing may still hold its answer in a buffer, and write it when it sees the end of its
input. Such a result is held until the process has ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from arena.model import Fault, MatchResult
from arena.referee.bot_process import BotProcess
from arena.referee.bots import BotPool

__all__ = ["Evidence"]

_SILENCE = (Fault.TIMEOUT, Fault.STARTUP_FAILURE)


class _Held(NamedTuple):
    """A result that waits for the end of some processes."""

    result: MatchResult
    blamed: Sequence[BotProcess]
    awaited: set[BotProcess]


class Evidence:
    """Completes results and sends them on to `report`."""

    def __init__(self, pool: BotPool, report: Callable[[MatchResult], None]) -> None:
        self._pool = pool
        self._report = report
        self._held: list[_Held] = []

    def take(self, result: MatchResult, blamed: Sequence[tuple[BotProcess, Fault]]) -> None:
        """A match has ended; `blamed`: who has lost it, and by what."""
        processes = [process for process, _ in blamed]
        awaited = {process for process, fault in blamed if fault in _SILENCE and process.may_flush}
        if awaited:
            self._held.append(_Held(result, processes, awaited))
        else:
            self._complete(result, processes)

    def release(self, process: BotProcess) -> None:
        """A process has ended, and all that it wrote has been read."""
        for held in self._held:
            held.awaited.discard(process)
        ready = [held for held in self._held if not held.awaited]
        self._held = [held for held in self._held if held.awaited]
        for held in ready:
            self._complete(held.result, held.blamed)

    def _complete(self, result: MatchResult, blamed: Sequence[BotProcess]) -> None:
        if blamed:
            for process in blamed:
                self._pool.read_output(process)
            lines = [result.outcome.detail, *(process.describe_output() for process in blamed)]
            result = replace(result, outcome=replace(result.outcome, detail="\n".join(lines)))
        self._report(result)
