"""Bradley-Terry ratings on the Elo scale: all results fitted at once, with errors that know what a pair is.

Model. Each bot has a strength; `bot_a` beats `bot_b` with chance p = 1 / (1 + exp(b - a)), a draw is half a win
(Zermelo 1929, Bradley and Terry 1952). Elo is 400 / ln 10 times the strength, so that 76 % is 200.24 Elo. All results
count alike and at once: no rating depends on the order of play.

Fit. Newton's method on the log-likelihood, which is concave. Its second derivative is -H, where H is the Laplacian of
the graph of bots that met, with weight w = n p (1 - p) on an edge of n matches. Whole steps may overshoot for ever. But
where a step changes the difference of two bots by c, the weight of their edge grows at most by exp(t |c|) over the
fraction t of the step, so that the likelihood surely rises as long as sum(w |c| (exp(t |c|) - 1)) <= sum(w c^2). That
is so for t = ln(1 + m) / m at least, where m is the largest |c|. Such steps converge from zero for any results.

Prior. A bot that won everything has no finite rating of highest likelihood. Therefore each bot is given, on average,
`prior` virtual pairs, spread evenly over the opponents it has met: between i and j there are prior / 2 * (1 / opponents
of i + 1 / opponents of j) of them, one half won 2-0, the other lost 0-2. They are against opponents (like the two
virtual draws of BayesElo), not against an average bot: that would claim to know something of groups that hardly met
each other. One pair weighs little beside the fifty of an ordinary meeting, and more opponents do not add to it.

Errors. The two matches of a pair share a deal, so the pair is one observation; so is a match without its counterpart.
The covariance of the strengths is the sandwich H^-1 B H^-1 (Huber 1967, White 1982), where B is the Laplacian with
the sum of squared residuals (points less expected points, by observation) on its edges. So draws, pairs that tend to
1-1 (the deal decides) and pairs that tend to 2-0 (the bots decide) get the error they deserve without a model of them.
Virtual pairs are observations like all others. As they are swept, the worst case, no error is 0, even where all real
residuals are: two bots differ by 802 +- 484 Elo after fifty pairs 2-0, by 0 +- 13 after fifty pairs 1-1 (at 95 %).
In simulated tournaments such intervals hold the truth in 95 to 99 % of cases; the worst found are 90 to 94 %, for just
two bots of which the better one wins 95 % of its matches.

The average of a group has no error, by definition: a bot's error is that of its distance from the average of its group.
An anchor moves the scale of its group and leaves the errors alone. An error speaks of more deals between the same bots,
not of other opponents.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from arena.contracts import Ratings, Results
from arena.errors import SettingsError
from arena.model import Rating, Tally

__all__ = ["BradleyTerry"]

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Indices: TypeAlias = npt.NDArray[np.intp]

ELO = 400.0 / math.log(10.0)
"""Elo points of one unit of strength (a logit)."""

WON = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 0.0, 0.5, 1.0])
"""Points of the first bot in each kind of observation: those of `Tally.pairs`, then those of `Tally.singles`."""
LOST = np.array([2.0, 1.5, 1.0, 0.5, 0.0, 1.0, 0.5, 0.0])
SWEPT = [0, 4]
"""The kinds of a virtual pair: 0-2 and 2-0."""

PRIOR_MIN = 0.001
CLOSE = 1e-5
"""Newton's error is squared by each step: after one below this (in logits) it is gone."""
STEPS_MAX = 1000
"""Far above what results need: 10 for ordinary ones, 50 for a thousand bots of which each always beats all below."""
EXPONENT_MAX = 600.0
"""Keeps exponentials, and sums of them, within a float."""


@dataclass(frozen=True)
class BradleyTerry:
    """All results fitted together by maximum likelihood; a draw is half a win.

    prior: virtual pairs of each bot, one half won 2-0, the other lost 0-2, spread over its opponents; they keep the
    ratings of bots that won or lost everything finite. At least 0.001, which is as good as none.
    mean: average rating of a group of bots that are connected by results, where no anchor says otherwise.
    """

    prior: float = 1.0
    mean: float = 1500.0
    is_default: ClassVar[bool] = True

    def __post_init__(self) -> None:
        problems = []
        if not PRIOR_MIN <= self.prior < math.inf:
            reason = "without it, a bot that won everything has no finite rating"
            problems.append(("prior", f"must be finite and at least {PRIOR_MIN}, not {self.prior}: {reason}"))
        if not math.isfinite(self.mean):
            problems.append(("mean", f"must be a finite number, not {self.mean}"))
        if problems:
            raise SettingsError(problems)

    def rate(
        self, entrants: Sequence[str], results: Results, *, anchor: tuple[str, float] | None, confidence: float
    ) -> Ratings:
        """Rate all `entrants` (names without repetition), on at most one tally for each two of them.

        `confidence` (above 0, below 1) is that of the intervals; a bot without a match is a group of its own and has no
        error. Bit for bit the same for any order of `entrants` and of tallies.
        """
        names = sorted(entrants)
        assert len(set(names)) == len(names), "an entrant is listed twice"
        assert anchor is None or anchor[0] in names, f"the anchor {anchor} is not an entrant"
        table = _tabulate(names, results.tallies())
        groups = [_fit(names, members, table, self.prior) for members in _connected(len(names), table)]
        groups.sort(key=lambda group: (-len(group.names), group.names))
        quantile = NormalDist().inv_cdf(0.5 + confidence / 2.0)
        ratings: dict[str, Rating] = {}
        for group in groups:
            ratings |= _on_scale(group, anchor, self.mean, quantile)
        return _Fitted({name: ratings[name] for name in names}, tuple(groups), quantile)


