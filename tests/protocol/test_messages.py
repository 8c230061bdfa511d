"""The codec beyond single golden frames: bounds, words, and the schemas as a second opinion."""

import json
from pathlib import Path
from typing import Any

import msgpack
import pytest
from jsonschema import Draft202012Validator, validators

import protocol
from protocol.messages import (
    MAX_MESSAGE,
    MESSAGE_TYPES,
    Action,
    BadFrame,
    Bye,
    Error,
    Hello,
    MatchEnd,
    Request,
    decode,
    encode,
    from_json_object,
    to_json_object,
    type_name,
)

HERE = Path(protocol.__file__).parent
EXAMPLES = {
    vector["name"]: vector["json"]
    for vector in json.loads((HERE / "vectors" / "vectors.json").read_text(encoding="utf-8"))
    if vector["valid"]
}


def refusal_of(document: object) -> BadFrame:
    with pytest.raises(BadFrame) as refusal:
        decode(msgpack.packb(document))
    return refusal.value


# --- what is left out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "keys"),
    [
        (Hello(1, "t"), ["type", "protocol", "token", "concurrency"]),
        (
            Request(match="m", request=1, seat=0, observation={}, events=[], legal_actions=None, time_ms=9),
            ["type", "match", "request", "seat", "observation", "events", "time_ms"],
        ),
        (Error("c", "m"), ["type", "code", "message"]),
        (Error("c", "m", request=0), ["type", "code", "message", "request"]),
        (MatchEnd("m", None, "r", "d", []), ["type", "match", "winner", "reason", "detail", "events"]),
        (Action("m", 1, None), ["type", "match", "request", "action"]),
    ],
)
def test_none_is_left_out_where_the_key_is_optional_and_null_elsewhere(message, keys):
    assert list(to_json_object(message)) == keys
    assert decode(encode(message)) == message


def test_type_names_are_those_of_the_wire():
    assert {type_name(kind): kind for kind in MESSAGE_TYPES.values()} == dict(MESSAGE_TYPES)


# --- sizes -----------------------------------------------------------------------------------------------------------


def action_of_size(size: int) -> Action:
    """An action whose frame has `size` bytes: strings of 8000, the last one as long as it takes."""
    texts = ["x" * 8000 for _ in range(8)]
    texts.append("x" * (size - len(msgpack.packb(to_json_object(Action("m", 1, [*texts, "x" * 300])))) + 300))
    return Action("m", 1, texts)


def test_the_largest_message_has_exactly_64_kib():
    frame = encode(action_of_size(65_536))
    assert len(frame) == 65_536 == MAX_MESSAGE
    assert decode(frame) == action_of_size(65_536)


def test_one_byte_more_is_refused_on_both_ways():
    message = action_of_size(65_537)
    with pytest.raises(ValueError, match="action would be 65537 bytes, a message has at most 65536"):
        encode(message)
    refusal = refusal_of(to_json_object(message))
    assert (refusal.code, refusal.text) == ("too_large", "the frame has 65537 bytes, a message has at most 65536")
    with pytest.raises(BadFrame) as from_json:
        from_json_object(to_json_object(message))
    assert from_json.value.code == "too_large"


# --- what cannot be sent ---------------------------------------------------------------------------------------------


class NotJson:
    def __repr__(self) -> str:  # the name of a test must be the same in every process
        return "NotJson()"


def test_a_value_that_encodes_another_message_meanwhile_spoils_neither():
    class Nosy(dict[str, int]):
        def items(self):
            assert decode(encode(Bye("inside"))) == Bye("inside")
            return super().items()

    assert decode(encode(Action("m", 1, [Nosy(a=1), 2]))) == Action("m", 1, [{"a": 1}, 2])


def test_a_failed_encoding_leaves_nothing_behind():
    good = Action("m", 1, [1, 2])
    before = encode(good)
    for value in (NotJson(), [1, 2, {NotJson()}], "\ud800", 2**64, [1] * 70_000):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            encode(Action("m", 1, value))
        assert encode(good) == before


# --- the JSON form ---------------------------------------------------------------------------------------------------


def self_containing() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (2**64, "bad_value"),
        (-(2**63) - 1, "bad_value"),
        (float("nan"), "bad_value"),
        (float("inf"), "bad_value"),
        (b"x", "bad_value"),
        ({1, 2}, "bad_value"),
        (NotJson(), "bad_value"),
        ("\ud83d", "bad_text"),
        ({"\udc08": 1}, "bad_text"),
        ({1: 2}, "bad_key"),
        ({None: 2}, "bad_key"),
        (self_containing(), "too_deep"),
        ([0] * 1025, "too_long"),
        ("é" * 4097, "too_long"),
    ],
    ids=repr,
)
def test_json_objects_are_under_the_same_checks(value, code):
    with pytest.raises(BadFrame) as refusal:
        from_json_object({"type": "action", "match": "m", "request": 1, "action": value})
    assert refusal.value.code == code


@pytest.mark.parametrize("document", [None, 1, "hello", [], [{"type": "bye"}], {}])
def test_json_that_is_no_message_is_refused(document):
    with pytest.raises(BadFrame):
        from_json_object(document)


