"""What a terminal shows while a tournament runs."""

import io

import pytest
from rich.console import Console, Group
from rich.text import Text
from wcwidth import wcswidth

from arena.cli.progress import standings_text
from arena.config.entrants import NAME_MAX
from arena.ladder.leaderboard import Leaderboard
from arena.ladder.rendering import render
from arena.model import Standing
from tests.ladder.by_hand import ladder


def on_a_terminal(shown: Text, width: int) -> list[str]:
    """The lines of a terminal, without colours."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(Group(shown))  # as a live display has it; alone, `print` would wrap it
    return captured.get().splitlines()


def ladder_of(*names: str) -> Leaderboard:
    return ladder(*(Standing(name, 12, 3, 45, {"timeout": 6}, 7.8) for name in names))


@pytest.mark.parametrize("name", ["x" * (NAME_MAX - 1), "牌" * NAME_MAX, "ann"])
def test_the_live_ladder_has_all_columns_of_the_printed_one_whatever_the_names(name):
    board = ladder_of(name, "bob")
    lines = on_a_terminal(standings_text(board, 80), 80)
    assert lines == render(board, "table").split("\n\n")[0].splitlines()
    assert lines[2].split()[-1] == "7.8"


def test_a_wide_terminal_shows_more_of_a_name_and_a_narrow_one_no_line_twice():
    board = ladder_of("x" * 60, "bob")
    assert "x" * 60 in on_a_terminal(standings_text(board, 140), 140)[2]
    narrow = on_a_terminal(standings_text(board, 50), 50)
    assert len(narrow) == 4
    assert max(map(wcswidth, narrow)) <= 50
    assert "xxx…" in narrow[2]


def test_of_many_bots_the_best_are_shown_and_the_others_counted():
    board = ladder_of(*(f"bot-{number:02}" for number in range(23)))
    lines = on_a_terminal(standings_text(board, 80), 80)
    assert [line.split()[1] for line in lines[2:22]] == [f"bot-{number:02}" for number in range(20)]
    assert lines[22:] == ["… and 3 more"]
