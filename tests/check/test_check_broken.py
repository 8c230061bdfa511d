"""Each way to be not quite right is found by the step that is there for it, with advice that fits."""

import sys
import tempfile
from pathlib import Path

import pytest

from arena.check.attacks import ATTACKS, STDIO_ATTACKS
from arena.check.host import BYE_GRACE_MS, Host
from arena.clock import monotonic_ms
from arena.config.roster import named
from arena.launchers.none import Unconfined
from arena.model import Limits
from arena.processes import Session
from tests.check.place import BY_LINES, BY_ZEROMQ, broken, check, check_program

KEYS = """known = {"protocol", "arena", "bot", "max_message", "game", "seat", "players", "rules", "time", "winner"}
known |= {"type", "match", "request", "observation", "events", "legal_actions", "time_ms", "reason", "detail"}
assert set(message) <= known"""
TYPES = 'assert kind in ("welcome", "match_start", "request", "match_end", "error", "bye")'
LOCK = """lock = open(sys.argv[0] + ".lock", "x")
import atexit
atexit.register(os.remove, lock.name)"""
CURRENT = """if kind == "match_start":
    current = match"""
CHILD = 'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])'
NO_BYE = """if kind == "bye" and in_match:
    time.sleep(60)"""

RUDE = (*ATTACKS, *STDIO_ATTACKS)

# where, what; the name of the step that fails, words of its failure, words of the advice
POLITE_BROKEN = {
    "logs at the start": ("at the start", 'print("loading")', "starts", "is no message", "output to stderr"),
    "does not flush": (
        "at the start",
        "say = lambda m: print(json.dumps(m))",
        "starts",
        "no valid hello",
        "Flush stdout",
    ),
    "lacks a module": ("at the start", "import no_such_thing", "starts", "exited with status 1", "Install it there"),
    "forgets to flush": (
        "at an answer",
        "say = lambda m: print(json.dumps(m))",
        "in seat 0",
        "no answer within",
        "Flush",
    ),
    "plays floats": (
        "at an answer",
        'answer["action"] = [float(c) for c in answer["action"]]',
        "in seat",
        "a float",
        "int",
    ),
    "asks for its id": (
        "at an answer",
        'answer["request"] = float(answer["request"])',
        "in seat 0",
        "must be an integer, not the float 1.0",
        "integers as integers",
    ),
    "speaks unasked": (
        "at a message",
        'if kind == "match_end":\n    say({"type": "action", "match": match, "request": 1, "action": []})',
        "in seat 1",
        "answered request 1",
        "once",
    ),
    "knows twelve ranks": (
        "at an answer",
        'table = [0] * 13\n[table[card] for card in message["observation"]["hand"]]',
        "other rules",
        "exited with status 1",
        "Read the rules from match_start",
    ),
    "needs move_ms": (
        "at a message",
        'message.get("time", {}).get("move_ms", 0) + 1',
        "other clocks",
        "status 1",
        "null",
    ),
    "cuts ids": (
        "at an answer",
        'answer["request"] &= 0xFFFFFFFF',
        "other clocks",
        "not open: 1",
        "exactly as they came",
    ),
    "locks a file": ("at the start", LOCK, "two processes", "exited with status 1", "side by side"),
    "leaves a child": ("at the start", CHILD, "exits at bye", "left processes of its own behind", "End and wait"),
}
RUDE_BROKEN = {
    "is strict": ("at a message", KEYS, "keys", "exited with status 1", "Skip keys"),
    "has a small buffer": ("at a message", "assert len(line) < 65_000", "keys", "exited with status 1", "buffers"),
    "knows all types": ("at a message", TYPES, "messages, events", "exited with status 1", "Ignore types"),
    "fears crashes": (
        "at a message",
        'assert message.get("reason") != "crash"',
        "the other bot was to move",
        "exited with status 1",
        "match_end can come at any time",
    ),
    "mixes matches up": (
        "at an answer",
        'answer["match"] = current',
        "one match more",
        "which nobody had asked",
        "not of the last message",
    ),
    "dies of an error": ("at a message", 'assert kind != "error"', "reads an error", "status 1", "wants no answer"),
    "finishes first": ("at a message", NO_BYE, "bye with a request open", "still ran", "also when a request is open"),
}


SHORT = {
    "does not flush": {"startup_ms": 4000},
    "forgets to flush": {"move_ms": 1500},
    "cuts ids": {"move_ms": 600},  # and a bank of many times as much
    "mixes matches up": {"move_ms": 1500},
}
"""The clocks of those that miss one."""


