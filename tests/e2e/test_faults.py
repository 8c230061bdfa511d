"""Each way in which a bot can break: its verdict with evidence, the other bots unaffected, no process left."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.place import BOTS, Arena, wait_until

# kind -> verdict, and what the detail must contain of the evidence
FAULTS = {
    "illegal": ("illegal_action", ["request 3", "legal"]),
    "garbage": ("protocol_error", ["request 3", "MessagePack"]),
    "oversize": ("protocol_error", ["request 3", "65536"]),
    "huge": ("crash", ["request 3", "closed its link"]),
    "frames": ("protocol_error", ["request 3", "more than one frame"]),
    "stall": ("timeout", ["request 3", "1000 ms"]),
    "spin": ("timeout", ["request 3", "1000 ms"]),
    "late": ("timeout", ["request 3", "1000 ms"]),
    "crash": ("crash", ["request 3", "SIGABRT"]),
    "exit": ("crash", ["request 3", "status 3"]),
    "exit0": ("crash", ["request 3", "status 0"]),
    "wrong_id": ("timeout", ["request 3", "ignored answers to requests that were not open: 1"]),
    "wrong_match": ("timeout", ["request 3", "ignored answers to requests that were not open: 1"]),
    "flood": ("protocol_error", ["nobody had asked for"]),
    "unflushed": ("timeout", ["request 3", "1000 ms"]),
    "chatter": ("protocol_error", ["request 3"]),
    "daemon": ("crash", []),
    "fork": ("crash", []),
}
# the same over stdin and stdout, where that is something else
BY_LINES = FAULTS | {
    "garbage": ("protocol_error", ["request 3", "not UTF-8"]),
    "huge": ("protocol_error", ["request 3", "a line has at most 393216"]),
    "frames": ("protocol_error", ["request 3", "stdout is for messages only"]),
    "unflushed": ("timeout", ["request 3", "its action was written, but kept in a buffer", "flush stdout"]),
    "chatter": ("protocol_error", ["request 3", "let me see ...", "stdout is for messages only"]),
}
START_FAULTS = {
    "silent_start": ["no valid hello within"],
    "crash_start": ["status 1", "Traceback"],
    "exit0_start": ["status 0"],
    "bad_hello": ["its hello was refused", "MessagePack"],
    "wrong_token": ["its hello was refused", "token"],
    "wrong_version": ["its hello was refused", "99"],
}
HARMLESS = ["none", "twice", "noise", "deaf"]


PROTOCOLS = ("zeromq", "stdio")


def entrants(arena: Arena, kind: str, protocol: str = "zeromq") -> list[dict[str, object]]:
    return [
        arena.bot("faulty", "faulty.py", kind, protocol=protocol),
        arena.bot("high", "high.py"),
        arena.bot("random", "random_bot.py"),
    ]


SHORT = {"move_ms": 1000, "margin_ms": 50, "startup_ms": 60_000}
"""Who is to miss a move's clock need not be waited for; an honest answer takes a few milliseconds."""


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_has_its_verdict_with_evidence(arena: Arena, kind: str) -> None:
    """Over ZeroMQ and by lines, each against two honest bots, and against the other."""
    faulty = [arena.bot(protocol, "faulty.py", kind, protocol=protocol) for protocol in PROTOCOLS]
    bots = [*faulty, arena.bot("high", "high.py"), arena.bot("random", "random_bot.py")]
    clocks: dict[str, Any] = {"time": SHORT} if "timeout" in (FAULTS[kind][0], BY_LINES[kind][0]) else {}
    arena.run(arena.config(bots, pairs=1, **clocks))
    matches = arena.export()
    assert len(matches) == 12
    for match in matches:
        outcome = match["outcome"]
        broken = [bot for bot in match["bots"] if bot in PROTOCOLS]
        if not broken:
            assert outcome["reason"] == "goal", "other matches are unaffected"
        elif len(broken) == 2:
            assert outcome["reason"] in (FAULTS[kind][0], BY_LINES[kind][0]), "whoever broke first"
        else:
            (protocol,) = broken
            reason, evidence = FAULTS[kind] if protocol == "zeromq" else BY_LINES[kind]
            seat = match["bots"].index(protocol)
            assert (outcome["reason"], outcome["fault_seat"], outcome["winner"]) == (reason, seat, 1 - seat), outcome
            for words in [*evidence, f"now: {kind}"]:  # the last lines of its log are there
                assert words in outcome["detail"], outcome["detail"]
    assert set(arena.board()["faults"]) <= set(PROTOCOLS)
    assert "identical: 12" in arena.here("verify", arena.results)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", START_FAULTS)
