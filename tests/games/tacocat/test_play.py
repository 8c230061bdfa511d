"""Complete random matches under random rules: what must hold in every position, whatever is played."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.games.tacocat.state import State


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Possible rules, small ones more often: few ranks make ties, short boards make ends."""
    spaces = draw(st.sampled_from([3, 3, 5, 7, 9]))
    board = draw(st.lists(st.integers(2, draw(st.sampled_from([3, 6, 12]))), min_size=spaces, max_size=spaces))
    arrows = draw(st.lists(st.sampled_from([0, 1, "both"]), min_size=spaces, max_size=spaces))
    ranks = draw(st.lists(st.integers(1, 99) | st.integers(1, 12), min_size=1, max_size=14, unique=True))
    extra = draw(st.lists(st.integers(0, 3), min_size=len(ranks), max_size=len(ranks)))
    each = -(-4 * max(board) // len(ranks))
    deck = {rank: each + more for rank, more in zip(ranks, extra, strict=True)}
    tie = draw(st.sampled_from(["redeal", "arrow"]))
    return RuleSet(deck, tuple(board), tuple(arrows), tie, draw(st.sampled_from([1, 4, 30])))  # type: ignore[arg-type]


def random_action(game: Tacocat, state: State, seat: int, chance: random.Random) -> Any:
    legal = game.legal_actions(state, seat)
    if legal is not None:
        assert legal, "nobody may ever be stuck"
        action = chance.choice(legal)
    else:
        hand = state.hands[seat]
        action = tuple(sorted(chance.sample(hand, chance.randint(0, state.max_replace))))
    assert game.check_action(state, seat, list(action)) == action
    return action


def check_position(rules: RuleSet, state: State) -> None:
    cards = state.hands[0] + state.hands[1] + state.pile + state.discarded + state.attack
    assert tuple(sorted(cards)) == rules.cards, "no card may appear or be lost"
    for ascending in (*state.hands, state.discarded, state.attack, state.round.covered):
        assert ascending == tuple(sorted(ascending))
    assert state.round.space not in state.round.covered
    assert 1 <= state.round.number <= rules.max_rounds
    sizes = (len(state.hands[0]), len(state.hands[1]))
    if state.phase == "defend":
        defender = state.to_move[0]
        assert sizes[defender] == sizes[1 - defender] + len(state.attack)
    else:
        assert sizes[0] == sizes[1]
        assert not state.attack
    assert min(sizes) >= 1
    assert (state.phase == "over") == (not state.to_move)


class Watcher:
    """Follows a match by its events alone, as a bot with a memory does."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.covered: list[int] = []
        self.wins = 0

    def see(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "deal":
                self.round, self.space, size = event["round"], event["space"], event["cards"]
                assert size == self.rules.board[self.space - 1]
                self.cards = [size, size]
                self.discarded: Counter[int] = Counter()
                self.pile = sum(self.rules.deck.values()) - 2 * size
            case "replaced":
                self.discarded.update(event["cards"])
                self.pile -= len(event["cards"])
            case "duel":
                self.play(event["cards"][:1], event["cards"][1:])
            case "trick":
                assert event["defended"] == all(
                    mine >= theirs for mine, theirs in zip(event["answer"], event["attack"], strict=True)
                )
                self.play(event["attack"], event["answer"])
            case "showdown":
                assert self.cards == [1, 1]
            case "moved":
                assert event["from"] == self.space
                self.covered.append(self.space)
                self.space = event["to"]

    def play(self, first: list[int], second: list[int]) -> None:
        self.discarded.update([*first, *second])
        self.cards = [count - len(first) for count in self.cards]

    def check(self, seen: dict[str, Any]) -> None:
        """The public part of an observation; in `defend` the attacker has played, but no event tells yet."""
        played = len(seen.get("attack", ()))
        assert seen["round"] == self.round
        assert seen["space"] == self.space
        assert seen["covered"] == sorted(self.covered)
        assert seen["discarded"] == sorted(self.discarded.elements())
        assert seen["draw_pile"] == self.pile
        assert seen["opponent_cards"] == self.cards[0] - played
        assert len(seen["hand"]) == self.cards[0]


def play(rules: RuleSet, seed: bytes) -> State:
    """A random match with every check that holds at any time; gives the last position."""
    game, chance, watcher = Tacocat(rules), random.Random(seed), Watcher(rules)
    state, events = game.initial_state(seed)
    steps_max = rules.max_rounds * (3 + 3 * max(rules.board))
    steps = 0
    while True:
        check_position(rules, state)
        for event in events:
            watcher.see(event)
        for seat in game.seats_to_move(state):
            watcher.check(game.observation(state, seat))
        if game.outcome(state) is not None:
            assert not game.seats_to_move(state)
            return state
        actions = {seat: random_action(game, state, seat, chance) for seat in game.seats_to_move(state)}
        before = replace(state)
        after, events = game.apply(state, actions)
        assert state == before, "a position may never change"
        assert game.apply(state, actions) == (after, events)
        state = after
        steps += 1
        assert steps <= steps_max


@settings(derandomize=True, max_examples=120, deadline=None)
@given(rules=rule_sets(), seed=st.binary(min_size=32, max_size=32))
def test_matches_under_random_rules(rules, seed):
    last = play(rules, seed)
    assert last.round.space in (0, rules.far_goal) or last.round.number == rules.max_rounds


@settings(derandomize=True, max_examples=60, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32))
def test_matches_under_the_default_rules(seed):
    """On this board a goal means four rounds won, and seven rounds that are not tied are always enough."""
    last = play(RuleSet(), seed)
    winner = 0 if last.round.space == 0 else 1
    assert last.round.wins_needed[winner] == 0
    assert 1 <= last.round.wins_needed[1 - winner] <= 4
    assert len(last.round.covered) <= 7


def positions(seeds: int, rules: RuleSet) -> list[State]:
    """All positions of some random matches."""
    game, found = Tacocat(rules), []
    for number in range(seeds):
        chance = random.Random(number)
        state, _ = game.initial_state(number.to_bytes(32, "big"))
        while seats := game.seats_to_move(state):
            found.append(state)
            actions = {seat: random_action(game, state, seat, chance) for seat in seats}
            state, _ = game.apply(state, actions)
    return found


@pytest.mark.parametrize("rules", [RuleSet(), RuleSet({1: 9, 2: 9, 3: 9, 4: 9}, (9, 5, 9), ("both", 0, 1))])
def test_nothing_hidden_shows(rules):
    """Whatever the opponent and the pile hold, as long as their cards are the same together, a seat sees and may do the
    same; and nothing of the seed, which would tell all, shows either."""
    game, chance = Tacocat(rules), random.Random(9)
    different = 0
    for state in positions(12, rules):
        for seat in state.to_move:
            theirs = state.hands[1 - seat]
            hidden = [*theirs, *state.pile]
            chance.shuffle(hidden)
            other_hand, other_pile = tuple(sorted(hidden[: len(theirs)])), tuple(hidden[len(theirs) :])
            hands = (state.hands[0], other_hand) if seat == 0 else (other_hand, state.hands[1])
            other = replace(state, hands=hands, pile=other_pile, round=replace(state.round, seed=b"another"))
            different += other_hand != theirs
            assert game.observation(state, seat) == game.observation(other, seat)
            assert game.legal_actions(state, seat) == game.legal_actions(other, seat)
            assert game.forced_action(state, seat) == game.forced_action(other, seat)
    assert different > 300


def test_deals_depend_on_the_seed_and_the_round_alone():
    """However a match went before, the same round deals the same cards; the seed of zeros once more, many ways."""
    dealt: dict[tuple[int, int], tuple[object, ...]] = {}
    again = 0
    game = Tacocat()
    for way in range(30):
        chance = random.Random(way)
        state, _ = game.initial_state(bytes(32))
        while seats := game.seats_to_move(state):
            if state.phase == "replace" and not state.discarded:
                size = len(state.hands[0])
                cards = (state.hands, state.pile)
                key = (state.round.number, size)
                again += key in dealt
                assert dealt.setdefault(key, cards) == cards
            state, _ = game.apply(state, {seat: random_action(game, state, seat, chance) for seat in seats})
    assert again > 50
