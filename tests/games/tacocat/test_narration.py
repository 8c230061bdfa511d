"""What people read of a match."""

import pytest

from arena.games.tacocat import Tacocat
from arena.games.tacocat.narration import draw_board

NAMES = ("Ann", "Bob")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            {"event": "deal", "round": 2, "space": 3, "cards": 9},
            "Round 2: the Tacocat is on space 3, each player gets 9 cards.",
        ),
        ({"event": "replaced", "seat": 1, "cards": [4, 9]}, "Bob replaces 4 9."),
        ({"event": "replaced", "seat": 0, "cards": []}, "Ann keeps every card."),
        ({"event": "duel", "cards": [8, 7]}, "Duel: Ann plays 8, Bob plays 7; Ann is higher."),
        ({"event": "duel", "cards": [2, 7]}, "Duel: Ann plays 2, Bob plays 7; Bob is higher."),
        ({"event": "duel", "cards": [7, 7]}, "Duel: both play 7, a tie."),
        (
            {"event": "trick", "attacker": 0, "attack": [5, 5], "answer": [7, 7], "defended": True},
            "Ann attacks with 5 5; Bob defends with 7 7.",
        ),
        (
            {"event": "trick", "attacker": 1, "attack": [5, 6, 7], "answer": [1, 2, 7], "defended": False},
            "Bob attacks with 5 6 7; Ann sacrifices, playing 1 2 7.",
        ),
        (
            {"event": "showdown", "cards": [3, 4], "winner": 0},
            "Showdown: Ann holds 3, Bob holds 4; Ann wins the round.",
        ),
        ({"event": "showdown", "cards": [4, 4], "winner": None}, "Showdown: both hold 4; the round is tied."),
        (
            {"event": "showdown", "cards": [4, 4], "winner": 1},
            "Showdown: both hold 4; the arrow gives the round to Bob.",
        ),
        ({"event": "moved", "from": 4, "to": 3}, "The Tacocat moves from space 4 to 3."),
        ({"event": "moved", "from": 1, "to": 0}, "The Tacocat moves from space 1 into the goal of Ann."),
        ({"event": "moved", "from": 5, "to": 8}, "The Tacocat moves from space 5 into the goal of Bob."),
    ],
)
def test_one_line_for_each_event(event, line):
    assert Tacocat().narrate(event, NAMES) == line


def test_unknown_events_are_refused():
    with pytest.raises(ValueError, match="Tacocat has no event 'castled'"):
        Tacocat().narrate({"event": "castled"}, NAMES)


@pytest.mark.parametrize(
    ("space", "covered", "line"),
    [
        (4, (), "goal 0 | 4   6   9  [7]  9   6   4  | goal 1"),
        (3, (4,), "goal 0 | 4   6  [9]  ##  9   6   4  | goal 1"),
        (0, (1, 2, 3, 4), "[goal 0] | ##  ##  ##  ##  9   6   4  | goal 1"),
        (8, (4, 5, 6, 7), "goal 0 | 4   6   9   ##  ##  ##  ## | [goal 1]"),
    ],
)
def test_board_in_one_line(space, covered, line):
    assert draw_board(space, covered, (4, 6, 9, 7, 9, 6, 4)) == line


def test_board_with_hands_of_two_digits():
    assert draw_board(2, (), (12, 10, 12)) == "goal 0 | 12 [10] 12 | goal 1"
