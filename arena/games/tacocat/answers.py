"""Reading what a bot answered, which may be anything, and saying why it is refused.

Only exact lists and tuples of exact integers are looked into, so that no code of a stranger's object ever runs; only
lists no longer than the hand are shown, so that every refusal is a short text.
"""

from collections.abc import Callable, Mapping

from arena.errors import IllegalAction
from arena.games.tacocat.legality import Cards
from arena.games.tacocat.state import State
from arena.model import Seat

__all__ = ["read_ranks", "refusal"]

_KINDS = (
    (type(None), "null"),
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a float"),
    (str, "a string"),
    (bytes, "binary data"),
    (list, "a list"),
    (tuple, "a list"),
    (dict, "a map"),
)


def read_ranks(raw: object, hand: Cards) -> Cards:
    """An answer as ascending ranks, no more than `hand` has; raises `IllegalAction` when it is anything else."""
    if type(raw) is list or type(raw) is tuple:
        if len(raw) > len(hand):
            raise IllegalAction(f"you played {len(raw)} cards but hold {len(hand)}: {list(hand)}")
        for item in raw:
            if type(item) is not int:
                raise IllegalAction(
                    f"an action is a list of ranks, which are integers, and one of yours is {_kind(item)}"
                )
        return tuple(sorted(raw))
    raise IllegalAction(f"an action is a list of ranks, like [{hand[0]}], not {_kind(raw)}")


def refusal(cards: Cards, state: State, seat: Seat) -> IllegalAction:
    """Why `cards` are no action of `seat`; only for those that are not."""
    hand = state.hands[seat]
    return IllegalAction(_absence(cards, hand) or _REASONS[state.phase](cards, hand, state))


def _absence(cards: Cards, hand: Cards) -> str:
    """What is played more often than it is held, if anything; a rank may have thousands of digits."""
    for card in cards:
        times = cards.count(card)
        if times > hand.count(card):
            shown = str(card) if abs(card) < 10**9 else "a huge number"
            return f"you played {shown if times == 1 else f'{times} cards of rank {shown}'} but hold {list(hand)}"
    return ""


def _no_replacement(cards: Cards, _: Cards, state: State) -> str:
    return f"you may replace at most {_count(state.max_replace)}, not {len(cards)}"


def _no_duel(cards: Cards, _: Cards, __: State) -> str:
    return f"a duel takes exactly one card, not {len(cards)}"


def _no_attack(cards: Cards, hand: Cards, _: State) -> str:
    if not cards:
        return "an attack takes at least one card"
    if len(cards) == len(hand):
        return f"an attack must leave one card in your hand, and you played all {len(hand)}"
    return (
        f"{list(cards)} is no attack: play one card, a set (cards of one rank) "
        "or a sequence (three or more cards of consecutive ranks)"
    )


def _no_answer(cards: Cards, hand: Cards, state: State) -> str:
    attack = state.attack
    if len(cards) != len(attack):
        return f"an attack of {_count(len(attack))} is answered with as many, not {len(cards)}"
    return (
        f"{list(cards)} is no answer to {list(attack)}: for each attacking card play one of equal or higher rank "
        f"or the lowest you then hold; {list(hand[: len(attack)])} is always legal"
    )


_REASONS: Mapping[str, Callable[[Cards, Cards, State], str]] = {
    "replace": _no_replacement,
    "duel": _no_duel,
    "attack": _no_attack,
    "defend": _no_answer,
}


def _kind(value: object) -> str:
    return next((words for kind, words in _KINDS if type(value) is kind), "something else")


def _count(cards: int) -> str:
    return f"{cards} card" if cards == 1 else f"{cards} cards"
