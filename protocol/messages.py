"""The messages of the wire protocol as frozen values, and their strict, bounded codec.

Theory of operation
-------------------
A frame is one MessagePack map with string keys; the key "type" names the message. Frames come from programs that nobody
has reason to trust, so `decode` gives either a `Message` in which every field has its declared type and range, or
`BadFrame` with words for the author of the other side. Work and memory are bounded before anything is built:

1. the length of the frame;
2. msgpack's own limits on arrays, maps and strings (a few bytes of header can announce 4 G elements), while
   `_unique_map` sees each map as it is closed and refuses a key that comes twice;
3. one walk over all values refuses what has no place in a message: NaN, infinity, binary, extensions, and nesting
   deeper than `MAX_DEPTH`;
4. the table `_FIELDS` gives the type and range of every key. Keys that it does not know are ignored, so that version 1
   can grow.

Messages are named tuples: of Python's frozen values they are the cheapest to make, and two of them are made for every
decision of every match. Equality is that of tuples, so compare types as well where two kinds of message may meet.

The other encoding of the same messages, `protocol.lines`, goes through `to_json_object` and `from_json_object`.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from msgpack import Packer, unpackb

from protocol.bounds import (
    MAX_ARRAY,
    MAX_CONCURRENCY,
    MAX_DEPTH,
    MAX_LABEL,
    MAX_MAP,
    MAX_MESSAGE,
    MAX_TEXT,
    PROTOCOL_VERSION,
)
from protocol.refusals import (
    BadFrame,
    RemoteProtocolError,
    bad_field,
    bad_type,
    bad_value,
    duplicate_key,
    not_a_map,
    pack_failure,
    too_deep,
    too_large,
    unpack_failure,
)

__all__ = [
    "MAX_ARRAY",
    "MAX_CONCURRENCY",
    "MAX_DEPTH",
    "MAX_LABEL",
    "MAX_MAP",
    "MAX_MESSAGE",
    "MAX_TEXT",
    "MESSAGEPACK",
    "MESSAGE_TYPES",
    "PROTOCOL_VERSION",
    "Action",
    "BadFrame",
    "Bye",
    "Encoding",
    "Error",
    "Hello",
    "MatchEnd",
    "MatchStart",
    "Message",
    "RemoteProtocolError",
    "Request",
    "Welcome",
    "decode",
    "encode",
    "from_json_object",
    "to_json_object",
    "type_name",
]


class Hello(NamedTuple):
    """Bot: the first message of a process. `token` is the value of ARENA_TOKEN; `concurrency`: matches at once."""

    protocol: int
    token: str
    name: str | None = None
    author: str | None = None
    language: str | None = None
    version: str | None = None
    concurrency: int = 1


class Welcome(NamedTuple):
    """Referee: hello accepted. `bot` is the process's name in this tournament; `max_message` is in bytes."""

    protocol: int
    arena: str
    bot: str
    max_message: int


class MatchStart(NamedTuple):
    """Referee: a match begins. `players`: names by seat. `rules`: the game's. `time`: the clocks, in milliseconds."""

    match: str
    game: str
    seat: int
    players: list[str]
    rules: dict[str, Any]
    time: dict[str, Any]


class Request(NamedTuple):
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
    legal_actions: list[Any] | None
    time_ms: int


class Action(NamedTuple):
    """Bot: the answer to one request. Whether `action` is a move at all is for the game to say."""

    match: str
    request: int
    action: Any


class MatchEnd(NamedTuple):
    """Referee: a match is over. `winner` is a seat, or None; `reason` one word; `detail` the evidence for people."""

    match: str
    winner: int | None
    reason: str
    detail: str
    events: list[dict[str, Any]]


class Error(NamedTuple):
    """Referee: what the bot did wrong. `code` for programs, `message` for people."""

    code: str
    message: str
    match: str | None = None
    request: int | None = None


class Bye(NamedTuple):
    """Referee: nothing more will come; the process should exit."""

    reason: str


Message: TypeAlias = Hello | Welcome | MatchStart | Request | Action | MatchEnd | Error | Bye


