"""Whatever comes over the wire: a message, or BadFrame, at a bounded cost."""

import json
import math
import struct
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import protocol.lines
import protocol.messages
from protocol.lines import decode_line, encode_line
from protocol.messages import (
    Action,
    BadFrame,
    Bye,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    Request,
    Welcome,
    decode,
    decode_trusted,
    encode,
    from_json_object,
    to_json_object,
)

VECTORS = json.loads((Path(protocol.__file__).parent / "vectors" / "vectors.json").read_text(encoding="utf-8"))
FRAMES = [bytes.fromhex(vector["hex"]) for vector in VECTORS if len(vector["hex"]) < 3000]
EXAMPLES = [vector["json"] for vector in VECTORS if vector["valid"] and len(vector["hex"]) < 1000]
KINDS = (Hello, Welcome, MatchStart, Request, Action, MatchEnd, Error, Bye)

fuzz = settings(
    max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)

# --- generated messages ----------------------------------------------------------------------------------------------

texts = st.text(max_size=6)
labels = st.none() | st.sampled_from(["x", "Žofie", "たこ 🐈", "a b", "n" * 100])
integers = st.integers(-(2**63), 2**64 - 1)
amounts = st.integers(0, 2**64 - 1)
seats = st.integers(0, 1)
scalars = st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=5
)
maps = st.dictionaries(texts, values, max_size=2)
messages = st.one_of(
    st.builds(Hello, integers, texts, labels, labels, labels, labels, st.integers(1, 1024)),
    st.builds(Welcome, integers, texts, texts, amounts),
    st.builds(MatchStart, texts, texts, seats, st.lists(texts, max_size=3), maps, maps),
    st.builds(
        Request,
        match=texts,
        request=integers,
        seat=seats,
        observation=maps,
        events=st.lists(maps, max_size=2),
        legal_actions=st.none() | st.lists(values, max_size=2),
        time_ms=amounts,
    ),
    st.builds(Action, texts, integers, values),
    st.builds(MatchEnd, texts, st.none() | seats, texts, texts, st.lists(maps, max_size=2)),
    st.builds(Error, texts, texts, st.none() | texts, st.none() | integers),
    st.builds(Bye, texts),
)


@given(messages)
@fuzz
def test_every_message_comes_back_as_it_was(message):
    back = decode(encode(message))
    assert type(back) is type(message)
    assert back == message
    assert repr(back) == repr(message)  # 1, 1.0 and True are equal, but not the same
    assert repr(decode_trusted(encode(message))) == repr(message)
    assert repr(from_json_object(json.loads(json.dumps(to_json_object(message))))) == repr(message)


# --- anything at all -------------------------------------------------------------------------------------------------


def reads_or_refuses(frame: bytes) -> None:
    """What was read can be written again and says the same; what was refused is explained."""
    try:
        message = decode(frame)
    except BadFrame as refusal:
        text = refusal.text
    else:
        assert isinstance(message, KINDS)
        assert repr(decode(encode(message))) == repr(message)
        return
    assert len(text) < 400
    assert text.isprintable()


@given(st.binary(max_size=200))
@example(b"\x81" * 3000)
@example(b"\x81\xa0" * 3000)
@example(b"\xc7\x00\xff")
@example(b"\x81\xc4\x00\xc0")
@fuzz
def test_any_bytes(frame):
    reads_or_refuses(frame)


def mutated(rng: Random, original: bytes) -> bytes:
    """A frame with up to three places overwritten, enlarged, or taken out; now and then cut off."""
    frame = bytearray(original)
    for _ in range(rng.randint(1, 3)):
        start, size = rng.randint(0, len(frame)), rng.randint(0, 4)
        frame[start : start + rng.randint(0, 4)] = rng.choice(PIECES) if rng.random() < 0.3 else rng.randbytes(size)
    return bytes(frame[: rng.randint(0, len(frame))] if rng.random() < 0.05 else frame)


PIECES = [
    *(b"\xc0", b"\xc1", b"\xc2", b"\x80", b"\x90", b"\xa0", b"\x8f", b"\x9f", b"\xbf", b"\xcf", b"\xc3\xbf"),
    *(b"\xc4\x00", b"\xc7\x00\x01", b"\xd6\xff", b"\xd4\x00", b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00"),
    *(b"\xdc\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\x91" * 20, b"\xa4type"),
]


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(5, 200))])
def test_mutated_frames(seed):
    rng = Random(seed)
    for _ in range(3000):
        reads_or_refuses(mutated(rng, rng.choice(FRAMES)))


def changed(frame: bytes, place: int, byte: int) -> bytes:
    return frame[:place] + bytes([byte]) + frame[place + 1 :]


def outcome(frame: bytes, read: Callable[[bytes], Message] = decode) -> tuple[str, ...]:
    """What reading a frame comes to."""
    try:
        return (repr(read(frame)),)
    except BadFrame as refusal:
        return refusal.code, refusal.text


ANSWERS = [
    encode(Action("3f9a0c21b7d45e68", number, cards)) for number, cards in ((1, []), (90, [7]), (300, [2, 3, 4]))
]


@pytest.mark.parametrize("seed", range(5))
def test_the_short_way_of_an_answer_reads_and_refuses_as_the_long_one(seed, monkeypatch):
    rng = Random(seed)
    frames = [mutated(rng, rng.choice(ANSWERS)) for _ in range(2000)]
    frames += [changed(frame, place, rng.randrange(256)) for frame in ANSWERS for place in range(len(frame))] * 10
    found = [outcome(frame) for frame in frames]
    assert 300 < sum(one[0].startswith("Action(") for one in found) < len(frames) - 300
    monkeypatch.setattr(protocol.messages, "_FOUR_KEYS", b"no frame begins so")
    assert found == [outcome(frame) for frame in frames]


