"""The Swiss system: in each round bots with like scores meet, and nobody meets the same bot twice.

A round is paired when the one before is over, from its results alone. Bots are put in the order of their scores; from
the top down, each meets the next below that it has not met. A bot that is left over at the end of that has met all
others that are left over; two such bots exchange opponents with a pair. That always succeeds while nobody has met half
of the others or more: the two have more opponents left between them than there are bots in pairs, so they have three or
more in some pair, and then there is a way to meet one each. Therefore there are at most half as many rounds as bots.

An odd number of bots is completed by one that nobody plays: who meets it has a bye, which counts like a won meeting.
A bot that is out goes on meeting others, who win by walkover. So it makes no difference to the pairings of the others
when it went out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.contracts import Progress
from arena.errors import SettingsError
from arena.model import Pairing

from .meetings import points_of, score, to_play

__all__ = ["Swiss"]

BYE = ""
"""No bot can have this name."""


@dataclass(frozen=True)
class Swiss:
    """Bots with like scores meet, and nobody meets the same bot twice.

    rounds: how many there are; fewer when there are not twice as many bots.
    pairs: deals of each meeting; each is played twice with seats swapped.
    """

    rounds: int = 3
    pairs: int = 2

    def __post_init__(self) -> None:
        problems = [
            (key, f"must be at least 1, not {value}")
            for key, value in (("rounds", self.rounds), ("pairs", self.pairs))
            if value < 1
        ]
        if problems:
            raise SettingsError(problems)

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        """The open pairings of the first round that is not over.

        All of them are found before the first is yielded: results that come in meanwhile belong to the next call.
        """
        points, out = points_of(results), results.out
        scores = dict.fromkeys(sorted(entrants), 0.0)
        if len(scores) % 2:
            scores[BYE] = -1.0
        met: set[tuple[str, str]] = set()
        for _ in range(self._rounds(len(entrants))):
            meetings = pair_up(sorted(scores, key=lambda name: (-scores[name], name)), met)
            deals = {meeting: [Pairing(*meeting, deal) for deal in range(self.pairs)] for meeting in meetings}
            real = [pairing for bots, pairings in deals.items() if BYE not in bots for pairing in pairings]
            waiting = to_play(real, results)
            if waiting:
                yield from waiting
                return
            for (bot_a, bot_b), pairings in deals.items():
                met.add((bot_a, bot_b))
                if bot_a == BYE:
                    scores[bot_b] += 2.0 * self.pairs
                    continue
                points_a, points_b = score(pairings, points, out)
                scores[bot_a] += points_a
                scores[bot_b] += points_b

    def planned(self, entrants: Sequence[str], results: Progress) -> int:
        return self._rounds(len(entrants)) * (len(entrants) // 2) * self.pairs * 2

    def _rounds(self, entrants: int) -> int:
        return min(self.rounds, (entrants + 1) // 2)


def pair_up(table: Sequence[str], met: set[tuple[str, str]]) -> list[tuple[str, str]]:
    """The meetings of a round, each two names in order; see the top of this file. table: names, the best first."""
    free, left, meetings = list(table), [], []
    while free:
        one = free.pop(0)
        other = next((name for name in free if _meeting(one, name) not in met), None)
        if other is None:
            left.append(one)
        else:
            free.remove(other)
            meetings.append(_meeting(one, other))
    while left:
        _exchange(left.pop(0), left.pop(0), meetings, met)
    return meetings


def _exchange(one: str, other: str, meetings: list[tuple[str, str]], met: set[tuple[str, str]]) -> None:
    """Give two bots that have met new opponents: those of the lowest meeting whose bots may meet one of them each."""
    for place in reversed(range(len(meetings))):
        for first, second in (meetings[place], meetings[place][::-1]):
            exchanged = [_meeting(one, first), _meeting(other, second)]
            if met.isdisjoint(exchanged):
                meetings[place : place + 1] = exchanged
                return
    raise AssertionError(f"nobody is left to meet {one} and {other}")


def _meeting(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
