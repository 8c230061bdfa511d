"""What bots write to stdout and stderr: one bounded file for each bot and referee."""

import contextlib
import hashlib
import os
from pathlib import Path
from typing import IO

__all__ = ["BoundedLog", "log_name"]


class BoundedLog:
    """A file of what a bot wrote, the newest `limit_bytes` or so: when half of that is full, it becomes ``<name>.old``.

    When several processes of the bot write in turn, a line says whose output follows.
    """

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._path = path
        self._half_bytes = max(1, limit_bytes // 2)
        self._file: IO[bytes] | None = None
        self._written = 0
        self._speaker = 0

    def write(self, text: bytes, speaker: int) -> None:
        """Append what process number `speaker` wrote (0: the arena's own remark)."""
        if speaker not in (0, self._speaker):
            text = f"--- process {speaker}\n".encode() + text
            self._speaker = speaker
        with contextlib.suppress(OSError):  # a full disk must not end a match; the store will say it in words
            file = self._current()
            file.write(text)
            self._written += len(text)

    def _current(self) -> IO[bytes]:
        """The file to write to: opened when there is none, a new one when half of what may be kept is full."""
        if self._file is not None:
            if self._written <= self._half_bytes:
                return self._file
            self.close()
            self._path.replace(self._path.with_name(self._path.name + ".old"))
        # O_NOFOLLOW: a bot that may write here must not choose which file we fill
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._file = os.fdopen(os.open(self._path, flags, 0o644), "ab", buffering=0)
        self._written = os.fstat(self._file.fileno()).st_size
        return self._file

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def log_name(bot: str) -> str:
    """A file name for any bot's name: readable where possible, unique always, without surprises for any file system."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in bot).strip(".")
    if safe == bot and len(safe.encode()) <= 80:
        return safe
    digest = hashlib.sha256(bot.encode()).hexdigest()[:8]
    return f"{safe.encode()[:60].decode(errors='ignore')}+{digest}"  # no safe name has a +