LINES = [encode_line(decode(frame)) for frame in ANSWERS]


@pytest.mark.parametrize("seed", range(5))
def test_the_short_way_of_a_line_reads_and_refuses_as_the_long_one(seed, monkeypatch):
    rng = Random(seed)
    pieces = [*b'0123456789[]{}",:-+.eE \\\xff\xc3\xa9n', *range(32)]
    lines = [changed(line, place, rng.choice(pieces)) for line in LINES for place in range(len(line))] * 10
    lines += [line.replace(b'"request"', b'"request":1,"request"', rng.randint(0, 1)) for line in lines]
    found = [outcome(line, decode_line) for line in lines]
    assert 200 < sum(one[0].startswith("Action(") for one in found) < len(lines) - 200
    monkeypatch.setattr(protocol.lines, "_KEYS_OF_AN_ACTION", 0)
    assert found == [outcome(line, decode_line) for line in lines]


anything = st.recursive(
    scalars | st.floats() | st.binary(max_size=4) | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | st.binary(max_size=2), inner, max_size=4),
    max_leaves=6,
)


@given(st.sampled_from(EXAMPLES), st.data())
@fuzz
def test_any_value_in_the_place_of_any_key(document, data):
    key = data.draw(st.sampled_from(sorted(document)))
    reads_or_refuses(msgpack.packb({**document, key: data.draw(anything), data.draw(texts): data.draw(anything)}))


# --- a second decoder ------------------------------------------------------------------------------------------------


def is_clean(value: Any, depth: int = 1) -> bool:
    """The literal rule for what a message may hold, on what a permissive decoder makes of the frame."""
    if type(value) is dict:
        return (
            depth <= 16
            and len(value) <= 256
            and all(type(key) is str and is_clean(key) and is_clean(item, depth + 1) for key, item in value.items())
        )
    if type(value) is list:
        return depth <= 16 and len(value) <= 1024 and all(is_clean(item, depth + 1) for item in value)
    if type(value) is str:
        return len(value.encode()) <= 8192
    return value is None or type(value) in (bool, int) or (type(value) is float and math.isfinite(value))


@given(anything, st.sampled_from([0, 1, 5, 13, 14, 15, 16, 17, 40]))
@settings(fuzz, max_examples=120)
def test_an_action_is_read_exactly_when_its_value_is_clean(value, wraps):
    for wrap in range(wraps):
        value = [value] if wrap % 2 else {"k": value}
    document = {"type": "action", "match": "m", "request": 1, "action": value}
    try:
        frame = msgpack.packb(document)
    except ValueError:  # a string with a lone surrogate
        return
    if is_clean(document):
        assert repr(decode(frame)) == repr(Action("m", 1, msgpack.unpackb(frame)["action"]))
    else:
        with pytest.raises(BadFrame):
            decode(frame)


# --- hostile frames --------------------------------------------------------------------------------------------------

HEAD = b"\x84\xa4type\xa6action\xa5match\xa1m\xa7request\x01\xa6action"


def filled(unit: bytes, size: int = 65_536) -> bytes:
    """Lists of 1024 units in a list, as much as fits into a frame of `size` bytes."""
    inner = b"\xdc\x04\x00" + unit * 1024
    count = max(1, (size - len(HEAD) - 3) // len(inner))
    return HEAD + b"\xdc" + struct.pack(">H", count) + inner * count


HOSTILE = {
    "list headers in each other": HEAD + b"\xdc\x04\x00" * 21_000,
    "list headers that promise 4 G": HEAD + b"\xdd\xff\xff\xff\xff" * 13_000,
    "map headers in each other": HEAD + b"\xde\x01\x00\xa0" * 16_000,
    "one-element lists in each other": HEAD + b"\x91" * 65_000,
    "one-element maps in each other": HEAD + b"\x81\xa0" * 32_000,
    "as many empty lists as fit": filled(b"\x90"),
    "as many empty maps as fit": filled(b"\x80"),
    "as many small maps as fit": filled(b"\x81\xa0\xc0"),
    "as many empty strings as fit": filled(b"\xa0"),
    "as many floats as fit": filled(b"\xcb\x3f\xf0\0\0\0\0\0\0"),
    "as many large integers as fit": filled(b"\xcf" + b"\xff" * 8),
    "as many duplicate keys as fit": HEAD + b"\xde\x01\x00" + b"\xa1k\xc0" * 256,
    "a string that promises 4 G": HEAD + b"\xdb\xff\xff\xff\xff",
    "100 MB": b"\x91" * 100_000_000,
}


def lines_run(frame: bytes) -> int:
    """How many lines of Python reading a frame takes; what of it is written in C is bounded by the memory it takes."""
    lines = 0

    def trace(_frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with suppress(BadFrame):
            decode(frame)
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_frame_costs_little(name):
    frame = HOSTILE[name]
    assert lines_run(frame) <= 12 * 65_536, "the worst, empty maps, takes 11 lines for a byte that may be in a frame"
    tracemalloc.start()
    try:
        with suppress(BadFrame):
            decode(frame)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12e6, f"{peak / 1e6:.1f} MB"
