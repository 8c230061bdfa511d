"""What the results that count come to: all that a ladder and a table are made of."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

from arena.model import DealScore, Fault, Pairing, Score, Standing, Tally, Totals, by_deals
from arena.store.tables import NAMED

__all__ = ["Counts"]

# what `bot_a` got on each deal in lane 0 and in lane 1 (NULL: not played), deals that went alike in one row; an index
# has all of it, in this order
_DEALS = """
SELECT bot_a, bot_b, lane_0, lane_1, COUNT(*) FROM (
    SELECT bot_a, bot_b,
        SUM(CASE lane WHEN 0 THEN points_a END) AS lane_0, SUM(CASE lane WHEN 1 THEN points_a END) AS lane_1
    FROM counted GROUP BY bot_a, bot_b, deal
) GROUP BY bot_a, bot_b, lane_0, lane_1 ORDER BY bot_a, bot_b
"""

# one by one, in the order of a schedule whose deals count upwards
_IN_ORDER = f"SELECT a.name, b.name, deal, lane, points_a FROM counted {NAMED} ORDER BY deal, a.name, b.name, lane"

# the few that lost by a fault are found by an index
_FAULTS = """
SELECT bot, fault, COUNT(*) FROM (
    SELECT bot_a AS bot, fault_a AS fault FROM counted WHERE fault_a IS NOT NULL
    UNION ALL SELECT bot_b, fault_b FROM counted WHERE fault_b IS NOT NULL
) GROUP BY bot, fault ORDER BY fault
"""

# how results ended that count, by whether their bots are entered, and those that were set aside: the table from its
# beginning to its end, since any index would jump about in it
_ENDS = """
SELECT set_aside, bot_a IN (SELECT number FROM entrant) AND bot_b IN (SELECT number FROM entrant), reason, COUNT(*)
FROM match NOT INDEXED GROUP BY 1, 2, 3 ORDER BY 1
"""

# how long decisions took in the newest results
_SPEEDS = """
SELECT bot_a, median_us_a, decisions_a, bot_b, median_us_b, decisions_b FROM counted ORDER BY number DESC LIMIT ?
"""
_MEDIAN_MATCHES = 20_000

# who failed to start, by indexes; and the results of those, from the newest back
_FAILED_TO_START = f"""
SELECT bot_a AS number FROM counted WHERE fault_a = '{Fault.STARTUP_FAILURE.value}'
UNION SELECT bot_b FROM counted WHERE fault_b = '{Fault.STARTUP_FAILURE.value}'
"""
_SINCE_FAILED = f"""
WITH failed AS ({_FAILED_TO_START})
SELECT bot_a, fault_a, bot_b, fault_b FROM counted WHERE +bot_a IN failed OR +bot_b IN failed ORDER BY number DESC
"""


class _Points(NamedTuple):
    """What the results come to. half_points: for each entrant, how many matches gave it 0, 1, 2 of them."""

    tallies: list[Tally]
    half_points: dict[str, list[int]]
    half_points_of_seat_0: int


class Counts:
    """What results come to, of those that were not set aside and are between bots that are entered now.

    connection: to a store's tables, with those of `arena.store.tables.COUNTED`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._memory: tuple[tuple[int, int], _Points] | None = None

    @property
    def entrants(self) -> list[str]:
        """The bots that are entered now, sorted."""
        return [name for (name,) in self._connection.execute("SELECT name FROM entrant ORDER BY name")]

    def tallies(self) -> list[Tally]:
        """See `arena.contracts.Results`; sorted by bots."""
        return self._points().tallies

    def in_order(self) -> Iterator[Score]:
        """See `arena.contracts.Results`; read as it is asked for."""
        for bot_a, bot_b, deal, lane, half_points in self._connection.execute(_IN_ORDER):
            yield Score(Pairing(bot_a, bot_b, deal), lane, half_points / 2)

    def deals(self) -> Iterator[DealScore]:
        """See `arena.contracts.Results`; read as it is asked for."""
        return by_deals(self.in_order())

    def _points(self) -> _Points:
        """Remembered until something is written, here or through another connection."""
        (others,) = self._connection.execute("PRAGMA data_version").fetchone()
        version = (self._connection.total_changes, others)
        if self._memory is None or self._memory[0] != version:
            self._memory = version, self._count()
        return self._memory[1]

    def _count(self) -> _Points:
        names = self._names()
        tallies = []
        half_points = {name: [0, 0, 0] for name in names.values()}
        of_seat_0 = 0
        for bots, rows in groupby(self._connection.execute(_DEALS), key=itemgetter(0, 1)):
            bot_a, bot_b = names[bots[0]], names[bots[1]]
            p, s = [0] * 5, [0] * 3
            for _, _, lane_0, lane_1, deals in rows:
                (s if None in (lane_0, lane_1) else p)[(lane_0 or 0) + (lane_1 or 0)] += deals
                for seat_a, points_a in ((0, lane_0), (1, lane_1)):
                    if points_a is not None:
                        half_points[bot_a][points_a] += deals
                        half_points[bot_b][2 - points_a] += deals
                        of_seat_0 += deals * (points_a if seat_a == 0 else 2 - points_a)
            tallies.append(Tally(bot_a, bot_b, (p[0], p[1], p[2], p[3], p[4]), (s[0], s[1], s[2])))
        return _Points(sorted(tallies, key=attrgetter("bot_a", "bot_b")), half_points, of_seat_0)

    def _names(self) -> dict[int, str]:
        """Entrants by their numbers."""
        return dict(self._connection.execute("SELECT number, name FROM entrant").fetchall())

    def startup_failures(self, most: int) -> dict[str, int]:
        """For each entrant how many failures to start in a row stand at the end of its results, counted up to `most`.

        The few that have any are found by an index. Their results are read together, from the newest back, as far as
        is needed to know the last one of them.
        """
        names = self._names()
        failures = dict.fromkeys(sorted(names.values()), 0)
        open_numbers = {number for (number,) in self._connection.execute(_FAILED_TO_START)}
        results = self._connection.execute(_SINCE_FAILED) if open_numbers else ()
        for bot_a, fault_a, bot_b, fault_b in results:
            for number, fault in ((bot_a, fault_a), (bot_b, fault_b)):
                if number not in open_numbers:
                    continue
                has_failed = fault == Fault.STARTUP_FAILURE
                failures[names[number]] += has_failed
                if not has_failed or failures[names[number]] == most:
                    open_numbers.discard(number)
            if not open_numbers:
                break
        return failures

    def standings(self) -> dict[str, Standing]:
        """Every entrant's, by name."""
        names, half_points, median_ms = self._names(), self._points().half_points, self._median_ms()
        faults: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for bot, fault, count in self._connection.execute(_FAULTS):
            faults[names[bot]][fault] = count
        return {
            name: Standing(name, wins, draws, losses, faults[name], median_ms[name])
            for name, (losses, draws, wins) in sorted(half_points.items())
        }

    def _median_ms(self) -> dict[str, float | None]:
        """For each entrant the median over its decisions, each taken to have lasted its match's median: within a few
        percent of the true one, and known without reading a record. Of very many results the newest are enough."""
        spread: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for bot_a, us_a, asked_a, bot_b, us_b, asked_b in self._connection.execute(_SPEEDS, (_MEDIAN_MATCHES,)):
            if us_a is not None:
                spread[bot_a].append((us_a, asked_a))
            if us_b is not None:
                spread[bot_b].append((us_b, asked_b))
        return {name: _weighted_median(sorted(spread[number])) for number, name in self._names().items()}

    def totals(self) -> Totals:
        """All results together."""
        points = self._points()
        reasons, set_aside = Counter[str](), Counter[str]()
        of_others = 0
        for why, entered, reason, count in self._connection.execute(_ENDS):
            if why is not None:
                set_aside[why] += count
            elif entered:
                reasons[reason] += count
            else:
                of_others += count
        return Totals(
            matches=sum(map(sum, points.half_points.values())) // 2,
            pairs=sum(sum(tally.pairs) for tally in points.tallies),
            seat_0_points=points.half_points_of_seat_0 / 2,
            reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
            set_aside=dict(set_aside),
            of_others=of_others,
            aborted=self._connection.execute("SELECT id, bots, detail FROM aborted ORDER BY id").fetchall(),
        )

    @property
    def matches_counted(self) -> int:
        """How many results count: a part of what `totals` says, and much quicker."""
        (count,) = self._connection.execute("SELECT COUNT(*) FROM counted").fetchone()
        return int(count)


def _weighted_median(values: Sequence[tuple[int, int]]) -> float | None:
    """In milliseconds, of (microseconds, count) ascending."""
    half = sum(count for _, count in values) / 2
    reached = 0
    for us, count in values:
        reached += count
        if reached >= half:
            return us / 1000
    return None
