"""Rules that are hard on a bot, for checks."""

from arena.games.tacocat.rules import Arrow, RuleSet

__all__ = ["VARIANTS"]

_LONG_HANDS = RuleSet(
    deck={1: 60, **dict.fromkeys(range(40, 100), 3)},
    board=(12, 12, 12),
    arrows=(1, "both", 0),
    round_tie="arrow",
)
"""The largest hands, ranks up to the highest there may be, and sets that make long lists of answers."""


def _one_rank(first: Arrow) -> RuleSet:
    """Every round is a tie and nearly every decision is forced, so that very many events come between two requests;
    `first` replaces first."""
    return RuleSet(deck={99: 8}, board=(2, 2, 2), arrows=(first, first, first), max_rounds=300)


VARIANTS = (_LONG_HANDS, _one_rank(0), _one_rank(1))
