"""Config, schedule, executor and store together, for formats of which nobody knows beforehand what they will want."""

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import pytest

from arena.config.tournament import TournamentConfig, load_config
from arena.contracts import Format, Place, Play, Progress
from arena.executors.local import Local
from arena.model import MatchResult, MatchSpec, Outcome, Pairing
from arena.store import Store
from arena.tournament import prepare
from tests.executors.plays import Echo
from tests.scheduling import Asked, Knockout, Swiss
from tests.stored import bot

BOTS = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")


@dataclass(frozen=True)
class WithoutBots:
    """The local executor, with workers that say of each match that seat 0 has won it."""

    def run(self, specs: Iterator[MatchSpec | None], _: Play, place: Place) -> Generator[MatchResult, None, None]:
        for result in Local(workers=2, matches_at_once=2).run(specs, Echo(), place):
            yield result if result.outcome.is_aborted else replace(result, outcome=Outcome(0, "goal"))


@dataclass(frozen=True)
class Failing(WithoutBots):
    """It fails at every match of one bot."""

    bot: str

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        for result in super().run(specs, play, place):
            lost = self.bot in result.spec.bots
            yield replace(result, outcome=Outcome(None, "aborted", "lost")) if lost else result


def tournament(place: Path, format_: Format, bots: Sequence[str] = BOTS) -> TournamentConfig:
    """Of bots that are never started."""
    path = place / "config.yaml"
    path.write_text("{bots: [{name: a, command: [python]}, {name: b, command: [python]}], sandbox: none}")
    entrants = tuple(bot(name) for name in bots)
    return replace(load_config(path), bots=entrants, format=format_, executor=WithoutBots())


def played(place: Path) -> list[Pairing]:
    """The pairings of all results, each as often as it has some."""
    with Store.open(place) as store:
        return [score.pairing for score in store.in_order()]


def pairings(text: str, deal: int = 0) -> list[Pairing]:
    return [Pairing(bots.split("-")[0], bots.split("-")[1], deal) for bots in text.split()]


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        # all is even, so the first by name goes on: gus waits until the others are two, then one
        (Knockout(), pairings("ann-bob ann-cyd ann-eve cyd-dan eve-fay eve-gus")),
        (Swiss(2), [each for deal in (0, 1) for each in pairings("ann-bob cyd-dan eve-fay", deal)]),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("stop", [1, 5, 100])
def test_a_tournament_goes_on_by_its_results_and_is_complete_when_nothing_is_left(place, format_, expected, stop):
    config = tournament(place, format_)
    while not played_in_part(config, place, stop):
        pass
    twice = [pairing for pairing in sorted(expected, key=lambda each: (each.deal, each)) for _ in range(2)]
    assert played(place) == twice
    with prepare(config, place) as run:
        assert run.first is None
        assert run.is_complete
        assert run.played == run.planned == 12


def played_in_part(config: TournamentConfig, place: Path, most: int) -> bool:
    """Play so many matches; whether the tournament is complete then."""
    with prepare(config, place) as run, closing(run.results()) as results:
        before = run.played
        assert sum(1 for _ in islice(results, most)) == run.played - before
        return run.is_complete


def test_how_many_matches_there_are_may_be_known_at_the_end_alone(place):
    """Until somebody has played four."""

    def pairings(results: Progress) -> Iterator[Pairing]:
        for deal in range(10):
            if sum(tally.matches for tally in results.tallies()) < 4:
                yield Pairing("ann", "bob", deal)

    config = tournament(place, Asked(pairings), BOTS[:2])
    with prepare(config, place) as run:
        assert run.planned is None
        assert 4 <= len(list(run.results())) <= 4 + 4
        assert run.is_complete
    with Store.open(place) as store:
        assert json.loads(store.meta("planned") or "") is None


def test_a_tournament_in_which_matches_were_given_up_is_not_complete(place):
    config = tournament(place, Knockout())
    with prepare(replace(config, executor=Failing("dan")), place) as run:
        list(run.results())
        assert not run.is_complete
        assert {result.spec.bots for result in run.schedule.given_up} == {("cyd", "dan"), ("dan", "cyd")}
    with Store.open(place) as store:
        assert {bots for _, bots, _ in store.totals().aborted} == {"cyd - dan", "dan - cyd"}
    with prepare(config, place) as run:
        assert run.first is not None
        assert set(run.first.bots) == {"cyd", "dan"}
        list(run.results())
        assert run.is_complete
