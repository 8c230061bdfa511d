"""What runs at once, with bots that really compute, on two cores. Counted, not timed: bots write down when they begin
and end what should not overlap."""

import os
import shlex
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import pytest

from tests.e2e.place import Arena

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be chosen on this system")

# Burns so many CPU seconds before its hello, and so many for each decision; writes down when it begins and ends that.
BURNER = """
import sys, time
from protocol.bot import serve

log = open(sys.argv[3], "a")

def burn(what, seconds):
    print(time.monotonic(), what, 1, file=log, flush=True)
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    print(time.monotonic(), what, -1, file=log, flush=True)

def choose(request):
    burn("decision", float(sys.argv[2]))
    return request.legal_actions[0] if request.legal_actions else []

burn("start", float(sys.argv[1]))
serve(choose)
"""


@pytest.fixture(autouse=True)
def _two_cores() -> Iterator[None]:
    """Of the machine's, for this process and all that it starts."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:2])
    yield
    os.sched_setaffinity(0, cores)


def burner(arena: Arena, name: str, log: Path, *, start_s: float = 0.0, decision_s: float = 0.0) -> dict[str, object]:
    script = arena.script("burner.py", BURNER)
    return arena.bot(name, script, str(start_s), str(decision_s), str(log))


def notes(log: Path, what: str) -> list[int]:
    """Of a start or a decision: 1 for each beginning, -1 for each end, in the order of time."""
    lines = sorted(map(str.split, log.read_text().splitlines()), key=lambda line: float(line[0]))
    return [int(change) for _, noted, change in lines if noted == what]


def most_at_once(log: Path, what: str) -> int:
    return max(accumulate(notes(log, what)))


def no_faults(arena: Arena, matches: int) -> None:
    found = [match["outcome"] for match in arena.export()]
    assert len(found) == matches
    assert not [outcome for outcome in found if outcome["faults"]]


@pytest.mark.parametrize("restart", ["never", "match"])
def test_no_more_processes_start_at_once_than_there_are_cores(arena: Arena, tmp_path: Path, restart: str) -> None:
    log = tmp_path / "log"
    bots = [{**burner(arena, name, log, start_s=0.2), "restart": restart} for name in ("a", "b", "c")]
    pairs = 10 if restart == "never" else 2
    arena.run(arena.config(bots, pairs=pairs, time={"move_ms": 2000, "startup_ms": 20000}))
    no_faults(arena, 6 * pairs)
    assert most_at_once(log, "start") <= 2


def test_processes_are_started_only_while_that_is_worth_it(arena: Arena, tmp_path: Path) -> None:
    """Each start costs as much as a hundred of these matches: two lanes of two bots need four."""
    log = tmp_path / "log"
    bots = [burner(arena, name, log, start_s=3.0) for name in ("a", "b")]
    arena.run(arena.config(bots, pairs=5, time={"move_ms": 2000, "startup_ms": 100_000}))
    no_faults(arena, 10)
    assert notes(log, "start").count(1) == 4


@pytest.mark.parametrize("wrapper", ["sh", pytest.param("", marks=pytest.mark.soak)])
def test_a_slow_bot_has_a_core_of_its_own_among_quick_ones(arena: Arena, tmp_path: Path, wrapper: str) -> None:
    """Also when the process that the arena knows is a shell that waits for the bot."""
    log = tmp_path / "log"
    slow = burner(arena, "slow", log, decision_s=0.05)
    if wrapper:
        command = shlex.join([sys.executable, *list(slow["command"])[1:]])  # type: ignore[call-overload]
        slow["command"] = ["sh", "-c", f"{command}; true"]
    quick = [arena.bot(f"quick {number}", "high.py") for number in range(4)]
    arena.run(arena.config([*quick, slow], pairs=2, time={"move_ms": 20000, "startup_ms": 20000}))
    no_faults(arena, 40)
    assert most_at_once(log, "decision") <= 2
