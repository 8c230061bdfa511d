"""Messages as lines of JSON: the golden lines, and that they carry what frames carry, no more and no less."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import protocol
from protocol.bounds import ERROR_TEXT_MAX, MAX_ARRAY, MAX_LINE, MAX_MESSAGE
from protocol.lines import decode_line, decode_line_trusted, encode_line
from protocol.messages import MESSAGE_TYPES, Action, BadFrame, Bye, MatchEnd, decode, encode, to_json_object
from protocol.refusals import CODES

VECTORS = Path(protocol.__file__).parent / "vectors"
LINES = json.loads((VECTORS / "lines.json").read_text(encoding="utf-8"))
FRAMES = json.loads((VECTORS / "vectors.json").read_text(encoding="utf-8"))
VALID = [vector for vector in LINES if vector["valid"]]
INVALID = [vector for vector in LINES if not vector["valid"]]

# codes that only MessagePack, only a line too long to be kept here, or only the order of messages can provoke
ELSEWHERE = {
    *("not_messagepack", "truncated", "trailing_bytes", "bad_key"),
    *("too_large", "wrong_protocol", "wrong_sender", "unexpected", "too_many_matches"),
}


def raw(vector: dict[str, Any]) -> bytes:
    return bytes.fromhex(vector["hex"]) if "hex" in vector else vector["line"].encode()


def by_name(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector["name"] for vector in vectors])


@by_name(VALID)
def test_valid_line_says_what_its_json_says(vector):
    message = decode_line(raw(vector))
    assert to_json_object(message) == vector["json"]
    assert decode_line_trusted(raw(vector)) == message
    assert (encode_line(message) == raw(vector) + b"\n") is vector["canonical"]


@by_name(INVALID)
def test_invalid_line_is_refused_with_its_code_in_bounded_printable_words(vector):
    with pytest.raises(BadFrame) as refusal:
        decode_line(raw(vector))
    assert refusal.value.code == vector["error"]
    assert refusal.value.text.isprintable()
    assert len(refusal.value.text) < ERROR_TEXT_MAX


def test_lines_cover_every_message_and_every_code():
    assert {vector["json"]["type"] for vector in VALID} == set(MESSAGE_TYPES)
    assert {vector["error"] for vector in INVALID} == set(CODES) - ELSEWHERE


@by_name([vector for vector in FRAMES if vector["valid"]])
def test_every_golden_frame_is_the_same_message_as_a_line(vector):
    message = decode(bytes.fromhex(vector["hex"]))
    line = encode_line(message)
    assert line.isascii()
    assert line.count(b"\n") == 1
    again = decode_line(line)
    assert (type(again), again) == (type(message), message)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_line_is_accepted_exactly_when_the_frame_is(value):
    message = Action("m", 1, value)
    try:
        expected = decode(encode(message))
    except (BadFrame, ValueError):
        with pytest.raises((BadFrame, ValueError)):
            decode_line(encode_line(message))
    else:
        assert decode_line(encode_line(message)) == expected


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ntrue10e.-"typeaction', max_size=60).map(str.encode))
def test_whatever_comes_is_a_message_or_refused(line):
    try:
        decode_line(line)
        text = ""
    except BadFrame as refusal:
        text = refusal.text
    assert text.isprintable()


@pytest.mark.parametrize(
    "message",
    [
        MatchEnd("m", 0, "goal", "\x01" * 8000, [{"event": "\x02" * 8000}] * 7),
        Action("m", 1, [[127] * MAX_ARRAY] * 60),
        Action("m", 1, [[False] * MAX_ARRAY] * 60),
        Action("m", 1, [[-(2**63)] * MAX_ARRAY] * 6),
        Action("m", 1, [[-1.2345678901234567e-300] * MAX_ARRAY] * 6),
        Bye("ü" * 4000),
    ],
    ids=["control characters", "small integers", "booleans", "large integers", "floats", "letters"],
)
def test_no_message_makes_a_longer_line_than_is_allowed(message):
    frame, line = encode(message), encode_line(message)
    assert len(line) <= 6 * len(frame), "what MAX_LINE is derived from"
    assert decode_line(line) == decode(frame)


def test_longer_lines_than_any_message_are_refused_unread():
    with pytest.raises(BadFrame, match="too_large: the line has"):
        decode_line(b"x" * (MAX_LINE + 1))
    with pytest.raises(BadFrame, match=f"a message has at most {MAX_MESSAGE}"):
        decode_line(encode_line(Action("m", 1, ["x" * 8000] * 9)))


@pytest.mark.parametrize("value", [{1, 2}, object(), float("nan"), float("inf")])
def test_what_json_cannot_carry_is_not_written(value):
    with pytest.raises((TypeError, ValueError)):
        encode_line(Action("m", 1, value))
