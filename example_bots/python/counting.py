"""Counts cards, and tries every action out in thought: a small Monte Carlo player.

1. What it sees (its hand, the discarded cards, the attack) the opponent cannot hold. So it draws many hands that the
   opponent may hold from the unseen rest of the deck; all of them, when they are few.
2. It plays each of its actions against each of those hands, and the rest of the round with both sides following simple
   *habits*. The habits are quick and far from perfect, but the average over many hands says what an action is worth.
3. It takes the action that won most.

Every action meets the same hands: so luck with a hand helps all of them alike, and few hands are enough to compare.
"""

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from math import comb

from protocol.bot import serve
from protocol.messages import MatchEnd, MatchStart, Request

Cards = tuple[int, ...]
"""Ranks, ascending."""

ROUNDS = 120
"""How many rounds to play in thought for one duel, attack or defence. More is stronger, but slower."""
HANDS_MIN, HANDS_MAX = 8, 40
"""How many hands of the opponent to try: fewer when there are many actions to try against each."""
DEALS = 40
"""How many deals to try each discard on. It pays to be thorough here: this one decision shapes the whole round."""

USUAL_DECK = tuple(rank for rank in range(1, 13) for _ in range(4 if rank in (6, 7) else 3))
decks: dict[str, Cards] = {}
"""The deck of each match that is being played: a tournament may have rules of its own."""


def remember_deck(start: MatchStart) -> None:
    """`deck` says how many copies there are of each rank; its keys are strings."""
    deck = start.rules["deck"]
    decks[start.match] = tuple(sorted(int(rank) for rank, copies in deck.items() for _ in range(copies)))


def forget_deck(end: MatchEnd) -> None:
    """A process may play thousands of matches."""
    decks.pop(end.match, None)


