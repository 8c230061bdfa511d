"""What formats of meetings share: which deals of a meeting are still to be played, and how it was decided."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from arena.contracts import Progress, Results
from arena.model import Pairing

__all__ = ["Points", "points_of", "score", "to_play"]

Points: TypeAlias = Mapping[Pairing, tuple[float | None, float | None]]
"""What the first bot got, by deal and lane; None where there is no result."""


def points_of(results: Results) -> Points:
    """All results so far."""
    return {each.pairing: each.points_a for each in results.deals()}


def to_play(pairings: Iterable[Pairing], results: Progress) -> list[Pairing]:
    """Those of some pairings that are not over: a match that will never be played does not hold up a tournament."""
    return [pairing for pairing in pairings if results.is_over(pairing) != (True, True)]


def score(pairings: Iterable[Pairing], points: Points, out: frozenset[str]) -> tuple[float, float]:
    """Points of both bots of a meeting whose matches are all over.

    A match without a result is a walkover: a point for the bot that is not out. It is half a point for each when both
    are out, or when neither is and the arena has given the match up.
    """
    points_a = points_b = 0.0
    for pairing in pairings:
        bot_a, bot_b, _ = pairing
        walkover = 0.5 + 0.5 * ((bot_b in out) - (bot_a in out))
        for result in points.get(pairing, (None, None)):
            points_a += walkover if result is None else result
            points_b += 1.0 - (walkover if result is None else result)
    return points_a, points_b