def encode(message: Message) -> bytes:
    """One frame, in the canonical form: "type" first, keys in the order of the class, absent optional keys left out.

    Raises TypeError for a value that MessagePack cannot carry, OverflowError for an integer of more than 64 bits,
    ValueError for text that is not Unicode, endless nesting and a frame above MAX_MESSAGE.
    """
    frame = _pack(to_json_object(message))
    if len(frame) > MAX_MESSAGE:
        raise ValueError(f"{type_name(type(message))} would be {len(frame)} bytes, a message has at most {MAX_MESSAGE}")
    return frame


def decode(frame: bytes) -> Message:
    """The message that `frame` holds; raises BadFrame, and nothing else, for all other bytes."""
    if len(frame) > MAX_MESSAGE:
        raise too_large(len(frame))
    try:
        found = unpackb(
            frame,
            object_pairs_hook=_unique_map,
            max_array_len=MAX_ARRAY,
            max_map_len=MAX_MAP,
            max_str_len=MAX_TEXT,
            max_bin_len=0,
            max_ext_len=0,
        )
    except ValueError as error:
        raise unpack_failure(frame, error) from None
    if type(found) is not dict:
        raise not_a_map(found)
    _check_values(found.values(), MAX_DEPTH - 1)
    return _message(found)


class Encoding(NamedTuple):
    """A way to write messages. `encode` and `decode` raise what the functions of this module of these names do."""

    encode: Callable[[Message], bytes]
    decode: Callable[[bytes], Message]


MESSAGEPACK = Encoding(encode, decode)
"""What goes over ZeroMQ."""


def to_json_object(message: Message) -> dict[str, Any]:
    """The message as the map that goes over the wire; its values are the message's own, not copies."""
    name, keys, optional = _LAYOUT[type(message)]
    document = dict(zip(keys, (name, *message), strict=True))
    for key in optional:
        if document[key] is None:
            del document[key]
    return document


def from_json_object(document: object) -> Message:
    """The message that a decoded JSON object holds, under the same checks as `decode`; raises BadFrame.

    The way through the binary form makes the two encodings agree on every limit: integers of 64 bits, text that is
    Unicode, the size of the whole.
    """
    try:
        frame = _pack(document)
    except (TypeError, ValueError, OverflowError) as error:
        raise pack_failure(error) from None
    return decode(frame)


def type_name(kind: type[Message]) -> str:
    """What the key "type" says of a kind of message: ``hello``, ``match_start``, ..."""
    return _LAYOUT[kind].name