def choose(request: Request) -> list[int]:
    """The action that wins most rounds against the hands that the opponent may hold."""
    seen = request.observation
    hand, attack = tuple(seen["hand"]), tuple(seen.get("attack", ()))
    deck = Counter(decks.get(request.match, USUAL_DECK))
    unseen = list((deck - Counter([*hand, *seen["discarded"], *attack])).elements())
    # The seed is what the decision is, so the same match is played the same way every time.
    chance = random.Random(f"{request.match}:{request.seat}:{request.request}")
    if request.legal_actions is None:  # phase "replace"
        return list(best_discard(hand, unseen, seen["max_replace"], chance))
    actions = [tuple(action) for action in request.legal_actions]
    number = max(HANDS_MIN, min(HANDS_MAX, ROUNDS // len(actions)))
    hands = possible_hands(unseen, seen["opponent_cards"], number, chance)
    worth_against = WORTH[seen["phase"]]

    def worth(action: Cards) -> float:
        left = without(hand, action)
        return sum(worth_against(theirs, left, action, attack) for theirs in hands)

    best: Cards = max(actions, key=worth)
    return list(best)


def possible_hands(unseen: list[int], size: int, number: int, chance: random.Random) -> list[Cards]:
    """All hands of `size` unseen cards when there are hardly more than `number`, else so many of them by chance.

    The shuffled cards are cut into hands one after the other: what is in one hand is not in the next, so that all cards
    get their turn, and fewer hands are needed than if each were drawn anew.
    """
    if comb(len(unseen), size) <= 2 * number:
        return list(combinations(unseen, size))
    hands: list[Cards] = []
    while len(hands) < number:
        pile = chance.sample(unseen, len(unseen))
        hands += [tuple(sorted(pile[start : start + size])) for start in range(0, len(pile) - size + 1, size)]
    return hands[:number]


# --- what an action is worth against one hand: 1 for a round won, 1/2 for a tie, 0 for a loss. `left` is what it leaves
# in my own hand. ---------------------------------------------------------------------------------------------------


def duel_worth(theirs: Cards, left: Cards, action: Cards, _attack: Cards) -> float:
    """The opponent is taken to part with its most useless card."""
    card = useless_card(theirs)
    return duel_result(left, action[0], without(theirs, (card,)), card)


def attack_worth(theirs: Cards, left: Cards, action: Cards, _attack: Cards) -> float:
    """The opponent answers by habit, and may be the one to attack next."""
    rest, is_defended = habit_answer(theirs, action)
    return 1 - outlook(rest, left) if is_defended else outlook(left, rest)


def defence_worth(theirs: Cards, left: Cards, action: Cards, attack: Cards) -> float:
    """When every attacking card is beaten I attack next. (Both are ascending, so they can be compared in pairs.)"""
    is_defended = all(mine >= card for mine, card in zip(action, attack, strict=True))
    return outlook(left, theirs) if is_defended else 1 - outlook(theirs, left)


WORTH: dict[str, Callable[[Cards, Cards, Cards, Cards], float]] = {
    "duel": duel_worth,
    "attack": attack_worth,
    "defend": defence_worth,
}
"""How an action is valued, by phase."""


def duel_result(mine: Cards, my_card: int, theirs: Cards, their_card: int) -> float:
    """What a duel leads to; a tied one is played again, and as good for the one as for the other."""
    if my_card == their_card:
        return 0.5
    return outlook(mine, theirs) if my_card > their_card else 1 - outlook(theirs, mine)


def outlook(attacker: Cards, defender: Cards) -> float:
    """What a round is worth to the attacker when both follow the habits to its end."""
    mine, theirs, i_attack = attacker, defender, True
    while len(mine) > 1:
        if i_attack:
            attack, mine = habit_attack(mine)
            theirs, is_defended = habit_answer(theirs, attack)
        else:
            attack, theirs = habit_attack(theirs)
            mine, is_defended = habit_answer(mine, attack)
        i_attack ^= is_defended
    return 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0


# --- habits: quick rules for both sides. They are asked for thousands of times, and the same small hands come up again
# and again, so the answers are kept. -------------------------------------------------------------------------------


@lru_cache(20_000)
def useless_card(hand: Cards) -> int:
    """A middling card wins neither an attack nor the round. The lowest card is never the one to go."""
    return min(hand[1:], key=lambda card: abs(card - 6))


@lru_cache(20_000)
def habit_attack(hand: Cards) -> tuple[Cards, Cards]:
    """An attack, and what it leaves: as many cards as possible, but never one of the lowest rank."""
    attack = largest_group(hand)
    return attack, without(hand, attack)


@lru_cache(20_000)
def habit_answer(hand: Cards, attack: Cards) -> tuple[Cards, bool]:
    """What an answer leaves, and whether it defends: the cheapest defence if there is one, else the lowest cards."""
    if len(hand) == 2 and hand[1] >= attack[0]:
        return hand[:1], True  # nothing follows: now the low card is the one to keep
    left = list(hand)
    for card in attack:
        place = bisect_left(left, card)
        if place == len(left):
            return hand[len(attack) :], False
        del left[place]
    return tuple(left), True


def largest_group(hand: Cards) -> Cards:
    """The longest set or sequence without the lowest rank, else the highest card. Of equally long ones the highest."""
    ranks = [rank for rank in dict.fromkeys(hand) if rank > hand[0]]
    groups = [(rank,) * hand.count(rank) for rank in ranks]
    run: Cards = ()
    for rank in ranks:
        run = (*run, rank) if run and rank == run[-1] + 1 else (rank,)
        if len(run) >= 3:
            groups.append(run)
    return max(groups, key=lambda group: (len(group), group), default=hand[-1:])


def without(hand: Cards, cards: Cards) -> Cards:
    """The hand after these cards have been played from it."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


# --- replacing cards -----------------------------------------------------------------------------------------------


def best_discard(hand: Cards, unseen: list[int], most: int, chance: random.Random) -> Cards:
    """What to throw away: the discard whose rounds go best, over the same hands and draws for all."""
    discards = sorted({discard(hand, lows, floor)[:most] for lows in range(4) for floor in range(8, 12)} | {()})
    worth = dict.fromkeys(discards, 0.0)
    for _ in range(DEALS):
        pile = chance.sample(unseen, len(unseen))
        theirs = usual_hand(tuple(sorted(pile[: len(hand)])), pile[len(hand) :])
        card = useless_card(theirs)
        rest = without(theirs, (card,))
        for cards in discards:
            drawn = pile[len(pile) - len(cards) :]  # from the other end than the opponent's, so that all draw alike
            mine = tuple(sorted((*without(hand, cards), *drawn)))
            my_card = useless_card(mine)
            worth[cards] += duel_result(without(mine, (my_card,)), my_card, rest, card)
    return max(discards, key=lambda cards: worth[cards])


def discard(hand: Cards, lows: int, floor: int) -> Cards:
    """All but the `lows` lowest cards and those of rank `floor` and above."""
    return tuple(card for card in hand[lows:] if card < floor)


def usual_hand(dealt: Cards, pile: list[int]) -> Cards:
    """What the opponent is likely to hold after replacing: its cards are better than those it was dealt."""
    thrown = discard(dealt, sum(card <= 2 for card in dealt[:2]), 9)
    return tuple(sorted((*without(dealt, thrown), *pile[: len(thrown)])))


if __name__ == "__main__":
    serve(choose, name="Counting", on_start=remember_deck, on_end=forget_deck)
