"""Ladders of ratings that are written by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.ladder.leaderboard import Leaderboard, build
from arena.model import Rating, Standing, Totals

NOTHING = Totals(0, 0, 0.0, {}, {}, 0, [])


@dataclass(frozen=True)
class Found:
    """Ratings written by hand; `chances` of the first of two bots to be the stronger one."""

    ratings: Mapping[str, Rating]
    groups: Sequence[Sequence[str]]
    chances: Mapping[tuple[str, str], float] = field(default_factory=dict)
    scale: str = "Elo"
    remarks: Sequence[str] = ()

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        return self.chances.get((bot_a, bot_b))

    def difference_error(self, bot_a: str, bot_b: str) -> float | None:
        return 10.0 if (bot_a, bot_b) in self.chances else None


def ladder(
    *standings: Standing, elos: Sequence[float] | None = None, groups: Sequence[Sequence[str]] | None = None
) -> Leaderboard:
    """A ladder of bots whose ratings fall by 10, in one group, everything else as it comes."""
    names = [standing.name for standing in standings]
    falling = elos or [1500.0 - 10 * place for place in range(len(names))]
    found = Found({name: Rating(elo, 5.0) for name, elo in zip(names, falling, strict=True)}, groups or [names])
    by_name = {standing.name: standing for standing in standings}
    return build(by_name, found, NOTHING, confidence=0.95, planned=0)