@dataclass(frozen=True)
class _Group:
    """Bots that are connected by results.

    names: sorted. strengths: in logits, average 0. deviations: (bots, bots), a row for each bot; products of rows are
    the covariances of strengths. Kept as a root, since a difference between two bots may be far better known than
    either's distance from the average, and must not get lost in rounding.
    """

    names: tuple[str, ...]
    strengths: Floats
    deviations: Floats


@dataclass(frozen=True)
class _Fitted:
    """What `BradleyTerry` found; keeps to `arena.contracts.Ratings`. Groups are sorted, the largest first. quantile: of
    the normal distribution, the half-width of an interval in standard deviations."""

    ratings: Mapping[str, Rating]
    fits: tuple[_Group, ...]
    quantile: float
    scale: str = "Elo"
    remarks: tuple[str, ...] = ()

    @property
    def groups(self) -> Sequence[Sequence[str]]:
        return tuple(group.names for group in self.fits)

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        found = self._difference(bot_a, bot_b)
        if found is None or bot_a == bot_b:
            return None if found is None else 0.5
        difference, deviation = found
        return NormalDist().cdf(difference / deviation)

    def difference_error(self, bot_a: str, bot_b: str) -> float | None:
        found = self._difference(bot_a, bot_b)
        return None if found is None else self.quantile * ELO * found[1]

    def _difference(self, bot_a: str, bot_b: str) -> tuple[float, float] | None:
        """How much stronger `bot_a` is, and the standard deviation of that, in logits; None between groups."""
        assert bot_a in self.ratings, f"{bot_a!r} is not an entrant"
        assert bot_b in self.ratings, f"{bot_b!r} is not an entrant"
        group = next(group for group in self.fits if bot_a in group.names)
        if bot_b not in group.names:
            return None
        a, b = group.names.index(bot_a), group.names.index(bot_b)
        deviation = np.linalg.norm(group.deviations[a] - group.deviations[b])
        return float(group.strengths[a] - group.strengths[b]), float(deviation)


@dataclass(frozen=True)
class _Results:
    """Tallies as arrays, a row for each two bots that met, ascending: `first` < `second` are indices of bots, `counts`
    (rows, 8) says how often each kind of observation was made (see `WON`)."""

    first: Indices
    second: Indices
    counts: Floats


def _tabulate(names: Sequence[str], tallies: Sequence[Tally]) -> _Results:
    """The tallies that have a match, in an order that depends on nothing but the names."""
    index = {name: position for position, name in enumerate(names)}
    strangers = {name for tally in tallies for name in (tally.bot_a, tally.bot_b)} - index.keys()
    assert not strangers, f"results of bots that are no entrants: {sorted(strangers)}"
    first = np.array([index[tally.bot_a] for tally in tallies], dtype=np.intp)
    second = np.array([index[tally.bot_b] for tally in tallies], dtype=np.intp)
    assert (first < second).all(), "a tally must have bot_a < bot_b"
    counts = np.array([(*tally.pairs, *tally.singles) for tally in tallies], dtype=np.float64).reshape(-1, len(WON))
    key = first * len(names) + second
    order = np.argsort(key)
    assert (np.diff(key[order]) > 0).all(), "two bots have more than one tally"
    order = order[counts[order].any(axis=1)]
    return _Results(first[order], second[order], counts[order])


def _connected(bots: int, results: _Results) -> list[Indices]:
    """The components of the graph of bots that met, each ascending."""
    met = np.zeros((bots, bots), dtype=np.bool_)
    met[results.first, results.second] = met[results.second, results.first] = True
    unseen = np.ones(bots, dtype=np.bool_)
    components = []
    for start in range(bots):
        if not unseen[start]:
            continue
        component = np.zeros(bots, dtype=np.bool_)
        frontier = np.array([start], dtype=np.intp)
        while frontier.size:
            component[frontier] = True
            frontier = np.flatnonzero(met[frontier].any(axis=0) & ~component)
        unseen &= ~component
        components.append(np.flatnonzero(component))
    return components


