"""What a rating method must satisfy."""

import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import permutations
from math import inf, isclose, isfinite
from pathlib import Path
from random import Random

from arena.contracts import RatingMethod, Ratings, Results
from arena.model import BotSpec, DealScore, MatchResult, Outcome, Pairing, Score, Tally, by_deals
from arena.plan import Identity
from arena.store import Store
from arena.testing.results import ResultsInMemory, TalliedResults

__all__ = ["check_rating"]


def check_rating(method: RatingMethod) -> None:
    """A rating method rates everybody, depends on no order, says what it does not know, and keeps no list of results.

    Whether the method reads tallies, results in order or deals, is its own choice.
    """
    _check_rating_complete(method)
    _check_rating_words(method)
    _check_rating_order(method)
    _check_rating_arrival(method)
    _check_rating_sense(method)
    _check_rating_differences(method)
    _check_rating_anchor(method)
    _check_rating_confidence(method)
    _check_rating_memory(method)


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


_SCALE_MAX = 12
"""Characters of the head of a column."""


def _check_rating_words(method: RatingMethod) -> None:
    for found in (_rate(method, _TALLIES), _rate(method, (), ()), _rate(method, _TALLIES, anchor=("bob", 3.0))):
        assert 0 < len(found.scale) <= _SCALE_MAX, f"a scale has a name of 1 to {_SCALE_MAX} letters: {found.scale!r}"
        for text in (found.scale, *found.remarks):
            assert text == text.strip(), f"a remark or a scale must be text without space around it: {text!r}"
            assert len(text.splitlines()) == 1, f"a remark or a scale must be one line: {text!r}"


def _check_rating_order(method: RatingMethod) -> None:
    found = _rate(method, _TALLIES)
    for step in (-1, 3, 5):
        entrants = [_ENTRANTS[step * place % len(_ENTRANTS)] for place in range(len(_ENTRANTS))]
        again = _rate(method, _TALLIES[::-1] if step < 0 else _TALLIES[step:] + _TALLIES[:step], entrants)
        assert dict(again.ratings) == dict(found.ratings), "ratings depend on the order of entrants or tallies"
        assert list(map(tuple, again.groups)) == list(map(tuple, found.groups)), "groups depend on an order"
        for bot_a, bot_b in permutations(_ENTRANTS, 2):
            assert again.chance_above(bot_a, bot_b) == found.chance_above(bot_a, bot_b), "chances depend on an order"


def _check_rating_arrival(method: RatingMethod) -> None:
    """The same results are rated alike, in whatever order they came, in memory or on disk, and whatever was rated
    before."""
    scores = list(TalliedResults(_TALLIES).in_order())
    wanted = _said(method, TalliedResults(_TALLIES))
    for seed in range(3):
        arrived = list(scores)
        Random(seed).shuffle(arrived)
        results = ResultsInMemory()
        for number, score in enumerate(arrived):
            results.record(*score)
            if number == len(arrived) // 2:
                method.rate(_ENTRANTS, results, anchor=None, confidence=0.95)
        assert _said(method, results) == wanted, "ratings depend on the order in which results came"
        with tempfile.TemporaryDirectory(prefix="arena-") as place, _stored(arrived, Path(place)) as store:
            assert _said(method, store) == wanted, "results from a store are rated otherwise than the same in memory"


def _said(method: RatingMethod, results: Results) -> object:
    """All that a method says of results."""
    found = method.rate(_ENTRANTS, results, anchor=None, confidence=0.95)
    pairs = list(permutations(_ENTRANTS, 2))
    chances = [found.chance_above(*bots) for bots in pairs]
    return dict(found.ratings), chances, [found.difference_error(*bots) for bots in pairs]


def _stored(scores: Sequence[Score], place: Path) -> Store:
    """A store that has got these results, one after the other."""
    identity = Identity("a check", "", {})
    store = Store.open_to_write(place)
    store.enter([BotSpec(name, (), "", fingerprint="1") for name in _ENTRANTS])
    for pairing, lane, points_a in scores:
        (spec,) = identity.specs(pairing, [lane])
        winner = {1.0: lane, 0.0: 1 - lane}.get(points_a)
        store.append(MatchResult(spec, Outcome(winner, "decided")))
    return store


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


def _check_rating_differences(method: RatingMethod) -> None:
    """Errors of differences, beside those of the ratings themselves and beside chances."""
    found, surer = _rate(method, _TALLIES), _rate(method, _TALLIES, confidence=0.999)
    group_of = {name: group for group in _GROUPS for name in group}
    for bot_a, bot_b in permutations(_ENTRANTS, 2):
        pair = f"{bot_a} and {bot_b}"
        error = found.difference_error(bot_a, bot_b)
        assert error == found.difference_error(bot_b, bot_a), f"the error of a difference has no direction: {pair}"
        if group_of[bot_a] != group_of[bot_b]:
            assert error is None, f"nothing connects {pair}, but their difference has an error"
            continue
        assert error is not None, f"{pair} are connected, but their difference has no error"
        assert 0.0 < error < inf, f"the error of the difference of {pair}: {error}"
        wider = surer.difference_error(bot_a, bot_b)
        assert wider is not None, f"{pair} are connected, but their difference has no error"
        assert wider > error, f"{pair}: more confidence, but no wider: {error}, {wider}"
        one, other = found.ratings[bot_a], found.ratings[bot_b]
        most = (one.error or 0.0) + (other.error or 0.0)
        assert error <= most * (1 + 1e-9), (
            f"the difference of {pair} has an error of {error}, above both together: {most}"
        )
        chance = found.chance_above(bot_a, bot_b) or 0.0
        assert one.elo <= other.elo or chance >= 0.5, f"{bot_a} is rated above {bot_b}, with a chance of {chance}"


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


_MANY = 100_000


class _Stream:
    """So many results that a list of them is seen in the memory; an `arena.contracts.Results`."""

    def tallies(self) -> Sequence[Tally]:
        return [Tally("ann", "bob", pairs=(0, 0, _MANY // 2, 0, 0))]

    def in_order(self) -> Iterator[Score]:
        return (Score(Pairing("ann", "bob", number // 2), number % 2, float(number % 2)) for number in range(_MANY))

    def deals(self) -> Iterator[DealScore]:
        return by_deals(self.in_order())

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        is_played = pairing.deal < _MANY // 2
        return is_played, is_played


def _check_rating_memory(method: RatingMethod) -> None:
    tracemalloc.start()
    try:
        method.rate(("ann", "bob"), _Stream(), anchor=None, confidence=0.95)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert memory < 10 * _MANY, f"to rate {_MANY} results takes {memory} bytes of memory: they must not be kept"
