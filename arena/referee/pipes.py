"""A bot's stdin and stdout as a connection: lines in, lines out, and never a wait.

Theory of operation
-------------------
Both ends are non-blocking. What does not fit into the pipe to the bot is kept and written when the selector says that
there is room; a bot that reads nothing is not worth more than `_UNREAD_MAX`. From the bot, whole lines are handed on as
they come; the piece behind the last line break waits for its rest. A line without end is handed on when it is longer
than any message, and is then refused like one.
"""

import contextlib
import os
import selectors
from collections.abc import Callable
from typing import IO, Self

from protocol.bounds import MAX_LINE

__all__ = ["LinePipe", "Pipes"]

_READ_BYTES = 65536
_UNREAD_MAX = 4 << 20  # bytes; a bot has at most a few messages per match in flight


class Pipes:
    """The pipes of a process that is about to be started. A context: what was not kept is closed at its end.

    A process that speaks by lines has three pipes. Another one has nothing to read, and both its outputs are one pipe.
    theirs: the descriptors that become its stdin, stdout and stderr.
    """

    def __init__(self, *, by_lines: bool) -> None:
        self._open: set[int] = set()
        try:
            output, stderr = self._pipe()
            self._ours = [output]
            if by_lines:
                stdin, to_process = self._pipe()
                from_process, stdout = self._pipe()
                self._ours += [to_process, from_process]
            else:
                stdin, stdout = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), stderr
                self._open.add(stdin)
        except OSError:
            self.__exit__()
            raise
        self.theirs = (stdin, stdout, stderr)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open |= {*ends}
        return ends

    def keep(self) -> tuple[IO[bytes], tuple[IO[bytes], IO[bytes]] | None]:
        """Our ends as files: of what it writes to its log, and, if it speaks by lines, of its stdin and stdout."""
        self._open -= {*self._ours}
        output, *stdio = (
            os.fdopen(end, "wb" if place == 1 else "rb", buffering=0) for place, end in enumerate(self._ours)
        )
        return output, (stdio[0], stdio[1]) if stdio else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)


class LinePipe:
    """The connection with one process; `heard` is called for each line that comes, `ended` when no more will.

    Both are called from within `selector`'s callbacks.
    """

    def __init__(
        self,
        stdin: IO[bytes],
        stdout: IO[bytes],
        selector: selectors.BaseSelector,
        heard: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._selector = selector
        self._heard = heard
        self._ended = ended
        self._unsent = bytearray()
        self._is_last = False
        self.unfinished = b""
        """What came behind the last line break."""
        for stream in (stdin, stdout):
            os.set_blocking(stream.fileno(), False)
        selector.register(stdout, selectors.EVENT_READ, self.read)

    def send(self, frame: bytes) -> bool:
        """Write a line, or queue it; False when the other end is closed or takes nothing any more."""
        if self._stdin.closed or self._is_last or len(self._unsent) > _UNREAD_MAX:
            return False
        is_waiting = bool(self._unsent)
        self._unsent += frame
        if not is_waiting:
            self._write()
            if self._unsent and not self._stdin.closed:
                self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write_on)
        return not self._stdin.closed

    def end_input(self) -> None:
        """Close the bot's stdin when all that was sent has been written."""
        self._is_last = True
        if not self._unsent:
            self._stdin.close()

    def read(self) -> bool:
        """Take what the bot has written, up to 64 KiB; False when there is nothing (now, or any more)."""
        if self._stdout.closed:
            return False
        try:
            text = os.read(self._stdout.fileno(), _READ_BYTES)
        except BlockingIOError:
            return False
        if not text:
            self._selector.unregister(self._stdout)
            self._stdout.close()
            self._ended()
            return False
        *lines, self.unfinished = (self.unfinished + text).split(b"\n")
        if len(self.unfinished) > MAX_LINE:
            lines.append(self.unfinished)
            self.unfinished = b""
        for line in lines:
            self._heard(line)
        return True

    def close(self) -> None:
        """Close both ends; what was not sent is dropped."""
        if not self._stdout.closed:
            self._selector.unregister(self._stdout)
            self._stdout.close()
        self._drop_input()

    def _write_on(self) -> None:
        """There is room in the pipe."""
        self._write()
        if not self._unsent and not self._stdin.closed:
            self._selector.unregister(self._stdin)
            if self._is_last:
                self._stdin.close()

    def _write(self) -> None:
        with contextlib.suppress(BlockingIOError):
            try:
                while self._unsent:
                    del self._unsent[: os.write(self._stdin.fileno(), self._unsent)]
            except BrokenPipeError:
                self._drop_input()

    def _drop_input(self) -> None:
        self._unsent.clear()
        if not self._stdin.closed:
            with contextlib.suppress(KeyError):  # only while something waits for room
                self._selector.unregister(self._stdin)
            self._stdin.close()