@pytest.mark.parametrize("name", POLITE_BROKEN)
def test_a_bot_that_cannot_play_a_tournament(tmp_path: Path, name: str) -> None:
    place, fault, step, happened, advice = POLITE_BROKEN[name]
    failure = check_program(tmp_path, broken(BY_LINES, place, fault), time=SHORT.get(name, {})).failure
    assert step in failure.name, failure
    assert happened in failure.happened, failure
    assert advice in failure.hint, failure


@pytest.mark.parametrize("name", RUDE_BROKEN)
def test_a_bot_that_survives_politeness_only(tmp_path: Path, name: str) -> None:
    place, fault, step, happened, advice = RUDE_BROKEN[name]
    program = broken(broken(BY_LINES, place, fault), "at a message", CURRENT)
    failure = check_program(tmp_path, program, time=SHORT.get(name, {}), steps=RUDE).failure
    assert step in failure.name, failure
    assert happened in failure.happened, failure
    assert advice in failure.hint, failure


def test_a_child_is_found_although_time_flies_when_the_grace_ends(tmp_path: Path, monkeypatch) -> None:
    """What was left is looked at and killed by one clock, however long the machine stops between the two."""
    script = tmp_path / "bot.py"
    script.write_text(broken(BY_LINES, "at the start", CHILD))
    spec = named("bot", [sys.executable, str(script)], tmp_path, protocol="stdio", is_built=True).spec
    ahead_ms = [0.0]
    look = Session.members

    def look_and_stop(session: Session) -> list[int]:
        members = look(session)
        if len(members) > 1:
            ahead_ms[0] = BYE_GRACE_MS
        return members

    def clock() -> float:
        return monotonic_ms() + ahead_ms[0]

    with tempfile.TemporaryDirectory() as place:
        with Host(spec, Path(place), launcher=Unconfined(), limits=Limits(), clock=clock) as host:
            process = host.start()
            assert host.wait(lambda: process.hello is not None, monotonic_ms() + 20_000)
            monkeypatch.setattr(Session, "members", look_and_stop)
            host.end(process)
        assert process.is_over
        assert process.left_behind


def test_a_bot_that_outlives_its_input(tmp_path: Path) -> None:
    failure = check_program(tmp_path, BY_LINES + "time.sleep(60)\n", steps=RUDE).failure
    assert failure.name == "exits when its input ends"
    assert "still ran 1000 ms after the end of its input" in failure.happened
    assert "stdin" in failure.hint


def test_a_bot_that_says_it_plays_at_once_and_cannot(tmp_path: Path) -> None:
    program = broken(BY_LINES, "at the start", 'hello["concurrency"] = 4')
    program = broken(program, "at a message", CURRENT)
    failure = check_program(tmp_path, broken(program, "at an answer", 'answer["match"] = current')).failure
    assert failure.name == "plays matches at once"
    assert "concurrency 1" in failure.hint


BY_ZEROMQ_BROKEN = {
    "REQ": ("at the start", "socket = zmq.Context().socket(zmq.REQ)", "more than one frame", "REQ socket"),
    "JSON": ("at the start", "pack = lambda m: json.dumps(m).encode()", "looks like JSON", "--protocol stdio"),
    "late": ("at the start", "time.sleep(60)", "no valid hello within", "DEALER socket to $ARENA_ENDPOINT"),
    "version": ("at the start", 'hello["protocol"] = 2', "the other 2", "protocol: 1"),
}


@pytest.mark.parametrize("name", BY_ZEROMQ_BROKEN)
def test_a_bot_that_speaks_zeromq(tmp_path: Path, name: str) -> None:
    place, fault, happened, advice = BY_ZEROMQ_BROKEN[name]
    program = broken(BY_ZEROMQ, place, fault)
    failure = check_program(tmp_path, program, "zeromq", {"startup_ms": 4000 if name == "late" else 20_000}).failure
    assert (failure.number, failure.name) == (1, "starts and says hello in time")
    assert happened in failure.happened, failure
    assert advice in failure.hint, failure


def test_a_program_for_another_machine(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\x7fNOT")
    program.chmod(0o755)
    failure = check([str(program)]).failure
    assert failure.number == 1
    assert "its command cannot be run" in failure.happened
    assert "made for this machine" in failure.hint
