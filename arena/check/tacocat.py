"""All that the check knows of Tacocat: its phases, rules that are hard on a bot, and ways to play the other seat."""

from random import Random
from typing import Any

from protocol.messages import Request

__all__ = ["ALONE", "GAME", "LONG_HANDS", "PHASES", "any_legal", "keep_still", "long_attacks", "one_rank"]

GAME = "tacocat"

PHASES = ("replace", "duel", "attack", "defend")

ALONE = ("attack", "defend")
"""Phases in which one seat is asked, and never both."""

LONG_HANDS: dict[str, Any] = {
    "deck": {"1": 60, **{str(rank): 3 for rank in range(40, 100)}},
    "board": [12, 12, 12],
    "arrows": [1, "both", 0],
    "round_tie": "arrow",
}
"""The largest hands, ranks up to the highest there may be, and sets that make long lists of answers."""


def one_rank(first: int) -> dict[str, Any]:
    """Rules under which every round is a tie and nearly every decision is forced; `first` replaces first."""
    return {"deck": {"99": 8}, "board": [2, 2, 2], "arrows": [first] * 3, "round_tie": "redeal", "max_rounds": 300}


def any_legal(request: Request, chance: Random) -> Any:
    """Any legal action."""
    if request.legal_actions is not None:
        return chance.choice(request.legal_actions)
    seen = request.observation
    return chance.sample(seen["hand"], chance.randint(0, seen["max_replace"]))


def long_attacks(request: Request, chance: Random) -> Any:
    """Collects ones, and attacks with as many cards as it can, and low ones: there are many answers to that."""
    seen = request.observation
    if request.legal_actions is None:
        return [card for card in seen["hand"] if card > 1][: seen["max_replace"]]
    if seen["phase"] == "defend":
        return chance.choice(request.legal_actions)
    if seen["phase"] == "duel":
        return request.legal_actions[-1]
    return max(request.legal_actions, key=lambda cards: (len(cards), -sum(cards)))


def keep_still(request: Request, chance: Random) -> Any:
    """Replaces a card once in a while: the other seat may replace no more, and is mostly not asked."""
    if request.legal_actions is None:
        return request.observation["hand"][: chance.random() < 0.03]
    return chance.choice(request.legal_actions)
