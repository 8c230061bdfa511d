"""The shuffle against published orders and against a second implementation of its definition."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.tacocat.deals import shuffle
from arena.games.tacocat.rules import RuleSet

DECK = RuleSet().cards


def literal_shuffle(cards: list[int], seed: bytes, deal: int) -> list[int]:
    """The definition word for word, from one digest that is long enough for any deck."""
    stream = list(
        hashlib.shake_256(seed + bytes([deal >> 24, deal >> 16 & 255, deal >> 8 & 255, deal & 255])).digest(4000)
    )
    order = sorted(cards)
    for i in range(len(order) - 1, 0, -1):
        while stream[0] >= 256 - 256 % (i + 1):
            stream.pop(0)
        j = stream.pop(0) % (i + 1)
        swapped = order[i]
        order[i] = order[j]
        order[j] = swapped
    return order


@pytest.mark.parametrize(
    ("deal", "front"),
    [
        (0, [10, 11, 1, 10, 3, 9, 5, 7, 2, 4, 4, 7, 9, 7, 8, 5, 2, 11, 4, 6]),
        (1, [5, 12, 11, 1, 1, 2, 4, 8, 7, 7]),
    ],
)
def test_published_orders(deal, front):
    assert shuffle(DECK, bytes(32), deal)[: len(front)] == front


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    cards=st.lists(st.integers(1, 99), min_size=2, max_size=256).map(sorted),
    seed=st.binary(min_size=32, max_size=32),
    deal=st.integers(0, 2**32 - 1),
)
def test_agrees_with_the_definition(cards, seed, deal):
    assert shuffle(tuple(cards), seed, deal) == literal_shuffle(cards, seed, deal)


def test_largest_deck_needs_more_than_one_digest():
    cards = list(range(1, 65)) * 4
    assert shuffle(tuple(sorted(cards)), bytes(32), 3) == literal_shuffle(cards, bytes(32), 3)


def test_every_card_reaches_every_place_equally_often():
    """24 orders of 4 cards in 4800 deals: chi-squared with 23 degrees of freedom is below 49.7 with chance 0.999."""
    counts: dict[tuple[int, ...], int] = {}
    for deal in range(4800):
        order = tuple(shuffle((1, 2, 3, 4), b"fair".ljust(32), deal))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 49.7
