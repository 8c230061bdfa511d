"""All connections of one referee, and whose they are.

Theory of operation
-------------------
A bot comes over ZeroMQ or over its own stdin and stdout; from here on nobody can tell. Over ZeroMQ the first message of
a connection must be a hello, whose token says which process is at the other end. Pipes belong to their process from the
start; their hello is asked for all the same, and its token compared, so that there is one way to begin.

Each process that was started is *expected* until it is dismissed. After that nothing that it says counts; of what
comes through a pipe the beginning is kept, because it can prove that an answer was written and not flushed.
"""

import selectors
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import arena
from arena.clock import Clock
from arena.referee.bot_process import BotProcess
from arena.referee.pipes import LinePipe
from arena.referee.transport import Envelope, Transport
from protocol.lines import JSON_LINES
from protocol.messages import (
    MAX_MESSAGE,
    MESSAGEPACK,
    PROTOCOL_VERSION,
    Action,
    BadFrame,
    Bye,
    Encoding,
    Error,
    Hello,
    Message,
    RemoteProtocolError,
    Welcome,
)
from protocol.session import Session, Stale

__all__ = ["Listener", "Reception", "Tap"]

_LATE_BYTES = 4096


class Listener(Protocol):
    """Who is told what comes."""

    def ready(self, process: BotProcess) -> None:
        """It has said a valid hello."""

    def refused(self, process: BotProcess, code: str, text: str) -> None:
        """Its first message was no valid hello."""

    def heard(self, process: BotProcess, message: Action | Stale) -> None:
        """It has answered something."""

    def violated(self, process: BotProcess, code: str, text: str) -> None:
        """It has sent bytes that are no message, or a message that may not come now."""


class Tap(Protocol):
    """Who sees every message as bytes, for programs that look closely at one bot. `process` is None where nobody knows
    who is there."""

    def sends(self, process: BotProcess | None, message: Message, frame: bytes) -> bytes:
        """What goes out in the place of `frame`: itself, as a rule."""

    def received(self, process: BotProcess | None, frame: bytes | None) -> None:
        """What came, before it is judged; None for a message of several frames."""


class _RouterLink(NamedTuple):
    """A connection over ZeroMQ. `descriptor` is what its end will be known by."""

    transport: Transport
    peer: bytes
    descriptor: int

    def send(self, frame: bytes) -> bool:
        return self.transport.send(self.peer, frame)


