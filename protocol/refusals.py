"""What is wrong with a frame, in words that the author of the other side can act on.

Nothing here is on the path of a good message. `code` is a word of `CODES`; `text` names the place, the reason and,
where it can be guessed, the fix. Texts are bounded and repeat little of the input: it is the other side's, and they end
up in logs and terminals.
"""

from collections.abc import Iterable, Mapping
from json import JSONDecodeError
from typing import Any

from msgpack import ExtraData, StackError

from protocol.bounds import ECHO_MAX, ERROR_TEXT_MAX, MAX_ARRAY, MAX_DEPTH, MAX_LINE, MAX_MAP, MAX_MESSAGE, MAX_TEXT

__all__ = [
    "CODES",
    "BadFrame",
    "RemoteProtocolError",
    "bad_field",
    "bad_type",
    "bad_value",
    "duplicate_key",
    "line_failure",
    "line_too_large",
    "not_a_map",
    "pack_failure",
    "shown",
    "too_deep",
    "too_large",
    "unpack_failure",
]

CODES: Mapping[str, str] = {
    "empty_frame": "the frame has no bytes",
    "too_large": f"the frame has more than {MAX_MESSAGE} bytes",
    "not_messagepack": "the frame is not MessagePack",
    "not_json": "the line is not JSON (only where messages are lines)",
    "truncated": "the frame ends in the middle of the message",
    "trailing_bytes": "there is more in the frame than the message",
    "not_a_map": "the message is not a map",
    "bad_key": "a key is not a string",
    "duplicate_key": "a key comes twice in one map",
    "too_deep": f"lists and maps are nested deeper than {MAX_DEPTH}",
    "too_long": f"a list has more than {MAX_ARRAY} elements, a map more than {MAX_MAP} keys, or a string more than "
    f"{MAX_TEXT} bytes",
    "bad_value": "a value has no place in a message: NaN, infinity, binary, an extension type",
    "bad_text": "a string is not UTF-8",
    "unknown_type": "`type` names no message",
    "missing_key": "a key that the message needs is not there",
    "wrong_value": "a key's value is of the wrong type or out of its range",
    "wrong_protocol": "hello names another version of the protocol",
    "wrong_sender": "a message that only the other side sends",
    "unexpected": "a message that may not come now",
    "too_many_matches": "more matches at once than hello offered",
}
"""What a program may read in `code` when a message was refused by this package, and what it means."""

_ALLOWED = "allowed are null, true, false, 64-bit integers, finite floats, strings, lists and maps"

_KINDS: Mapping[type, str] = {
    dict: "a map",
    list: "a list",
    int: "the integer {}",
    float: "the float {}",
    bool: "a boolean",
    type(None): "null",
}


class RemoteProtocolError(Exception):
    """The other side broke the protocol. `code` is one word for programs; `text` tells the author what to change."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text if len(text) < ERROR_TEXT_MAX else text[: ERROR_TEXT_MAX - 2] + "…"

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


class BadFrame(RemoteProtocolError):
    """Bytes (or a JSON object) that are no message."""


def shown(text: str | bytes) -> str:
    """Text of the other side, quoted, shortened, and free of anything that a terminal would obey."""
    raw = text.encode() if isinstance(text, str) else text
    short = raw[:ECHO_MAX].decode(errors="ignore")
    return repr(short) + ("..." if len(raw) > ECHO_MAX else "")


def too_large(size: int) -> BadFrame:
    return BadFrame("too_large", f"the frame has {size} bytes, a message has at most {MAX_MESSAGE}")


def line_too_large(size: int) -> BadFrame:
    return BadFrame("too_large", f"the line has {size} bytes or more, a line has at most {MAX_LINE}")


def too_deep() -> BadFrame:
    return BadFrame("too_deep", f"lists and maps are nested deeper than {MAX_DEPTH}")


def not_a_map(found: object) -> BadFrame:
    return BadFrame("not_a_map", f"a message is a map with string keys, this is {_kind(found)}")


def duplicate_key(pairs: Iterable[tuple[str | bytes, Any]]) -> BadFrame:
    keys = [key for key, _ in pairs]
    twice = next(key for key in keys if keys.count(key) > 1)
    return BadFrame("duplicate_key", f"the key {shown(twice)} comes twice in one map")


def bad_value(value: object) -> BadFrame:
    what = f"the float {value}" if isinstance(value, float) else "binary (bin) or an extension type"
    return BadFrame("bad_value", f"{what} is not allowed: {_ALLOWED}")


def bad_type(document: Mapping[str, Any], known: Iterable[str]) -> BadFrame:
    """No or no known "type"."""
    names = ", ".join(known)
    if "type" not in document:
        return BadFrame("missing_key", f'a message needs the key "type": one of {names}')
    name = document["type"]
    if type(name) is not str:
        return BadFrame("wrong_value", f'"type" must be a string, not {_kind(name)}')
    nearest = _nearest(name, known)
    fix = f'did you mean "{nearest}"?' if nearest else f"there are {names}"
    return BadFrame("unknown_type", f"there is no message {shown(name)}; {fix}")


def bad_field(message: str, key: str, words: str, document: Mapping[str, Any], known: Iterable[str]) -> BadFrame:
    """`key` of the message `message` is not there, or not what it must be (`words`)."""
    if key in document:
        value = document[key]
        found = (
            "a list with something else in it"
            if words.startswith("a list of") and isinstance(value, list)
            else _kind(value)
        )
        return BadFrame("wrong_value", f'"{key}" of {message} must be {words}, not {found}')
    nearest = _nearest(key, document.keys() - set(known) - {"type"})
    fix = f"; is it the one that you call {shown(nearest)}?" if nearest else ""
    return BadFrame("missing_key", f'{message} needs the key "{key}", {words}{fix}')


def unpack_failure(frame: bytes, error: ValueError) -> BadFrame:
    """What msgpack's refusal means; tests pin the parts of its words that are looked for."""
    if not frame:
        return BadFrame("empty_frame", "the frame is empty: one frame is one message, nothing goes before it")
    if isinstance(error, ExtraData):
        if frame.lstrip()[:1] in (b"{", b"["):
            return BadFrame("not_messagepack", "this looks like JSON text; here messages are MessagePack")
        return BadFrame(
            "trailing_bytes", f"more follows the message ({len(error.extra)} bytes): one frame is one message"
        )
    if isinstance(error, StackError):
        return too_deep()
    if isinstance(error, UnicodeDecodeError):
        return BadFrame("bad_text", f"a string is not UTF-8 ({error.reason})")
    reason = str(error)
    for sign, code, text in _REFUSALS:
        if sign in reason:
            return BadFrame(code, text)
    return BadFrame("not_messagepack", "the frame is not MessagePack")


