"""One process of a bot, and a record of what was said.

A conversation has two ways past its session, for messages that no tournament sends. A *disguise* changes each
message on its way out, while the session believes that the original was sent, and so stays in step; `send_raw` sends
what the session never hears of.
"""

import contextlib
import json
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import msgpack
import psutil

from arena.clock import Clock
from arena.referee.bot_process import BotProcess
from protocol.lines import JSON_LINES
from protocol.messages import MESSAGEPACK, Action, Encoding, Hello, Message, to_json_object

__all__ = ["Conversation", "Disguise", "Entry", "Gone", "Happening", "Heard", "Violation"]

_ENTRIES_MAX = 100

Disguise: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""From a message as it should be to what goes over the wire; must not change what it is given."""


class Entry(NamedTuple):
    """One thing that was said. at_ms: since the process was started. is_sent: by this side. frame: None for a message
    of several frames."""

    at_ms: float
    is_sent: bool
    frame: bytes | None


class Heard(NamedTuple):
    """An answer, whether or not anything was open for it."""

    action: Action
    at_ms: float


class Violation(NamedTuple):
    """Bytes that are no message, or a message that may not come now."""

    code: str
    text: str


class Gone(NamedTuple):
    """The process has ended, or closed its link."""

    detail: str


Happening: TypeAlias = Heard | Violation | Gone


class Conversation:
    """One process of the bot, from its start.

    hello: what it said of itself, None until then. refusal: why its first message was no valid hello. is_over: whether
    it has ended, and nothing of it is left. left_behind: processes that it started and that were still there when it
    had ended, for people. expects: late answers that are fine, as (match, request).
    """

    def __init__(self, process: BotProcess, clock: Clock, disguise: Disguise | None) -> None:
        self.process = process
        self.encoding: Encoding = JSON_LINES if process.spec.protocol == "stdio" else MESSAGEPACK
        self.entries: deque[Entry] = deque(maxlen=_ENTRIES_MAX)
        self.hello: Hello | None = None
        self.hello_ms = 0.0
        self.refusal: Violation | None = None
        self.is_over = False
        self.left_behind: list[str] = []
        self.expects: set[tuple[str, int]] = set()
        self._clock = clock
        self._disguise = disguise
        self._happenings: deque[Happening] = deque()
        self._last_frame = b""

    @property
    def has_news(self) -> bool:
        """Whether anything has happened that was not taken yet."""
        return bool(self._happenings)

    @property
    def concurrency(self) -> int:
        """Matches at once, as hello offered."""
        return self.process.session.concurrency

    def take(self) -> Happening:
        """What has happened first; only when there is news."""
        return self._happenings.popleft()

    def send_raw(self, document: dict[str, Any]) -> None:
        """Send what may be no message at all, past the session."""
        frame = self._pack(document)
        self._record(frame, is_sent=True)
        if self.process.link is not None:
            self.process.link.send(frame)

    def disguised(self, message: Message, frame: bytes) -> bytes:
        """What goes out for `message`, recorded."""
        if self._disguise is not None:
            frame = self._pack(self._disguise(to_json_object(message)))
        self._record(frame, is_sent=True)
        return frame

    def note(self, happening: Happening) -> None:
        self._happenings.append(happening)

    def note_frame(self, frame: bytes | None) -> None:
        """Bytes have come."""
        self._last_frame = frame or b""
        self._record(frame, is_sent=False)

    def note_hello(self) -> None:
        """The last frame was a valid hello."""
        hello = self.encoding.decode(self._last_frame)
        assert isinstance(hello, Hello)
        self.hello, self.hello_ms = hello, self._clock() - self.process.started_ms

    def note_answer(self) -> None:
        """The last frame was an answer."""
        action = self.encoding.decode(self._last_frame)
        assert isinstance(action, Action)
        if (action.match, action.request) in self.expects:
            self.expects.discard((action.match, action.request))
        else:
            self.note(Heard(action, self._clock()))

    def note_left_behind(self) -> None:
        """The process has ended: look what it started and did not end."""
        leader = self.process.confined.pid
        self.left_behind = [_describe(pid) for pid in self.process.confined.members() if pid != leader]

    def _pack(self, document: dict[str, Any]) -> bytes:
        if self.encoding is JSON_LINES:
            return json.dumps(document, separators=(",", ":")).encode() + b"\n"
        frame: bytes = msgpack.packb(document)
        return frame

    def _record(self, frame: bytes | None, *, is_sent: bool) -> None:
        self.entries.append(Entry(self._clock() - self.process.started_ms, is_sent, frame))


def _describe(pid: int) -> str:
    """A process for people: its number and its command."""
    with contextlib.suppress(psutil.Error):
        return f"{pid} ({' '.join(psutil.Process(pid).cmdline())[:80]})"
    return str(pid)