def test_a_tuple_is_a_list():
    assert from_json_object({"type": "action", "match": "m", "request": 1, "action": (1, 2)}) == Action("m", 1, [1, 2])


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"type": "acton"}, "there is no message 'acton'; did you mean \"action\"?"),
        (
            {"type": "move"},
            "there is no message 'move'; there are hello, welcome, match_start, request, action, match_end, error, bye",
        ),
        (
            {"type": "action", "match": "m", "request_id": 4, "action": []},
            "action needs the key \"request\", an integer; is it the one that you call 'request_id'?",
        ),
        (
            {"type": "action", "match": "m", "request": "4", "action": []},
            "\"request\" of action must be an integer, not the string '4'",
        ),
        (
            {"type": "action", "match": "m", "request": 4.0, "action": []},
            '"request" of action must be an integer, not the float 4.0',
        ),
        (
            {"type": "hello", "protocol": 1, "token": "t", "name": "a\nb"},
            "\"name\" of hello must be a string of 1 to 100 printable characters, not the string 'a\\nb'",
        ),
        (
            {"type": "hello", "protocol": 1, "token": "t", "concurrency": True},
            '"concurrency" of hello must be an integer from 1 to 1024, not a boolean',
        ),
        (
            {"type": "hello", "protocol": 1, "token": "t", "concurrency": "たこ\u202e"},
            "\"concurrency\" of hello must be an integer from 1 to 1024, not the string 'たこ\\u202e'",
        ),
        ([{"type": "bye"}], "a message is a map with string keys, this is a list"),
    ],
)
def test_refusals_name_the_place_the_reason_and_the_likely_fix(document, text):
    assert refusal_of(document).text == text


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (b"", "the frame is empty: one frame is one message, nothing goes before it"),
        (b'{"type": "bye"}', "this looks like JSON text; here messages are MessagePack"),
        (b"\x80\x80\x80", "more follows the message (2 bytes): one frame is one message"),
        (b"\x81\xa4type", "the frame ends in the middle of the message"),
        (b"\x81\x01\x01", "a key is not a string (str)"),
        (b"\x81\xa1k\xc4\x01x", "binary (bin) is not allowed, text and keys go as str"),
        (b"\x81\xa1k\xd4\x05x", "extension types are not allowed"),
        (b"\x81\xa1k\xd6\xff\x00\x00\x00\x00", "extension types are not allowed"),
        (b"\x81\xa1k\xc7\x00\xff", "timestamps are not allowed"),
        (b"\x81\xa1k\xc4\x00", "binary (bin) or an extension type is not allowed"),
        (b"\x81\xa1k\xcb\x7f\xf0" + bytes(6), "the float inf is not allowed"),
        (b"\x81\xa1k\xdd\x00\x00\x04\x01", "a list has more than 1024 elements"),
        (b"\x81\xa1k\xdf\x00\x00\x01\x01", "a map has more than 256 keys"),
        (b"\x81\xa1k\xda\x20\x01" + b"x" * 8193, "a string has more than 8192 bytes"),
        (b"\x81\xa1k\xa1\xff", "a string is not UTF-8 (invalid start byte)"),
        (b"\x91" * 5000 + b"\xc0", "lists and maps are nested deeper than 16"),
        (b"\xc1", "the frame is not MessagePack"),
    ],
)
def test_what_msgpack_refuses_is_said_in_our_words(frame, text):
    with pytest.raises(BadFrame) as refusal:
        decode(frame)
    assert refusal.value.text.split(": allowed are ")[0] == text


@pytest.mark.parametrize(
    "document",
    [
        {"type": "Z" * 8000},
        {"type": "\x1b[2J" * 2000},
        {"type": "hello", "protocol": 1, "token": "t", "name": "Z" * 8000},
        {"type": "hello", "protocol": 1, "token": "t", "name": "\u202e" + "\x00" * 8000},
        {"type": "hello", "protocol": 1, "tokenZ" + "Z" * 50: "t"},
        {"type": "match_start", "match": "Z" * 8000},
        {"Z" * 8000: 1},
    ],
    ids=["type", "escapes", "value", "control characters", "key", "match", "unknown key"],
)
def test_refusals_repeat_little_of_the_input_and_nothing_a_terminal_would_obey(document):
    text = refusal_of(document).text
    assert len(text) < 400
    assert text.isprintable()
    assert text.count("Z") <= 64


def test_a_duplicate_key_is_shown_shortened():
    frame = b"\x82" + 2 * (b"\xda\x04\x00" + b"Z" * 1024 + b"\xc0")
    with pytest.raises(BadFrame) as refusal:
        decode(frame)
    assert refusal.value.code == "duplicate_key"
    assert refusal.value.text.count("Z") <= 64


# --- the schemas as a second opinion ---------------------------------------------------------------------------------

POOL: list[object] = [
    *(None, True, False, 0, 1, 2, -1, 1024, 1025, 5.0, 1.5, 2**64 - 1, -(2**63)),
    *("", "x", "x" * 100, "x" * 101, "ñ" * 100, [], [1], ["a"], ["a", "b"], ["a", None], [{}], [{}, 1], {}, {"a": 1}),
]
# where the schemas say what the referee sends, which is less than what a bot's decoder takes
NARROWER = {"players", "time", "legal_actions"}

StrictValidator: Any = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


def is_taken(document: object) -> bool:
    try:
        from_json_object(document)
    except BadFrame:
        return False
    return True


@pytest.mark.parametrize(
    "name",
    [
        *("hello, everything", "welcome", "match_start", "request, attack"),
        *("action", "match_end, won", "error, of a match", "bye"),
    ],
)
def test_every_key_takes_what_its_schema_allows_and_nothing_else(name):
    example = EXAMPLES[name]
    schema = json.loads((HERE / "schema" / f"{example['type']}.json").read_text(encoding="utf-8"))
    validator = StrictValidator(schema)
    for key in example.keys() - {"type"}:
        without = {other: value for other, value in example.items() if other != key}
        for document in [without, *({**example, key: value} for value in POOL)]:
            allowed = validator.is_valid(document)
            taken = is_taken(document)
            assert taken == allowed or (taken and key in NARROWER), document
