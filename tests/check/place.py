"""A check of one bot, in this process and with small limits, and a bot to be broken."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.check.report import Failure, Report, Step
from arena.check.steps import Run, check_bot
from arena.config.entrants import Talks
from arena.config.roster import named
from arena.games.tacocat import Tacocat
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import Limits, TimeControl

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "example_bots" / "python"

BY_LINES = """
import json, os, subprocess, sys, time

def say(message, end="\\n"):
    sys.stdout.write(json.dumps(message) + end)
    sys.stdout.flush()

hello = {"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"], "concurrency": 1}
in_match = False
#at the start
say(hello)
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    match = message.get("match")
    #at a message
    if kind == "bye":
        sys.exit(0)
    if kind in ("match_start", "match_end"):
        in_match = kind == "match_start"
    if kind == "request":
        legal = message.get("legal_actions")
        answer = {"type": "action", "match": match, "request": message["request"], "action": legal[0] if legal else []}
        #at an answer
        say(answer)
"""
"""An honest bot in a dozen lines, which starts quickly; the comments are the places for a fault."""

BY_ZEROMQ = """
import json, os, sys, time, msgpack, zmq

socket = zmq.Context().socket(zmq.DEALER)
pack = msgpack.packb
hello = {"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"]}
#at the start
socket.connect(os.environ["ARENA_ENDPOINT"])
socket.send(pack(hello))
while True:
    message = msgpack.unpackb(socket.recv())
    if message["type"] == "bye":
        break
    if message["type"] == "request":
        legal = message.get("legal_actions")
        answer = {"match": message["match"], "request": message["request"], "action": legal[0] if legal else []}
        #at an answer
        socket.send(pack({"type": "action", **answer}))
"""


NO_CHANGES: Mapping[str, int] = {}


class Checked(NamedTuple):
    """A report, and the steps as they were told."""

    report: Report
    told: list[Step]

    @property
    def failure(self) -> Failure:
        assert self.report.failure is not None, self.report
        return self.report.failure


def check(
    words: Sequence[str],
    protocol: Talks = "zeromq",
    time: Mapping[str, int] = NO_CHANGES,
    steps: Sequence[Run] | None = None,
) -> Checked:
    """Check a command, quickly. The clocks are slow, since the machine may be: who is to miss them gets others."""
    spec = named("bot", words, ROOT, protocol=protocol, is_built=True).spec
    told: list[Step] = []
    terms = MatchTerms(Tacocat(), "tacocat", TimeControl(**{"move_ms": 9000, "startup_ms": 60_000, **time}))
    report = check_bot(spec, terms, told.append, launcher=Unconfined(), limits=Limits(), quick=True, steps=steps)
    return Checked(report, told)


def broken(program: str, place: str, fault: str) -> str:
    """A program with a few lines put in at a place, where more can follow."""
    marker = next(line for line in program.splitlines() if line.strip() == f"#{place}")
    indent = marker[: len(marker) - len(marker.lstrip())]
    return program.replace(marker, "\n".join([*(indent + line for line in fault.strip().splitlines()), marker]))


def check_program(
    directory: Path,
    program: str,
    protocol: Talks = "stdio",
    time: Mapping[str, int] = NO_CHANGES,
    steps: Sequence[Run] | None = None,
) -> Checked:
    """Check a program in Python."""
    script = directory / "bot.py"
    script.write_text(program)
    return check([sys.executable, str(script)], protocol, time, steps)
