"""Results and ratings to a ladder: the order of its rows, their numbers, and which neighbours are decided."""

from arena.ladder.leaderboard import build
from arena.model import Rating, Standing
from tests.ladder.by_hand import NOTHING, Found, ladder


def test_bots_are_ordered_by_group_then_elo_then_name():
    standings = [Standing(name, 1) for name in "abcdef"]
    board = ladder(*standings, elos=[1.0, 5.0, 5.0, 3.0, 9.0, 2.0], groups=[["f", "c", "b", "d"], ["a", "e"]])
    assert [row.bot for row in board.rows] == ["b", "c", "d", "f", "e", "a"]
    assert [row.rank for row in board.rows] == [1, 2, 3, 4, 5, 6]


def test_a_row_by_hand():
    row = ladder(Standing("ann", 5, 2, 1, {"crash": 1, "timeout": 2}, 3.14159), elos=[1234.56]).rows[0]
    assert (row.elo, row.error) == (1234.6, 5.0)
    assert (row.matches, row.wins, row.draws, row.losses) == (8, 5, 2, 1)
    assert row.score == 75.0  # (5 + 2/2) / 8
    assert row.faults == 3


def test_a_bot_without_a_match_has_a_row_without_claims():
    row = ladder(Standing("ann")).rows[0]
    assert (row.elo, row.score, row.median_ms) == (None, None, None)


def test_neighbours_are_decided_from_the_confidence_on():
    standings = {name: Standing(name, 1) for name in "abcd"}
    chances = {("a", "b"): 0.95, ("b", "c"): 0.949}
    found = Found({name: Rating(-ord(name), 1.0) for name in "abcd"}, ["abc", "d"], chances)
    board = build(standings, found, NOTHING, confidence=0.95, planned=0)
    assert [(each.upper, each.lower, each.chance, each.decided) for each in board.neighbours] == [
        ("a", "b", 0.95, True),
        ("b", "c", 0.949, False),
        ("c", "d", None, False),
    ]
