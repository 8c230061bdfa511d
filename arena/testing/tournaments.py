"""Tournaments as a run plays them, with matches that nobody plays: each ends at once, in a way that is decided before.

`Tournament` keeps results in memory and is quick; `kept` is the run itself, `arena.tournament`, with results on disk.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Self
from zlib import crc32

from arena.config.tournament import AUTO, TournamentConfig
from arena.contracts import Format, Place, Play, Progress
from arena.model import (
    ABORTED,
    BotSpec,
    Fault,
    FaultRecord,
    Limits,
    MatchResult,
    MatchSpec,
    Outcome,
    Pairing,
    TimeControl,
)
from arena.plan import Identity, Lane, lane_of
from arena.registry import default, load
from arena.schedule import Schedule
from arena.store import Store
from arena.testing.results import ResultsInMemory
from arena.tournament import prepare

__all__ = ["Tournament", "World", "kept"]

_MATCHES_MAX = 20_000
"""More than a format may want of the few bots that it is tried with."""
_KNOWN_MAX = 200_000
"""Pairings that were offered before, one after the other from one iterator: more of them, and it never ends."""
_IDENTITY = Identity("a check", "", {})


@dataclass(frozen=True)
class World:
    """How matches end. The same match always ends alike, whenever it is played.

    absent: bots that never start. losers: bots that lose all their matches. failing: pairings of which the arena fails
    at both matches, however often it tries. decided: what the first bot gets in both matches of these pairings.
    """

    absent: frozenset[str] = frozenset()
    losers: frozenset[str] = frozenset()
    failing: frozenset[Pairing] = frozenset()
    decided: Mapping[Pairing, float] = field(default_factory=dict)

    def end(self, spec: MatchSpec) -> Outcome:
        pairing, lane = lane_of(spec)
        if pairing in self.failing:
            return Outcome(None, ABORTED, "The arena fails at this match.")
        faults = tuple(
            FaultRecord(seat, Fault.STARTUP_FAILURE) for seat, bot in enumerate(spec.bots) if bot in self.absent
        )
        if faults:
            winner = 1 - faults[0].seat if len(faults) == 1 else None
            return Outcome(winner, "+".join(record.fault for record in faults), "", faults)
        losing = [seat for seat, bot in enumerate(spec.bots) if bot in self.losers]
        if len(losing) == 1:
            return Outcome(1 - losing[0], "decided")
        # any number that depends on the match alone, also in the next process
        half_points = int(2 * self.decided.get(pairing, crc32(f"{pairing} {lane}".encode()) % 3 / 2))
        return Outcome((1 - lane, None, lane)[half_points], "decided")


class Tournament:
    """A tournament as far as it has been played.

    played: its matches in the order in which they ended. given_up: those that the arena gave up in the last run.
    is_over: whether nothing is left to be played.
    """

    def __init__(self, format_: Format, entrants: Sequence[str], world: World) -> None:
        self.results = ResultsInMemory()
        self.played: list[Lane] = []
        self.given_up: set[Lane] = set()
        self.is_over = False
        self._format = _Watched(format_)
        self._entrants = entrants
        self._world = world
        self._failures = dict.fromkeys(entrants, 0)

    def play(self, at_once: int = 1, chance: Random | None = None, most: int = _MATCHES_MAX) -> Self:
        """One run: until nothing is left, or until it has `most` results. What is in flight then is lost.

        at_once: matches in flight; `chance` says which of them ends next, without it the one that started first.
        """
        schedule = Schedule(self._format, self._entrants, self.results, _IDENTITY, self._failures)
        in_flight: list[MatchSpec] = []
        goal = len(self.played) + most
        while len(self.played) < goal:
            while len(in_flight) < at_once and (spec := next(schedule, None)) is not None:
                in_flight.append(spec)
            if not in_flight:
                self.is_over = True
                break
            spec = in_flight.pop(chance.randrange(len(in_flight)) if chance else 0)
            result = MatchResult(spec, self._world.end(spec))
            if schedule.settle(result):
                self._keep(result)
        self.given_up = {lane_of(result.spec) for result in schedule.given_up}
        assert len(self.played) < _MATCHES_MAX, f"no end after {_MATCHES_MAX} matches of {len(self._entrants)} bots"
        return self

    def _keep(self, result: MatchResult) -> None:
        pairing, lane = lane_of(result.spec)
        winner = result.outcome.winner
        self.results.record(pairing, lane, 0.5 if winner is None else float(winner == lane))
        self.played.append((pairing, lane))
        failed = {seat for seat, _ in result.outcome.faults}
        for seat, bot in enumerate(result.spec.bots):
            self._failures[bot] = self._failures[bot] + 1 if seat in failed else 0


class _Watched:
    """A format whose pairings are looked at as they are offered."""

    def __init__(self, format_: Format) -> None:
        self._format = format_
        self._offered: set[Pairing] = set()
        self.planned = format_.planned

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        known = 0
        for pairing in self._format.pairings(entrants, results):
            assert {pairing.bot_a, pairing.bot_b} <= set(entrants), f"{pairing}: not an entrant"
            assert pairing.bot_a < pairing.bot_b, f"{pairing}: bot_a < bot_b must hold"
            assert pairing.deal >= 0, f"{pairing}: deals count from 0"
            known = known + 1 if pairing in self._offered else 0
            assert known < _KNOWN_MAX, f"never ends: {_KNOWN_MAX} pairings one after the other had been offered before"
            self._offered.add(pairing)
            yield pairing


# --- with results on disk ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Decided:
    """An executor that ends some matches at once, four in flight, in an order of chance."""

    world: World

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        chance, in_flight = Random("kept"), list[MatchSpec]()
        while True:
            while len(in_flight) < 4 and (spec := next(specs, None)) is not None:
                in_flight.append(spec)
            if not in_flight:
                return
            spec = in_flight.pop(chance.randrange(len(in_flight)))
            yield MatchResult(spec, self.world.end(spec))


def kept(
    format_: Format, entrants: Sequence[str], world: World, directory: Path, *, stop_after: int
) -> tuple[set[Lane], bool]:
    """Play a tournament into a directory, beginning a new run after each `stop_after` results. Returns the matches that
    have a result there, and whether the last run said that the tournament is complete."""
    config = _config(format_, entrants, world)
    while True:
        with prepare(config, directory) as run, closing(run.results()) as results:
            if len(list(islice(results, stop_after))) < stop_after:
                is_complete = run.is_complete
                break
    with Store.open(directory) as store:
        return {(match.pairing, match.lane) for match in store.matches()}, is_complete


def _config(format_: Format, entrants: Sequence[str], world: World) -> TournamentConfig:
    game, rating = default("games"), default("ratings")
    return TournamentConfig(
        name="check",
        source=Path("check"),
        game_name=game,
        game=load("games", game)(),
        bots=tuple(BotSpec(name, (), "", fingerprint="1") for name in entrants),
        builds=(),
        left_out={},
        format_name="checked",
        format=format_,
        seed="a check",
        time=TimeControl(),
        ask_forced=False,
        limits=Limits(),
        launcher_name=AUTO,
        launcher=None,
        rating_name=rating,
        rating=load("ratings", rating)(),
        anchor=None,
        confidence=0.95,
        executor_name="decided",
        executor=_Decided(world),
    )
