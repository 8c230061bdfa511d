"""Which rules are possible, and what is said about those that are not."""

import json
import pickle
import re

import pytest

from arena.errors import SettingsError
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet


def problems(**settings: object) -> list[tuple[str, str]]:
    with pytest.raises(SettingsError) as raised:
        RuleSet(**settings)  # type: ignore[arg-type]
    return list(raised.value.problems)


def test_defaults():
    rules = RuleSet()
    assert rules.deck == {1: 3, 2: 3, 3: 3, 4: 3, 5: 3, 6: 4, 7: 4, 8: 3, 9: 3, 10: 3, 11: 3, 12: 3}
    assert len(rules.cards) == 38
    assert [13 - card for card in reversed(rules.cards)] == list(rules.cards), "the deck reads the same from both ends"
    assert rules.board == (4, 6, 9, 7, 9, 6, 4)
    assert rules.arrows == (1, 1, 1, "both", 0, 0, 0)
    assert (rules.start, rules.far_goal) == (4, 8)
    assert (rules.round_tie, rules.max_rounds) == ("redeal", 100)


def test_public_rules_are_those_of_the_replay_format():
    assert Tacocat().public_rules() == {
        "deck": {"1": 3, "2": 3, "3": 3, "4": 3, "5": 3, "6": 4, "7": 4, "8": 3, "9": 3, "10": 3, "11": 3, "12": 3},
        "board": [4, 6, 9, 7, 9, 6, 4],
        "arrows": [1, 1, 1, "both", 0, 0, 0],
        "round_tie": "redeal",
        "max_rounds": 100,
    }


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet(),
        RuleSet(
            deck={30: 5, 2: 6, 9: 0, 99: 1}, board=(2, 3, 2), arrows=(0, "both", 1), round_tie="arrow", max_rounds=7
        ),
    ],
)
def test_rules_survive_a_trip_through_json(rules):
    told = json.loads(json.dumps(Tacocat(rules).public_rules()))
    again = Tacocat.from_public_rules(told)
    assert again == Tacocat(rules)
    assert again.public_rules() == told
    assert hash(again.rules) == hash(rules)
    assert pickle.loads(pickle.dumps(again)) == again


def test_lists_and_deck_are_taken_over_not_shared():
    deck, board, arrows = {1: 6, 2: 6}, [3, 3, 3], [0, "both", 1]
    rules = RuleSet(deck, board, arrows)  # type: ignore[arg-type]
    deck[1], board[0], arrows[0] = 0, 99, 5
    assert (rules.deck, rules.board, rules.arrows) == ({1: 6, 2: 6}, (3, 3, 3), (0, "both", 1))


def test_ranks_without_copies_and_the_order_of_ranks_make_no_difference():
    rules = RuleSet({5: 0, 2: 6, 1: 6}, (3, 3, 3), ("both", "both", "both"))
    assert rules.cards == (1,) * 6 + (2,) * 6
    assert rules == RuleSet({"1": 6, "2": 6}, (3, 3, 3), ("both", "both", "both"))  # type: ignore[dict-item]
    assert list(rules.deck) == [1, 2]


