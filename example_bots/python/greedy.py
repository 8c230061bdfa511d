"""Wins what there is to win now, as cheaply as it can, and never looks ahead.

It takes every trick that it can take: attacks with its highest cards, and defends with the cheapest cards that are
enough. Its mistake is to spend high cards early: the attacks that decide a round are the last ones.
"""

from collections.abc import Sequence

from protocol.bot import serve
from protocol.messages import Request

MIDDLE = range(4, 10)
"""Ranks that are too low to win tricks and too high to be a good last card."""


def choose(request: Request) -> list[int]:
    """One simple rule for each phase."""
    seen = request.observation
    if request.legal_actions is None:  # phase "replace"
        middle = [card for card in seen["hand"] if card in MIDDLE]
        return middle[: seen["max_replace"]]
    if seen["phase"] == "defend":
        return cheapest_answer(request.legal_actions, seen["attack"])
    # The highest card first, and as many of it as there are: [12, 12] comes before [12], and that before [11, 11].
    # (Lists are compared like words in a dictionary.)
    highest: list[int] = max(request.legal_actions, key=lambda cards: sorted(cards, reverse=True))
    return highest


def cheapest_answer(answers: Sequence[list[int]], attack: list[int]) -> list[int]:
    """The lowest cards that beat the whole attack; if none do, the lowest cards that may be given away."""
    winning = [answer for answer in answers if beats(answer, attack)]
    return min(winning or answers, key=sum)


def beats(answer: list[int], attack: list[int]) -> bool:
    """Whether each attacking card is met by an equal or higher one. Both are ascending, so pair by pair will do."""
    return all(mine >= card for mine, card in zip(answer, attack, strict=True))


if __name__ == "__main__":
    serve(choose, name="Greedy")