def test_a_bot_that_cannot_start_is_suspended_after_three_times(arena: Arena, kind: str, protocol: str) -> None:
    patience = {"move_ms": 60_000, "startup_ms": 4000 if kind == "silent_start" else 60_000}
    config = arena.config(
        entrants(arena, kind, protocol), pairs=1, time=patience, run={"workers": 2, "matches_at_once": 3}
    )
    done = arena.run(config)
    assert "faulty failed to start three times in a row and is suspended" in done.stderr
    lost = [match["outcome"] for match in arena.export() if "faulty" in match["bots"]]
    assert [outcome["reason"] for outcome in lost] == ["startup_failure"] * 3
    for outcome in lost:
        for words in START_FAULTS[kind]:
            words = "UTF-8" if (words, protocol) == ("MessagePack", "stdio") else words
            assert words in outcome["detail"], outcome["detail"]
    board = arena.board()
    assert board["suspended"] == ["faulty"]
    assert board["matches"] == 2 + 3


def test_a_socket_of_the_wrong_kind_is_named(arena: Arena) -> None:
    """Its first message says nothing of who sent it; the kernel does."""
    source = """
        import os, time, msgpack, zmq
        socket = zmq.Context().socket(zmq.REQ)
        socket.connect(os.environ["ARENA_ENDPOINT"])
        socket.send(msgpack.packb({"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"]}))
        time.sleep(60)
    """
    script = arena.script("req.py", textwrap.dedent(source))
    arena.run(arena.config([arena.bot("req", script), arena.bot("high", "high.py")], pairs=1))
    for match in arena.export():
        assert match["outcome"]["reason"] == "startup_failure"
        assert "its hello was refused" in match["outcome"]["detail"]
        assert "from a DEALER" in match["outcome"]["detail"]


def test_a_suspended_bot_gets_another_chance_when_asked(arena: Arena) -> None:
    config = arena.config(entrants(arena, "crash_start"), pairs=1)
    arena.run(config)
    again = arena.run(config)
    assert "faulty is suspended" in again.stderr
    assert len(arena.export()) == 5, "it is not tried again unasked"
    arena.run(config, "--retry", "faulty")
    assert len(arena.export()) == 5
    assert arena.board()["set_aside"] == {"faulty was tried again": 3}


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_is_no_fault_costs_nothing(arena: Arena, kind: str) -> None:
    strange = [arena.bot(protocol, "faulty.py", kind, protocol=protocol) for protocol in PROTOCOLS]
    arena.run(arena.config([*strange, arena.bot("high", "high.py")], pairs=1))
    board = arena.board()
    assert board["reasons"] == {"goal": 6}
    assert board["faults"] == {}


def test_two_that_fail_to_start_draw(arena: Arena) -> None:
    bots = [arena.bot("one", "faulty.py", "exit0_start"), arena.bot("two", "faulty.py", "crash_start")]
    arena.run(arena.config(bots, pairs=3))
    outcomes = [match["outcome"] for match in arena.export()]
    assert [outcome["reason"] for outcome in outcomes] == ["startup_failure+startup_failure"] * 3
    assert all(outcome["winner"] is None and outcome["fault_seat"] is None for outcome in outcomes)


def test_two_faults_in_one_simultaneous_decision_are_a_draw(arena: Arena) -> None:
    """The first decision on the centre is a replacement on two arrows: both are asked at once."""
    bots = [arena.bot("one", "faulty.py", "stall", "--at", "1"), arena.bot("two", "faulty.py", "illegal", "--at", "1")]
    arena.run(arena.config(bots, pairs=1, time=SHORT))
    for match in arena.export():
        outcome = match["outcome"]
        assert outcome["winner"] is None
        by_bot = dict(zip(match["bots"], outcome["reason"].split("+"), strict=True))
        assert by_bot == {"one": "timeout", "two": "illegal_action"}


