"""What bots write to their logs, read within bounds.

A process that writes very much has to wait for the next tick in its own write, so that reading costs a referee little
however much a bot writes.
"""

import contextlib
import selectors
from functools import partial

from arena.referee.bot_process import BotProcess
from arena.referee.bots import BotPool

__all__ = ["Outputs"]

_BYTES_A_TICK = 1 << 20  # 50 MB/s for a bot's log: more than an honest one writes, little to read


class Outputs:
    """The outputs that are watched; each is read piece by piece when the selector says so."""

    def __init__(self, selector: selectors.BaseSelector, pool: BotPool) -> None:
        self._selector = selector
        self._pool = pool
        self._paused: list[BotProcess] = []  # not read before the next tick

    def watch(self, process: BotProcess) -> None:
        """Read what a process writes, from now on."""
        self._selector.register(process.output, selectors.EVENT_READ, partial(self._read, process))

    def resume(self) -> None:
        """A tick has passed: every process may write again."""
        for process in self._pool:
            process.read_since_tick = 0
        paused, self._paused = self._paused, []
        for process in paused:
            if not process.output.closed:
                self.watch(process)

    def close(self, process: BotProcess) -> None:
        """A process has ended, and all that it wrote has been read."""
        if not process.output.closed:
            with contextlib.suppress(KeyError):  # paused, or at its end already
                self._selector.unregister(process.output)
            process.output.close()

    def _read(self, process: BotProcess) -> None:
        length = self._pool.read_output(process)
        process.read_since_tick += length or 0
        if length is None:
            self._selector.unregister(process.output)
        elif process.read_since_tick > _BYTES_A_TICK:
            self._selector.unregister(process.output)
            self._paused.append(process)
