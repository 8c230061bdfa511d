"""Bradley-Terry fits in few words, and what they say of two bots."""

from collections.abc import Sequence
from math import log
from statistics import NormalDist

from arena.contracts import Ratings
from arena.model import Tally
from arena.ratings.bradley_terry import BradleyTerry
from arena.testing import TalliedResults

WEAK = 0.001
ELO = 400.0 / log(10.0)
Z95 = 1.959964


class AsListed(TalliedResults):
    """Tallies in the order of a list, whatever that is."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        super().__init__(tallies)
        self._listed = tallies

    def tallies(self) -> Sequence[Tally]:
        return self._listed


def rate(
    *tallies: Tally, idle: tuple[str, ...] = (), prior: float = 1.0, anchor: tuple[str, float] | None = None
) -> Ratings:
    entrants = sorted({name for tally in tallies for name in (tally.bot_a, tally.bot_b)} | set(idle))
    return BradleyTerry(prior=prior).rate(entrants, AsListed(tallies), anchor=anchor, confidence=0.95)


def sweeps(winner: str, loser: str, count: int) -> Tally:
    pairs = (0, 0, 0, 0, count) if winner < loser else (count, 0, 0, 0, 0)
    return Tally(min(winner, loser), max(winner, loser), pairs)


def lead(found: Ratings, bot_a: str = "a", bot_b: str = "b") -> float:
    return found.ratings[bot_a].elo - found.ratings[bot_b].elo


def error(found: Ratings, name: str = "a") -> float:
    known = found.ratings[name].error
    assert known is not None
    return known


def deviation(found: Ratings, bot_a: str = "a", bot_b: str = "b") -> float:
    """The standard deviation of a difference, in Elo, from the chance that it is above 0."""
    chance = found.chance_above(bot_a, bot_b)
    assert chance is not None
    return lead(found, bot_a, bot_b) / NormalDist().inv_cdf(chance)
