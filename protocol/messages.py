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

An answer of the usual form (its four keys and no more, a list of integers) is read by msgspec alone, which checks the
same while it decodes, at a tenth of the cost: a frame that announces four keys and has all four of them has none twice.
Whatever msgspec does not take goes through the steps above, which also say what is wrong with it.

The other encoding of the same messages, `protocol.lines`, goes through `to_json_object` and `from_json_object`.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgpack import packb, unpackb

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
from protocol.kinds import (
    Action,
    Bye,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    Request,
    Welcome,
    type_name,
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
    "UsualAction",
    "Welcome",
    "decode",
    "decode_trusted",
    "encode",
    "from_json_object",
    "to_json_object",
    "trusting",
    "type_name",
    "usual_action",
]


_Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class UsualAction(msgspec.Struct):
    """An `Action` as nearly all are, a list of integers; no bound is wider than those of `decode`."""

    type: Literal["action"]
    match: Annotated[str, msgspec.Meta(max_length=MAX_LABEL)]
    request: _Whole
    action: Annotated[list[_Whole], msgspec.Meta(max_length=MAX_ARRAY)]


_FOUR_KEYS = b"\x84"
_write = msgspec.msgpack.Encoder().encode
_read_usual_action = msgspec.msgpack.Decoder(UsualAction).decode


def encode(message: Message) -> bytes:
    """One frame, in the canonical form: "type" first, keys in the order of the class, absent optional keys left out.

    Raises TypeError for a value that MessagePack cannot carry, OverflowError for an integer of more than 64 bits,
    ValueError for text that is not Unicode, endless nesting and a frame above MAX_MESSAGE.
    """
    try:
        frame = _write(message)
    except RecursionError:
        raise ValueError(f"{type_name(type(message))} is nested without end") from None
    if len(frame) > MAX_MESSAGE:
        raise ValueError(f"{type_name(type(message))} would be {len(frame)} bytes, a message has at most {MAX_MESSAGE}")
    return frame


def decode(frame: bytes) -> Message:
    """The message that `frame` holds; raises BadFrame, and nothing else, for all other bytes."""
    if len(frame) > MAX_MESSAGE:
        raise too_large(len(frame))
    if frame[:1] == _FOUR_KEYS:
        usual = usual_action(_read_usual_action, frame)
        if usual is not None:
            return usual
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


def usual_action(read: Callable[[bytes], UsualAction], frame: bytes) -> Action | None:
    """The answer in a frame; None when `read` does not take it: another message, another kind of answer, a bad one."""
    try:
        usual = read(frame)
    except msgspec.MsgspecError:
        return None
    return Action(usual.match, usual.request, usual.action)


def trusting(read: Callable[[bytes], Message], decode: Callable[[bytes], Message]) -> Callable[[bytes], Message]:
    """As `decode`, but the insides of a message's values are not looked at: for a bot, to which the arena speaks."""

    def decode_trusted(frame: bytes) -> Message:
        try:
            return read(frame)
        except (msgspec.MsgspecError, RecursionError):
            return decode(frame)  # which says what is wrong

    return decode_trusted


decode_trusted = trusting(msgspec.msgpack.Decoder(Message).decode, decode)


class Encoding(NamedTuple):
    """A way to write messages. `encode` and `decode` raise what the functions of this module of these names do."""

    encode: Callable[[Message], bytes]
    decode: Callable[[bytes], Message]


MESSAGEPACK = Encoding(encode, decode)
"""What goes over ZeroMQ."""


def to_json_object(message: Message) -> dict[str, Any]:
    """The message as the map that goes over the wire; its values are the message's own, not copies."""
    kind = type(message)
    document: dict[str, Any] = {"type": type_name(kind)}
    for key, rule in _FIELDS[kind].items():
        value = getattr(message, key)
        if not (value is None and rule.optional):
            document[key] = value
    return document


def from_json_object(document: object) -> Message:
    """The message that a decoded JSON object holds, under the same checks as `decode`; raises BadFrame.

    The way through the binary form makes the two encodings agree on every limit: integers of 64 bits, text that is
    Unicode, the size of the whole.
    """
    try:
        frame = packb(document)
    except (TypeError, ValueError, OverflowError) as error:
        raise pack_failure(error) from None
    return decode(frame)


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

MESSAGE_TYPES: Mapping[str, type[Message]] = {type_name(kind): kind for kind in _FIELDS}
"""What the key "type" may say."""

_ABSENT = object()
"""The value of a key that is not there: of no type that a rule allows."""


# --- reading what may be anything ----------------------------------------------------------------------------------


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
    kind = MESSAGE_TYPES.get(name) if type(name) is str else None
    if kind is None:
        raise bad_type(document, MESSAGE_TYPES)
    rules = _FIELDS[kind]
    values = {}
    for key, rule in rules.items():
        value = document.get(key, _ABSENT)
        if rule.optional and (value is None or value is _ABSENT):
            continue
        if type(value) not in rule.kinds or (rule.holds is not None and value is not None and not rule.holds(value)):
            raise bad_field(type_name(kind), key, rule.words, document, rules)
        values[key] = value
    return kind(**values)
