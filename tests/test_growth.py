"""What a run costs grows with its matches and with nothing else: a further match costs the same however many were
played, and nothing of those is kept in memory.

Work is counted, not timed, so that it is the same on every machine: lines of Python that are executed, statements of
SQL, and SQLite's steps (the instructions of its virtual machine).
"""

import gc
import sqlite3
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

import pytest

from arena.config.tournament import TournamentConfig, load_config
from arena.contracts import Place, Play
from arena.executors.local import Local
from arena.formats.round_robin import RoundRobin
from arena.ladder.standings import ladder
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Fault, Limits, MatchResult, MatchSpec, TimeControl
from arena.referee.bot_process import BotProcess
from arena.referee.referee import Referee
from arena.store import Store
from arena.tournament import prepare
from tests.executors.plays import Echo
from tests.match_play import turns
from tests.orders import Queue
from tests.stored import bot, won

ROOT = Path(__file__).parents[1]

Work: TypeAlias = Counter[str]
CostOf: TypeAlias = Callable[[Callable[[], object]], Work]


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.fixture
def cost_of(monkeypatch: pytest.MonkeyPatch) -> CostOf:
    """Counts the work of a call, that of SQLite on all connections that the test has opened."""
    done: Work = Counter()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        done["lines"] += event == "line"
        return None if frame.f_code.co_filename == __file__ else trace

    def note_statement(_: str) -> None:
        done["statements"] += 1

    def note_step() -> None:
        done["steps"] += 1

    def connect(*arguments: Any, open_connection: Any = sqlite3.connect, **keys: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = open_connection(*arguments, **keys)
        connection.set_trace_callback(note_statement)
        connection.set_progress_handler(note_step, 1)
        return connection

    def cost_of(call: Callable[[], object]) -> Work:
        before, tracer = done.copy(), sys.gettrace()
        sys.settrace(trace)
        try:
            call()
        finally:
            sys.settrace(tracer)
        return done - before

    monkeypatch.setattr(sqlite3, "connect", connect)
    return cost_of


def is_within(work: Work, factor: float, other: Work) -> bool:
    """Whether nothing was done more than `factor` times as often as in the other work."""
    return all(work[what] <= factor * other[what] for what in work)


# --- a run ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Instant:
    """The local executor, one match after another, each of which ends at once: it always does the same."""

    def run(self, specs: Iterator[MatchSpec | None], _: Play, place: Place) -> Generator[MatchResult, None, None]:
        return Local(workers=1, matches_at_once=1).run(specs, Echo(), place)


def tournament(place: Path, bots: int, pairs: int) -> TournamentConfig:
    """Of bots that are never started."""
    path = place / "config.yaml"
    path.write_text("{bots: [{name: a, command: [python]}, {name: b, command: [python]}], sandbox: none}")
    entrants = tuple(bot(f"bot {number:04}") for number in range(bots))
    return replace(load_config(path), bots=entrants, format=RoundRobin(pairs), executor=Instant())


def take(results: Iterator[MatchResult], number: int) -> None:
    assert sum(1 for _ in islice(results, number)) == number


@contextmanager
def playing(config: TournamentConfig, directory: Path) -> Iterator[Iterator[MatchResult]]:
    """Go on with a tournament, result by result."""
    with prepare(config, directory) as run, closing(run.results()) as results:
        yield results


def play(config: TournamentConfig, directory: Path, number: int) -> None:
    with playing(config, directory) as results:
        take(results, number)


def reach_first_match(config: TournamentConfig, directory: Path) -> None:
    """Go on with a tournament until there is a match to be played."""
    with prepare(config, directory) as run:
        assert run.first is not None


def read_ladder(_: TournamentConfig, directory: Path) -> None:
    with Store.open(directory) as store:
        ladder(store)


def test_a_further_match_costs_the_same_however_many_were_played(place, cost_of):
    with playing(tournament(place, 4, 1000), place) as results:
        take(results, 120)
        early = cost_of(lambda: take(results, 24))  # of two deals
        take(results, 1200 - 144)
        late = cost_of(lambda: take(results, 24))
    assert is_within(late, 1.1, early), f"{early} after 120 matches, {late} after 1,200"


@pytest.mark.parametrize(("bots", "pairs"), [(4, 1000), (60, 1)])
def test_the_memory_of_a_run_is_the_same_however_many_were_played(place, traced, bots, pairs):
    """In this run, and before it."""

    def peak(results: Iterator[MatchResult]) -> int:
        gc.collect()  # which gives back what CPython keeps of tuples that are free
        tracemalloc.reset_peak()
        take(results, 12)
        return tracemalloc.get_traced_memory()[1]

    config = tournament(place, bots, pairs)
    peaks = []
    for further in ((240, 1500), (240,)):
        before, _ = tracemalloc.get_traced_memory()
        with playing(config, place) as results:
            for number in further:
                take(results, number)
                peaks.append(peak(results) - before)
    least, *others = peaks
    assert max(others) < least + 16 * 1500, f"{peaks} bytes: more than 16 for each further match"


@pytest.mark.parametrize(
    ("read", "bots", "pairs"),
    [
        (reach_first_match, 1000, 1),
        (reach_first_match, 2, 500_000),
        (read_ladder, 5, 50_000),
    ],
)
def test_what_reads_all_results_reads_them_once(place, cost_of, read, bots, pairs):
    """In a tournament of a million matches: so much for each result, and nothing for what is only planned."""
    config = tournament(place, bots, pairs)
    costs = []
    for _ in range(3):
        play(config, place, 60)
        costs.append(cost_of(lambda: read(config, place)))
    few, more, most = costs
    assert is_within(most - more, 1.1, more - few), f"for 60, 120 and 180 results: {costs}"
    longer = replace(config, format=RoundRobin(2 * pairs))
    assert is_within(cost_of(lambda: read(longer, place)), 1.01, most)


def test_going_on_with_a_long_tournament_of_two_bots_takes_few_statements(place, cost_of):
    config = tournament(place, 2, 500_000)
    asked = []
    for _ in range(2):
        play(config, place, 200)
        asked.append(cost_of(lambda: reach_first_match(config, place))["statements"])
    assert asked[1] <= asked[0] + 2


def test_each_bot_that_cannot_start_does_not_cost_another_reading_of_all_results(place, cost_of):
    steps = []
    for broken in (1, 10):
        with Store.open_to_write(place / str(broken)) as store:
            names = [f"broken {number}" for number in range(broken)]
            store.enter([bot(name) for name in ("ann", "bob", *names)])
            for name, deal in product(names, range(3)):
                store.append(won("ann", name, deal, faults=[(name, Fault.STARTUP_FAILURE)]))
            for deal in range(500):
                store.append(won("ann", "bob", deal))
            steps.append(cost_of(partial(store.startup_failures, 3))["steps"])
    assert steps[1] < 2 * steps[0]


def test_entering_bots_that_have_not_changed_reads_no_results(place, cost_of):
    bots, steps = [bot("ann"), bot("bob")], []
    with Store.open_to_write(place) as store:
        store.enter(bots)
        for deals in (range(10), range(10, 200)):
            for deal in deals:
                store.append(won("ann", "bob", deal))
            steps.append(cost_of(partial(store.enter, bots))["steps"])
    assert steps[1] < 1.1 * steps[0]


def test_each_program_that_a_bot_had_before_does_not_cost_another_reading_of_all_results(place, cost_of):
    steps = []
    for changed in (1, 10):
        with Store.open_to_write(place / str(changed)) as store:
            names = [f"bot {number}" for number in range(changed)]
            store.enter([bot(name) for name in ("ann", "bob", *names)])
            for name in names:
                store.append(won("ann", name))
            for deal in range(500):
                store.append(won("ann", "bob", deal))
            now = [bot("ann"), bot("bob"), *(bot(name, "2") for name in names)]
            assert store.enter(now) == dict.fromkeys(names, 1)
            steps.append(cost_of(partial(store.enter, now))["steps"])
    assert steps[1] < 2 * steps[0]


def test_a_result_costs_the_same_however_many_bots_there_are(place, cost_of):
    steps = []
    for bots in (2, 1000):
        with Store.open_to_write(place / str(bots)) as store:
            store.enter([bot(f"bot {number:04}") for number in range(bots)])
            result = won(store.entrants[-1], store.entrants[-2])
            steps.append(cost_of(partial(store.append, result))["steps"])
    assert steps[1] < 1.1 * steps[0]


# --- a referee -----------------------------------------------------------------------------------------------------

BOT = "from protocol.bot import serve\nserve(lambda request: request.legal_actions[0])\n"
MATCH = "a match of this test, number "


def two_bots(place: Path) -> dict[str, BotSpec]:
    """One over ZeroMQ and one by lines, whose processes play five matches each."""
    command, environment = (sys.executable, "-c", BOT), {"PYTHONPATH": str(ROOT)}
    return {
        name: BotSpec(name, command, str(place), environment, protocol, instances_matches=5)
        for name, protocol in (("ann", "zeromq"), ("bob", "stdio"))
    }


def remembered() -> set[str]:
    """The matches of this test whose id is anywhere in Python's memory."""
    gc.collect()
    ids: set[str] = set()
    found = gc.get_objects()
    while found:  # then what is in dicts and tuples that the collector does not follow
        keys = [key for each in found if isinstance(each, dict) for key in dict.keys(each)]  # nor does it follow these
        found = [each for each in gc.get_referents(*found) if type(each) in (str, dict, tuple)]
        found = [each for each in found if not gc.is_tracked(each)]
        ids.update(each for each in (*keys, *found) if type(each) is str and each.startswith(MATCH))
    return ids - {MATCH}


def test_a_referee_keeps_nothing_of_finished_matches_and_ended_bots(place):
    orders = Queue()
    ends: list[str] = []

    def report(result: MatchResult) -> None:
        ends.append(result.outcome.reason)
        order()

    def order() -> None:
        if len(ends) < 22:
            orders.put(MatchSpec(f"{MATCH}{len(ends)}", ("ann", "bob"), len(ends), 0, bytes(32)))

    referee = Referee(
        MatchTerms(turns("0 1"), "digits", TimeControl(move_ms=60_000, startup_ms=60_000)),
        Place(two_bots(place), place),
        launcher=Unconfined(),
        limits=Limits(),
        orders=orders,
        report=report,
        directory=place,
    )
    order()
    referee.serve(is_done=lambda: len(ends) == 22)
    assert ends == ["talked out"] * 22
    assert remembered() == set()
    assert sum(type(each) is BotProcess for each in gc.get_objects()) <= 2, "of ten"
    del referee  # until here it could keep them
