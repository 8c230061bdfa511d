"""The course of the game, on positions worked out by hand."""

import pytest

from arena.games.tacocat import Tacocat
from arena.games.tacocat.legality import Cards
from arena.games.tacocat.rules import RuleSet
from arena.games.tacocat.state import BOTH, Round, State, wins_needed
from arena.model import Outcome, Seat

SEED = bytes(32)


def position(
    phase: str,
    hands: tuple[Cards, Cards],
    *,
    to_move: tuple[Seat, ...] = BOTH,
    attack: Cards = (),
    space: int = 4,
    covered: tuple[int, ...] = (),
    number: int = 1,
) -> State:
    """A position on the default board, with only the cards that matter."""
    place = Round(SEED, number, space, covered, wins_needed(7, space, covered))
    return State(phase, to_move, hands, (), (), attack, 0, place)


def test_a_round_by_hand():
    """The seed of zeros: seat 0 gets 10 11 1 10 3 9 5, seat 1 gets 7 2 4 4 7 9 7, the pile begins with 8 5 2 11 4 6."""
    game = Tacocat()
    state, events = game.initial_state(SEED)
    assert state.hands == ((1, 3, 5, 9, 10, 10, 11), (2, 4, 4, 7, 7, 7, 9))
    script: list[tuple[str, dict[Seat, Cards]]] = [
        ("replace", {0: (9, 11), 1: (9,)}),  # seat 0 draws 8 and 5, seat 1 draws 2
        ("duel", {0: (8,), 1: (7,)}),
        ("attack", {0: (10, 10)}),
        ("defend", {1: (2, 2)}),
        ("attack", {0: (5, 5)}),
        ("defend", {1: (7, 7)}),
        ("attack", {1: (4,)}),
        ("defend", {0: (1,)}),
    ]
    told = list(events)
    for phase, actions in script:
        assert (game.phase(state), game.seats_to_move(state)) == (phase, tuple(actions))
        for seat, action in actions.items():
            assert game.check_action(state, seat, list(action)) == action
        state, events = game.apply(state, actions)
        told += events
    assert told == [
        {"event": "deal", "round": 1, "space": 4, "cards": 7},
        {"event": "replaced", "seat": 0, "cards": [9, 11]},
        {"event": "replaced", "seat": 1, "cards": [9]},
        {"event": "duel", "cards": [8, 7]},
        {"event": "trick", "attacker": 0, "attack": [10, 10], "answer": [2, 2], "defended": False},
        {"event": "trick", "attacker": 0, "attack": [5, 5], "answer": [7, 7], "defended": True},
        {"event": "trick", "attacker": 1, "attack": [4], "answer": [1], "defended": False},
        {"event": "showdown", "cards": [3, 4], "winner": 0},
        {"event": "moved", "from": 4, "to": 3},
        {"event": "deal", "round": 2, "space": 3, "cards": 9},
    ]
    assert [next(iter(event)) for event in told] == ["event"] * len(told)
    assert state.hands[0] == (1, 1, 2, 4, 5, 7, 8, 11, 12), "the second deal begins 5 12 11 1 1 2 4 8 7"
    assert (state.round.covered, state.to_move, state.max_replace) == ((4,), (1,), 9)


def test_observations_hold_exactly_what_the_wire_specification_lists():
    game = Tacocat()
    state, _ = game.initial_state(SEED)
    common = {"round": 1, "space": 4, "covered": [], "wins_needed": [4, 4]}
    assert game.observation(state, 1) == {
        "phase": "replace",
        **common,
        "hand": [2, 4, 4, 7, 7, 7, 9],
        "opponent_cards": 7,
        "discarded": [],
        "draw_pile": 24,
        "max_replace": 7,
    }
    state, _ = game.apply(state, {0: (9, 11), 1: (9,)})
    after_replacing = {"discarded": [9, 9, 11], "draw_pile": 21}
    hand = [1, 3, 5, 5, 8, 10, 10]
    assert game.observation(state, 0) == {
        "phase": "duel",
        **common,
        "hand": hand,
        "opponent_cards": 7,
        **after_replacing,
    }
    state, _ = game.apply(state, {0: (8,), 1: (7,)})
    after_duel = {"discarded": [7, 8, 9, 9, 11], "draw_pile": 21}
    hand = [1, 3, 5, 5, 10, 10]
    assert game.observation(state, 0) == {"phase": "attack", **common, "hand": hand, "opponent_cards": 6, **after_duel}
    state, _ = game.apply(state, {0: (10, 10)})
    hand = [2, 2, 4, 4, 7, 7]
    assert game.observation(state, 1) == {
        "phase": "defend",
        **common,
        "hand": hand,
        "opponent_cards": 4,
        **after_duel,
        "attack": [10, 10],
    }


