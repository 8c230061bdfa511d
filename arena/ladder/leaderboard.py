"""Results and ratings to a ladder: its rows, and what a reader must know to trust it.

Pure: no part of it reads or writes anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from arena.contracts import Ratings
from arena.model import Standing, Totals

__all__ = ["Leaderboard", "Neighbours", "Row", "build"]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the ladder. elo: the rating, on the scale of its method. elo, error: None when nothing is known. score:
    percent. faults: how many matches were lost by one. median_ms: of a decision."""

    rank: int
    bot: str
    elo: float | None
    error: float | None
    matches: int
    wins: int
    draws: int
    losses: int
    score: float | None
    faults: int
    median_ms: float | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two bots that stand next to each other; `chance` that the upper one is the stronger, None when unconnected."""

    upper: str
    lower: str
    chance: float | None
    decided: bool


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The ladder and what belongs under it. `scale`: what ratings are. `planned`: matches of the whole tournament, None
    when nobody knows. `suspended`: bots that could not be started, and whose other matches were left out.
    `method_remarks`: what the rating method has to say."""

    rows: tuple[Row, ...]
    scale: str
    confidence: float
    totals: Totals
    planned: int | None
    fault_counts: Mapping[str, Mapping[str, int]]
    neighbours: tuple[Neighbours, ...]
    groups: tuple[tuple[str, ...], ...]
    suspended: tuple[str, ...]
    method_remarks: tuple[str, ...]


def build(
    standings: Mapping[str, Standing],
    ratings: Ratings,
    totals: Totals,
    *,
    confidence: float,
    planned: int | None,
    suspended: Sequence[str] = (),
) -> Leaderboard:
    """The ladder of all bots in `standings`: by rating, descending, group by group; equal ones by name."""
    group_of = {bot: number for number, group in enumerate(ratings.groups) for bot in group}

    def place(standing: Standing) -> tuple[int, float, str]:
        return group_of[standing.name], -ratings.ratings[standing.name].elo, standing.name

    ordered = sorted(standings.values(), key=place)
    return Leaderboard(
        rows=tuple(_row(rank, standing, ratings) for rank, standing in enumerate(ordered, 1)),
        scale=ratings.scale,
        confidence=confidence,
        totals=totals,
        planned=planned,
        fault_counts={standing.name: standing.faults for standing in ordered if standing.faults},
        neighbours=tuple(
            _neighbours(upper.name, lower.name, ratings, confidence) for upper, lower in pairwise(ordered)
        ),
        groups=tuple(tuple(group) for group in ratings.groups),
        suspended=tuple(suspended),
        method_remarks=tuple(ratings.remarks),
    )


def _row(rank: int, standing: Standing, ratings: Ratings) -> Row:
    rating = ratings.ratings[standing.name]
    matches = standing.matches
    return Row(
        rank=rank,
        bot=standing.name,
        elo=round(rating.elo, 1) + 0.0 if matches else None,  # + 0.0: there is no -0
        error=None if rating.error is None else round(rating.error, 1),
        matches=matches,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        score=round(100 * (standing.wins + standing.draws / 2) / matches, 2) if matches else None,
        faults=sum(standing.faults.values()),
        median_ms=standing.median_ms,
    )


def _neighbours(upper: str, lower: str, ratings: Ratings, confidence: float) -> Neighbours:
    chance = ratings.chance_above(upper, lower)
    return Neighbours(upper, lower, chance, chance is not None and chance >= confidence)
