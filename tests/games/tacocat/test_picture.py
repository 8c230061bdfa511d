"""What viewers see of a position, actions by chance, and rules that are hard on a bot; against values by hand."""

import json
import random

import pytest

from arena.contracts import ProvidesVariants, SamplesActions
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.games.tacocat.state import State
from arena.model import Picture, Seat

SEED = bytes(32)
"""Deal 1 begins 10 11 1 10 3 9 5 (seat 0), 7 2 4 4 7 9 7 (seat 1), 8 5 2 11 4 6 (drawn next)."""
BOARD = [4, 6, 9, 7, 9, 6, 4]
ARROWS = [1, 1, 1, "both", 0, 0, 0]


def played(*steps: dict[Seat, tuple[int, ...]]) -> State:
    game = Tacocat()
    state, _ = game.initial_state(SEED)
    for actions in steps:
        state, _ = game.apply(state, actions)
    return state


REPLACED: dict[Seat, tuple[int, ...]] = {0: (9, 11), 1: (9,)}  # seat 0 draws 8 and 5, seat 1 draws 2
DUELLED: dict[Seat, tuple[int, ...]] = {0: (8,), 1: (7,)}
ATTACKED: dict[Seat, tuple[int, ...]] = {0: (10, 10)}


def test_a_first_position_by_hand():
    picture = Tacocat().picture(played())
    assert picture["public"] == {
        "phase": "replace",
        "round": 1,
        "board": BOARD,
        "arrows": ARROWS,
        "space": 4,
        "covered": [],
        "wins_needed": [4, 4],
        "to_move": [0, 1],
        "cards": [7, 7],
        "discarded": [],
        "attack": [],
        "draw_pile": 24,
    }
    assert picture["seats"] == [{"hand": [1, 3, 5, 9, 10, 10, 11]}, {"hand": [2, 4, 4, 7, 7, 7, 9]}]
    assert set(picture["hidden"]) == {"draws"}
    draws = picture["hidden"]["draws"]
    assert draws[:6] == [8, 5, 2, 11, 4, 6]
    dealt = [1, 3, 5, 9, 10, 10, 11, 2, 4, 4, 7, 7, 7, 9]
    deck = [rank for rank in range(1, 13) for _ in range(4 if rank in (6, 7) else 3)]
    assert sorted(draws + dealt) == deck


def test_an_attack_by_hand():
    picture = Tacocat().picture(played(REPLACED, DUELLED, ATTACKED))
    assert picture["public"] == {
        "phase": "defend",
        "round": 1,
        "board": BOARD,
        "arrows": ARROWS,
        "space": 4,
        "covered": [],
        "wins_needed": [4, 4],
        "to_move": [1],
        "cards": [4, 6],
        "discarded": [7, 8, 9, 9, 11],
        "attack": [10, 10],
        "draw_pile": 21,
    }
    assert picture["seats"] == [{"hand": [1, 3, 5, 5]}, {"hand": [2, 2, 4, 4, 7, 7]}]
    assert picture["hidden"]["draws"][:3] == [11, 4, 6]
    assert len(picture["hidden"]["draws"]) == 21


def test_the_board_after_a_round_by_hand():
    tricks: list[dict[Seat, tuple[int, ...]]] = [{1: (2, 2)}, {0: (5, 5)}, {1: (7, 7)}, {1: (4,)}, {0: (1,)}]
    public = Tacocat().picture(played(REPLACED, DUELLED, ATTACKED, *tricks))["public"]
    found = {key: public[key] for key in ("phase", "round", "space", "covered", "wins_needed", "to_move", "cards")}
    assert found == {
        "phase": "replace",
        "round": 2,
        "space": 3,
        "covered": [4],
        "wins_needed": [3, 4],
        "to_move": [1],
        "cards": [9, 9],
    }
    assert public["discarded"] == public["attack"] == []
    assert public["draw_pile"] == 20


def test_other_rules_are_shown():
    game = Tacocat(RuleSet({1: 10, 2: 10}, (2, 3, 2), (1, "both", 0)))
    public = game.picture(game.initial_state(SEED)[0])["public"]
    assert (public["board"], public["arrows"], public["space"]) == ([2, 3, 2], [1, "both", 0], 2)


