"""Referee processes on this machine: real ones, with something else to do than to play matches."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count, islice
from pathlib import Path

import psutil
import pytest

import arena.executors._referees as referees
from arena.contracts import Place
from arena.errors import HostError, SettingsError
from arena.executors.local import Local
from arena.formats.round_robin import RoundRobin
from arena.model import Fault, FaultRecord, MatchResult, MatchSpec, Outcome
from arena.plan import Identity, lane_of
from arena.schedule import Schedule
from arena.testing import ResultsInMemory
from tests.e2e.place import ROOT, wait_until
from tests.executors.plays import Batches, Broken, Echo, Stranding, Stubborn, Surroundings
from tests.stored import bot

PLACE = Place({}, Path())
"""Where nothing is started and nothing written."""


def specs(count: int) -> list[MatchSpec]:
    return [MatchSpec(f"match {number}", ("ann", "bob"), number, 0, bytes(32)) for number in range(count)]


def endless() -> Iterator[MatchSpec]:
    for number in count():
        yield MatchSpec(f"match {number}", ("ann", "bob"), number, 0, bytes(32))


def deals(results: Sequence[MatchResult]) -> list[int]:
    return sorted(result.spec.deal for result in results)


def first_of_each(running: Iterator[MatchResult], workers: int = 2) -> tuple[dict[int, int], list[MatchResult]]:
    """Wait until every worker has answered: their process ids by number, and the results so far."""
    numbers: dict[int, int] = {}
    results = []
    while len(numbers) < workers:
        results.append(next(running))
        if not results[-1].outcome.is_aborted:
            numbers[worker(results[-1])] = pid(results[-1])
    return numbers, results


def pid(result: MatchResult) -> int:
    return int(result.outcome.detail.split()[1])


def worker(result: MatchResult) -> int:
    return int(result.outcome.detail.split()[0])


def is_gone(number: int) -> bool:
    try:
        return psutil.Process(number).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    yield
    left = {process.pid for process in psutil.Process().children(recursive=True)} - before
    assert all(is_gone(number) for number in left)


def test_every_match_is_played_once():
    results = list(Local(workers=2, matches_at_once=4).run(iter(specs(100)), Echo(), PLACE))
    assert deals(results) == list(range(100))


def test_every_worker_gets_matches_and_is_a_process_of_its_own():
    with closing(Local(workers=3, matches_at_once=1).run(endless(), Echo(), PLACE)) as running:
        numbers, _ = first_of_each(running, 3)
    assert sorted(numbers) == [0, 1, 2]
    assert len({*numbers.values(), os.getpid()}) == 4


def test_every_worker_is_told_its_place_with_its_own_number(tmp_path):
    place = Place({"ann": bot("ann"), "bob": replace(bot("bob"), directory="/where/bob/is")}, tmp_path, worker=7)
    with closing(Local(workers=2, matches_at_once=1).run(endless(), Surroundings(), place)) as running:
        told = {result.outcome.detail for result in islice(running, 200)}
    assert told == {f"{number} {tmp_path} ann=. bob=/where/bob/is" for number in (0, 1)}


def test_nothing_to_play():
    assert list(Local(workers=1).run(iter([]), Echo(), PLACE)) == []


def test_workers_have_exactly_as_many_matches_at_once_as_they_may():
    """With fewer they would wait for ever, with more they would fail; the least busy one gets the next."""
    pulled, ended = 0, 0

    def counted() -> Iterator[MatchSpec]:
        nonlocal pulled
        for spec in endless():
            pulled += 1
            yield spec

    with closing(Local(workers=2, matches_at_once=3).run(counted(), Batches(3), PLACE)) as running:
        for result in islice(running, 60):
            assert not result.outcome.is_aborted, result.outcome.detail
            ended += 1
            assert pulled - ended <= 2 * 3


def test_a_schedule_that_lets_matches_wait_is_played_to_its_end():
    results = ResultsInMemory()
    schedule = Schedule(RoundRobin(3), ["ann", "bob", "cyd", "dan"], results, Identity("1", "echo", {}), {})
    kept = []
    for result in Local(workers=2, matches_at_once=2).run(schedule, Echo(), PLACE):
        fails = tuple(FaultRecord(seat, Fault.STARTUP_FAILURE) for seat in (0, 1) if result.spec.bots[seat] == "bob")
        schedule.settle(replace(result, outcome=Outcome(None, "x", "", fails)))
        results.record(*lane_of(result.spec), 0.5)
        kept.append(result)
    assert schedule.suspended == ("bob",)
    assert len(kept) == 3 + 3 * 3 * 2


# --- workers that are lost -----------------------------------------------------------------------------------------


def test_a_killed_worker_gives_its_matches_back_and_another_takes_its_place():
    """Worker 0 has three matches that it never answers when it is killed; the run goes on, on two workers."""
    results: list[MatchResult] = []
    of_first: list[int] = []  # how many results there were when worker 0 answered, once in each of its lives
    with closing(Local(workers=2, matches_at_once=3).run(endless(), Echo(mute=0), PLACE)) as running:
        for result in running:
            results.append(result)
            if worker_of(result) == 0:
                of_first.append(len(results))
            if len(of_first) == 1 and len(results) == of_first[0] + 10:  # it has three matches again by now
                os.kill(pid(results[of_first[0] - 1]), signal.SIGKILL)
            if len(of_first) == 2:
                break
    aborted = [result for result in results if result.outcome.is_aborted]
    assert len(aborted) == 3
    assert {result.outcome.detail for result in aborted} == {"referee process 0 was lost: it was killed by SIGKILL"}
    assert len(set(deals(results))) == len(results)
    assert len({pid(results[place - 1]) for place in of_first}) == 2


def worker_of(result: MatchResult) -> int | None:
    return None if result.outcome.is_aborted else worker(result)


def test_the_other_workers_are_left_alone_even_if_the_run_itself_has_a_token(monkeypatch):
    """Orphaned bots are known by a variable of their environment, which a user may have set for a trial of his own."""
    monkeypatch.setenv("ARENA_TOKEN", "left over")
    with closing(Local(workers=2, matches_at_once=1).run(endless(), Echo(), PLACE)) as running:
        numbers, _ = first_of_each(running)
        os.kill(numbers[0], signal.SIGKILL)
        while numbers[0] in first_of_each(running)[0].values():
            pass  # what it had answered before it was killed
        later, _ = first_of_each(running)
    assert later[1] == numbers[1]


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found by a child subreaper")
def test_bots_of_a_lost_worker_end_with_it():
    running = Local(workers=1, matches_at_once=1).run(iter(specs(2)), Stranding(), PLACE)
    bot = int(next(running).outcome.detail)
    assert not is_gone(bot)
    lost = next(running)
    assert lost.outcome.is_aborted
    assert lost.outcome.detail == "referee process 0 was lost: it exited with status 0"
    wait_until(lambda: is_gone(bot), "the bot has ended, though the run goes on")
    assert list(running) == []


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found by a child subreaper")
def test_bots_that_a_worker_leaves_at_the_end_end_too():
    running = Local(workers=1, matches_at_once=1).run(iter(specs(1)), Stranding(), PLACE)
    bot = int(next(running).outcome.detail)
    assert list(running) == []
    wait_until(lambda: is_gone(bot), "the bot has ended")


def test_a_run_that_loses_one_worker_after_the_other_ends_in_words(monkeypatch):
    monkeypatch.setattr(referees, "_LOST_MAX", 2)
    words = r"^3 referee processes were lost, so the run ends here; of the last one: it exited with status 3$"
    with pytest.raises(HostError, match=words):
        list(Local(workers=1).run(iter(specs(100)), Broken(), PLACE))


# --- stopping ------------------------------------------------------------------------------------------------------


def test_closing_ends_the_workers_and_what_they_play():
    running = Local(workers=2, matches_at_once=5).run(endless(), Echo(mute=1), PLACE)
    numbers, _ = first_of_each(running)
    running.close()
    assert all(is_gone(number) for number in numbers.values())


def test_a_consumer_that_fails_ends_the_workers_too():
    running = Local(workers=1).run(iter(specs(10)), Echo(), PLACE)
    number = pid(next(running))
    with pytest.raises(ZeroDivisionError):
        running.throw(ZeroDivisionError())
    assert is_gone(number)


def test_a_plan_that_fails_ends_the_workers_too():
    def plan_that_fails() -> Iterator[MatchSpec]:
        yield from specs(3)
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        list(Local(workers=1).run(plan_that_fails(), Echo(), PLACE))


def test_a_worker_that_does_not_go_is_made_to(monkeypatch):
    monkeypatch.setattr(referees, "_STOP_PATIENCE_S", 0.1)
    running = Local(workers=1, matches_at_once=1).run(iter(specs(5)), Stubborn(), PLACE)
    number = pid(next(running))
    running.close()
    assert is_gone(number)


def test_workers_hear_no_signal_of_the_terminal():
    (result,) = Local(workers=1).run(iter(specs(1)), Echo(), PLACE)
    number, session = result.outcome.detail.split()[1:]
    assert number == session  # its own session: Ctrl-C goes to the run, which then ends it in order


def test_workers_end_when_the_run_is_killed():
    script = (
        "from tests.executors.test_local import *\n"
        "for result in Local(workers=2, matches_at_once=1).run(endless(), Echo(mute=1), PLACE):\n"
        "    print(pid(result), flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        numbers: set[int] = set()
        while len(numbers) < 2:
            numbers.add(int(run.stdout.readline()))
        run.kill()
    for number in numbers:
        wait_until(partial(is_gone, number), "the worker has ended")


# --- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["workers", "matches_at_once"])
@pytest.mark.parametrize("value", [0, -3])
def test_impossible_settings_are_refused(name, value):
    with pytest.raises(SettingsError, match=f'{name}: must be at least 1, or "auto", not {value}'):
        Local(**{name: value})
