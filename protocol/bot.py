"""The smallest Python client: `serve(choose)` plays until the arena says bye.

    from protocol.bot import serve

    def choose(request):
        return request.legal_actions[0] if request.legal_actions else []

    if __name__ == "__main__":
        serve(choose)

The arena starts the process and tells it in two environment variables how to talk and how to prove itself: over ZeroMQ
and MessagePack, or as lines of JSON on stdin and stdout when the bot's config says `protocol: stdio`.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple, Protocol, Self

from protocol.lines import decode_line_trusted, encode_line
from protocol.messages import (
    MAX_MESSAGE,
    PROTOCOL_VERSION,
    Action,
    BadFrame,
    Bye,
    Encoding,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    Request,
    decode_trusted,
    encode,
)

__all__ = ["serve"]

_TICK_MS = 1000
"""How often an idle bot looks whether the arena is still there."""

_GREETING_TICKS = 60
"""Ticks without an answer to hello after which nobody is there: the arena can be gone before this process could look
who its parent is."""

_LINGER_MS = 1000
"""How long closing may take to deliver what was sent: enough for an answer, and no hang when nobody reads it."""


class _Callbacks(NamedTuple):
    """What the bot's author gave to `serve`."""

    choose: Callable[[Request], Any]
    on_start: Callable[[MatchStart], object] | None
    on_end: Callable[[MatchEnd], object] | None


def serve(
    choose: Callable[[Request], Any],
    *,
    name: str | None = None,
    author: str | None = None,
    version: str | None = None,
    concurrency: int = 1,
    on_start: Callable[[MatchStart], object] | None = None,
    on_end: Callable[[MatchEnd], object] | None = None,
) -> None:
    """Play every match that the arena brings; returns at its bye, or when it is gone.

    choose: from a request to the action, for Tacocat a list of ranks. name, author, version: what the bot says of
    itself, for people. concurrency: how many matches this process is ready to play at once; `match` tells them apart.
    on_start, on_end: called when a match begins and is over, for bots that keep memory.

    What the bot prints goes to its log, whichever way it talks. Started by hand, without the arena's environment
    variables, it explains itself and exits with status 2.
    """
    endpoint, token = os.environ.get("ARENA_ENDPOINT"), os.environ.get("ARENA_TOKEN")
    if not endpoint or not token:
        _say(
            "This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not set). "
            "Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`."
        )
        sys.exit(2)
    hello = Hello(PROTOCOL_VERSION, token, name, author, "python", version, concurrency)
    with _Lines() if endpoint == "stdio" else _Dealer(endpoint) as link:
        _converse(link, hello, _Callbacks(choose, on_start, on_end))


class _Link(Protocol):
    """A connection with the arena. `receive` raises EOFError when it is gone."""

    encoding: Encoding

    def send(self, frame: bytes) -> None: ...
    def receive(self) -> bytes: ...


class _Lines(AbstractContextManager["_Lines"]):
    """stdin and stdout, which then belong to the arena alone: what is printed goes to stderr."""

    encoding = Encoding(encode_line, decode_line_trusted)

    def __enter__(self) -> Self:
        sys.stdout.flush()
        self._input, self._output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        return self

    def __exit__(self, *_: object) -> None:
        self._input.close()
        self._output.close()

    def send(self, frame: bytes) -> None:
        try:
            self._output.write(frame)
        except BrokenPipeError:
            raise EOFError from None

    def receive(self) -> bytes:
        line = self._input.readline()
        if not line:
            raise EOFError
        return line


class _Dealer(AbstractContextManager["_Dealer"]):
    """A ZeroMQ socket. A process whose parent has changed has lost its arena."""

    encoding = Encoding(encode, decode_trusted)

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    def __enter__(self) -> Self:
        import zmq  # here, because a bot that talks by lines does not need it

        self._again = zmq.Again
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.linger = _LINGER_MS
        self._socket.rcvtimeo = _TICK_MS
        self._socket.maxmsgsize = MAX_MESSAGE
        self._socket.connect(self._endpoint)
        self._parent = os.getppid()
        self._ticks_unheard: int | None = 0
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._context.term()

    def send(self, frame: bytes) -> None:
        self._socket.send(frame)

    def receive(self) -> bytes:
        while True:
            try:
                frame: bytes = self._socket.recv()
            except self._again:
                self._look_for_arena()
            else:
                self._ticks_unheard = None
                return frame

    def _look_for_arena(self) -> None:
        if self._ticks_unheard is not None:
            self._ticks_unheard += 1
        if os.getppid() != self._parent or self._ticks_unheard == _GREETING_TICKS:
            raise EOFError


def _converse(link: _Link, hello: Hello, bot: _Callbacks) -> None:
    """Everything from hello to bye."""
    try:
        link.send(link.encoding.encode(hello))
        while True:
            message = _receive(link)
            if isinstance(message, Request):
                link.send(_answer(link.encoding, message, bot.choose(message)))
            elif isinstance(message, Bye):
                return
            elif message is not None:
                _hear(message, bot)
    except EOFError:
        _say("the arena is gone")


def _receive(link: _Link) -> Message | None:
    """The next message; None for one of a kind that this version does not know."""
    try:
        return link.encoding.decode(link.receive())
    except BadFrame as error:
        if error.code != "unknown_type":
            raise
        return None


def _answer(encoding: Encoding, request: Request, action: Any) -> bytes:
    try:
        return encoding.encode(Action(request.match, request.request, action))
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"choose returned what cannot be sent; return a list of plain int ({error})") from error


def _hear(message: Message, bot: _Callbacks) -> None:
    """A message that wants no answer."""
    if isinstance(message, Error):
        _say(f"the arena objects: {message.message} ({message.code})")
    elif isinstance(message, MatchStart) and bot.on_start is not None:
        bot.on_start(message)
    elif isinstance(message, MatchEnd) and bot.on_end is not None:
        bot.on_end(message)


def _say(text: str) -> None:
    """One line of the bot's log; the arena may have closed the other end."""
    with suppress(OSError):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