_REFUSALS = (
    ("max_array_len", "too_long", f"a list has more than {MAX_ARRAY} elements"),
    ("max_map_len", "too_long", f"a map has more than {MAX_MAP} keys"),
    ("max_str_len", "too_long", f"a string has more than {MAX_TEXT} bytes"),
    ("max_bin_len", "bad_value", f"binary (bin) is not allowed, text and keys go as str: {_ALLOWED}"),
    ("max_ext_len", "bad_value", f"extension types are not allowed: {_ALLOWED}"),
    ("timestamp", "bad_value", f"timestamps are not allowed: {_ALLOWED}"),
    ("map key", "bad_key", "a key is not a string (str)"),
    ("incomplete", "truncated", "the frame ends in the middle of the message"),
)
"""Part of msgpack's words; our code; our words."""


def line_failure(line: bytes, error: ValueError) -> BadFrame:
    """Why a line is no JSON; `error` is what Python's decoder or JSON parser says of it."""
    text = line.strip()
    if not text:
        return BadFrame("empty_frame", "the line is empty: each line is one message, nothing goes between them")
    if isinstance(error, UnicodeDecodeError):
        return BadFrame("bad_text", f"the line is not UTF-8 ({error.reason} at byte {error.start})")
    if not isinstance(error, JSONDecodeError):  # Python reads no integer of thousands of digits
        return BadFrame("bad_value", f"an integer has more than 64 bits: {_ALLOWED}")
    if text[:1] in (b"{", b"["):
        reason = f"{error.msg} at character {error.pos + 1}"
        return BadFrame("not_json", f"the line {shown(text)} is not JSON: {reason}; a message is one line, whole")
    return BadFrame(
        "not_json", f"the line {shown(text)} is no message: stdout is for messages only, all else goes to stderr"
    )


def pack_failure(error: Exception) -> BadFrame:
    """Why a JSON object cannot be a message."""
    if isinstance(error, OverflowError):
        return BadFrame("bad_value", f"an integer has more than 64 bits: {_ALLOWED}")
    if isinstance(error, UnicodeEncodeError):
        return BadFrame("bad_text", "a string holds half of a surrogate pair, which is not Unicode text")
    if "recursion" in str(error):
        return too_deep()
    return BadFrame("bad_value", f"a value is of no type that JSON has: {_ALLOWED}")


def _kind(value: object) -> str:
    if isinstance(value, str):
        return f"the string {shown(value)}"
    return _KINDS.get(type(value), "binary or an extension type").format(value)


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # here, because a bot that makes no mistake need not wait for its import

    found = get_close_matches(word[:ECHO_MAX], [candidate[:ECHO_MAX] for candidate in known], n=1)
    return found[0] if found else ""
