"""What a match is told and what it answers: events in, instructions out."""

from typing import TypeAlias

from msgspec import Struct

from arena.model import MatchResult, Seat
from protocol.messages import Message

__all__ = [
    "ActionReceived",
    "AnswerIgnored",
    "ArenaFailed",
    "BotExited",
    "BotReady",
    "DeadlinePassed",
    "End",
    "FrameRejected",
    "Instruction",
    "MatchEvent",
    "Send",
]


class BotReady(Struct, frozen=True):
    """The bot of a seat has said a valid hello."""

    seat: Seat


class ActionReceived(Struct, frozen=True):
    """A well-formed answer. `elapsed_ms` ran from the request's hand-over to the socket until the answer was read,
    without `stalled_ms`, in which the arena itself stood still and could not have seen the answer."""

    seat: Seat
    request: int
    action: object
    elapsed_ms: float
    stalled_ms: float = 0.0


class AnswerIgnored(Struct, frozen=True):
    """An answer for no open request of the process that plays this seat."""

    seat: Seat


class FrameRejected(Struct, frozen=True):
    """Bytes that are no message, or a message that may not come now; `detail` says which, `code` is the wire's."""

    seat: Seat
    code: str
    detail: str


class DeadlinePassed(Struct, frozen=True):
    """No answer (or no hello) by the deadline; times as in `ActionReceived`."""

    seat: Seat
    elapsed_ms: float
    stalled_ms: float = 0.0


class BotExited(Struct, frozen=True):
    """The process ended or its link closed; `detail` says how."""

    seat: Seat
    detail: str


class ArenaFailed(Struct, frozen=True):
    """The arena cannot go on with this match, and no bot is to blame."""

    detail: str


MatchEvent: TypeAlias = (
    BotReady | ActionReceived | AnswerIgnored | FrameRejected | DeadlinePassed | BotExited | ArenaFailed
)


class Send(Struct, frozen=True):
    """Send a message to a seat. When it is a request, `limit_ms` is what the answer may take, the margin included: the
    shell starts the clock when the message is with the socket."""

    seat: Seat
    message: Message
    limit_ms: float | None = None


class End(Struct, frozen=True):
    """The match is over; nothing follows."""

    result: MatchResult


Instruction: TypeAlias = Send | End
