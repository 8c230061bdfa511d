"""Every format of the registry keeps its contract, and the checks catch those that do not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count
from types import SimpleNamespace
from typing import Any

import pytest

from arena.contracts import Format, Progress
from arena.model import Pairing
from arena.plan import Plan
from arena.registry import load, names
from arena.testing import check_format
from tests.second_game.arena_leduc.knockout import Knockout
from tests.second_game.arena_leduc.swiss import Swiss


@pytest.mark.parametrize("name", names("formats"))
def test_format_keeps_its_contract(name):
    check_format(load("formats", name)())


@pytest.mark.parametrize(
    "format_", [Swiss(), Swiss(rounds=1, pairs=1), Swiss(5, 3), Knockout(), Knockout(1, 0), Knockout(1, 5)], ids=repr
)
def test_formats_that_look_at_results_keep_it(format_):
    check_format(format_)


@dataclass(frozen=True)
class Meetings:
    """A proper format of one deal; each of those below breaks one promise."""

    def order(self, entrants: Sequence[str]) -> Iterator[Pairing]:
        return (Pairing(*bots, deal=0) for bots in combinations(sorted(entrants), 2))

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        return (pairing for pairing in self.order(entrants) if results.is_finished(pairing) != (True, True))

    def planned(self, entrants: Sequence[str], results: Progress) -> int | None:
        return len(entrants) * (len(entrants) - 1)


class Repeats(Meetings):
    """Not broken: a pairing may be offered again."""

    def pairings(self, entrants, results):
        return (pairing for pairing in self.order(entrants) for _ in range(2))


class InOrderOfEntry(Meetings):
    def order(self, entrants):
        return (Pairing(min(bots), max(bots), 0) for bots in combinations(entrants, 2))


class Backwards(Meetings):
    def order(self, entrants):
        return (Pairing(bot_b, bot_a, deal) for bot_a, bot_b, deal in super().order(entrants))


class Mirrors(Meetings):
    def order(self, entrants):
        return (Pairing(bot, bot, 0) for bot in sorted(entrants))


class Stranger(Meetings):
    def order(self, entrants):
        return (Pairing(bot, "stranger", 0) for bot in sorted(entrants))


class Idle(Meetings):
    def order(self, entrants):
        return iter(())

    def planned(self, entrants, results):
        return 0


class Endless(Meetings):
    def order(self, entrants):
        pairs = list(combinations(sorted(entrants), 2))
        return (Pairing(*bots, deal) for deal in count() for bots in pairs) if pairs else iter(())

    def planned(self, entrants, results):
        return None


class Short(Meetings):
    def planned(self, entrants, results):
        return len(entrants) ** 2


class Forgets(Meetings):
    """Plans only what is left."""

    def planned(self, entrants, results):
        return 2 * sum(results.is_finished(pairing) != (True, True) for pairing in self.order(entrants))


class Unfolds(Meetings):
    """More pairings than planned."""

    def order(self, entrants):
        return (replaced for bots in super().order(entrants) for replaced in (bots, bots._replace(deal=1)))


class OneRound(Swiss):
    """Pairs the first round, and never the next."""

    def pairings(self, entrants, results):
        return Swiss(1, self.pairs).pairings(entrants, results)


class Reverses(Meetings):
    """What is left comes in another order than it would have come without the interruption."""

    def pairings(self, entrants, results):
        rest = list(super().pairings(entrants, results))
        return iter(rest if len(rest) * 2 == self.planned(entrants, results) else rest[::-1])


class FillsGapsLast(Meetings):
    def pairings(self, entrants, results):
        last = [pairing for pairing in self.order(entrants) if results.is_finished(pairing) == (True, True)][-1:]
        return iter(sorted(super().pairings(entrants, results), key=lambda pairing: [pairing] < last))


class Impatient(Meetings):
    """Takes a half-finished pairing for a finished one."""

    def pairings(self, entrants, results):
        return (pairing for pairing in self.order(entrants) if not any(results.is_finished(pairing)))


class Counts(Meetings):
    """Goes on after as many pairings as are finished, whichever they are."""

    def pairings(self, entrants, results):
        done = sum(results.is_finished(pairing) == (True, True) for pairing in self.order(entrants))
        return (pairing for place, pairing in enumerate(self.order(entrants)) if place >= done)


@dataclass(frozen=True)
class Remembers(Meetings):
    """Keeps an account of its own of what it has offered."""

    offered: set[tuple[int, Pairing]] = field(default_factory=set)

    def pairings(self, entrants, results):
        for pairing in self.order(entrants):
            if (len(entrants), pairing) not in self.offered:
                self.offered.add((len(entrants), pairing))
                yield pairing


def seen(results: Progress, is_over: Callable[[Pairing], tuple[bool, bool]]) -> Any:
    """Results to a format that takes other matches for over."""
    return SimpleNamespace(deals=results.deals, out=results.out, is_over=is_over)


class FirstComeFirstServed(Swiss):
    """Pairs the next round when half of a round is over."""

    def pairings(self, entrants, results):
        first = list(super().pairings(entrants, results))
        if len(first) > len(entrants) // 2:
            return iter(first)
        begun = {each.pairing for each in results.deals()}
        return super().pairings(entrants, seen(results, lambda pairing: (pairing in begun, pairing in begun)))


class Sequential(Meetings):
    """Plays deals until one bot leads, and looks at results while others are in flight."""

    def pairings(self, entrants, results):
        for bots in combinations(sorted(entrants), 2):
            for deal in range(20):
                points = [each.points_a for each in results.deals() if each.pairing[:2] == bots]
                if any(sum(point or 0.0 for point in each) > 1.0 for each in points):
                    break
                yield Pairing(*bots, deal)

    def planned(self, entrants, results):
        return None


class WaitsForTheAbsent(Knockout):
    """Waits for results, also of bots that are out."""

    def pairings(self, entrants, results):
        return super().pairings(entrants, seen(results, results.is_finished))


class WaitsForTheArena(Knockout):
    """Knows of bots that are out, but not of matches that the arena has given up."""

    def pairings(self, entrants, results):
        def is_over(pairing: Pairing) -> tuple[bool, bool]:
            return results.is_finished(pairing) if results.out.isdisjoint(pairing[:2]) else (True, True)

        return super().pairings(entrants, seen(results, is_over))


class InsistsOnTheAbsent(Meetings):
    """Offers a pairing until it has a result."""

    def pairings(self, entrants, results):
        for pairing in self.order(entrants):
            while results.is_finished(pairing) != (True, True):
                yield pairing


class Listed(Meetings):
    def pairings(self, entrants, results):
        return iter(list(super().pairings(entrants, results)))


class Hoards(Meetings):
    def pairings(self, entrants, results):
        order = list(self.order(entrants[:400]))
        return (pairing for pairing in order if results.is_finished(pairing) != (True, True))


@pytest.mark.parametrize("format_", [Meetings(), Repeats()], ids=lambda format_: type(format_).__name__)
def test_a_proper_format_passes(format_):
    check_format(format_)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (InOrderOfEntry(), "order of entrants"),
        (Backwards(), "bot_a < bot_b"),
        (Mirrors(), "bot_a < bot_b"),
        (Stranger(), "not an entrant"),
        (Idle(), "nothing to play for 2"),
        (Endless(), "no end after"),
        (Short(), "1 matches are planned for 1 entrants, but 0 are played"),
        (Forgets(), "0 matches are planned for 2 entrants, but 2 are played"),
        (Unfolds(), "2 matches are planned for 2 entrants, but 4 are played"),
        (OneRound(), "are planned for 3 entrants"),
        (Reverses(), "resumed after"),
        (FillsGapsLast(), "resumed from results with gaps"),
        (Impatient(), "interrupted|resumed after"),
        (Counts(), "in flight.*, other matches|resumed from results with gaps"),
        (Remembers(), "order of entrants"),
        (FirstComeFirstServed(), "in flight.*, other matches"),
        (Sequential(), "in flight.*, other matches"),
        (WaitsForTheAbsent(pairs=4), "is out, and the others play 0 matches, but"),
        (WaitsForTheArena(), "has given up .*, and . matches were begun, but"),
        (InsistsOnTheAbsent(), "never ends"),
        (Listed(), "asks for all results"),
        (Hoards(), "bytes of memory"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_format_is_caught(broken: Format, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_format(broken)


@pytest.mark.parametrize("format_", [Swiss(), Knockout(pairs=1)], ids=repr)
def test_formats_by_rounds_pass_because_the_run_asks_again(monkeypatch, format_):
    """A run that takes the end of the first iterator for the end of the tournament plays one round of them."""
    monkeypatch.setattr(Plan, "note_end", lambda plan: None)
    with pytest.raises(AssertionError, match=r"are planned for|play 0 matches|other matches|too early"):
        check_format(format_)
