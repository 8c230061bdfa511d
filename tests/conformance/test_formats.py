"""Every format of the registry keeps its contract, and the checks catch those that do not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import pytest

from arena.contracts import Format, Progress
from arena.model import Pairing
from arena.registry import load, names
from arena.testing import check_format


@pytest.mark.parametrize("name", names("formats"))
def test_format_keeps_its_contract(name):
    check_format(load("formats", name)())


@dataclass(frozen=True)
class Meetings:
    """A proper format of one deal; each of those below breaks one promise."""

    def order(self, entrants: Sequence[str]) -> Iterator[Pairing]:
        return (Pairing(*bots, deal=0) for bots in combinations(sorted(entrants), 2))

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        return (pairing for pairing in self.order(entrants) if results.is_finished(pairing) != (True, True))

    def planned(self, entrants: Sequence[str], results: Progress) -> int:
        return len(entrants) * (len(entrants) - 1)


class InOrderOfEntry(Meetings):
    def order(self, entrants):
        return (Pairing(min(bots), max(bots), 0) for bots in combinations(entrants, 2))


class Backwards(Meetings):
    def order(self, entrants):
        return (Pairing(bot_b, bot_a, deal) for bot_a, bot_b, deal in super().order(entrants))


class Mirrors(Meetings):
    def order(self, entrants):
        return (Pairing(bot, bot, 0) for bot in sorted(entrants))

    def planned(self, entrants, results):
        return 2 * len(entrants)


class Stranger(Meetings):
    def order(self, entrants):
        return (Pairing(bot, "stranger", 0) for bot in sorted(entrants))

    def planned(self, entrants, results):
        return 2 * len(entrants)


class Twice(Meetings):
    def order(self, entrants):
        return (pairing for pairing in super().order(entrants) for _ in range(2))

    def planned(self, entrants, results):
        return 2 * len(entrants) * (len(entrants) - 1)


class Endless(Meetings):
    def pairings(self, entrants, results):
        return self.order(entrants)


class Short(Meetings):
    def planned(self, entrants, results):
        return len(entrants) ** 2


class Reverses(Meetings):
    """What is left comes in another order than it would have come without the interruption."""

    def pairings(self, entrants, results):
        rest = [pairing for pairing in self.order(entrants) if results.is_finished(pairing) != (True, True)]
        return iter(rest if len(rest) * 2 == self.planned(entrants, results) else rest[::-1])


class FillsGapsLast(Meetings):
    def pairings(self, entrants, results):
        last = [pairing for pairing in self.order(entrants) if results.is_finished(pairing) == (True, True)][-1:]
        rest = (pairing for pairing in self.order(entrants) if results.is_finished(pairing) != (True, True))
        return iter(sorted(rest, key=lambda pairing: [pairing] < last))


class Unfolds(Meetings):
    """More pairings than planned."""

    def pairings(self, entrants, results):
        return (replaced for bots in super().pairings(entrants, results) for replaced in (bots, bots._replace(deal=1)))


class Impatient(Meetings):
    """Takes a half-finished pairing for a finished one."""

    def pairings(self, entrants, results):
        return (pairing for pairing in self.order(entrants) if not any(results.is_finished(pairing)))


class Counts(Meetings):
    """Resumes after as many pairings as are finished, whichever they are."""

    def pairings(self, entrants, results):
        done = sum(results.is_finished(pairing) == (True, True) for pairing in self.order(entrants))
        return (pairing for place, pairing in enumerate(self.order(entrants)) if place >= done)


class Listed(Meetings):
    def pairings(self, entrants, results):
        return iter([pairing for pairing in self.order(entrants) if results.is_finished(pairing) != (True, True)])


class Hoards(Meetings):
    def pairings(self, entrants, results):
        order = list(self.order(entrants[:400]))
        return (pairing for pairing in order if results.is_finished(pairing) != (True, True))


def test_a_proper_format_passes():
    check_format(Meetings())


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (InOrderOfEntry(), "order of entrants"),
        (Backwards(), "bot_a < bot_b"),
        (Mirrors(), "bot_a < bot_b"),
        (Stranger(), "not an entrant"),
        (Twice(), "offered twice"),
        (Endless(), "offers what is finished"),
        (Short(), "planned"),
        (Reverses(), "resumed after"),
        (FillsGapsLast(), "resumed from results with gaps"),
        (Unfolds(), "more than"),
        (Impatient(), "resumed after"),
        (Counts(), "offers what is finished"),
        (Listed(), "asks for all results"),
        (Hoards(), "bytes of memory"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_format_is_caught(broken: Format, complaint):
    with pytest.raises(AssertionError, match=complaint):
        check_format(broken)