def test_a_crash_is_noticed_at_once(arena: Arena) -> None:
    """Not at the deadline, which this test would not live to see."""
    bots = [arena.bot("faulty", "faulty.py", "exit"), arena.bot("high", "high.py")]
    arena.run(arena.config(bots, pairs=1, time={"move_ms": 3_600_000, "startup_ms": 3_600_000}))
    assert arena.board()["reasons"] == {"crash": 2}


def test_the_survivor_is_told_that_it_won(arena: Arena) -> None:
    survivor = arena.script(
        "survivor.py",
        """
import sys
from protocol.bot import serve

def choose(request):
    return request.legal_actions[0] if request.legal_actions else []

def end(message):
    with open(sys.argv[1], "a") as out:
        out.write(f"{message.winner} {message.reason}\\n")

serve(choose, on_end=end)
""",
    )
    log = arena.directory / "told.txt"
    clocks = {
        "exit": {"move_ms": 60_000},
        "stall": SHORT,
        "silent_start": {"move_ms": 60_000, "startup_ms": 4000},
    }
    for kind in clocks:
        bots = [arena.bot("faulty", "faulty.py", kind), arena.bot("survivor", survivor, str(log))]
        arena.run(arena.config(bots, pairs=1, name=kind, time=clocks[kind]), "--fresh")
    told = [line.split() for line in log.read_text().splitlines()]
    assert sorted(reason for _, reason in told) == sorted(2 * ["crash", "timeout", "startup_failure"])
    assert sorted(winner for winner, _ in told) == ["0"] * 3 + ["1"] * 3, "it has each seat once"


def test_a_program_that_vanishes_is_a_failure_to_start(arena: Arena) -> None:
    """Found when the config was read, gone when it is started."""
    program = arena.directory / "vanishing"
    program.write_text(f"#!/bin/sh\nrm '{program}'\nexec python3 {BOTS / 'faulty.py'} exit0_start\n")
    program.chmod(0o755)
    bot = arena.bot("vanishing", "high.py")
    bot["command"] = [str(program)]
    config = arena.config([bot, arena.bot("high", "high.py")], pairs=2)
    done = arena.run(config)
    assert "vanishing failed to start three times in a row" in done.stderr
    details = [match["outcome"]["detail"] for match in arena.export()]
    assert sum("its command cannot be run" in detail for detail in details) == 2


def test_bots_that_ignore_everything_are_ended(arena: Arena) -> None:
    config = arena.config(entrants(arena, "deaf"), pairs=1)
    arena.run(config)
    assert not arena.bots_alive()


def test_a_bot_learns_on_its_stderr_why_it_lost(arena: Arena) -> None:
    wrong = arena.script(
        "wrong.py",
        "from protocol.bot import serve\nserve(lambda request: [99])\n",
    )
    arena.run(arena.config([arena.bot("wrong", wrong), arena.bot("high", "high.py")], pairs=1))
    log = next(iter((arena.results / "logs").glob("wrong*"))).read_text()
    assert "illegal_action" in log
    assert "99" in log


def test_broken_configs_are_refused_before_anything_starts(arena: Arena) -> None:
    config = arena.directory / "broken.yaml"
    config.write_text("bots:\n  - name: a\n    comand: [python, x.py]\ntournament: {pears: 3}\ntime: {move_ms: -1}\n")
    for command in ("validate", "run"):
        refused = arena(command, config, code=2)
        assert "line 3" in refused.stderr
        assert "command" in refused.stderr
        assert "pears" in refused.stderr
        assert "move_ms" in refused.stderr
        assert refused.stdout == ""
    assert not Path(arena.directory / "results").exists()


def test_a_flood_from_one_bot_does_not_delay_the_others(arena: Arena) -> None:
    config = arena.config(entrants(arena, "flood"), pairs=3, time=SHORT, run={"workers": 1, "matches_at_once": 6})
    arena.run(config)
    assert arena.board()["reasons"] == {"protocol_error": 12, "goal": 6}
    wait_until(lambda: not arena.bots_alive(), "flooding bots are ended")
