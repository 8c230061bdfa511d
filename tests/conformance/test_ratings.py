"""Every rating method of the registry keeps its contract, and the checks catch those that do not."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from arena.contracts import Results
from arena.model import Rating, Tally
from arena.ratings.bradley_terry import BradleyTerry
from arena.registry import load, names
from arena.testing import check_rating
from tests.second_game.arena_leduc.share import ScoreShare


def test_a_rating_that_is_no_fit_of_strengths_keeps_it():
    check_rating(ScoreShare())


@pytest.mark.parametrize("name", names("ratings"))
def test_rating_keeps_its_contract(name):
    check_rating(load("ratings", name)())


@dataclass(frozen=True)
class Found:
    """Ratings that are not what they should be."""

    ratings: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    chances: Any
    errors: Any
    scale: str = "Elo"
    remarks: Sequence[str] = ()

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        chance: float | None = self.chances(bot_a, bot_b)
        return chance

    def difference_error(self, bot_a: str, bot_b: str) -> float | None:
        error: float | None = self.errors(bot_a, bot_b)
        return error


class Broken:
    """A proper method, each of the faults below in turn."""

    def rate(self, entrants: Any, results: Results, *, anchor: Any, confidence: float) -> Found:
        fit = BradleyTerry().rate(entrants, results, anchor=anchor, confidence=confidence)
        found = Found(fit.ratings, fit.groups, fit.chance_above, fit.difference_error)
        return self.spoil(found, entrants, results.tallies())

    def spoil(self, found: Found, entrants: Sequence[str], tallies: Sequence[Tally]) -> Found:
        return found

    @staticmethod
    def change(found: Found, **changes: Any) -> Found:
        """The same `elo` or `error` for everybody, or what a function of (name, rating) says."""
        ratings = {
            name: replace(rating, **{key: change(name, rating) for key, change in changes.items()})
            for name, rating in found.ratings.items()
        }
        return replace(found, ratings=ratings)


class ForgetsIdleBots(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, ratings={name: rating for name, rating in found.ratings.items() if rating.error})


class CertainOfIdleBots(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, error=lambda name, rating: rating.error or 0.0)


class Infinite(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, elo=lambda name, rating: math.inf if name == "eve" else rating.elo)


class WithoutError(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, error=lambda name, rating: rating.error and 0.0)


class OneGroup(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, groups=[sorted(entrants)])


class ComparesAnything(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, chances=lambda bot_a, bot_b: 0.5)


class Lopsided(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, chances=lambda bot_a, bot_b: (found.chances(bot_a, bot_b) or None) and 0.9)


class FirstComeFirstRated(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, elo=lambda name, rating: rating.elo - 1e-9 * list(entrants).index(name))


class LatestResultCounts(Broken):
    """Keeps, from call to call, how many results it has seen of a bot, and rates a bot by its newest ones."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def rate(self, entrants, results, *, anchor, confidence):
        matches = Counter[str]()
        for tally in results.tallies():
            matches.update({tally.bot_a: tally.matches, tally.bot_b: tally.matches})
        new, self.seen = matches - self.seen, matches
        found = super().rate(entrants, results, anchor=anchor, confidence=confidence)
        is_half = 0 < len(+new) < len(+matches)
        return self.change(found, elo=lambda name, rating: rating.elo + is_half * new[name])


class TrustsTheMemory(Broken):
    def rate(self, entrants, results, *, anchor, confidence):
        found = super().rate(entrants, results, anchor=anchor, confidence=confidence)
        return found if not hasattr(results, "directory") else self.change(found, elo=lambda *_: 1500.0)


class Nameless(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, scale="")


class LongScale(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, scale="points won per match")


class Verbose(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, remarks=["Fine.", "Two\nlines."])


class Directed(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, errors=lambda a, b: (error := found.errors(a, b)) and error * (1 + (a < b)))


class CertainOfDifferences(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, errors=lambda a, b: found.errors(a, b) and 0.0)


class MeasuresAnything(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, errors=lambda a, b: found.errors(a, b) or 5.0)


class UnsureOfDifferences(Broken):
    """Adds what is the same for both."""

    def spoil(self, found, entrants, tallies):
        return replace(found, errors=lambda a, b: (error := found.errors(a, b)) and error + 1000.0)


class AlwaysAsSure(Broken):
    def spoil(self, found, entrants, tallies):
        return replace(found, errors=lambda a, b: found.errors(a, b) and 5.0)


class Contradicts(Broken):
    """Its chances are not those of its ratings where a third bot is."""

    def spoil(self, found, entrants, tallies):
        return replace(found, chances=lambda a, b: found.chances(*((b, a) if "cyd" in (a, b) else (a, b))))


class Hoards(Broken):
    def rate(self, entrants, results, *, anchor, confidence):
        self.kept = list(results.in_order())
        return super().rate(entrants, results, anchor=anchor, confidence=confidence)


class UpsideDown(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, elo=lambda name, rating: 3000.0 - rating.elo)


class PrefersAnn(Broken):
    def spoil(self, found, entrants, tallies):
        return self.change(found, elo=lambda name, rating: rating.elo + (name == "ann"))


class Unanchored(Broken):
    def rate(self, entrants, results, *, anchor, confidence):
        return super().rate(entrants, results, anchor=None, confidence=confidence)


class AnchorsEverybody(Broken):
    def rate(self, entrants, results, *, anchor, confidence):
        mean = anchor[1] if anchor else 1500.0
        return BradleyTerry(mean=mean).rate(entrants, results, anchor=anchor, confidence=confidence)


class AlwaysConfident(Broken):
    def rate(self, entrants, results, *, anchor, confidence):
        return super().rate(entrants, results, anchor=anchor, confidence=0.95)


def test_what_the_broken_ones_are_made_of_passes():
    check_rating(Broken())


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (ForgetsIdleBots(), "not all entrants"),
        (CertainOfIdleBots(), "gus has no match"),
        (Infinite(), "eve: "),
        (WithoutError(), "ann: "),
        (OneGroup(), "wrong groups"),
        (ComparesAnything(), "nothing connects"),
        (Lopsided(), "above"),
        (FirstComeFirstRated(), "order of entrants"),
        (LatestResultCounts(), "order in which results came"),
        (TrustsTheMemory(), "results from a store"),
        (Nameless(), "name of 1 to"),
        (LongScale(), "name of 1 to"),
        (Verbose(), "must be one line"),
        (Directed(), "no direction"),
        (CertainOfDifferences(), "the error of the difference of"),
        (MeasuresAnything(), "nothing connects .* has an error"),
        (UnsureOfDifferences(), "above both together"),
        (AlwaysAsSure(), "more confidence, but no wider"),
        (Contradicts(), "is rated above .* with a chance of"),
        (Hoards(), "must not be kept"),
        (UpsideDown(), "not rated above"),
        (PrefersAnn(), "other name"),
        (Unanchored(), "anchor does not hold"),
        (AnchorsEverybody(), "more than its group"),
        (AlwaysConfident(), "no wider"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_method_is_caught(broken, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_rating(broken)
