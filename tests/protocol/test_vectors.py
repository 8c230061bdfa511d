"""The golden frames: every implementation of the protocol, this one first, is held to the bytes in vectors.json."""

import json
from pathlib import Path
from typing import Any

import pytest

import protocol
from protocol.bounds import ERROR_TEXT_MAX
from protocol.messages import (
    MESSAGE_TYPES,
    BadFrame,
    decode,
    decode_trusted,
    encode,
    from_json_object,
    to_json_object,
)
from protocol.refusals import CODES

VECTORS = json.loads((Path(protocol.__file__).parent / "vectors" / "vectors.json").read_text(encoding="utf-8"))
VALID = [vector for vector in VECTORS if vector["valid"]]
INVALID = [vector for vector in VECTORS if not vector["valid"]]

# codes that no single frame can provoke: they are about order, about lines, or about a frame too long to be kept here
ELSEWHERE = {"not_json", "too_large", "wrong_protocol", "wrong_sender", "unexpected", "too_many_matches"}


def by_name(vectors: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector["name"] for vector in vectors])


@by_name(VALID)
def test_valid_frame_says_what_its_json_says(vector):
    message = decode(bytes.fromhex(vector["hex"]))
    assert to_json_object(message) == vector["json"]
    assert decode_trusted(bytes.fromhex(vector["hex"])) == message
    from_json = from_json_object(vector["json"])
    assert (type(from_json), from_json) == (type(message), message)


@by_name(VALID)
def test_canonical_frames_and_only_they_are_encoded_to_the_same_bytes(vector):
    frame = bytes.fromhex(vector["hex"])
    assert (encode(decode(frame)) == frame) is vector["canonical"]


@by_name(VALID)
def test_json_text_carries_the_same_message(vector):
    text = json.dumps(to_json_object(decode(bytes.fromhex(vector["hex"]))), allow_nan=False)
    assert to_json_object(from_json_object(json.loads(text))) == vector["json"]


@by_name(INVALID)
def test_invalid_frame_is_refused_with_its_code_in_bounded_printable_words(vector):
    with pytest.raises(BadFrame) as refusal:
        decode(bytes.fromhex(vector["hex"]))
    assert refusal.value.code == vector["error"]
    assert refusal.value.text.isprintable()
    assert len(refusal.value.text) < ERROR_TEXT_MAX


def test_vectors_cover_every_message_every_optional_key_and_every_code():
    assert {vector["json"]["type"] for vector in VALID} == set(MESSAGE_TYPES)
    for name, kind in MESSAGE_TYPES.items():
        seen = [set(vector["json"]) - {"type"} for vector in VALID if vector["json"]["type"] == name]
        assert set().union(*seen) == set(kind.__struct_fields__)
    assert {vector["error"] for vector in INVALID} == set(CODES) - ELSEWHERE


def test_the_first_canonical_frame_is_these_bytes():
    """Assembled by hand from MessagePack's specification, so that vectors.json cannot drift with the library."""
    action = b"\x84\xa4type\xa6action\xa5match\xa4abcd\xa7request\x05\xa6action\x92\x08\x08"
    assert to_json_object(decode(action)) == {"type": "action", "match": "abcd", "request": 5, "action": [8, 8]}
    assert encode(decode(action)) == action
