"""A knockout: who loses a meeting is eliminated, and the last bot that is left has won."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.contracts import Progress
from arena.errors import SettingsError
from arena.model import Pairing

from .meetings import Points, points_of, score, to_play

__all__ = ["Knockout"]


@dataclass(frozen=True)
class Knockout:
    """Who loses a meeting is eliminated. Neighbours by name meet; the last of an odd number goes on without a meeting.

    pairs: deals of each meeting; each is played twice with seats swapped.
    extra_pairs: after a tie, how many further deals are played at most, one after the other, until one bot has more
    points. If none has then, the first by name goes on.
    """

    pairs: int = 2
    extra_pairs: int = 3

    def __post_init__(self) -> None:
        problems = []
        if self.pairs < 1:
            problems.append(("pairs", f"must be at least 1, not {self.pairs}"))
        if self.extra_pairs < 0:
            problems.append(("extra_pairs", f"must not be negative, not {self.extra_pairs}"))
        if problems:
            raise SettingsError(problems)

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        """The open pairings of the first round that is not over, all found before the first is yielded."""
        points = points_of(results)
        left = sorted(entrants)
        while len(left) > 1:
            winners: list[str] = []
            waiting: list[Pairing] = []
            for bot_a, bot_b in zip(left[::2], left[1::2], strict=False):
                winner, open_pairings = self._meeting(bot_a, bot_b, points, results)
                winners.append(winner)
                waiting += open_pairings
            if waiting:
                yield from waiting
                return
            left = winners + (left[-1:] if len(left) % 2 else [])

    def planned(self, entrants: Sequence[str], results: Progress) -> None:
        """Nobody knows how many meetings will be tied."""

    def _meeting(self, bot_a: str, bot_b: str, points: Points, results: Progress) -> tuple[str, list[Pairing]]:
        """Who has won, and what is still to be played before that is known."""
        for extra in range(self.extra_pairs + 1):
            pairings = [Pairing(bot_a, bot_b, deal) for deal in range(self.pairs + extra)]
            waiting = to_play(pairings, results)
            points_a, points_b = score(pairings, points, results.out)
            if waiting or points_a != points_b:
                return bot_a if points_a > points_b else bot_b, waiting
        return bot_a, []
