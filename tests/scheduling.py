"""A simulated run of a schedule, and formats whose pairings follow from results."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.contracts import Format, Progress
from arena.formats.round_robin import RoundRobin
from arena.games.tacocat import Tacocat
from arena.model import ABORTED, Fault, FaultRecord, MatchResult, MatchSpec, Outcome, Pairing
from arena.plan import Identity, Plan, TournamentProgress, lane_of
from arena.schedule import Schedule
from arena.testing import ResultsInMemory

GAME = "tacocat", Tacocat().public_rules()
IDENTITY = Identity("1", *GAME)

# --- formats -------------------------------------------------------------------------------------------------------


class Asked:
    """The format of a function that is called for each iterator; counts the calls, and what was taken of them all."""

    def __init__(self, pairings: Callable[[Progress], Iterable[Pairing]]) -> None:
        self._pairings = pairings
        self.calls = 0
        self.taken = 0

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        self.calls += 1
        return self._count(self._pairings(results))

    def _count(self, pairings: Iterable[Pairing]) -> Iterator[Pairing]:
        for pairing in pairings:
            self.taken += 1
            yield pairing

    def planned(self, entrants: Sequence[str], results: Progress) -> None:
        return None


def round_robin(bots: Sequence[str], pairs: int) -> Asked:
    return Asked(lambda results: RoundRobin(pairs).pairings(bots, results))


def has_ended(pairing: Pairing, results: Progress) -> bool:
    return results.is_over(pairing) == (True, True)


@dataclass(frozen=True)
class Swiss:
    """Round after round, the next one when all matches of the last one are over: neighbours by points, then by name,
    meet on the deal with the round's number. The last of an odd number rests."""

    rounds: int

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        for number in range(self.rounds):
            meetings = self.meetings(entrants, results, number)
            yield from meetings
            if not all(has_ended(pairing, results) for pairing in meetings):
                return

    def meetings(self, entrants: Sequence[str], results: Progress, number: int) -> list[Pairing]:
        points = Counter(dict.fromkeys(entrants, 0.0))
        for (bot_a, bot_b, deal), _, points_a in results.in_order():
            if deal < number:
                points.update({bot_a: points_a, bot_b: 1 - points_a})
        ranked = sorted(entrants, key=lambda bot: (-points[bot], bot))
        meetings = zip(ranked[::2], ranked[1::2], strict=False)
        return [Pairing(min(two), max(two), number) for two in meetings]

    def planned(self, entrants: Sequence[str], results: Progress) -> int:
        return self.rounds * (len(entrants) // 2) * 2


@dataclass(frozen=True)
class Knockout:
    """The winner of a pairing goes on, at once when its next opponent is known. Who has half of the points or less
    than its opponent is out, the second by name of two equals too; who cannot play loses to who can."""

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        field: list[str | None] = [*sorted(entrants)]
        while len(field) > 1:
            winners: list[str | None] = []
            for bot, other in zip(field[::2], field[1::2], strict=False):
                if bot is None or other is None:
                    winners.append(None)
                    continue
                pairing = Pairing(min(bot, other), max(bot, other), 0)
                yield pairing
                winners.append(self.winner(pairing, results) if has_ended(pairing, results) else None)
            field = winners + field[len(field) // 2 * 2 :]

    def winner(self, pairing: Pairing, results: Progress) -> str:
        if (pairing.bot_a in results.out) != (pairing.bot_b in results.out):
            return pairing.bot_b if pairing.bot_a in results.out else pairing.bot_a
        points_a = [points for found, _, points in results.in_order() if found == pairing]
        return pairing.bot_a if 2 * sum(points_a) >= len(points_a) else pairing.bot_b

    def planned(self, entrants: Sequence[str], results: Progress) -> int:
        return 2 * max(0, len(entrants) - 1)


# --- a simulated run -----------------------------------------------------------------------------------------------

Judge = Callable[[MatchSpec, int], Outcome]
"""How a match ends; the number counts the matches that have ended so far."""


def planned(format_: Format, bots: Sequence[str], results: ResultsInMemory | None = None) -> Iterator[MatchSpec]:
    """What may start while nothing ends."""
    return iter(Plan(format_, bots, TournamentProgress(results or ResultsInMemory()), IDENTITY).next, None)


def failing(*bots: str) -> Judge:
    """These bots never start; of the others seat 0 wins."""

    def judge(spec: MatchSpec, _: int) -> Outcome:
        faults = tuple(FaultRecord(seat, Fault.STARTUP_FAILURE) for seat in (0, 1) if spec.bots[seat] in bots)
        if not faults:
            return Outcome(0, "goal")
        winner = 1 - faults[0].seat if len(faults) == 1 else None
        return Outcome(winner, "+".join(record.fault for record in faults), "", faults)

    return judge


def aborting(doomed: Callable[[MatchSpec], bool]) -> Judge:
    return lambda spec, ended: Outcome(None, ABORTED, "lost") if doomed(spec) else failing()(spec, ended)


def by_chance(spec: MatchSpec, _: int) -> Outcome:
    """Either wins, or nobody: what follows from the match's id alone."""
    return Outcome((0, 1, None)[int(spec.id, 16) % 3], "goal")


def record(results: ResultsInMemory, result: MatchResult) -> None:
    (pairing, lane), winner = lane_of(result.spec), result.outcome.winner
    results.record(pairing, lane, 0.5 if winner is None else float(winner == lane))


class Run:
    """Plays a schedule: up to `at_once` matches in flight, of which `chance` says which ends next.

    kept: what was recorded. log: ids of matches as they started and ended, and which of the two.
    """

    def __init__(
        self,
        format_: Format,
        bots: Sequence[str],
        at_once: int = 1,
        seed: int = 0,
        *,
        results: ResultsInMemory | None = None,
        failures: dict[str, int] | None = None,
    ) -> None:
        self.results = results or ResultsInMemory()
        self.schedule = Schedule(format_, bots, self.results, IDENTITY, failures or {})
        self.at_once = at_once
        self.chance = random.Random(seed)
        self.in_flight: list[MatchSpec] = []
        self._begun: set[str] = set()  # in flight, or with a result
        self.kept: list[MatchResult] = []
        self.log: list[tuple[str, MatchSpec]] = []
        self.ended = 0
        self.most_in_flight: Counter[str] = Counter()

    def start(self) -> None:
        while len(self.in_flight) < self.at_once:
            spec = next(self.schedule, None)
            if spec is None:
                return
            assert spec.id not in self._begun, "started twice"
            self._begun.add(spec.id)
            self.in_flight.append(spec)
            self.log.append(("started", spec))
            for bot in spec.bots:
                count = sum(bot in each.bots for each in self.in_flight)
                self.most_in_flight[bot] = max(count, self.most_in_flight[bot])

    def end(self, spec: MatchSpec, outcome: Outcome) -> None:
        """A match that is in flight ends like this."""
        self.in_flight.remove(spec)
        self.log.append(("ended", spec))
        self.ended += 1
        result = MatchResult(spec, outcome)
        if self.schedule.settle(result):
            self.kept.append(result)
            record(self.results, result)
        else:
            self._begun.discard(spec.id)

    def play(self, judge: Judge, most: int = 10**6) -> "Run":
        """Until all is played, or `most` matches have ended; what is in flight then is lost."""
        for _ in range(most):
            self.start()
            if not self.in_flight:
                break
            spec = self.in_flight[self.chance.randrange(len(self.in_flight))]
            self.end(spec, judge(spec, self.ended))
        return self

    @property
    def ids(self) -> list[str]:
        """Of the matches that have a result."""
        return [result.spec.id for result in self.kept]


def lost_by(bot: str, results: Sequence[MatchResult]) -> list[str]:
    return [
        result.spec.id for result in results if any(result.spec.bots[seat] == bot for seat, _ in result.outcome.faults)
    ]
