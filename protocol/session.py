"""Who may say what when: one table; bytes in, messages out; no I/O.

Theory of operation
-------------------
The conversation between the referee and one bot process is two kinds of state machine that both ends keep:

* the *connection* (`CONNECTION`), of which there is one;
* each *match* (`MATCH`), of which up to `concurrency` are open at once. A match that is not open is ABSENT.

A row of a table is a state; an entry of it says which side may send which message there and what the state is then.
What may not come is simply not in the table. The tables know no role: an end keeps its copy of both machines in step by
taking what it sends and what it receives through the same `_advance`. It raises `LocalProtocolError`; `receive`, where
the other side is to blame for it, makes that a `ProtocolViolation`.

One thing cannot be in a table: messages cross on their way. An answer may be under way while its match ends or the
referee says bye, and a bot that answers twice does no harm. So at the referee's end an action for which nothing is
open (any more) is neither a transition nor a violation but `Stale`. Answers are told apart by `request`, so a late one
is never taken for the next.

What a violation costs is not decided here: the state stays as it was, and the session can go on.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from protocol.messages import (
    MESSAGEPACK,
    PROTOCOL_VERSION,
    Action,
    Bye,
    Encoding,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    RemoteProtocolError,
    Request,
    Welcome,
    type_name,
)
from protocol.refusals import shown

__all__ = [
    "CONNECTION",
    "MATCH",
    "ConnectionState",
    "LocalProtocolError",
    "MatchState",
    "ProtocolViolation",
    "Role",
    "Session",
    "Stale",
    "diagram",
]

Role: TypeAlias = Literal["bot", "referee"]


class ConnectionState(StrEnum):
    """Where the connection stands."""

    NEW = "NEW"
    """Nothing said; the bot has to begin."""
    GREETING = "GREETING"
    """hello is said, the referee judges it."""
    READY = "READY"
    """Matches can be played."""
    CLOSED = "CLOSED"
    """bye is said."""


class MatchState(StrEnum):
    """Where one match stands, for this bot."""

    ABSENT = "ABSENT"
    """Not begun, or over."""
    WAITING = "WAITING"
    """Open; nothing is asked of this bot."""
    ASKED = "ASKED"
    """A request is open."""


_NEW, _GREETING, _READY, _CLOSED = ConnectionState
_ABSENT, _WAITING, _ASKED = MatchState
_NONE = object()

CONNECTION: Mapping[ConnectionState, Mapping[tuple[Role, type[Message]], ConnectionState]] = {
    _NEW: {
        ("bot", Hello): _GREETING,
        ("referee", Error): _NEW,
        ("referee", Bye): _CLOSED,
    },
    _GREETING: {
        ("referee", Welcome): _READY,
        ("referee", Error): _GREETING,
        ("referee", Bye): _CLOSED,
    },
    _READY: {
        ("referee", MatchStart): _READY,
        ("referee", Request): _READY,
        ("bot", Action): _READY,
        ("referee", MatchEnd): _READY,
        ("referee", Error): _READY,
        ("referee", Bye): _CLOSED,
    },
    _CLOSED: {},
}

MATCH: Mapping[MatchState, Mapping[tuple[Role, type[Message]], MatchState]] = {
    _ABSENT: {
        ("referee", MatchStart): _WAITING,
    },
    _WAITING: {
        ("referee", Request): _ASKED,
        ("referee", MatchEnd): _ABSENT,
    },
    _ASKED: {
        ("bot", Action): _WAITING,
        ("referee", MatchEnd): _ABSENT,
    },
}


class LocalProtocolError(Exception):
    """This side tried to break the protocol: a bug of this side. `code` is one word, `text` a sentence."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


class ProtocolViolation(RemoteProtocolError):
    """A message that is well-formed but may not come now, or not from that side."""


class Stale(NamedTuple):
    """An action for a match that is not open, or for a request that is not (or no longer) open in it. To be ignored."""

    match: str
    request: int
    reason: str


