"""Results for trying formats and ratings without a store."""

from collections.abc import Iterator, Sequence
from itertools import count

from arena.model import DealScore, Pairing, Score, Tally, by_deals

__all__ = ["ResultsInMemory", "TalliedResults"]


class ResultsInMemory:
    """Results that were recorded one by one: `arena.contracts.Progress` of a tournament in which nobody is out.

    out: may be set, to try how a format takes it.
    """

    def __init__(self) -> None:
        self._points: dict[Pairing, list[float | None]] = {}
        self.out: frozenset[str] = frozenset()

    def record(self, pairing: Pairing, lane: int, points_a: float) -> None:
        """One match is over; `points_a` is 1 when `bot_a` won, 1/2 for a draw, 0 when it lost."""
        assert points_a in (0.0, 0.5, 1.0), f"a match cannot give {points_a} points"
        self._points.setdefault(pairing, [None, None])[lane] = points_a

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        first, second = self._points.get(pairing, (None, None))
        return first is not None, second is not None

    def is_over(self, pairing: Pairing) -> tuple[bool, bool]:
        is_out = not self.out.isdisjoint(pairing[:2])
        first, second = self.is_finished(pairing)
        return first or is_out, second or is_out

    def tallies(self) -> Sequence[Tally]:
        counts: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for pairing, by_lane in self._points.items():
            p, s = counts.setdefault((pairing.bot_a, pairing.bot_b), ([0] * 5, [0] * 3))
            known = [points for points in by_lane if points is not None]
            (p if len(known) == 2 else s)[int(2 * sum(known))] += 1
        return [
            Tally(*bots, (p[0], p[1], p[2], p[3], p[4]), (s[0], s[1], s[2])) for bots, (p, s) in sorted(counts.items())
        ]

    def in_order(self) -> Iterator[Score]:
        for pairing in sorted(self._points, key=lambda pairing: (pairing.deal, pairing)):
            for lane, points in enumerate(self._points[pairing]):
                if points is not None:
                    yield Score(pairing, lane, points)

    def deals(self) -> Iterator[DealScore]:
        return by_deals(self.in_order())


_PAIRS = ((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0))  # one of the ways to each number of points


class TalliedResults:
    """Results of which only the tallies are known: an `arena.contracts.Results` in which each two bots have played
    their deals, from 0, in the order of their points."""

    def __init__(self, tallies: Sequence[Tally]) -> None:
        self._tallies = sorted(tallies, key=lambda tally: (tally.bot_a, tally.bot_b))

    def tallies(self) -> Sequence[Tally]:
        return self._tallies

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        found = [scores for scores in self.deals() if scores.pairing == pairing]
        points = found[0].points_a if found else (None, None)
        return points[0] is not None, points[1] is not None

    def in_order(self) -> Iterator[Score]:
        for pairing, points_a in self.deals():
            for lane, points in enumerate(points_a):
                if points is not None:
                    yield Score(pairing, lane, points)

    def deals(self) -> Iterator[DealScore]:
        of_each = [_points_of(tally) for tally in self._tallies]
        for deal in count():
            found = [
                DealScore(Pairing(tally.bot_a, tally.bot_b, deal), points[deal])
                for tally, points in zip(self._tallies, of_each, strict=True)
                if deal < len(points)
            ]
            if not found:
                return
            yield from found


def _points_of(tally: Tally) -> list[tuple[float | None, float | None]]:
    """What `bot_a` got, deal by deal."""
    points: list[tuple[float | None, float | None]] = []
    for pair, times in zip(_PAIRS, tally.pairs, strict=True):
        points += [pair] * times
    for single, times in zip((0.0, 0.5, 1.0), tally.singles, strict=True):
        points += [(single, None)] * times
    return points
