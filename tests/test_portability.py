"""Matches where the system lacks what Linux has: exits are looked for at each tick, and collected the plain way. And a
system that lacks too much."""

import os
import selectors
import subprocess
import sys
from pathlib import Path

import pytest

from arena.contracts import Place
from arena.games.tacocat import Tacocat
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, MatchResult, MatchSpec, TimeControl
from arena.referee.job import RefereeJob

BOTS = Path(__file__).parents[1] / "example_bots" / "python"


@pytest.fixture(params=["without calls that Linux alone has", "without a selector that can be waited for"])
def poorer_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "without calls that Linux alone has":
        for name in ("pidfd_open", "waitid", "SCHED_BATCH"):
            monkeypatch.delattr(os, name, raising=False)
    else:
        monkeypatch.setattr(selectors, "DefaultSelector", selectors.SelectSelector)


def play(logs: Path, *arguments: str) -> MatchResult:
    bots = {
        "one": BotSpec("one", (sys.executable, str(BOTS / "faulty.py"), *arguments), str(BOTS)),
        "two": BotSpec("two", (sys.executable, str(BOTS / "high.py")), str(BOTS)),
    }
    terms = MatchTerms(Tacocat(), "tacocat", TimeControl(move_ms=3_600_000))
    job = RefereeJob(terms, {name: bot.fingerprint for name, bot in bots.items()}, Unconfined(), Limits())
    return job.play_one(MatchSpec("m", ("one", "two"), 0, 0, bytes(32)), Place(bots, logs))


@pytest.mark.usefixtures("poorer_system")
@pytest.mark.parametrize(("kind", "reason"), [("none", "goal"), ("exit", "crash"), ("crash_start", "startup_failure")])
def test_matches_end_as_anywhere(tmp_path: Path, kind: str, reason: str) -> None:
    """And an exit is noticed before the deadline, which this test would not live to see."""
    result = play(tmp_path, kind)
    assert result.outcome.reason == reason
    if kind == "exit":
        assert "it exited with status 3" in result.outcome.detail


@pytest.mark.parametrize("start", ["import arena", "from arena.cli import main", "runpy.run_module('arena')"])
def test_windows_is_refused_in_one_line(start: str) -> None:
    """Before anything is imported that is not there: POSIX's modules, and packages that find out by themselves."""
    absent = ["fcntl", "grp", "pwd", "resource", "termios", "click", "psutil", "zmq"]
    pretence = f"import runpy, sys; sys.platform = 'win32'; sys.modules |= dict.fromkeys({absent})"
    command = [sys.executable, "-c", f"{pretence}; {start}"]
    done = subprocess.run(command, cwd=BOTS.parents[1], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: Windows is not supported")
    assert "Use WSL 2" in line