class Reception:
    """Takes in what comes, from whom it may come, and tells `listener`; `left` is told whose connection has closed.
    Whatever `selector` has besides is its owner's. answers: how many have been heard."""

    def __init__(
        self,
        directory: Path,
        selector: selectors.BaseSelector,
        listener: Listener,
        left: Callable[[BotProcess], None],
        *,
        clock: Clock,
        tap: Tap | None = None,
    ) -> None:
        self._selector = selector
        self._listener = listener
        self._left = left
        self._clock = clock
        self._tap = tap
        self._transport = Transport(directory, selector)
        self._expected: dict[str, BotProcess] = {}  # by token
        self._peers: dict[bytes, BotProcess] = {}
        self._descriptors: dict[int, BotProcess] = {}
        self.answers = 0

    @property
    def endpoint(self) -> str:
        """Where a bot that speaks ZeroMQ connects."""
        return self._transport.endpoint

    def expect(self, process: BotProcess) -> None:
        """A process has been started."""
        self._expected[process.token] = process
        if process.stdio is not None:
            heard, ended = partial(self._take_line, process), partial(self._left, process)
            process.pipe = LinePipe(*process.stdio, self._selector, heard, ended)

    def send(self, process: BotProcess, message: Message) -> None:
        """Send a message to a process that has said hello; one that is gone will be noticed otherwise."""
        if process.link is not None:
            frame = process.session.send(message)
            process.link.send(frame if self._tap is None else self._tap.sends(process, message, frame))

    def dismiss(self, process: BotProcess) -> None:
        """Say bye, and hear nothing more of a process."""
        del self._expected[process.token]
        if not process.has_exited:
            self.send(process, Bye("no more matches for this process"))
        if process.pipe is not None:
            process.pipe.end_input()

    def forget(self, process: BotProcess) -> None:
        """A process has ended and been judged."""
        if process.pipe is not None:
            process.pipe.close()
        if isinstance(process.link, _RouterLink):
            self._peers.pop(process.link.peer, None)
            if self._descriptors.get(process.link.descriptor) is process:
                del self._descriptors[process.link.descriptor]

    def take(self, until_ms: float, *, is_patient: bool) -> bool:
        """Take the messages that are waiting at the socket, until a time on the clock; whether none is left. When
        `is_patient`, none is left when none has come for a moment. Lines come by the selector."""
        while True:
            envelope = self._transport.receive(is_patient=is_patient)
            if envelope is None:
                return True
            process = self._peers.get(envelope.peer)
            if process is None:
                self._greet_peer(envelope)
            elif not process.is_leaving:
                self._take_message(process, envelope.body)
            if self._clock() > until_ms:
                return False

    def notice_closed(self) -> None:
        """Look which connections over ZeroMQ have closed."""
        for descriptor in self._transport.closed_links():
            process = self._descriptors.pop(descriptor, None)
            if process is not None:
                self._left(process)

    def wait(self, timeout_ms: int) -> None:
        """Return when something is waiting, here or in the selector, or after `timeout_ms`."""
        self._transport.wait(timeout_ms)

    def close(self) -> None:
        """Close the socket; unsent messages are dropped."""
        self._transport.close()

    def _take_line(self, process: BotProcess, line: bytes) -> None:
        if process.is_leaving:
            process.late = (process.late + line + b"\n")[:_LATE_BYTES]
        elif process.is_ready:
            self._take_message(process, line)
        else:
            assert process.pipe is not None, "the line came through it"
            self._greet(process.pipe, line, JSON_LINES, process)

    def _take_message(self, process: BotProcess, frame: bytes | None) -> None:
        """What a process that is ready has sent; None for more than one frame."""
        self._note(process, frame)
        if frame is None:
            self._listener.violated(process, *_MANY_FRAMES)
            return
        try:
            message = process.session.receive(frame)
        except RemoteProtocolError as error:
            self._listener.violated(process, error.code, error.text)
            return
        assert isinstance(message, (Action, Stale)), "the session lets a ready bot say nothing else"
        self.answers += 1
        self._listener.heard(process, message)

    def _greet_peer(self, envelope: Envelope) -> None:
        """The first message of a connection over ZeroMQ. If it does not say who is there, the kernel may know."""
        link = _RouterLink(self._transport, envelope.peer, envelope.link)
        sender = None if envelope.sender is None else self._member(envelope.sender)
        if envelope.body is None:
            self._note(sender, None)
            self._refuse(link, MESSAGEPACK, BadFrame(*_MANY_FRAMES), sender)
        else:
            self._greet(link, envelope.body, MESSAGEPACK, sender)

    def _greet(self, link: _RouterLink | LinePipe, frame: bytes, encoding: Encoding, sender: BotProcess | None) -> None:
        """The first message of a connection: a hello with the token of a process that has not said it yet. `sender` is
        who is to blame for one that names nobody."""
        session, process = Session("referee", encoding), None
        self._note(sender, frame)
        try:
            hello = encoding.decode(frame)
            process = self._expected.get(hello.token) if isinstance(hello, Hello) else None
            session.receive(frame)
        except RemoteProtocolError as error:
            self._refuse(link, encoding, error, process or sender)
            return
        if process is None or process.is_ready or process.pipe not in (None, link):
            self._refuse(link, encoding, _BAD_TOKEN, sender)
        elif len(process.matches) > session.concurrency:
            text = f"concurrency was {len(process.matches)} or more in an earlier process of this bot; do not lower it"
            self._refuse(link, encoding, RemoteProtocolError("concurrency", text), process)
        else:
            self._welcome(process, link, session)

    def _welcome(self, process: BotProcess, link: _RouterLink | LinePipe, session: Session) -> None:
        process.session, process.link = session, link
        if isinstance(link, _RouterLink):
            self._peers[link.peer] = process
            self.notice_closed()  # numbers are used again: an older closing must not meet the new one
            self._descriptors[link.descriptor] = process
        self.send(process, Welcome(PROTOCOL_VERSION, f"arena {arena.__version__}", process.spec.name, MAX_MESSAGE))
        self._listener.ready(process)

    def _refuse(
        self,
        link: _RouterLink | LinePipe,
        encoding: Encoding,
        error: RemoteProtocolError,
        process: BotProcess | None,
    ) -> None:
        """Answer a first message that is no valid hello, and hold it against whoever sent it, if that is known."""
        answer = Error(error.code, error.text)
        frame = encoding.encode(answer)
        link.send(frame if self._tap is None else self._tap.sends(process, answer, frame))
        if process is not None and not process.is_ready:
            self._listener.refused(process, error.code, error.text)

    def _note(self, process: BotProcess | None, frame: bytes | None) -> None:
        if self._tap is not None:
            self._tap.received(process, frame)

    def _member(self, pid: int) -> BotProcess | None:
        """Whose a process of the system is: a bot's program, or a child of it."""
        return next((process for process in self._expected.values() if process.confined.owns(pid)), None)


_MANY_FRAMES = (
    "bad_frame",
    "the message has more than one frame; send each message as one frame, from a DEALER (REQ puts an empty one first)",
)
_BAD_TOKEN = RemoteProtocolError(
    "bad_token", "this token is not (or no longer) valid: use $ARENA_TOKEN, once, from the process that was given it"
)
