"""The messages of the wire protocol as frozen values.

They are msgspec's structs: two are made and written for every decision of every match, and nothing in Python makes or
writes a frozen value with less work. The order of a class's fields is the order of the keys.
"""

from typing import Any, TypeAlias

import msgspec

__all__ = [
    "Action",
    "Bye",
    "Error",
    "Hello",
    "MatchEnd",
    "MatchStart",
    "Message",
    "Request",
    "Welcome",
    "type_name",
]


class _Message(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """The key "type" comes first and is the class's tag; an optional key that is None is left out."""


def _one() -> int:
    """A default that is written all the same: msgspec leaves out plain values only."""
    return 1


class Hello(_Message, frozen=True, tag="hello"):
    """Bot: the first message of a process. `token` is the value of ARENA_TOKEN; `concurrency`: matches at once."""

    protocol: int
    token: str
    name: str | None = None
    author: str | None = None
    language: str | None = None
    version: str | None = None
    concurrency: int = msgspec.field(default_factory=_one)


class Welcome(_Message, frozen=True, tag="welcome"):
    """Referee: hello accepted. `bot` is the process's name in this tournament; `max_message` is in bytes."""

    protocol: int
    arena: str
    bot: str
    max_message: int


class MatchStart(_Message, frozen=True, tag="match_start"):
    """Referee: a match begins. `players`: names by seat. `rules`: the game's. `time`: the clocks, in milliseconds."""

    match: str
    game: str
    seat: int
    players: list[str]
    rules: dict[str, Any]
    time: dict[str, Any]


class Request(_Message, frozen=True, tag="request", kw_only=True):
    """Referee: a decision is due.

    request: opaque, to be echoed. observation: complete, all that the seat may know. events: public ones since the last
    message of this match to this seat. legal_actions: None when the observation describes them (the key is left out).
    time_ms: what is left for this answer.
    """

    match: str
    request: int
    seat: int
    observation: dict[str, Any]
    events: list[dict[str, Any]]
    legal_actions: list[Any] | None = None
    time_ms: int


class Action(_Message, frozen=True, tag="action"):
    """Bot: the answer to one request. Whether `action` is a move at all is for the game to say."""

    match: str
    request: int
    action: Any


class MatchEnd(_Message, frozen=True, tag="match_end"):
    """Referee: a match is over. `winner` is a seat, or None; `reason` one word; `detail` the evidence for people."""

    match: str
    winner: int | None
    reason: str
    detail: str
    events: list[dict[str, Any]]


class Error(_Message, frozen=True, tag="error"):
    """Referee: what the bot did wrong. `code` for programs, `message` for people."""

    code: str
    message: str
    match: str | None = None
    request: int | None = None


class Bye(_Message, frozen=True, tag="bye"):
    """Referee: nothing more will come; the process should exit."""

    reason: str


Message: TypeAlias = Hello | Welcome | MatchStart | Request | Action | MatchEnd | Error | Bye


def type_name(kind: type[Message]) -> str:
    """What the key "type" says of a kind of message: ``hello``, ``match_start``, ..."""
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str), "every message's class has its own"
    return tag
