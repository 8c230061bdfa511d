"""The scheduling policy: batch while many answers arrive, the usual one when they do not."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from arena.contracts import Place
from arena.games.tacocat import Tacocat
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, MatchResult, MatchSpec, Seat, TimeControl
from arena.referee.loop import TICK_MS
from arena.referee.referee import Referee
from protocol.messages import Message
from tests.orders import Queue

BOTS = Path(__file__).parents[2] / "example_bots" / "python"

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="the policy is Linux's")


class Steps:
    """A clock on which every look takes as long."""

    def __init__(self, step_ms: float) -> None:
        self.now_ms = 0.0
        self._step_ms = step_ms

    def __call__(self) -> float:
        self.now_ms += self._step_ms
        return self.now_ms


def policies_during_a_match(logs: Path, step_ms: float) -> set[tuple[int, ...]]:
    """Those of the referee (which is this process) and of its bots, as they were at each message."""
    spec = BotSpec("one", (sys.executable, str(BOTS / "high.py")), str(BOTS))
    bots = {"one": spec, "two": spec}
    terms = MatchTerms(Tacocat(), "tacocat", TimeControl(move_ms=1_000_000, startup_ms=1_000_000))
    found = set()
    players: list[int] = []

    def look(_ms: float, _way: str, _seat: Seat, _message: Message) -> None:
        if len(players) < 2:  # a look at all processes of the machine takes longer than a move
            players[:] = [child.pid for child in psutil.Process().children() if is_player(child)]
        found.add(tuple(os.sched_getscheduler(pid) for pid in (0, *players)))

    def is_player(process: psutil.Process) -> bool:
        with contextlib.suppress(psutil.ZombieProcess):  # of another test
            return spec.command[-1] in process.cmdline()
        return False

    results: list[MatchResult] = []
    with tempfile.TemporaryDirectory() as directory:
        referee = Referee(
            terms,
            Place(bots, logs),
            launcher=Unconfined(),
            limits=Limits(),
            orders=Queue(MatchSpec("m", ("one", "two"), 0, 0, bytes(32))),
            report=results.append,
            directory=Path(directory),
            clock=Steps(step_ms),
            trace=look,
        )
        referee.serve(is_done=lambda: bool(results))
    assert [result.outcome.faults for result in results] == [()]
    return found


def test_while_bots_are_quick_everybody_waits_for_its_turn(tmp_path):
    before = os.sched_getscheduler(0)
    found = policies_during_a_match(tmp_path, step_ms=TICK_MS / 200)
    assert found == {(os.SCHED_OTHER,) * 3, (os.SCHED_BATCH,) * 3}
    assert os.sched_getscheduler(0) == before


def test_nobody_waits_for_turns_when_bots_think(tmp_path):
    assert policies_during_a_match(tmp_path, step_ms=TICK_MS / 5) == {(os.SCHED_OTHER,) * 3}