def _fit(names: Sequence[str], members: Indices, results: _Results, prior: float) -> _Group:
    """Strengths of one component of the graph, from its results and the virtual pairs of the prior."""
    size = len(members)
    names_inside = tuple(names[member] for member in members)
    if size == 1:
        return _Group(names_inside, np.zeros(1), np.zeros((1, 1)))
    inside = np.isin(results.first, members)
    first = np.searchsorted(members, results.first[inside])
    second = np.searchsorted(members, results.second[inside])
    opponents = np.bincount(first, minlength=size) + np.bincount(second, minlength=size)
    virtual_pairs = prior / 2.0 * (1.0 / opponents[first] + 1.0 / opponents[second])
    counts = results.counts[inside]
    counts[:, SWEPT] += virtual_pairs[:, np.newaxis] / 2.0
    observed = _Results(first, second, counts)
    strengths = _strengths(size, observed)
    return _Group(names_inside, strengths, _deviations(strengths, observed))


def _strengths(size: int, results: _Results) -> Floats:
    """Strengths of highest likelihood, average 0; see "Fit" at the top of this file."""
    first, second = results.first, results.second
    won, lost = results.counts @ WON, results.counts @ LOST
    strengths = np.zeros(size)
    for _ in range(STEPS_MAX):
        gaps = strengths[first] - strengths[second]
        chance, counterchance = _chances(gaps)
        surplus = won * counterchance - lost * chance
        gradient = np.bincount(first, surplus, size) - np.bincount(second, surplus, size)
        curvature = _laplacian(size, results, (won + lost) * chance * counterchance)
        step = np.linalg.solve(_centring(curvature), gradient)
        change = step[first] - step[second]
        strengths += _fraction(gaps, np.abs(change), won + lost) * step
        if np.abs(change).max() < CLOSE:
            return strengths - float(strengths.mean())
    raise AssertionError(f"the fit did not converge in {STEPS_MAX} steps")


def _fraction(gaps: Floats, changes: Floats, matches: Floats) -> float:
    """How much of a Newton step surely raises the likelihood all the way; see "Fit" at the top of this file.

    Weights are taken as logarithms: that of bots which are 1000 logits apart is below any float, but matters.
    """
    largest = float(changes.max())
    if largest == 0.0:
        return 1.0
    weights_log = np.log(matches) - np.abs(gaps) - 2.0 * np.log1p(np.exp(-np.abs(gaps)))
    weights = np.exp(weights_log)
    enough = math.log1p(largest) / largest
    fraction = 1.0
    while fraction > enough:
        grown = np.exp(np.minimum(weights_log + fraction * changes, EXPONENT_MAX))
        if changes @ (grown - weights) <= weights @ changes**2:
            break
        fraction = max(0.8 * fraction, enough)
    return fraction


def _deviations(strengths: Floats, results: _Results) -> Floats:
    """A root of the sandwich, with the observation (a pair, or a single match) as the unit."""
    size = len(strengths)
    chance, counterchance = _chances(strengths[results.first] - strengths[results.second])
    residuals = np.outer(counterchance, WON) - np.outer(chance, LOST)
    spread = _laplacian(size, results, (results.counts * residuals**2).sum(axis=1))
    root = np.linalg.cholesky(_centring(spread))
    matches = results.counts @ (WON + LOST)
    curvature = _laplacian(size, results, matches * chance * counterchance)
    deviations = np.linalg.solve(_centring(curvature), root)
    deviations -= deviations.mean(axis=0)
    return deviations


def _chances(gaps: Floats) -> tuple[Floats, Floats]:
    """Chance of the first bot and of the second one for differences in strength; the small one is exact, too."""
    odds = np.exp(-np.abs(gaps))
    favourite = 1.0 / (1.0 + odds)
    underdog = odds * favourite
    ahead = gaps >= 0.0
    return np.where(ahead, favourite, underdog), np.where(ahead, underdog, favourite)


def _laplacian(size: int, results: _Results, weights: Floats) -> Floats:
    """The matrix of sum(weight * (x[first] - x[second])**2) as a quadratic form of x."""
    matrix = np.zeros((size, size))
    matrix[results.first, results.second] = matrix[results.second, results.first] = -weights
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


def _centring(laplacian: Floats) -> Floats:
    """A Laplacian knows differences only. A constant added to all its entries makes it invertible, by fixing the
    average at 0, and changes nothing else."""
    return laplacian + float(np.trace(laplacian)) / len(laplacian) ** 2


def _on_scale(group: _Group, anchor: tuple[str, float] | None, mean: float, quantile: float) -> dict[str, Rating]:
    """Elo ratings of a group, around `mean` or so that the anchor's is as given."""
    origin, base = 0.0, mean
    if anchor is not None and anchor[0] in group.names:
        origin, base = float(group.strengths[group.names.index(anchor[0])]), anchor[1]
    alone = len(group.names) == 1
    return {
        name: Rating(
            elo=base + ELO * (float(strength) - origin),
            error=None if alone else quantile * ELO * float(np.linalg.norm(deviations)),
        )
        for name, strength, deviations in zip(group.names, group.strengths, group.deviations, strict=True)
    }
