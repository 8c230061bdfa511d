"""The smallest Python client: `serve(choose)` plays until the arena says bye.

    from protocol.bot import serve

    def choose(request):
        return request.legal_actions[0] if request.legal_actions else []

    if __name__ == "__main__":
        serve(choose)

The arena starts the process and tells it in two environment variables where to connect and how to prove itself.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import zmq

from protocol.messages import (
    MAX_MESSAGE,
    PROTOCOL_VERSION,
    Action,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    Request,
)
from protocol.session import ConnectionState, Session, Stale

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

    Started by hand, without the arena's environment variables, it explains itself and exits with status 2.
    """
    endpoint, token = os.environ.get("ARENA_ENDPOINT"), os.environ.get("ARENA_TOKEN")
    if not endpoint or not token:
        _say(
            "This is a bot: it plays when the arena starts it (ARENA_ENDPOINT and ARENA_TOKEN are not set). "
            "Name its command in a config and use `arena run CONFIG`, or try `arena match BOT BOT`."
        )
        sys.exit(2)
    hello = Hello(PROTOCOL_VERSION, token, name, author, "python", version, concurrency)
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = _LINGER_MS
        socket.rcvtimeo = _TICK_MS
        socket.maxmsgsize = MAX_MESSAGE
        socket.connect(endpoint)
        _converse(socket, hello, _Callbacks(choose, on_start, on_end))


def _converse(socket: zmq.Socket[bytes], hello: Hello, bot: _Callbacks) -> None:
    """Everything from hello to bye."""
    session, parent, ticks = Session("bot"), os.getppid(), 0
    socket.send(session.send(hello))
    while session.state is not ConnectionState.CLOSED:
        try:
            frame = socket.recv()
        except zmq.Again:
            ticks += 1
            if os.getppid() != parent or (session.state is ConnectionState.GREETING and ticks >= _GREETING_TICKS):
                _say("the arena is gone")
                return
            continue
        message = session.receive(frame)
        if isinstance(message, Request):
            socket.send(_answer(session, message, bot.choose(message)))
        else:
            _hear(message, bot)


def _answer(session: Session, request: Request, action: Any) -> bytes:
    try:
        return session.send(Action(request.match, request.request, action))
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"choose returned what cannot be sent; return a list of plain int ({error})") from error


def _hear(message: Message | Stale, bot: _Callbacks) -> None:
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
