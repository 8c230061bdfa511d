"""Every launcher keeps its contract; and the check of the contract finds launchers that do not."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

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

    def start(self, bot, limits, site):
        return super().start(replace(bot, command=("sh", "-c", self.script, "sh", *bot.command)), limits, site)


@dataclass(frozen=True)
class Spoiled(Unconfined):
    """Starts a bot as it should, but with another function in the place of one of its process's methods."""

    method: str
    instead: Callable[[], object]

    def start(self, bot, limits, site):
        confined = super().start(bot, limits, site)
        setattr(confined, self.method, self.instead)
        return confined


class Mute(Unconfined):
    def unavailable(self):
        return "unavailable"


class Impossible(Unconfined):
    def unavailable(self):
        return "this machine has no bwrap"

    def start(self, bot, limits, site):
        raise AssertionError("an unavailable launcher is not tried")


def test_a_wrapper_that_does_it_right_passes():
    check_launcher(Wrapper('exec "$@"'))


def test_a_process_whose_end_nobody_can_watch_passes(monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    check_launcher(Unconfined())


def test_a_launcher_that_cannot_work_here_and_says_why_is_not_tried():
    check_launcher(Impossible())


IN_VAIN = ("cannot reach the referee", "output does not arrive", "the bot outlives its kill")
"""Complaints that come when the check has waited long enough."""
ENDS_ALIKE = "{ s=$?; [ $s -gt 128 ] && kill -$((s - 128)) $$; exit $s; }"
"""A shell's end by the status or the signal of what it ran."""


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Mute(), "does not tell a person why"),
        (Wrapper("exit 0"), "cannot reach the referee"),
        (Wrapper("exec $*"), "with something else"),
        (Wrapper('env -i "$@"'), "with something else"),
        (
            Wrapper('cp -r . "$HOME/../" 2>/dev/null; d=$(mktemp -d); cp script.py $d; cd $d; exec "$@"'),
            "with something else",
        ),
        (Wrapper(f'shift; echo no >&2; exec {sys.executable} -c "raise SystemExit(1)"'), "cannot reach the referee"),
        (Wrapper('"$@"; exit 0'), "exited with status 0', without 'status 7"),
        (Wrapper('"$@" || exit 1'), "exited with status 1', without 'status 7"),
        (Wrapper('exec "$@" >/dev/null'), "output does not arrive"),
        (Wrapper(f'setsid --wait "$@" || {ENDS_ALIKE}'), "the bot outlives its kill"),
        (Spoiled("kill", lambda: None), "the bot outlives its kill"),
        (Spoiled("explain_exit", lambda: "it is over"), "explained as 'it is over', without 'status 0'"),
    ],
    ids=lambda value: getattr(value, "script", type(value).__name__) if not isinstance(value, str) else "",
)
def test_a_broken_launcher_is_caught(monkeypatch, broken, complaint):
    if complaint in IN_VAIN:
        monkeypatch.setattr(arena.testing.launchers, "_PATIENCE_S", 1.5)
    with pytest.raises(AssertionError, match=complaint):
        check_launcher(broken)
