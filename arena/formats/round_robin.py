"""Everybody meets everybody, on the same number of deals.

The schedule is deal by deal, so that a tournament stopped at any time has played all pairings about equally often, and
within a deal round by round (the circle method of chess tables: one place stays, the others move on by one each round),
so that no bot appears again before all others did, but the one that rests when their number is odd.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.contracts import Progress
from arena.errors import SettingsError
from arena.model import Pairing

__all__ = ["RoundRobin"]


@dataclass(frozen=True)
class RoundRobin:
    """Everybody meets everybody.

    pairs: deals per two bots; each is played twice with seats swapped.
    """

    pairs: int = 50
    is_default: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise SettingsError([("pairs", f"must be at least 1, not {self.pairs}")])

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        """All pairings that lack a result; the order depends on the names alone, not on that of `entrants`."""
        names = sorted(entrants)
        for deal in range(self.pairs):
            for one, other in _meetings(len(names)):
                place_a, place_b = (one, other) if one < other else (other, one)
                pairing = Pairing(names[place_a], names[place_b], deal)
                if results.is_finished(pairing) != (True, True):
                    yield pairing

    def planned(self, entrants: Sequence[str], results: Progress) -> int:
        """Two matches on each deal of each two entrants, whatever has been played."""
        return self.pairs * len(entrants) * (len(entrants) - 1)


def _meetings(places: int) -> Iterator[tuple[int, int]]:
    """Each two of `places` once, by rounds in which no place appears twice.

    In round r the last of an even number of places meets place r of the circle of the others, and those as far before
    r as behind r on that circle meet each other. An odd number is completed by a place that nobody holds.
    """
    circle = places - 1 + places % 2
    for middle in range(circle):
        if places % 2 == 0:
            yield middle, circle
        for distance in range(1, (circle + 1) // 2):
            yield (middle - distance) % circle, (middle + distance) % circle