def test_one_arrow_lets_the_other_replace_no_more():
    game = Tacocat(RuleSet({1: 10, 2: 10}, (2, 3, 2), (1, 1, 0)))
    state, _ = game.initial_state(SEED)
    assert (game.seats_to_move(state), game.observation(state, 1)["max_replace"]) == ((1,), 3)
    state, events = game.apply(state, {1: state.hands[1][:2]})
    assert events == ({"event": "replaced", "seat": 1, "cards": list(state.discarded)},)
    assert (game.phase(state), game.seats_to_move(state)) == ("replace", (0,))
    assert game.observation(state, 0)["max_replace"] == 2
    assert game.forced_action(state, 0) is None
    state, events = game.apply(state, {0: ()})
    assert events == ({"event": "replaced", "seat": 0, "cards": []},)
    assert (game.phase(state), game.seats_to_move(state)) == ("duel", (0, 1))


def test_who_may_replace_nothing_is_forced():
    game = Tacocat(RuleSet({1: 10, 2: 10}, (2, 3, 2), (1, 0, 0)))
    state, _ = game.apply(game.initial_state(SEED)[0], {0: ()})
    assert game.seats_to_move(state) == (1,)
    assert game.forced_action(state, 1) == ()
    assert game.observation(state, 1)["max_replace"] == 0


def test_seat_0_draws_first_on_two_arrows():
    game = Tacocat()
    state, _ = game.initial_state(SEED)
    after, events = game.apply(state, {1: state.hands[1], 0: (1, 3)})
    assert after.hands == ((5, 5, 8, 9, 10, 10, 11), tuple(sorted(state.pile[2:9])))
    assert after.pile == state.pile[9:]
    assert [event["seat"] for event in events] == [0, 1]


def test_a_tied_duel_is_repeated_with_what_is_left():
    game = Tacocat()
    state, events = game.apply(position("duel", ((1, 4, 6), (2, 4, 9))), {0: (4,), 1: (4,)})
    assert events == ({"event": "duel", "cards": [4, 4]},)
    assert (state.phase, state.to_move, state.hands, state.discarded) == ("duel", BOTH, ((1, 6), (2, 9)), (4, 4))
    state, events = game.apply(state, {0: (6,), 1: (9,)})
    assert [event["event"] for event in events] == ["duel", "showdown", "moved", "deal"]
    assert events[1] == {"event": "showdown", "cards": [1, 2], "winner": 0}


def test_a_tie_that_leaves_single_cards_goes_to_the_showdown():
    _, events = Tacocat().apply(position("duel", ((1, 4), (2, 4))), {0: (4,), 1: (4,)})
    assert events[:2] == (
        {"event": "duel", "cards": [4, 4]},
        {"event": "showdown", "cards": [1, 2], "winner": 0},
    )


@pytest.mark.parametrize(("cards", "attacker"), [((9, 4), 0), ((4, 9), 1)])
def test_the_higher_card_attacks_first(cards, attacker):
    hands = (tuple(sorted((1, 2, cards[0]))), tuple(sorted((1, 2, cards[1]))))
    state, _ = Tacocat().apply(position("duel", hands), {0: (cards[0],), 1: (cards[1],)})
    assert (state.phase, state.to_move) == ("attack", (attacker,))


@pytest.mark.parametrize(
    ("answer", "defended", "attacker"), [((6, 7), True, 1), ((1, 7), False, 0), ((1, 6), False, 0)]
)
def test_who_attacks_after_a_trick(answer, defended, attacker):
    state = position("defend", ((2, 3), (1, 6, 7, 8)), to_move=(1,), attack=(6, 6))
    state, (event,) = Tacocat().apply(state, {1: answer})
    assert event == {"event": "trick", "attacker": 0, "attack": [6, 6], "answer": list(answer), "defended": defended}
    assert (state.phase, state.to_move) == ("attack", (attacker,))


def end_round(game: Tacocat, cards, **place):
    """Play the last duel of a round, after which each seat holds one of the cards."""
    hands = (tuple(sorted((cards[0], 50))), tuple(sorted((cards[1], 60))))
    state, events = game.apply(position("duel", hands, **place), {0: (50,), 1: (60,)})
    return state, [event for event in events if event["event"] != "duel"]


@pytest.mark.parametrize(
    ("cards", "space", "covered", "to"),
    [
        ((1, 2), 4, (), 3),
        ((2, 1), 4, (), 5),
        ((2, 1), 3, (4,), 5),
        ((1, 2), 6, (4, 5), 3),
        ((2, 1), 2, (3, 4, 5, 6), 7),
        ((1, 2), 1, (2, 3, 4), 0),
        ((2, 1), 1, (2, 3, 4, 5, 6, 7), 8),
    ],
)
def test_the_tacocat_jumps_over_covered_spaces(cards, space, covered, to):
    state, events = end_round(Tacocat(), cards, space=space, covered=covered, number=5)
    assert events[1] == {"event": "moved", "from": space, "to": to}
    assert state.round.space == to
    assert state.round.covered == tuple(sorted((*covered, space)))


