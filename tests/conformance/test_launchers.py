"""Every launcher keeps its contract; and the check of the contract finds launchers that do not."""

import sys
from dataclasses import dataclass

import pytest

import arena.testing.launchers
from arena.launchers.none import Unconfined
from arena.registry import load, names
from arena.testing import check_launcher


@pytest.mark.parametrize("name", names("launchers"))
def test_launcher_keeps_its_contract(name):
    check_launcher(load("launchers", name)())


@dataclass(frozen=True)
class Wrapper(Unconfined):
    """Runs a bot as the arguments of a shell script, which are passed on as they are."""

    script: str

    def command(self, bot, limits, socket_directory):
        return ["sh", "-c", self.script, "sh", *bot.command]


class Nothing(Unconfined):
    def command(self, bot, limits, socket_directory):
        return []


class Mute(Unconfined):
    def unavailable(self):
        return "unavailable"


class Impossible(Unconfined):
    def unavailable(self):
        return "this machine has no bwrap"

    def command(self, bot, limits, socket_directory):
        raise AssertionError("an unavailable launcher is not tried")


def test_a_wrapper_that_does_it_right_passes():
    check_launcher(Wrapper('exec "$@"'))


def test_a_launcher_that_cannot_work_here_and_says_why_is_not_tried():
    check_launcher(Impossible())


IN_VAIN = ("cannot reach the referee", "output does not arrive", "the bot outlives its group")
"""Complaints that come when the check has waited long enough."""


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Nothing(), "there is no command"),
        (Mute(), "does not tell a person why"),
        (Wrapper("exec $*"), "with something else"),
        (Wrapper('env -i "$@"'), "with something else"),
        (
            Wrapper('cp -r . "$HOME/../" 2>/dev/null; d=$(mktemp -d); cp script.py $d; cd $d; exec "$@"'),
            "with something else",
        ),
        (Wrapper(f'shift; echo no >&2; exec {sys.executable} -c "raise SystemExit(1)"'), "cannot reach the referee"),
        (Wrapper('"$@"; exit 0'), "ended with 0, not 7"),
        (Wrapper('"$@" || exit 1'), "ended with 1, not 7"),
        (Wrapper('exec "$@" >/dev/null'), "output does not arrive"),
        (Wrapper('setsid --wait "$@"'), "the bot outlives its group"),
    ],
    ids=lambda value: getattr(value, "script", type(value).__name__) if not isinstance(value, str) else "",
)
def test_a_broken_launcher_is_caught(monkeypatch, broken, complaint):
    if complaint in IN_VAIN:
        monkeypatch.setattr(arena.testing.launchers, "_PATIENCE_S", 1.5)
    with pytest.raises(AssertionError, match=complaint):
        check_launcher(broken)
