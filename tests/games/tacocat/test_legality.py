"""What may be played, against literal readings of the rules: card by card for answers, brute force for attacks."""

import random
from collections import Counter
from functools import cache
from itertools import combinations, pairwise, permutations

import pytest

from arena.games.tacocat.legality import is_defended, is_held, legal_answers, legal_attacks, single_cards, without

Cards = tuple[int, ...]


def taken(hand: Cards, card: int) -> Cards:
    cards = list(hand)
    cards.remove(card)
    return tuple(cards)


@cache
def outcomes_in_order(hand: Cards, attack: Cards) -> frozenset[tuple[Cards, bool]]:
    """The rule word for word: take the attacking cards in this order, and for each either defend with a card of equal
    or higher rank, or sacrifice the lowest card then held. Gives every answer that can arise, with True when it arises
    without a sacrifice and with False when it arises with one."""
    if not attack:
        return frozenset({((), True)})
    found = set()
    for card in set(hand):
        if card >= attack[0]:
            found |= {
                (tuple(sorted((card, *rest))), defended)
                for rest, defended in outcomes_in_order(taken(hand, card), attack[1:])
            }
    lowest = min(hand)
    found |= {(tuple(sorted((lowest, *rest))), False) for rest, _ in outcomes_in_order(taken(hand, lowest), attack[1:])}
    return frozenset(found)


def literal_answers(hand: Cards, order: Cards) -> dict[Cards, bool]:
    """Every answer by the literal rule, and whether it counts as a full defence: when it can be meant as one."""
    answers: dict[Cards, bool] = {}
    for answer, defended in outcomes_in_order(hand, order):
        answers[answer] = answers.get(answer, False) or defended
    return answers


def closed_form(hand: Cards, attack: Cards) -> dict[Cards, bool]:
    answers = legal_answers(hand, attack)
    assert list(answers) == sorted(set(answers))
    return {answer: is_defended(attack, answer) for answer in answers}


def literal_attacks(hand: Cards) -> list[Cards]:
    """All sub-multisets of a hand that are one card, a set or a sequence and leave a card."""
    found = set()
    for size in range(1, len(hand)):
        for cards in combinations(sorted(hand), size):
            is_set = size >= 2 and len(set(cards)) == 1
            is_sequence = size >= 3 and all(after == before + 1 for before, after in pairwise(cards))
            if size == 1 or is_set or is_sequence:
                found.add(cards)
    return sorted(found)


def random_hand(chance: random.Random, size: int) -> Cards:
    top = chance.choice((2, 4, 12, 12, 99))
    return tuple(sorted(chance.randint(1, top) for _ in range(size)))


def test_answers_agree_with_the_rule_card_by_card():
    """A real attack against a real hand, taken in a random order."""
    chance = random.Random(1)
    for _ in range(5000):
        size = chance.randint(2, 8)
        hand, attack = random_hand(chance, size), chance.choice(legal_attacks(random_hand(chance, size)))
        order = tuple(chance.sample(attack, len(attack)))
        assert closed_form(hand, attack) == literal_answers(hand, order), (hand, order)


def test_the_order_of_the_attacking_cards_does_not_matter():
    """All orders of cards of any ranks, more kinds than attacks can have."""
    chance = random.Random(2)
    for _ in range(1000):
        hand = random_hand(chance, chance.randint(2, 7))
        attack = tuple(sorted(chance.randint(1, max(hand) + 1) for _ in range(chance.randint(1, min(4, len(hand))))))
        expected = closed_form(hand, attack)
        for order in set(permutations(attack)):
            assert literal_answers(hand, order) == expected, (hand, order)


def test_answers_of_the_largest_hands():
    chance = random.Random(3)
    for _ in range(40):
        hand, attack = random_hand(chance, 11), chance.choice(legal_attacks(random_hand(chance, 11)))
        assert closed_form(hand, attack) == literal_answers(hand, attack), (hand, attack)


@pytest.mark.parametrize(
    ("hand", "attack", "answers"),
    [
        ((2, 5, 9), (6,), {(2,): False, (9,): True}),
        ((6, 7), (6,), {(6,): True, (7,): True}),  # the lowest card may be a defence, then it counts as one
        ((1, 4, 9), (5, 8), {(1, 4): False, (1, 9): False}),
        ((1, 2, 9, 9), (8, 8), {(1, 2): False, (1, 9): False, (9, 9): True}),
        ((3, 4, 4), (1, 2), {(3, 4): True, (4, 4): True}),
        ((1, 1, 5), (12, 12), {(1, 1): False}),
    ],
)
def test_answers_by_hand(hand, attack, answers):
    assert closed_form(hand, attack) == answers


def test_the_lowest_cards_are_always_an_answer():
    chance = random.Random(4)
    for _ in range(2000):
        size = chance.randint(2, 11)
        hand, attack = random_hand(chance, size), chance.choice(legal_attacks(random_hand(chance, size)))
        assert hand[: len(attack)] in legal_answers(hand, attack)


def test_attacks_agree_with_brute_force():
    chance = random.Random(5)
    for _ in range(3000):
        hand = random_hand(chance, chance.randint(2, 9))
        assert list(legal_attacks(hand)) == literal_attacks(hand), hand
    longest = tuple(range(1, 12))
    assert list(legal_attacks(longest)) == literal_attacks(longest)


@pytest.mark.parametrize(
    ("hand", "attacks"),
    [
        ((4, 4), [(4,)]),
        ((4, 4, 4), [(4,), (4, 4)]),
        ((1, 2, 3), [(1,), (2,), (3,)]),  # the whole hand is a sequence, but one card must stay
        ((1, 2, 3, 3), [(1,), (1, 2, 3), (2,), (3,), (3, 3)]),
        ((1, 11, 12), [(1,), (11,), (12,)]),  # 12 and 1 are no neighbours
        ((1, 2, 4, 5), [(1,), (2,), (4,), (5,)]),  # two in a row are no sequence
        ((5, 6, 7, 8, 12), [(5,), (5, 6, 7), (5, 6, 7, 8), (6,), (6, 7, 8), (7,), (8,), (12,)]),
    ],
)
def test_attacks_by_hand(hand, attacks):
    assert list(legal_attacks(hand)) == attacks


def test_single_cards():
    assert single_cards((1, 4, 4, 9)) == ((1,), (4,), (9,))


def test_multisets():
    chance = random.Random(6)
    for _ in range(2000):
        hand = random_hand(chance, chance.randint(1, 8))
        cards = tuple(sorted(chance.choices(range(1, 6), k=chance.randint(0, 4))))
        missing = Counter(cards) - Counter(hand)
        assert is_held(cards, hand) == (not missing)
        if missing:
            with pytest.raises(ValueError, match="not in list"):
                without(hand, cards)
        else:
            assert without(hand, cards) == tuple(sorted((Counter(hand) - Counter(cards)).elements()))