def test_a_picture_is_a_copy():
    """Whoever changes it changes nothing else."""
    game = Tacocat()
    state = played(REPLACED)
    before = json.dumps(game.picture(state))
    spoiled: Picture = game.picture(state)
    for values in (*spoiled["public"].values(), *spoiled["seats"][0].values(), *spoiled["hidden"].values()):
        if isinstance(values, list):
            values.append("spoiled")
    assert json.dumps(game.picture(state)) == before


# --- actions by chance ---------------------------------------------------------------------------------------------


def sample(state: State, seat: Seat, times: int = 3000) -> set[tuple[int, ...]]:
    game, chance = Tacocat(), random.Random(1)
    found = {game.random_action(state, seat, chance) for _ in range(times)}
    assert all(game.check_action(state, seat, list(action)) == action for action in found)
    return found


@pytest.mark.parametrize(
    ("steps", "seat", "legal"),
    [
        ((REPLACED,), 0, {(1,), (3,), (5,), (8,), (10,)}),
        ((REPLACED, DUELLED), 0, {(1,), (3,), (5,), (10,), (5, 5), (10, 10)}),
        ((REPLACED, DUELLED, ATTACKED), 1, {(2, 2)}),  # the lowest two: no other two are as high
        ((REPLACED, DUELLED, {0: (5, 5)}), 1, {(2, 2), (2, 7), (7, 7)}),
    ],
)
def test_every_legal_action_comes_by_chance(steps, seat, legal):
    state = played(*steps)
    assert set(Tacocat().legal_actions(state, seat) or ()) == legal
    assert sample(state, seat) == legal


def test_any_cards_are_replaced_by_chance():
    """All 48 sets of the hand 2 4 4 7 7 7 9: with or without 2 and 9, up to two of 4, up to three of 7."""
    found = sample(played(), 1)
    expected = {
        (2,) * twos + (4,) * fours + (7,) * sevens + (9,) * nines
        for twos in range(2)
        for fours in range(3)
        for sevens in range(4)
        for nines in range(2)
    }
    assert len(expected) == 48
    assert found == expected


def test_no_more_are_replaced_than_may_be():
    game = Tacocat(RuleSet({1: 10, 2: 10}, (2, 3, 2), (1, 1, 0)))
    state, _ = game.initial_state(SEED)
    state, _ = game.apply(state, {1: state.hands[1][:1]})
    chance = random.Random(0)
    found = {len(game.random_action(state, 0, chance)) for _ in range(200)}
    assert found == set(range(game.observation(state, 0)["max_replace"] + 1))


def test_all_chance_of_an_action_comes_from_what_is_given():
    game, state = Tacocat(), played()
    found = [[game.random_action(state, 0, chance) for _ in range(50)] for chance in map(random.Random, (7, 7, 8))]
    assert found[0] == found[1] != found[2]


# --- rules that are hard on a bot ----------------------------------------------------------------------------------


def test_tacocat_offers_what_checks_ask_of_a_game():
    assert isinstance(Tacocat(), SamplesActions)
    assert isinstance(Tacocat(), ProvidesVariants)


def test_variants_are_games_of_their_own_that_their_rules_describe():
    variants = Tacocat().variants()
    rules = [json.dumps(game.public_rules()) for game in variants]
    assert len({*rules, json.dumps(Tacocat().public_rules())}) == len(variants) + 1
    for game, text in zip(variants, rules, strict=True):
        assert Tacocat.from_public_rules(json.loads(text)) == game


def test_variants_reach_what_the_usual_rules_do_not():
    largest, *one_rank = Tacocat().variants()
    state, _ = largest.initial_state(SEED)
    assert [len(hand) for hand in state.hands] == [12, 12]
    assert max(largest.rules.deck) == 99
    assert [game.rules.deck for game in one_rank] == [{99: 8}, {99: 8}]
    assert [game.seats_to_move(game.initial_state(SEED)[0]) for game in one_rank] == [(0,), (1,)]


@pytest.mark.parametrize("number", range(3))
def test_a_variant_is_played_to_its_end_by_chance(number):
    game, chance = Tacocat().variants()[number], random.Random(number)
    state, told = game.initial_state(SEED)
    events = len(told)
    while seats := game.seats_to_move(state):
        state, told = game.apply(state, {seat: game.random_action(state, seat, chance) for seat in seats})
        events += len(told)
    assert game.outcome(state) is not None
    assert events > 1000 or number == 0, "very many events"
