"""Which cards may be played, as pure functions of hands.

Cards are ascending tuples of ranks, so that equal multisets are equal values, and keys of caches: every list of legal
plays is asked for several times in a row, and the same small hands come up again and again.

**Answers in closed form.** For each attacking card the defender plays a card of equal or higher rank, or sacrifices the
lowest card then held. The order in which the attacking cards are taken does not matter: whoever makes s sacrifices can
arrange that they are the s lowest cards of the hand, given up to the s highest attacking cards, while the other cards
defend against the lowest ones. So an answer to m cards is legal when, for some s in 0..m, it consists of the s lowest
cards of the hand and of m-s others that, both ascending, are each at least as high as the m-s lowest attacking cards.
With s = 0 it is a full defence. (The tests hold this against the rule played card by card, in every order.)
"""

from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate, combinations
from operator import ge
from typing import TypeAlias

__all__ = ["Cards", "is_defended", "is_held", "legal_answers", "legal_attacks", "single_cards", "without"]

Cards: TypeAlias = tuple[int, ...]
"""Ranks, ascending; a card is its rank."""

CACHE_SIZE = 256
"""Entries of each cache: enough for what many matches at once are asked about right now. Of what is asked again later a
larger one finds more, but takes as long, since its memory no longer fits the processor's caches."""
SEQUENCE_MIN = 3


def without(hand: Cards, cards: Cards) -> Cards:
    """`hand` after `cards` have been played from it; ValueError when they are not all there."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def is_held(cards: Cards, hand: Cards) -> bool:
    """Whether `cards` are a multiset of `hand`."""
    return all(cards.count(card) <= hand.count(card) for card in cards)


def is_defended(attack: Cards, answer: Cards) -> bool:
    """Whether an answer is a full defence, so that the defender attacks next."""
    return all(map(ge, answer, attack))


@lru_cache(CACHE_SIZE)
def single_cards(cards: Cards) -> tuple[Cards, ...]:
    """Each rank of `cards` once, as a play of one card, ascending."""
    return tuple(zip(dict.fromkeys(cards)))


@lru_cache(CACHE_SIZE)
def legal_attacks(hand: Cards) -> tuple[Cards, ...]:
    """Single cards, sets and sequences of `hand` that leave a card in it, ascending."""
    attacks: list[Cards] = []
    ranks = dict.fromkeys(hand)
    for rank in ranks:
        attacks.extend(accumulate([(rank,)] * hand.count(rank)))  # one of them, two of them, ...
        end = rank + 1
        while end in ranks:
            end += 1
            if end - rank >= SEQUENCE_MIN:
                attacks.append(tuple(range(rank, end)))
    if hand in attacks:
        attacks.remove(hand)
    return tuple(attacks)


@lru_cache(CACHE_SIZE)
def legal_answers(hand: Cards, attack: Cards) -> tuple[Cards, ...]:
    """Every legal answer of `hand` to `attack`, ascending; the closed form above."""
    size = len(attack)
    useless = bisect_left(hand, attack[0])  # so many are too low to defend against anything
    if size == 1:  # most attacks by far; what follows would take most of the engine's time
        return single_cards(hand[:1] + hand[max(1, useless) :])
    answers = {
        hand[:sacrifices] + defence
        for sacrifices in range(size + 1)
        for defence in combinations(hand[max(sacrifices, useless) :], size - sacrifices)
        if all(map(ge, defence, attack))
    }
    return tuple(sorted(answers))
