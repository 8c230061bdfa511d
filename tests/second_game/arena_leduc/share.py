"""A ladder by score: the share of points that a bot has won.

The matches of a bot are taken for independent trials with one chance of a point, of which nothing is known before. With
k points from n matches that chance has a Beta distribution (Bayes; the uniform prior is that of Laplace's rule of
succession), with mean p = (k + 1) / (n + 2) and variance p (1 - p) / (n + 3). The mean is the rating, in percent.

Two bots that met share matches, in which one wins what the other loses. With c matches in common, of n and m, their
correlation is taken to be -c / sqrt(n m): exactly -1 for two bots that have met nobody else. So the variance of their
difference is s^2 + t^2 + 2 s t c / sqrt(n m), where s and t are their standard deviations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from arena.contracts import Results
from arena.model import Rating

__all__ = ["ScoreShare"]

PERCENT = 100.0


@dataclass(frozen=True)
class Shares:
    """What `ScoreShare` found. deviations: of each rating, in percent. common: matches by two names in order, or by one
    name twice for all matches of a bot. quantile: of the normal distribution."""

    ratings: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    remarks: Sequence[str]
    deviations: Mapping[str, float]
    common: Mapping[tuple[str, str], int]
    quantile: float
    scale: str = "score %"

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        deviation = self._deviation(bot_a, bot_b)
        if deviation is None or bot_a == bot_b:
            return None if deviation is None else 0.5
        return NormalDist().cdf((self.ratings[bot_a].elo - self.ratings[bot_b].elo) / deviation)

    def difference_error(self, bot_a: str, bot_b: str) -> float | None:
        deviation = self._deviation(bot_a, bot_b)
        return None if deviation is None else self.quantile * deviation

    def _deviation(self, bot_a: str, bot_b: str) -> float | None:
        """Of the difference of two ratings."""
        if bot_a == bot_b:
            return 0.0
        if not any({bot_a, bot_b} <= set(group) for group in self.groups):
            return None
        s, t = sorted((self.deviations[bot_a], self.deviations[bot_b]))
        matches = self.common[bot_a, bot_a] * self.common[bot_b, bot_b]
        shared = self.common.get((min(bot_a, bot_b), max(bot_a, bot_b)), 0)
        return sqrt(s * s + t * t + 2 * s * t * shared / sqrt(matches))


@dataclass(frozen=True)
class ScoreShare:
    """The share of points in percent; a draw is half a point."""

    def rate(
        self, entrants: Sequence[str], results: Results, *, anchor: tuple[str, float] | None, confidence: float
    ) -> Shares:
        """An anchor moves all ratings of its group by the same number."""
        found = _count(sorted(entrants), results)
        quantile = NormalDist().inv_cdf(0.5 + confidence / 2)
        ratings, deviations = {}, {}
        for name, points in found.points.items():
            matches = found.common[name, name]
            share = (points + 1) / (matches + 2)
            deviations[name] = PERCENT * sqrt(share * (1 - share) / (matches + 3))
            ratings[name] = Rating(PERCENT * share, quantile * deviations[name] if matches else None)
        if anchor is not None:
            shift = anchor[1] - ratings[anchor[0]].elo
            for name in found.group_of[anchor[0]]:
                ratings[name] = Rating(ratings[name].elo + shift, ratings[name].error)
        groups = sorted(set(found.group_of.values()), key=lambda group: (-len(group), group))
        return Shares(ratings, groups, _remarks(anchor), deviations, found.common, quantile)


class Counted(NamedTuple):
    """All results, counted. points: by name. common: as in `Shares`. group_of: for each name all names that results
    connect with it, itself among them."""

    points: dict[str, float]
    common: dict[tuple[str, str], int]
    group_of: dict[str, tuple[str, ...]]


def _count(names: Sequence[str], results: Results) -> Counted:
    points = dict.fromkeys(names, 0.0)
    common = {(name, name): 0 for name in names}
    group_of: dict[str, tuple[str, ...]] = {name: (name,) for name in names}
    for tally in results.tallies():
        bot_a, bot_b, matches = tally.bot_a, tally.bot_b, tally.matches
        if matches == 0:
            continue
        points[bot_a] += tally.score_a
        points[bot_b] += matches - tally.score_a
        for bots in ((bot_a, bot_a), (bot_b, bot_b), (bot_a, bot_b)):
            common[bots] = common.get(bots, 0) + matches
        joined = tuple(sorted({*group_of[bot_a], *group_of[bot_b]}))
        for name in joined:
            group_of[name] = joined
    return Counted(points, common, group_of)


def _remarks(anchor: tuple[str, float] | None) -> list[str]:
    remarks = ["A score depends on the opponents: compare bots that have met the same ones."]
    if anchor is not None:
        remarks.append(f"All scores are moved by the same number, so that {anchor[0]} has {anchor[1]:g}.")
    return remarks