def test_every_setting_is_described_in_one_line():
    described = dict(re.findall(r"^ *(\w+): (.+)$", RuleSet.__doc__ or "", re.MULTILINE))
    assert list(described) == ["deck", "board", "arrows", "round_tie", "max_rounds"]


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"deck": [1, 2]}, "deck", "must map each rank to its number of copies, like {1: 3, 2: 3}, not [1, 2]"),
        ({"deck": {0: 48}}, "deck", "a rank must be a whole number from 1 to 99, not 0"),
        ({"deck": {100: 48}}, "deck", "a rank must be a whole number from 1 to 99, not 100"),
        ({"deck": {True: 48}}, "deck", "a rank must be a whole number from 1 to 99, not True"),
        ({"deck": {"01": 48}}, "deck", "a rank must be a whole number from 1 to 99, not '01'"),
        ({"deck": {"\u0663": 48}}, "deck", "a rank must be a whole number from 1 to 99, not '\u0663'"),
        ({"deck": {3: 48, "3": 1}}, "deck", "rank 3 is there twice, as a number and as text: give it once"),
        ({"deck": {3: -1}}, "deck", "the copies of rank 3 must be a whole number from 0 to 256, not -1"),
        ({"deck": {3: True}}, "deck", "the copies of rank 3 must be a whole number from 0 to 256, not True"),
        ({"deck": {3: 40.0}}, "deck", "the copies of rank 3 must be a whole number from 0 to 256, not 40.0"),
        ({"deck": {3: 200, 4: 57}}, "deck", "has 257 cards, but at most 256 can be shuffled: take 1 out"),
        (
            {"deck": {1: 20, 2: 15}},
            "deck",
            "has 35 cards, but a hand of 9 needs 36, as both players may replace all they hold (4 x 9): "
            "add 1 more, or deal at most 8 cards on a space",
        ),
        (
            {"deck": {}},
            "deck",
            "has 0 cards, but a hand of 9 needs 36, as both players may replace all they hold (4 x 9): add 36 more",
        ),
        ({"board": "7777777"}, "board", "must be a list of hand sizes, like [4, 6, 9, 7, 9, 6, 4], not '7777777'"),
        (
            {"board": [7] * 4, "arrows": [0] * 4},
            "board",
            "the number of spaces must be odd, from 3 to 99, "
            "so that there is a centre and a side for each player; here it is 4",
        ),
        (
            {"board": [7], "arrows": [0]},
            "board",
            "the number of spaces must be odd, from 3 to 99, "
            "so that there is a centre and a side for each player; here it is 1",
        ),
        (
            {"board": [4, 6, 9, 1, 9, 6, 4]},
            "board",
            "space 4 deals 1 cards; a hand must be a whole number from 2 to 12",
        ),
        (
            {"board": [13, 6, 9, 7, 9, 6, 4]},
            "board",
            "space 1 deals 13 cards; a hand must be a whole number from 2 to 12",
        ),
        (
            {"board": [4, 6, 9, 7, 9, 6, True]},
            "board",
            "space 7 deals True cards; a hand must be a whole number from 2 to 12",
        ),
        ({"arrows": "both"}, "arrows", "must be a list with 0, 1 or both for each space, not 'both'"),
        ({"arrows": [0, 1]}, "arrows", "has 2 entries for a board of 7 spaces: give one for each space"),
        ({"arrows": [1, 1, 1, "all", 0, 0, 0]}, "arrows", "space 4 has 'all'; an arrow must be 0, 1 or both"),
        ({"arrows": [1, 1, True, "both", 0, 0, 0]}, "arrows", "space 3 has True; an arrow must be 0, 1 or both"),
        ({"arrows": [1, 1, 2, "both", 0, 0, 0]}, "arrows", "space 3 has 2; an arrow must be 0, 1 or both"),
        ({"round_tie": "coin"}, "round_tie", "must be redeal or arrow, not 'coin'"),
        ({"max_rounds": 0}, "max_rounds", "must be a whole number from 1 to 10000, not 0"),
        ({"max_rounds": True}, "max_rounds", "must be a whole number from 1 to 10000, not True"),
        ({"max_rounds": "many"}, "max_rounds", "must be a whole number from 1 to 10000, not 'many'"),
    ],
)
def test_what_is_wrong_with_one_setting(settings, field, message):
    assert problems(**settings) == [(field, message)]


def test_all_problems_are_told_at_once():
    found = problems(deck={0: 1, 3: -1}, board=[1, 2], arrows=["up"], round_tie=None, max_rounds=-1)
    assert [field for field, _ in found] == [
        "deck", "deck", "board", "board", "arrows", "arrows", "round_tie", "max_rounds"
    ]  # fmt: skip


def test_the_smallest_and_the_largest_game_are_possible():
    RuleSet({1: 8}, (2, 2, 2), (0, 1, "both"))
    RuleSet(dict.fromkeys(range(1, 99), 2) | {99: 60}, (12,) * 99, ("both",) * 99, "arrow", 10_000)
