"""Processes of one bot, and a record of what was said.

Theory of operation
-------------------
A `Host` is a referee without matches: the same pool and the same reception as in a tournament, one pass of the loop at
a time (`pump`). Who waits says for what (`wait`), and everything that a process does meanwhile is kept in order in its
`Conversation`, until it is taken out there. Nothing is judged here.

A conversation has two ways past its session, for messages that no polite referee sends. A *disguise* changes each
message on its way out, while the session believes that the original was sent, and so stays in step; `send_raw` sends
what the session never hears of.

Ends are looked for every tick. An exit is reported a tick after it was seen, when what the process had sent is read;
a closed link a little later still, because an exit that follows is the better evidence. A process that leaves after
its bye is collected when the last of its group is gone, or when the grace is over.
"""

import contextlib
import json
import os
import selectors
from collections import deque
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import msgpack
import psutil

from arena.clock import Clock, monotonic_ms
from arena.launchers.none import Unconfined
from arena.model import BotSpec, Limits
from arena.referee.bot_log import BoundedLog
from arena.referee.bots import BotPool, BotProcess
from arena.referee.reception import Reception
from protocol.lines import JSON_LINES
from protocol.messages import MESSAGEPACK, Action, Encoding, Error, Hello, Message, to_json_object
from protocol.session import Stale

__all__ = ["BYE_GRACE_MS", "Conversation", "Disguise", "Entry", "Gone", "Happening", "Heard", "Host", "Violation"]

BYE_GRACE_MS = 1000.0
"""How long a bot may take to exit after its bye."""

_TICK_MS = 20
_BURST_MS = 5
_LINK_GRACE_MS = 250.0
_ENTRIES_MAX = 100
_LATE_MS = 500.0  # how long after its grace a process may be on its way out of the kernel

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

    hello: what it said of itself, None until then. refusal: why its first message was no valid hello. exited_ms: on the
    host's clock. left_behind: processes of its group that were still there when it had ended. expects: late answers
    that are fine, as (match, request).
    """

    def __init__(self, process: BotProcess, clock: Clock, disguise: Disguise | None) -> None:
        self.process = process
        self.encoding: Encoding = JSON_LINES if process.spec.protocol == "stdio" else MESSAGEPACK
        self.entries: deque[Entry] = deque(maxlen=_ENTRIES_MAX)
        self.hello: Hello | None = None
        self.hello_ms = 0.0
        self.refusal: Violation | None = None
        self.exited_ms: float | None = None
        self.left_behind: list[str] = []
        self.expects: set[tuple[str, int]] = set()
        self.output_bytes = 0
        self._clock = clock
        self._disguise = disguise
        self._happenings: deque[Happening] = deque()
        self._last_frame = b""
        self._ended_ms: float | None = None
        self._closed_ms: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the process has ended and been collected."""
        return self.exited_ms is not None

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

    def note_closing(self) -> None:
        if self._closed_ms is None:
            self._closed_ms = self._clock()

    def watch(self, pool: BotPool, now_ms: float) -> bool:
        """Look whether the process has ended, or closed its link; called every tick, until it says that it is over."""
        process = self.process
        if self._ended_ms is None and _has_ended(process.confined.pid):
            self._ended_ms = now_ms
        elif self._ended_ms is not None:
            self.left_behind = _group(process.confined.pid)
            may_wait = process.is_leaving and now_ms < process.kill_at_ms
            if not (self.left_behind and may_wait) and pool.collect(process):
                self.exited_ms = now_ms
                self.note(Gone(process.describe_exit()))
        elif self._closed_ms is not None and now_ms > self._closed_ms + _LINK_GRACE_MS:
            self._closed_ms = inf
            self.note(Gone(process.describe_exit()))
        return self.is_over

    def _pack(self, document: dict[str, Any]) -> bytes:
        if self.encoding is JSON_LINES:
            return json.dumps(document, separators=(",", ":")).encode() + b"\n"
        frame: bytes = msgpack.packb(document)
        return frame

    def _record(self, frame: bytes | None, *, is_sent: bool) -> None:
        self.entries.append(Entry(self._clock() - self.process.started_ms, is_sent, frame))