# --- what each key may hold ----------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """What a key's value must be; `words` completes "must be ...". Optional: the key may be absent, or null, which
    means the same."""

    kinds: frozenset[type]
    words: str
    holds: Callable[[Any], bool] | None = None
    optional: bool = False


def _optional(rule: _Rule) -> _Rule:
    return rule._replace(kinds=rule.kinds | {type(None)}, optional=True)


_INTEGER = _Rule(frozenset({int}), "an integer")
_AMOUNT = _Rule(frozenset({int}), "an integer, 0 or more", lambda value: value >= 0)
_SEAT = _Rule(frozenset({int}), "a seat, 0 or 1", lambda value: 0 <= value <= 1)
_WINNER = _Rule(frozenset({int, type(None)}), "a seat, 0 or 1, or null", _SEAT.holds)
_MATCHES = _Rule(
    frozenset({int}), f"an integer from 1 to {MAX_CONCURRENCY}", lambda value: 1 <= value <= MAX_CONCURRENCY
)
_TEXT = _Rule(frozenset({str}), "a string")
_LABEL = _Rule(
    frozenset({str}),
    f"a string of 1 to {MAX_LABEL} printable characters",
    lambda value: 0 < len(value) <= MAX_LABEL and value.isprintable(),
)
_MAP = _Rule(frozenset({dict}), "a map")
_LIST = _Rule(frozenset({list}), "a list")
_MAPS = _Rule(frozenset({list}), "a list of maps", lambda value: all(type(item) is dict for item in value))
_TEXTS = _Rule(frozenset({list}), "a list of strings", lambda value: all(type(item) is str for item in value))
_ANYTHING = _Rule(frozenset({list, dict, str, int, float, bool, type(None)}), "any value")

_FIELDS: Mapping[type[Message], Mapping[str, _Rule]] = {
    Hello: {
        "protocol": _INTEGER,
        "token": _TEXT,
        "name": _optional(_LABEL),
        "author": _optional(_LABEL),
        "language": _optional(_LABEL),
        "version": _optional(_LABEL),
        "concurrency": _optional(_MATCHES),
    },
    Welcome: {"protocol": _INTEGER, "arena": _TEXT, "bot": _TEXT, "max_message": _AMOUNT},
    MatchStart: {
        "match": _TEXT,
        "game": _TEXT,
        "seat": _SEAT,
        "players": _TEXTS,
        "rules": _MAP,
        "time": _MAP,
    },
    Request: {
        "match": _TEXT,
        "request": _INTEGER,
        "seat": _SEAT,
        "observation": _MAP,
        "events": _MAPS,
        "legal_actions": _optional(_LIST),
        "time_ms": _AMOUNT,
    },
    Action: {"match": _TEXT, "request": _INTEGER, "action": _ANYTHING},
    MatchEnd: {"match": _TEXT, "winner": _WINNER, "reason": _TEXT, "detail": _TEXT, "events": _MAPS},
    Error: {"code": _TEXT, "message": _TEXT, "match": _optional(_TEXT), "request": _optional(_INTEGER)},
    Bye: {"reason": _TEXT},
}

MESSAGE_TYPES: Mapping[str, type[Message]] = {
    "hello": Hello,
    "welcome": Welcome,
    "match_start": MatchStart,
    "request": Request,
    "action": Action,
    "match_end": MatchEnd,
    "error": Error,
    "bye": Bye,
}
"""What the key "type" may say."""


# --- the tables as the hot path reads them -------------------------------------------------------------------------


class _Layout(NamedTuple):
    """A kind of message on its way out: its name, its keys in order, those that are left out when None."""

    name: str
    keys: tuple[str, ...]
    optional: tuple[str, ...]


_ABSENT = object()
"""The default of a key that must be there: an object of no type that a rule allows."""

_LAYOUT = {
    kind: _Layout(name, ("type", *_FIELDS[kind]), tuple(key for key, rule in _FIELDS[kind].items() if rule.optional))
    for name, kind in MESSAGE_TYPES.items()
}

_READERS = {
    name: (
        kind,
        tuple(
            (key, kind._field_defaults.get(key) if rule.optional else _ABSENT, rule.kinds, rule.holds)
            for key, rule in _FIELDS[kind].items()
        ),
    )
    for name, kind in MESSAGE_TYPES.items()
}


# --- packing and reading -------------------------------------------------------------------------------------------


def _pack(document: object) -> bytes:
    """MessagePack in its shortest form. A packer of its own each time: one for all would mix two frames up when a
    value runs Python code while it is packed. With a small first buffer that costs 0.2 us."""
    frame: bytes = Packer(buf_size=1024).pack(document)
    return frame


def _unique_map(pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """A map whose keys are all different and all strings.

    msgpack lets only str and bytes through as keys, and `max_bin_len=0` only the empty bytes.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise duplicate_key(pairs)
    if b"" in found:
        raise BadFrame("bad_key", "a key is binary (bin): keys are strings (str)")
    return found


def _check_values(values: Iterable[Any], depth: int) -> None:
    """Refuse what has no place in a message; `depth` is how many containers may still be opened below this one."""
    for value in values:
        kind = type(value)
        if kind is int or kind is str:
            continue
        if kind is list or kind is dict:
            if depth == 0:
                raise too_deep()
            _check_values(value if kind is list else value.values(), depth - 1)
        elif kind is float:
            if not isfinite(value):
                raise bad_value(value)
        elif value is not None and kind is not bool:
            raise bad_value(value)


def _message(document: dict[str, Any]) -> Message:
    """The message that a map with clean values holds."""
    name = document.get("type")
    reader = _READERS.get(name) if type(name) is str else None
    if reader is None:
        raise bad_type(document, MESSAGE_TYPES)
    kind, fields = reader
    values = []
    for key, default, kinds, holds in fields:
        value = document.get(key, default)
        if value is None and default is not _ABSENT:
            value = default
        if type(value) not in kinds or (holds is not None and value is not None and not holds(value)):
            raise bad_field(type_name(kind), key, _FIELDS[kind][key].words, document, _FIELDS[kind])
        values.append(value)
    return kind._make(values)
