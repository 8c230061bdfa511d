"""What a rating method must satisfy."""

from collections.abc import Sequence
from itertools import permutations
from math import inf, isclose, isfinite

from arena.contracts import RatingMethod, Ratings
from arena.model import Tally
from arena.testing.results import TalliedResults

__all__ = ["check_rating"]


def check_rating(method: RatingMethod) -> None:
    """A rating method rates everybody, depends on no order, and says what it does not know."""
    _check_rating_complete(method)
    _check_rating_order(method)
    _check_rating_sense(method)
    _check_rating_anchor(method)
    _check_rating_confidence(method)


_GROUPS = (("ann", "bob", "cyd", "dan"), ("eve", "fay"), ("gus",), ("hal",))
"""Bots that the tallies below connect. Dan lost everything, eve won everything, gus is in a tally without a match."""
_ENTRANTS = tuple(name for group in _GROUPS for name in group)
_TALLIES = (
    Tally("ann", "bob", pairs=(1, 2, 9, 4, 4), singles=(0, 1, 2)),
    Tally("ann", "cyd", pairs=(0, 0, 2, 3, 15)),
    Tally("bob", "cyd", pairs=(0, 1, 8, 2, 9)),
    Tally("bob", "gus"),
    Tally("cyd", "dan", pairs=(0, 0, 0, 0, 20)),
    Tally("eve", "fay", singles=(0, 0, 3)),
)


def _rate(
    method: RatingMethod,
    tallies: Sequence[Tally],
    entrants: Sequence[str] = _ENTRANTS,
    anchor: tuple[str, float] | None = None,
    confidence: float = 0.95,
) -> Ratings:
    return method.rate(entrants, TalliedResults(tallies), anchor=anchor, confidence=confidence)


def _check_rating_complete(method: RatingMethod) -> None:
    found = _rate(method, _TALLIES)
    assert set(found.ratings) == set(_ENTRANTS), "not all entrants are rated, or others are"
    assert {frozenset(group) for group in found.groups} == set(map(frozenset, _GROUPS)), f"wrong groups: {found.groups}"
    group_of = {name: group for group in _GROUPS for name in group}
    for name, rating in found.ratings.items():
        assert isfinite(rating.elo), f"{name}: {rating}"
        if len(group_of[name]) == 1:
            assert rating.error is None, f"{name} has no match: its error is unknown, not {rating.error}"
        else:
            assert rating.error is not None, f"{name} has results, but no error"
            assert 0.0 < rating.error < inf, f"{name}: {rating}"
    for bot_a, bot_b in permutations(_ENTRANTS, 2):
        chance, counterchance = found.chance_above(bot_a, bot_b), found.chance_above(bot_b, bot_a)
        if group_of[bot_a] != group_of[bot_b]:
            assert chance is None, f"nothing connects {bot_a} and {bot_b}, but there is a chance"
        else:
            assert chance is not None, f"{bot_a} and {bot_b} are connected, but there is no chance"
            assert counterchance is not None
            assert 0.0 <= chance <= 1.0, f"{bot_a} above {bot_b}: {chance}"
            assert isclose(chance + counterchance, 1.0), f"{bot_a} above {bot_b}: {chance}, below: {counterchance}"
    assert not _rate(method, (), ()).ratings, "there are ratings, but no entrants"


def _check_rating_order(method: RatingMethod) -> None:
    found = _rate(method, _TALLIES)
    for step in (-1, 3, 5):
        entrants = [_ENTRANTS[step * place % len(_ENTRANTS)] for place in range(len(_ENTRANTS))]
        again = _rate(method, _TALLIES[::-1] if step < 0 else _TALLIES[step:] + _TALLIES[:step], entrants)
        assert dict(again.ratings) == dict(found.ratings), "ratings depend on the order of entrants or tallies"
        assert list(map(tuple, again.groups)) == list(map(tuple, found.groups)), "groups depend on an order"
        for bot_a, bot_b in permutations(_ENTRANTS, 2):
            assert again.chance_above(bot_a, bot_b) == found.chance_above(bot_a, bot_b), "chances depend on an order"


def _check_rating_sense(method: RatingMethod) -> None:
    """Between two bots a better score is a better rating, and changing the names changes nothing else."""
    two, before = ("ann", "bob"), -inf
    for wins in range(11):
        found = _rate(method, [Tally(*two, pairs=(10 - wins, 0, 0, 0, wins))], two)
        mirrored = _rate(method, [Tally(*two, pairs=(wins, 0, 0, 0, 10 - wins))], two)
        lead = found.ratings["ann"].elo - found.ratings["bob"].elo
        chance = found.chance_above(*two)
        assert lead > before, f"{wins} pairs won of 10 are not rated above {wins - 1}"
        assert chance is not None, "two bots that met are connected"
        assert (chance > 0.5, chance < 0.5) == (wins > 5, wins < 5) or isclose(chance, 0.5), f"{wins} of 10: {chance}"
        for bot, other in (two, two[::-1]):
            change = mirrored.ratings[other].elo - found.ratings[bot].elo
            assert abs(change) < 1e-6, f"{wins} pairs won of 10 are worth {change} more under the other name"
        before = lead
    balanced = _rate(method, [Tally(*two, pairs=(1, 2, 3, 2, 1), singles=(1, 1, 1))], two)
    assert abs(balanced.ratings["ann"].elo - balanced.ratings["bob"].elo) < 1e-6, "equal scores, but unequal ratings"


def _check_rating_anchor(method: RatingMethod) -> None:
    free = _rate(method, _TALLIES).ratings
    for group in _GROUPS:
        for anchor in group:
            held = _rate(method, _TALLIES, anchor=(anchor, -250.0)).ratings
            assert abs(held[anchor].elo + 250.0) < 1e-9, f"the anchor does not hold: {held[anchor]}"
            shift = held[anchor].elo - free[anchor].elo
            for name in _ENTRANTS:
                change = held[name].elo - free[name].elo - (shift if name in group else 0.0)
                assert abs(change) < 1e-6, f"anchored at {anchor}, {name} moves by {change} more than its group"
                assert held[name].error == free[name].error, f"the anchor {anchor} changes the error of {name}"


def _check_rating_confidence(method: RatingMethod) -> None:
    half, most, nearly_all = (_rate(method, _TALLIES, confidence=level).ratings for level in (0.5, 0.95, 0.999))
    for name in _ENTRANTS:
        assert half[name].elo == most[name].elo == nearly_all[name].elo, f"the confidence changes the rating of {name}"
        errors = [ratings[name].error or 0.0 for ratings in (half, most, nearly_all)]
        assert errors[0] < errors[1] < errors[2] or not any(errors), f"{name}: more confidence, but no wider: {errors}"
