"""Bradley-Terry ratings against Ordo, against figures derived by hand, against a literal second fit, and against truth.

A prior of 0.001 virtual pairs is as good as none: figures that hold for plain maximum likelihood are checked with it.
"""

import csv
from itertools import combinations, pairwise, permutations
from math import exp, inf, isfinite, log, log10, nan, sqrt
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contracts import Ratings
from arena.errors import SettingsError
from arena.model import Tally
from arena.ratings.bradley_terry import BradleyTerry
from arena.testing import TalliedResults
from tests.ratings.fits import ELO, WEAK, Z95, AsListed, deviation, error, lead, rate, sweeps

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def ordo() -> dict[str, dict[str, str]]:
    """Ordo's row for each player."""
    with (DATA / "ordo-reference.csv").open() as file:
        return {row["player"]: row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def found_in_ordos_games() -> Ratings:
    with (DATA / "ordo-reference-games.csv").open() as file:
        rows = list(csv.DictReader(file))
    tallies = [
        Tally(row["player_a"], row["player_b"], singles=(int(row["wins_b"]), int(row["draws"]), int(row["wins_a"])))
        for row in rows
    ]
    entrants = sorted({name for row in rows for name in (row["player_a"], row["player_b"])})
    return BradleyTerry(prior=WEAK, mean=0.0).rate(entrants, TalliedResults(tallies), anchor=None, confidence=0.95)


def test_ratings_agree_with_ordo_within_a_hundredth(ordo, found_in_ordos_games):
    assert len(ordo) == 20
    for name, row in ordo.items():
        assert found_in_ordos_games.ratings[name].elo == pytest.approx(float(row["ordo_rating_z200_24"]), abs=0.01)


def test_errors_agree_with_the_tournaments_that_ordo_simulates(ordo, found_in_ordos_games):
    """Its 1,000 tournaments leave a noise of 2 %, the residuals of 400 games a player another one of 3 %."""
    ratios = [
        error(found_in_ordos_games, name) / float(row["ordo_error95_z200_24_drawauto_s1000"])
        for name, row in ordo.items()
    ]
    assert min(ratios) > 0.92
    assert max(ratios) < 1.08
    assert sum(ratios) / len(ratios) == pytest.approx(1.0, abs=0.01)


class TestByHand:
    def test_three_quarters_are_190_85_elo(self):
        found = rate(Tally("a", "b", singles=(25, 0, 75)), prior=WEAK)
        assert lead(found) == pytest.approx(400 * log10(3), abs=0.01)  # 190.85
        assert found.ratings["a"].elo + found.ratings["b"].elo == pytest.approx(2 * 1500)

    def test_error_of_independent_matches_is_binomial(self):
        found = rate(Tally("a", "b", singles=(25, 0, 75)), prior=WEAK)
        expected = ELO / sqrt(100 * 0.75 * 0.25)
        assert deviation(found) == pytest.approx(expected, rel=1e-3)
        assert error(found) == pytest.approx(Z95 * expected / 2, rel=1e-3)  # half the way to the other is the average

    def test_draws_count_half_and_narrow_the_error(self):
        found = rate(Tally("a", "b", singles=(0, 50, 50)), prior=WEAK)
        assert lead(found) == pytest.approx(190.85, abs=0.01)
        decisive = rate(Tally("a", "b", singles=(25, 0, 75)), prior=WEAK)
        assert error(found) / error(decisive) == pytest.approx(sqrt(1 / 3), rel=1e-3)  # variance 1/16 against 3/16

    def test_a_chain_adds_up(self):
        found = rate(Tally("a", "b", singles=(25, 0, 75)), Tally("b", "c", singles=(20, 0, 80)), prior=WEAK)
        assert lead(found, "a", "c") == pytest.approx(400 * log10(3 * 4), abs=0.02)
        variance = deviation(found, "a", "b") ** 2 + deviation(found, "b", "c") ** 2
        assert deviation(found, "a", "c") ** 2 == pytest.approx(variance, rel=1e-6)

    @pytest.mark.parametrize("size", [3, 4, 7])
    def test_a_cycle_makes_all_equal(self, size):
        names = "abcdefg"[:size]
        ring = [Tally(one, other, pairs=(0, 0, 1, 2, 7)) for one, other in pairwise(names)]
        found = rate(*ring, Tally(names[0], names[-1], pairs=(7, 2, 1, 0, 0)))
        assert [rating.elo for rating in found.ratings.values()] == pytest.approx([1500.0] * size)
        assert [error(found, name) for name in names] == pytest.approx([error(found)] * size)

    def test_the_anchor_moves_the_scale_of_its_group_only(self):
        tallies = (Tally("a", "b", singles=(1, 2, 5)), Tally("c", "d", singles=(1, 0, 1)))
        free, held = rate(*tallies), rate(*tallies, anchor=("b", 0.0))
        assert held.ratings["b"].elo == 0.0
        assert lead(held) == pytest.approx(lead(free))
        assert (held.ratings["c"], held.ratings["d"]) == (free.ratings["c"], free.ratings["d"])
        assert [held.ratings[name].error for name in "ab"] == [free.ratings[name].error for name in "ab"]

    def test_groups_are_apart_and_each_has_the_mean(self):
        tallies = (
            Tally("x", "y", singles=(0, 1, 3)),
            Tally("b", "c", singles=(1, 0, 1)),
            Tally("c", "d", singles=(2, 0, 1)),
        )
        found = rate(*tallies, Tally("d", "x"), idle=("m",))  # no match in the tally of d and x
        assert found.groups == (("b", "c", "d"), ("x", "y"), ("m",))
        for group in found.groups:
            assert sum(found.ratings[name].elo for name in group) == pytest.approx(1500.0 * len(group))
        assert (found.ratings["m"].elo, found.ratings["m"].error) == (1500.0, None)
        assert found.chance_above("b", "x") is None
        assert found.chance_above("m", "b") is None

    def test_an_idle_anchor_holds_alone(self):
        found = rate(Tally("a", "b", singles=(1, 0, 1)), idle=("m",), anchor=("m", 7.0))
        assert {name: rating.elo for name, rating in found.ratings.items()} == {"a": 1500.0, "b": 1500.0, "m": 7.0}

    def test_chance_above_is_that_of_the_normal_difference(self):
        found = rate(Tally("a", "b", singles=(40, 0, 60)), prior=WEAK)
        z = log(1.5) / (1 / sqrt(100 * 0.6 * 0.4))
        assert found.chance_above("a", "b") == pytest.approx(NormalDist().cdf(z), abs=1e-4)  # 97.65 %
        assert found.chance_above("b", "a") == pytest.approx(NormalDist().cdf(-z), abs=1e-4)
        assert found.chance_above("a", "a") == 0.5


class TestPerfectScores:
    def test_two_bots_get_the_odds_of_the_virtual_pair(self):
        found = rate(sweeps("a", "b", 50))
        assert lead(found) == pytest.approx(ELO * log(101 / 1))  # 100 + 1 wins against 1: 802 Elo
        chance = 101 / 102
        spread = 50.5 * (2 * (1 - chance)) ** 2 + 0.5 * (2 * chance) ** 2
        assert deviation(found) == pytest.approx(ELO * sqrt(spread) / (102 * chance * (1 - chance)))
        assert Z95 * deviation(found) == pytest.approx(484, abs=0.5)

    def test_more_wins_rate_higher_and_more_losses_lower(self):
        winners = [sweeps("a", "m", 40), sweeps("b", "m", 10), sweeps("c", "m", 2)]
        losers = [sweeps("m", "x", 2), sweeps("m", "y", 10), sweeps("m", "z", 40)]
        found = rate(*winners, *losers)
        ratings = [found.ratings[name].elo for name in "abcmxyz"]
        assert all(higher > lower for higher, lower in pairwise(ratings))

    @pytest.mark.parametrize("prior", [1.0, WEAK])
    def test_a_perfect_ranking_of_many_is_found_and_finite(self, prior):
        names = [f"{place:02}" for place in range(60)]
        found = rate(*(sweeps(*bots, 50) for bots in combinations(names, 2)), prior=prior)
        ratings = [found.ratings[name].elo for name in names]
        assert all(higher > lower for higher, lower in pairwise(ratings))
        assert all(isfinite(rating.elo) and 0 < (rating.error or 0) < inf for rating in found.ratings.values())

    @pytest.mark.parametrize(
        "won",
        [
            {"ab": 1000, "ad": 1, "cb": 10_000, "dc": 10_000},
            {"ac": 10, "ad": 100_000, "bc": 1, "eb": 1000, "de": 100_000, "fe": 1},
            {"ab": 100, "ad": 1, "bf": 1, "cd": 10_000, "ec": 1000, "fe": 10_000},
        ],
    )
    def test_fits_that_whole_newton_steps_never_find(self, won):
        """The best fit expects of every bot the points that it has, virtual ones included."""
        found = rate(*(sweeps(bots[0], bots[1], count) for bots, count in won.items()))
        elo = {name: rating.elo for name, rating in found.ratings.items()}
        surplus = dict.fromkeys(elo, 0.0)
        for (winner, loser), count in won.items():
            virtual = sum(1 / sum(name in bots for bots in won) for name in (winner, loser)) / 2
            expected = 2 * (count + virtual) / (1 + 10 ** ((elo[loser] - elo[winner]) / 400))
            surplus[winner] += 2 * count + virtual - expected
            surplus[loser] -= 2 * count + virtual - expected
        assert list(surplus.values()) == pytest.approx([0.0] * len(elo), abs=1e-6)

    def test_pairs_that_are_all_equal_leave_an_error(self):
        found = rate(Tally("a", "b", pairs=(0, 0, 50, 0, 0)))
        assert lead(found) == 0.0
        assert 2 * error(found) == pytest.approx(Z95 * ELO * 1 / (102 / 4))  # one swept pair among 51: +-13 Elo

    def test_the_error_of_equal_pairs_and_of_draws_shrinks_with_their_number(self):
        for kind in (Tally("a", "b", pairs=(0, 0, 5, 0, 0)), Tally("a", "b", singles=(0, 10, 0))):
            more = Tally("a", "b", pairs=(0, 0, 50, 0, 0))
            assert error(rate(kind)) > 2 * error(rate(more)) > 0


class TestPairs:
    """Ways to score 50 %: the same matches, more or less alike within a pair."""

    singles = Tally("a", "b", singles=(1000, 0, 1000))

    def ratio(self, *pairs: int) -> float:
        lose, half, even, more, sweep = pairs
        paired = Tally("a", "b", pairs=(lose, half, even, more, sweep))
        assert paired.matches == self.singles.matches
        return error(rate(paired)) / error(rate(self.singles))

    def test_independent_matches_are_as_good_in_pairs(self):
        assert self.ratio(250, 0, 500, 0, 250) == pytest.approx(1.0, rel=2e-3)

    def test_swept_pairs_are_half_as_many_observations(self):
        assert self.ratio(500, 0, 0, 0, 500) == pytest.approx(sqrt(2), rel=2e-3)

    def test_pairs_that_cancel_tell_more(self):
        assert self.ratio(50, 0, 900, 0, 50) == pytest.approx(sqrt(1 / 5), rel=1e-2)
        assert self.ratio(0, 0, 1000, 0, 0) < 0.1


def literal(tallies: list[Tally], prior: float) -> dict[str, tuple[float, float]]:
    """The model again, step by step: (elo, standard deviation) by name, both relative to the average.

    Zermelo's fixed point for the strengths, a list of all observations, and the sandwich as a sum over them.
    """
    names = sorted({name for tally in tallies for name in (tally.bot_a, tally.bot_b)})
    opponents = {name: sum(name in (tally.bot_a, tally.bot_b) for tally in tallies) for name in names}
    observations: list[tuple[str, str, float, int, float]] = []  # bots, points of the first, matches, how many times
    for tally in tallies:
        virtual = prior / 2 * (1 / opponents[tally.bot_a] + 1 / opponents[tally.bot_b])
        made: list[tuple[float, int, float]] = [(0, 2, virtual / 2), (2, 2, virtual / 2)]
        made += [(points, 2, count) for points, count in zip((0, 0.5, 1, 1.5, 2), tally.pairs, strict=True)]
        made += [(points, 1, count) for points, count in zip((0, 0.5, 1), tally.singles, strict=True)]
        observations += [(tally.bot_a, tally.bot_b, *kind) for kind in made]
    odds = dict.fromkeys(names, 1.0)
    for _ in range(3000):
        for name in names:
            mine = [row for row in observations if name in row[:2]]
            points = sum(times * (won if name == a else size - won) for a, b, won, size, times in mine)
            odds[name] = points / sum(times * size / (odds[a] + odds[b]) for a, b, _, size, times in mine)
        scale = exp(sum(map(log, odds.values())) / len(odds))
        odds = {name: value / scale for name, value in odds.items()}
    curvature, spread = np.zeros((2, len(names), len(names)))
    for a, b, won, size, times in observations:
        direction = np.array([(name == a) - (name == b) for name in names], dtype=float)
        chance = odds[a] / (odds[a] + odds[b])
        curvature += times * size * chance * (1 - chance) * np.outer(direction, direction)
        spread += times * (won - size * chance) ** 2 * np.outer(direction, direction)
    inverse = np.linalg.pinv(curvature)
    covariance = inverse @ spread @ inverse
    return {name: (ELO * log(odds[name]), ELO * sqrt(covariance[place, place])) for place, name in enumerate(names)}


@pytest.mark.parametrize("prior", [1.0, 0.1])
def test_agrees_with_the_literal_model(prior):
    tallies = [
        Tally("a", "b", pairs=(1, 2, 9, 4, 4), singles=(0, 1, 2)),
        Tally("a", "c", pairs=(0, 0, 2, 3, 5)),
        Tally("a", "e", singles=(3, 0, 1)),
        Tally("b", "c", pairs=(0, 1, 8, 2, 9)),
        Tally("c", "d", pairs=(1, 0, 0, 0, 6), singles=(0, 0, 1)),
        Tally("d", "e", pairs=(2, 2, 2, 2, 0)),
    ]
    found, expected = rate(*tallies, prior=prior), literal(tallies, prior)
    assert {name: rating.elo - 1500.0 for name, rating in found.ratings.items()} == pytest.approx(
        {name: elo for name, (elo, _) in expected.items()}, abs=1e-6
    )
    assert {name: rating.error for name, rating in found.ratings.items()} == pytest.approx(
        {name: Z95 * sigma for name, (_, sigma) in expected.items()}, rel=1e-6
    )


def simulate(random: np.random.Generator, strengths: dict[str, float], pairs: int, alike: float) -> list[Tally]:
    """A round robin. `alike` of the deals (opposite ones where negative) have the same (the opposite) luck in both
    matches; luck decides each match with the chances of the model."""
    tallies = []
    for a, b in combinations(sorted(strengths), 2):
        chance = 1 / (1 + exp(strengths[b] - strengths[a]))
        luck, other_luck = random.random((2, pairs))
        shared = random.random(pairs) < abs(alike)
        other_luck = np.where(shared, luck if alike > 0 else 1 - luck, other_luck)
        lose, even, sweep = np.bincount((luck < chance) * 1 + (other_luck < chance), minlength=3).tolist()
        tallies.append(Tally(a, b, pairs=(lose, 0, even, 0, sweep)))
    return tallies


@pytest.mark.parametrize("alike", [-0.9, 0.0, 0.9])
def test_intervals_cover_the_truth(alike):
    """Of 600 independent intervals 95 % hold the truth, give or take 3.3 standard deviations of 0.9 %."""
    random = np.random.default_rng(20)
    hits: dict[str, list[bool]] = {"difference": [], "rating": []}
    for _ in range(600):
        strengths = {name: float(random.normal(0, 1)) for name in "abc"}
        found = rate(*simulate(random, strengths, 20, alike))
        average = sum(strengths.values()) / len(strengths)
        miss = abs(found.ratings["a"].elo - 1500 - ELO * (strengths["a"] - average))
        hits["rating"].append(miss <= error(found))
        if found.chance_above("a", "b") != 0.5:  # else the chance does not tell the deviation
            miss = abs(lead(found) - ELO * (strengths["a"] - strengths["b"]))
            hits["difference"].append(miss <= Z95 * deviation(found))
    shares = {what: sum(held) / len(held) for what, held in hits.items()}
    assert all(0.92 <= share <= 0.98 for share in shares.values()), shares


def test_the_error_of_a_difference_is_that_of_its_chance():
    found = rate(Tally("a", "b", (1, 2, 9, 4, 8)), Tally("b", "c", (3, 0, 1, 2, 5)), Tally("a", "c", singles=(1, 2, 9)))
    for bot_a, bot_b in combinations("abc", 2):
        known = found.difference_error(bot_a, bot_b)
        assert known == found.difference_error(bot_b, bot_a)
        assert known == pytest.approx(Z95 * deviation(found, bot_a, bot_b), rel=1e-5)
    assert found.difference_error("a", "a") == 0.0


def test_of_two_bots_either_has_half_the_error_of_their_difference():
    """Both are as far from their average."""
    found = rate(Tally("a", "b", (1, 2, 9, 4, 8)))
    assert found.difference_error("a", "b") == pytest.approx(2 * error(found, "a"), rel=1e-9)


def test_nothing_is_known_of_a_difference_that_nothing_connects():
    found = rate(sweeps("a", "b", 3), sweeps("c", "d", 3), idle=("e",))
    assert [found.difference_error(*bots) for bots in ("ac", "db", "ae")] == [None] * 3


def test_the_scale_has_its_name():
    assert rate(sweeps("a", "b", 3)).scale == "Elo"


class TestAnyResults:
    counts = st.just(0) | st.integers(0, 3) | st.integers(0, 6).map(lambda power: 10**power)
    tallies = st.builds(
        lambda bots, pairs, singles: Tally(min(bots), max(bots), pairs, singles),
        st.sampled_from(list(combinations("abcdef", 2))),
        st.tuples(*[counts] * 5),
        st.tuples(*[counts] * 3),
    )
    results = st.lists(tallies, max_size=12, unique_by=lambda tally: (tally.bot_a, tally.bot_b))

    @settings(derandomize=True, max_examples=80, deadline=None)
    @given(results, st.sampled_from([1.0, WEAK, 30.0]))
    def test_ratings_and_errors_are_finite(self, tallies, prior):
        found = rate(*tallies, idle=tuple("abcdef"), prior=prior)
        played = {name for tally in tallies if tally.matches for name in (tally.bot_a, tally.bot_b)}
        for name, rating in found.ratings.items():
            assert isfinite(rating.elo)
            assert (rating.error is None) == (name not in played)
            assert rating.error is None or 0.0 < rating.error < inf
        for bot_a, bot_b in permutations("abcdef", 2):
            chance = found.chance_above(bot_a, bot_b)
            assert (chance is None) == all({bot_a, bot_b} - set(group) for group in found.groups)
            assert chance is None or 0.0 <= chance <= 1.0

    @settings(derandomize=True, max_examples=60, deadline=None)
    @given(results, st.permutations("abcdef"), st.randoms(use_true_random=False))
    def test_no_order_changes_a_bit(self, tallies, entrants, random):
        shuffled = random.sample(tallies, len(tallies))
        straight = rate(*tallies, idle=tuple("abcdef"))
        other = BradleyTerry().rate(entrants, AsListed(shuffled), anchor=None, confidence=0.95)
        assert dict(other.ratings) == dict(straight.ratings)
        assert other.groups == straight.groups
        for bots in permutations("abcdef", 2):
            assert other.chance_above(*bots) == straight.chance_above(*bots)

    @settings(derandomize=True, max_examples=60, deadline=None)
    @given(st.tuples(*[st.integers(0, 99)] * 5), st.tuples(*[st.integers(0, 99)] * 3))
    def test_swapped_names_mirror_the_result(self, pairs, singles):
        straight = rate(Tally("a", "b", pairs, singles), idle=("a", "b"))
        mirrored = rate(Tally("a", "b", pairs[::-1], singles[::-1]), idle=("a", "b"))
        assert mirrored.ratings["b"].elo == pytest.approx(straight.ratings["a"].elo, abs=1e-6)
        assert mirrored.ratings["a"].elo == pytest.approx(straight.ratings["b"].elo, abs=1e-6)


def test_a_thin_link_leaves_what_is_well_known_alone():
    """Groups that one match connects are far apart or not, nobody knows; that must not blur either group inside."""
    groups = [
        [Tally(one, other, pairs=(10_000, 0, 30_000, 0, 10_050)) for one, other in combinations(names, 2)]
        for names in ("abcdefgh", "stuvwxyz")
    ]
    alone = rate(*groups[0], prior=WEAK)
    linked = rate(*groups[0], *groups[1], Tally("a", "z", singles=(0, 0, 1)), prior=WEAK)
    assert error(linked) > 1000 * error(alone)
    assert lead(linked, "b", "d") == pytest.approx(lead(alone, "b", "d"), abs=1e-4)
    assert deviation(linked, "b", "d") == pytest.approx(deviation(alone, "b", "d"), rel=1e-3)


class TestRefused:
    @pytest.mark.parametrize("prior", [0.0, -1.0, 0.0009, inf, nan])
    def test_priors_that_leave_ratings_unbounded(self, prior):
        with pytest.raises(SettingsError, match=r"prior: must be finite and at least 0\.001"):
            BradleyTerry(prior=prior)

    def test_a_mean_that_is_no_number(self):
        with pytest.raises(SettingsError, match="mean: must be a finite number, not nan"):
            BradleyTerry(mean=nan)

    @pytest.mark.parametrize(
        ("entrants", "tallies", "anchor", "complaint"),
        [
            ("ab", [Tally("a", "c", singles=(0, 0, 1))], None, r"no entrants: \['c'\]"),
            ("ab", [Tally("a", "b"), Tally("a", "b")], None, "more than one tally"),
            ("ab", [Tally("b", "a")], None, "bot_a < bot_b"),
            ("aba", [], None, "listed twice"),
            ("ab", [], ("c", 0.0), "not an entrant"),
        ],
    )
    def test_what_no_caller_may_ask(self, entrants, tallies, anchor, complaint):
        with pytest.raises(AssertionError, match=complaint):
            BradleyTerry().rate(entrants, AsListed(tallies), anchor=anchor, confidence=0.95)
