"""What is accepted, what is refused, and with which words."""

import random
import sys
from itertools import combinations

import pytest

from arena.errors import IllegalAction
from arena.games.tacocat import Tacocat
from arena.games.tacocat.legality import legal_attacks
from arena.games.tacocat.state import BOTH, Round, State

GAME = Tacocat()
ROUND = Round(bytes(32), 1, 4, (), (4, 4))


def position(phase: str, hand: list[int], *, attack: tuple[int, ...] = (), max_replace: int = 0) -> State:
    """A decision of seat 1 with this hand."""
    cards = tuple(sorted(hand))
    to_move = BOTH if phase == "duel" else (1,)
    return State(phase, to_move, ((1,) * (len(cards) - len(attack)), cards), (), (), attack, max_replace, ROUND)


def reason(state: State, raw: object) -> str:
    with pytest.raises(IllegalAction) as raised:
        GAME.check_action(state, 1, raw)
    text = str(raised.value)
    assert 0 < len(text) < 300
    assert text.isprintable()
    return text


REPLACE = position("replace", [1, 4, 4], max_replace=2)
DUEL = position("duel", [1, 4, 4])
ATTACK = position("attack", [1, 4, 4, 6])
DEFEND = position("defend", [1, 4, 9, 9], attack=(5, 5))


@pytest.mark.parametrize(
    ("state", "raw", "text"),
    [
        (DUEL, None, "an action is a list of ranks, like [1], not null"),
        (DUEL, 4, "an action is a list of ranks, like [1], not a number"),
        (DUEL, "4", "an action is a list of ranks, like [1], not a string"),
        (DUEL, b"4", "an action is a list of ranks, like [1], not binary data"),
        (DUEL, {"action": [4]}, "an action is a list of ranks, like [1], not a map"),
        (DUEL, {4}, "an action is a list of ranks, like [1], not something else"),
        (DUEL, [True], "an action is a list of ranks, which are integers, and one of yours is a boolean"),
        (DUEL, [4.0], "an action is a list of ranks, which are integers, and one of yours is a float"),
        (DUEL, [[4]], "an action is a list of ranks, which are integers, and one of yours is a list"),
        (DUEL, [4, 4, 4, 4], "you played 4 cards but hold 3: [1, 4, 4]"),
        (DUEL, [9], "you played 9 but hold [1, 4, 4]"),
        (DUEL, [-4], "you played -4 but hold [1, 4, 4]"),
        (DUEL, [4, 1, 1], "you played 2 cards of rank 1 but hold [1, 4, 4]"),
        (DUEL, [10**5000], "you played a huge number but hold [1, 4, 4]"),
        (DUEL, [], "a duel takes exactly one card, not 0"),
        (DUEL, [1, 4], "a duel takes exactly one card, not 2"),
        (REPLACE, [1, 4, 4], "you may replace at most 2 cards, not 3"),
        (REPLACE, [9], "you played 9 but hold [1, 4, 4]"),
        (position("replace", [1, 4, 4], max_replace=1), [1, 4], "you may replace at most 1 card, not 2"),
        (ATTACK, [], "an attack takes at least one card"),
        (ATTACK, [1, 4, 4, 6], "an attack must leave one card in your hand, and you played all 4"),
        (
            ATTACK,
            [6, 4],
            "[4, 6] is no attack: play one card, a set (cards of one rank) "
            "or a sequence (three or more cards of consecutive ranks)",
        ),
        (DEFEND, [9], "an attack of 2 cards is answered with as many, not 1"),
        (position("defend", [1, 4], attack=(5,)), [1, 4], "an attack of 1 card is answered with as many, not 2"),
        (
            DEFEND,
            [9, 4],
            "[4, 9] is no answer to [5, 5]: for each attacking card play one of equal or higher rank "
            "or the lowest you then hold; [1, 4] is always legal",
        ),
    ],
)
def test_reasons(state, raw, text):
    assert reason(state, raw) == text


@pytest.mark.parametrize(
    ("state", "raw", "action"),
    [
        (REPLACE, [], ()),
        (REPLACE, [4, 1], (1, 4)),
        (REPLACE, [4, 4], (4, 4)),
        (DUEL, (4,), (4,)),
        (ATTACK, [4, 4], (4, 4)),
        (DEFEND, [9, 1], (1, 9)),
    ],
)
def test_normal_form(state, raw, action):
    found = GAME.check_action(state, 1, raw)
    assert found == action
    assert type(found) is tuple


class Hostile(list[int]):
    """A list whose own methods must never be asked."""

    def __len__(self):
        raise RuntimeError

    def __iter__(self):
        raise RuntimeError

    def __repr__(self):
        raise RuntimeError

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


def test_no_answer_can_break_the_check():
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(10 * sys.getrecursionlimit()):
        deep = [deep]
    shapes = [endless, deep, [deep], Hostile(), [Hostile()], range(3), iter([4]), object(), Hostile, float("nan")]
    for state in (REPLACE, DUEL, ATTACK, DEFEND):
        for raw in [*shapes, list(range(100_000)), ["x" * 100_000], "x" * 100_000, [-(10**5000)], [2**64], [0]]:
            reason(state, raw)


def test_the_longest_reasons_stay_short():
    hand = list(range(89, 100))
    reason(position("replace", hand, max_replace=9), hand[:10])
    reason(position("attack", hand), hand[:9] + hand[10:])
    reason(position("defend", hand, attack=(99,) * 10), hand[1:])
    reason(position("defend", hand, attack=(99,) * 10), [-(10**8)] * 10)
    reason(position("replace", [99] * 12, max_replace=12), [98] * 12)


def test_the_list_of_legal_actions_is_exactly_what_is_accepted():
    """All sub-multisets of random hands, in any order of their cards."""
    chance = random.Random(7)
    for _ in range(400):
        hand = [chance.randint(1, chance.choice((3, 6, 12))) for _ in range(chance.randint(2, 7))]
        attack = chance.choice(legal_attacks(tuple(sorted(chance.randint(1, 12) for _ in hand))))
        most = chance.randint(0, len(hand))
        candidates = {cards for size in range(len(hand) + 1) for cards in combinations(sorted(hand), size)}
        for state in (
            position("duel", hand),
            position("attack", hand),
            position("defend", hand, attack=attack),
            position("replace", hand, max_replace=most),
        ):
            accepted = []
            for cards in sorted(candidates):
                try:
                    accepted.append(GAME.check_action(state, 1, chance.sample(cards, len(cards))))
                except IllegalAction:
                    continue
            listed = GAME.legal_actions(state, 1)
            expected = [cards for cards in sorted(candidates) if len(cards) <= most] if listed is None else listed
            assert accepted == expected
            assert (listed is None) == (state.phase == "replace")
            assert GAME.forced_action(state, 1) == (accepted[0] if len(accepted) == 1 else None)