class Session:
    """One end of the conversation between the referee and one bot process."""

    def __init__(self, role: Role, encoding: Encoding = MESSAGEPACK) -> None:
        self._role: Role = role
        self._encode, self._decode = encoding
        self._peer: Role = "bot" if role == "referee" else "referee"
        self._state = _NEW
        self._concurrency = 1
        self._open: dict[str, int | None] = {}  # match -> its open request; None: WAITING

    @property
    def state(self) -> ConnectionState:
        return self._state

    @property
    def concurrency(self) -> int:
        """Matches at once, as offered in hello; 1 before that."""
        return self._concurrency

    @property
    def open_matches(self) -> tuple[str, ...]:
        """The matches that are begun and not over, in the order in which they began."""
        return tuple(self._open)

    def match_state(self, match: str) -> MatchState:
        """Where a match stands; ABSENT for one that was never heard of."""
        if match not in self._open:
            return _ABSENT
        return _WAITING if self._open[match] is None else _ASKED

    def send(self, message: Message) -> bytes:
        """The frame to be sent. Raises LocalProtocolError when `message` may not be sent now, and what `encode` raises;
        then nothing has changed."""
        frame = self._encode(message)
        if type(message) is Request and self._role == "referee" and self._is_usual_request(message):
            return frame
        self._advance(self._role, message)
        return frame

    def receive(self, frame: bytes) -> Message | Stale:
        """What a received frame says. Raises BadFrame for bytes that are no message, ProtocolViolation for a message
        that may not come now; then nothing has changed."""
        message = self._decode(frame)
        if type(message) is Action and self._peer == "bot":
            if self._is_usual_action(message):
                return message
            stale = self._stale(message)
            if stale is not None:
                return stale
        try:
            self._advance(self._peer, message)
        except LocalProtocolError as error:
            raise ProtocolViolation(error.code, error.text) from None
        return message

    # The two messages of a decision are nearly all that is ever said, and the general way takes as long as the rules of
    # the game. So at the referee's end each has a short way through the tables: these two take it there, and tell
    # whether it was in its place.

    def _is_usual_request(self, request: Request) -> bool:
        if self._state is not _READY or self._open.get(request.match, _NONE) is not None:
            return False
        self._open[request.match] = request.request
        return True

    def _is_usual_action(self, action: Action) -> bool:
        if self._state is not _READY or self._open.get(action.match) != action.request:
            return False
        self._open[action.match] = None
        return True

    def _stale(self, action: Action) -> Stale | None:
        """Whether (and why) an action came too late to mean anything."""
        if self._state is not _READY:
            return Stale(action.match, action.request, "bye was said") if self._state is _CLOSED else None
        try:
            open_request = self._open[action.match]
        except KeyError:
            return Stale(action.match, action.request, "the match is not open")
        if open_request == action.request:
            return None
        return Stale(action.match, action.request, "the request is not open")

    def _advance(self, sender: Role, message: Message) -> None:
        """Take one message through the tables, whoever said it."""
        kind = type(message)
        after = CONNECTION[self._state].get((sender, kind))
        if after is None:
            raise _misplaced(CONNECTION, self._state, sender, message, "")
        if isinstance(message, (MatchStart, Request, Action, MatchEnd)):
            self._advance_match(sender, message)
        elif isinstance(message, (Hello, Welcome)):
            self._greet(message)
        self._state = after

    def _greet(self, message: Hello | Welcome) -> None:
        if message.protocol != PROTOCOL_VERSION:
            raise LocalProtocolError(
                "wrong_protocol", f"this side speaks protocol {PROTOCOL_VERSION}, the other {message.protocol}"
            )
        if isinstance(message, Hello):
            self._concurrency = message.concurrency

    def _advance_match(self, sender: Role, message: MatchStart | Request | Action | MatchEnd) -> None:
        match = message.match
        state = self.match_state(match)
        after = MATCH[state].get((sender, type(message)))
        if after is None:
            raise _misplaced(MATCH, state, sender, message, f" in match {shown(match)}")
        if after is _ABSENT:
            del self._open[match]
        elif isinstance(message, Request):
            self._open[match] = message.request
        elif isinstance(message, Action) and message.request != self._open[match]:
            raise LocalProtocolError("unexpected", f"request {message.request} is not open in match {shown(match)}")
        elif state is _ABSENT and len(self._open) >= self._concurrency:
            raise LocalProtocolError("too_many_matches", f"{self._concurrency} at once were offered in hello")
        else:
            self._open[match] = None


def _misplaced(
    rows: Mapping[Any, Mapping[tuple[Role, type[Message]], Any]], state: str, sender: Role, message: Message, place: str
) -> LocalProtocolError:
    """That `message` is not in the row, and what is."""
    name = type_name(type(message))
    if not any((sender, type(message)) in row for row in rows.values()):
        return LocalProtocolError("wrong_sender", f"{name} is never sent by the {sender}")
    allowed = ", ".join(type_name(kind) for side, kind in rows[state] if side == sender) or "nothing"
    return LocalProtocolError(
        "unexpected", f"{name} may not come now{place} ({state}): the {sender} may send {allowed}"
    )


def diagram() -> str:
    """Both machines as a Mermaid state diagram, drawn from the tables."""
    lines = ["stateDiagram-v2"]
    for title, rows in (("connection", CONNECTION), ("match", MATCH)):
        first = next(iter(rows))
        lines += [f"    state {title} {{", f"        [*] --> {first}"]
        for state, row in rows.items():
            lines += [f"        {state} --> {after}: {side} {type_name(kind)}" for (side, kind), after in row.items()]
        lines += [f"        {state} --> [*]" for state, row in rows.items() if not row]
        lines.append("    }")
    return "\n".join(lines) + "\n"