@pytest.mark.parametrize(
    ("space", "covered", "expected"),
    [
        (4, (), (4, 4)),
        (3, (4,), (3, 4)),
        (5, (3, 4), (3, 3)),
        (2, (3, 4, 5, 6), (2, 2)),
        (1, (2, 3, 4), (1, 4)),
        (7, (1, 2, 3, 4, 5, 6), (1, 1)),
        (0, (1, 2, 3, 4), (0, 4)),
        (8, (4, 5, 6, 7), (4, 0)),
    ],
)
def test_wins_needed(space, covered, expected):
    assert wins_needed(7, space, covered) == expected


def test_a_goal_ends_the_match():
    game = Tacocat()
    state, events = end_round(game, (3, 9), space=1, covered=(2, 3, 4), number=6)
    assert [event["event"] for event in events] == ["showdown", "moved"]
    assert (game.seats_to_move(state), game.phase(state)) == ((), "over")
    assert game.outcome(state) == Outcome(0, "goal", "The Tacocat reached the goal of seat 0 in round 6.")
    state, _ = end_round(game, (9, 3), space=7, covered=(4, 5, 6), number=4)
    assert game.outcome(state) == Outcome(1, "goal", "The Tacocat reached the goal of seat 1 in round 4.")


def test_a_tied_round_is_dealt_again():
    game = Tacocat()
    state, events = end_round(game, (7, 7), space=3, covered=(4,), number=2)
    assert events == [
        {"event": "showdown", "cards": [7, 7], "winner": None},
        {"event": "deal", "round": 3, "space": 3, "cards": 9},
    ]
    assert (state.round.space, state.round.covered) == (3, (4,))
    assert game.outcome(state) is None


def test_the_arrow_may_decide_a_tied_round():
    game = Tacocat(RuleSet(round_tie="arrow"))
    _, events = end_round(game, (7, 7), space=3, covered=(4,), number=2)
    assert events[:2] == [
        {"event": "showdown", "cards": [7, 7], "winner": 1},
        {"event": "moved", "from": 3, "to": 5},
    ]
    _, events = end_round(game, (7, 7), space=5, covered=(4,), number=2)
    assert events[0] == {"event": "showdown", "cards": [7, 7], "winner": 0}
    state, events = end_round(game, (7, 7), space=4)
    assert events[0] == {"event": "showdown", "cards": [7, 7], "winner": None}
    assert state.round.space == 4, "two arrows decide nothing"


@pytest.mark.parametrize(("cards", "space"), [((7, 7), 4), ((1, 2), 3)])
def test_the_last_round_allowed_ends_in_a_draw(cards, space):
    game = Tacocat(RuleSet(max_rounds=3))
    state, _ = end_round(game, cards, number=2)
    assert game.outcome(state) is None
    state, events = end_round(game, cards, number=3)
    assert (state.phase, state.round.space) == ("over", space)
    assert events[-1]["event"] in ("showdown", "moved")
    detail = "Nobody had reached a goal after 3 rounds, the most allowed."
    assert game.outcome(state) == Outcome(None, "max_rounds", detail)


def test_a_goal_in_the_last_round_allowed_wins():
    game = Tacocat(RuleSet(max_rounds=6))
    state, _ = end_round(game, (3, 9), space=1, covered=(2, 3, 4), number=6)
    assert game.outcome(state) == Outcome(0, "goal", "The Tacocat reached the goal of seat 0 in round 6.")


def test_a_deck_of_one_rank_is_a_draw():
    """All rounds are tied, and nearly all decisions forced."""
    game = Tacocat(RuleSet({5: 38}, max_rounds=4))
    state, _ = game.initial_state(SEED)
    while seats := game.seats_to_move(state):
        forced = {seat: game.forced_action(state, seat) for seat in seats}
        state, _ = game.apply(state, {seat: () if action is None else action for seat, action in forced.items()})
        assert all(action is not None for action in forced.values()) or state.discarded == ()
    assert game.outcome(state) == Outcome(
        None, "max_rounds", "Nobody had reached a goal after 4 rounds, the most allowed."
    )


def test_the_wrong_seats_to_move_are_a_bug():
    game = Tacocat()
    state, _ = game.initial_state(SEED)
    with pytest.raises(AssertionError, match="are to move"):
        game.apply(state, {0: ()})
    with pytest.raises(AssertionError, match="32 bytes"):
        game.initial_state(b"short")