class Host:
    """Starts processes of one bot and listens to them. A context manager: nothing of them is left at its end.

    `directory` is empty and its own. An `arena.referee.reception.Listener` and an `arena.referee.reception.Tap`.
    """

    def __init__(self, spec: BotSpec, directory: Path, clock: Clock = monotonic_ms) -> None:
        self.spec = spec
        self.clock = clock
        self.conversations: list[Conversation] = []
        self._of: dict[BotProcess, Conversation] = {}
        self._disguise: Disguise | None = None
        self._has_heard = False  # in this pass: then nobody waits for more
        self._stalled_ms = 0.0
        self._next_tick_ms = self._last_pass_ms = clock()
        self._selector = selectors.DefaultSelector()
        self._reception = Reception(directory, self._selector, self, clock=clock, tap=self)
        self._pool = BotPool(
            {spec.name: spec},
            launcher=Unconfined(),
            limits=Limits(),
            endpoint=self._reception.endpoint,
            directory=directory,
            log=lambda _: BoundedLog(directory / "log", 1 << 20),
            clock=clock,
            started=self._started,
            dismissed=self._reception.dismiss,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for conversation in self.conversations:
            if not conversation.is_over:
                conversation.process.confined.close()
        self._pool.close()
        self._reception.close()
        self._selector.close()

    @property
    def stalled_ms(self) -> float:
        """How long this program itself stood still, in all and until now: passes are much shorter than this."""
        return self._stalled_ms + max(0.0, self.clock() - self._last_pass_ms - 2 * _TICK_MS)

    def start(self, disguise: Disguise | None = None) -> Conversation:
        """Start a process; it has not said hello yet. Raises `arena.referee.bots.SpawnFailed` and `HostError`."""
        self._disguise = disguise
        lane = len(self.conversations)  # one for each, so that the pool never gives out the same process twice
        return self._of[self._pool.acquire(self.spec.name, lane, "check")]

    def send(self, conversation: Conversation, message: Message) -> None:
        """Send a message that may be sent now."""
        self._reception.send(conversation.process, message)

    def end(self, conversation: Conversation, grace_ms: float = BYE_GRACE_MS) -> bool:
        """Say bye to a process and see it out; whether it went by itself."""
        if not conversation.is_over:
            self._pool.dismiss(conversation.process, grace_ms=grace_ms)
        until_ms = conversation.process.kill_at_ms
        self.wait(lambda: conversation.is_over, until_ms + _LATE_MS)
        return conversation.exited_ms is not None and conversation.exited_ms <= until_ms

    def wait(self, is_done: Callable[[], bool], until_ms: float) -> bool:
        """Listen until `is_done`, or until a time on the clock; whether it is."""
        while not is_done():
            if self.clock() > until_ms:
                return False
            self.pump()
        return True

    def pump(self) -> None:
        """One pass: take what has come, wait a little when nothing has."""
        self._stalled_ms = self.stalled_ms
        self._last_pass_ms = now_ms = self.clock()
        self._has_heard = False
        self._reception.take(now_ms + _BURST_MS, is_patient=False)
        self._serve_selector()
        if now_ms >= self._next_tick_ms:
            self._next_tick_ms = now_ms + _TICK_MS
            self._tick()
        if not self._has_heard:
            self._reception.wait(_TICK_MS)
            self._serve_selector()

    def _serve_selector(self) -> None:
        for key, _ in self._selector.select(0):
            key.data()

    def _tick(self) -> None:
        self._reception.notice_closed()
        now_ms = self.clock()  # for both: a grace that ended in between would kill what nobody had seen was left
        for conversation in self._of.values():
            if not conversation.is_over and conversation.watch(self._pool, now_ms):
                self._bury(conversation.process)
        self._pool.enforce(now_ms)

    def _bury(self, process: BotProcess) -> None:
        """A process has been collected."""
        self._pool.dismiss(process)
        self._reception.forget(process)
        with contextlib.suppress(KeyError, ValueError):  # at its end already
            self._selector.unregister(process.output)
        process.output.close()
        process.confined.close()

    def _started(self, process: BotProcess) -> None:
        conversation = Conversation(process, self.clock, self._disguise)
        self.conversations.append(conversation)
        self._of[process] = conversation
        self._reception.expect(process)
        self._selector.register(process.output, selectors.EVENT_READ, partial(self._read_output, conversation))

    def _read_output(self, conversation: Conversation) -> None:
        length = self._pool.read_output(conversation.process)
        if length is None:
            self._selector.unregister(conversation.process.output)
        conversation.output_bytes += length or 0

    # --- as a Listener and a Tap ----------------------------------------------------------------------------------

    def ready(self, process: BotProcess) -> None:
        self._of[process].note_hello()

    def refused(self, process: BotProcess, code: str, text: str) -> None:
        self._of[process].refusal = Violation(code, text)

    def heard(self, process: BotProcess, message: Action | Stale) -> None:
        self._of[process].note_answer()

    def violated(self, process: BotProcess, code: str, text: str) -> None:
        self._of[process].note(Violation(code, text))

    def left(self, process: BotProcess) -> None:
        self._of[process].note_closing()

    def sends(self, process: BotProcess | None, message: Message, frame: bytes) -> bytes:
        conversation = self._find(process)
        if conversation is None:
            return frame
        if process is None and isinstance(message, Error):
            conversation.refusal = Violation(message.code, message.message)
        return conversation.disguised(message, frame)

    def received(self, process: BotProcess | None, frame: bytes | None) -> None:
        self._has_heard = True
        conversation = self._find(process)
        if conversation is not None:
            conversation.note_frame(frame)

    def _find(self, process: BotProcess | None) -> Conversation | None:
        """Whose message it is. Of those that say nothing of it, the sender is the process that starts."""
        if process is not None:
            return self._of[process]
        return next((each for each in reversed(self.conversations) if each.hello is None), None)


def _has_ended(pid: int) -> bool:
    """Whether a child that was not waited for has ended."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _group(leader: int) -> list[str]:
    """The living members of a process's session, without itself, for people."""
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(OSError, psutil.Error):
            if pid != leader and os.getsid(pid) == leader:
                process = psutil.Process(pid)
                if process.status() != psutil.STATUS_ZOMBIE:
                    found.append(f"{pid} ({' '.join(process.cmdline())[:80]})")
    return found
