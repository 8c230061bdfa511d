"""No confinement: a bot's own command, whatever the limits."""

from pathlib import Path

from arena.launchers.none import Unconfined
from arena.model import BotSpec, Limits


def test_the_command_is_the_bots_own():
    bot = BotSpec("ann", ("python3", "bot.py", "--level", "3"), "/bots/ann")
    for limits in (Limits(), Limits(memory_mb=1, processes=1)):
        assert Unconfined().command(bot, limits, Path("/tmp/referee")) == ("python3", "bot.py", "--level", "3")


def test_it_works_everywhere():
    assert Unconfined().unavailable() == ""
