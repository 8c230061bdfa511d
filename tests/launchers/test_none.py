"""No confinement: a bot's own command, whatever the limits."""

import json
import sys
from pathlib import Path

import pytest

from arena.contracts import Site
from arena.launchers.none import Unconfined
from arena.model import BotSpec, Limits
from arena.referee.pipes import Pipes
from arena.testing.launchers import wait_for_end

SAYS = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), os.environ.get('LEVEL')]))"


@pytest.mark.parametrize("limits", [Limits(), Limits(memory_mb=1, processes=1)])
def test_the_command_is_the_bots_own(tmp_path: Path, limits: Limits) -> None:
    bot = BotSpec("ann", (sys.executable, "-c", SAYS, "--level", "3"), str(tmp_path))
    with Pipes(by_lines=False) as pipes:
        confined = Unconfined().start(bot, limits, Site(tmp_path, {"LEVEL": "4"}, "", *pipes.theirs))
        output, _ = pipes.keep()
    with output:
        wait_for_end(confined)
        confined.close()
        assert json.loads(output.read()) == [["--level", "3"], str(tmp_path), "4"]
    assert confined.explain_exit() == "it exited with status 0"


def test_a_command_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with Pipes(by_lines=False) as pipes, pytest.raises(FileNotFoundError):
        Unconfined().start(
            BotSpec("ann", ("nowhere/bot",), str(tmp_path)), Limits(), Site(tmp_path, {}, "", *pipes.theirs)
        )


def test_it_works_everywhere():
    assert Unconfined().unavailable() == ""
