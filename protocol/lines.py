"""The same messages as JSON, one object a line, for programs without ZeroMQ or MessagePack.

Theory of operation
-------------------
A line goes through JSON into plain values, and these through the same checks as a frame (`from_json_object`), so that
both encodings agree on every limit and on every word of a refusal. What only JSON can get wrong is refused here: text
that is no JSON, a key that comes twice, NaN and infinity, nesting that no message has.

The two messages of a decision have a short way, through msgspec, as in `protocol.messages`. An answer of the usual form
has four colons: with all its four keys there, none comes twice. And a request's values are the arena's own, so that
nothing has to be refused in them.

What is written is plain ASCII: a program in any locale reads it, and no character in it is taken for a line break.
"""

import json
from typing import Any, Never

import msgspec

from protocol.bounds import MAX_LINE
from protocol.messages import (
    Encoding,
    Message,
    Request,
    UsualAction,
    from_json_object,
    to_json_object,
    trusting,
    usual_action,
)
from protocol.refusals import bad_value, duplicate_key, line_failure, line_too_large, too_deep

__all__ = ["JSON_LINES", "decode_line", "decode_line_trusted", "encode_line"]


def encode_line(message: Message) -> bytes:
    """A message as a line, its line break included. Raises TypeError for a value that JSON cannot carry, ValueError for
    NaN, infinity and endless nesting; the other limits are left to the receiver."""
    if type(message) is Request:
        line = _write_request(message)
        if line.isascii():
            return line + b"\n"
    return (_write(to_json_object(message)) + "\n").encode("ascii")


def decode_line(line: bytes) -> Message:
    """The message that a line holds, with or without its line break; raises BadFrame, and nothing else, for all other
    bytes."""
    if len(line) > MAX_LINE:
        raise line_too_large(len(line))
    if line.count(b":") == _KEYS_OF_AN_ACTION:
        usual = usual_action(_read_usual_action, line)
        if usual is not None:
            return usual
    try:
        found = json.loads(line.decode("utf-8"), object_pairs_hook=_unique_keys, parse_constant=_refuse_constant)
    except RecursionError:
        raise too_deep() from None
    except ValueError as error:
        raise line_failure(line, error) from None
    return from_json_object(found)


decode_line_trusted = trusting(msgspec.json.Decoder(Message).decode, decode_line)

JSON_LINES = Encoding(encode_line, decode_line)
"""For bots whose config says `protocol: stdio`."""

_KEYS_OF_AN_ACTION = 4
_read_usual_action = msgspec.json.Decoder(UsualAction).decode
_write_request = msgspec.json.Encoder().encode
_write = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise duplicate_key(pairs)
    return found


def _refuse_constant(name: str) -> Never:
    raise bad_value(float(name))
