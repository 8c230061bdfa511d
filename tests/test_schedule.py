"""What is played next: bots on probation, matches that the arena failed at, and formats that follow from results."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.round_robin import RoundRobin
from arena.model import ABORTED, MatchResult, MatchSpec, Outcome
from arena.schedule import ATTEMPTS_MAX, STARTS_MAX, Schedule
from arena.testing import ResultsInMemory
from tests.scheduling import IDENTITY, Judge, Run, aborting, failing, lost_by, planned, record, round_robin


def run(bots: Sequence[str], pairs: int, judge: Judge, at_once: int = 1, seed: int = 0) -> Run:
    return Run(RoundRobin(pairs), bots, at_once, seed).play(judge)


def everything(bots: Sequence[str], pairs: int) -> list[MatchSpec]:
    return list(planned(RoundRobin(pairs), bots))


BOTS = ("ann", "bob", "cyd", "dan", "eve")
ORDERS = {"at_once": st.integers(1, 12), "seed": st.integers(0, 10**6)}


@given(**ORDERS)
@settings(derandomize=True, max_examples=20, deadline=None)
def test_sound_bots_play_everything_once_in_any_order(at_once, seed):
    ids = [spec.id for spec in everything(BOTS, 3)]
    result = run(BOTS, 3, failing(), at_once, seed)
    assert sorted(result.ids) == sorted(ids)
    assert result.schedule.is_complete
    assert result.schedule.suspended == ()
    if at_once == 1:
        assert result.ids == ids


def test_the_machine_is_kept_busy_once_all_have_started():
    result = run(BOTS, 20, failing(), at_once=10)
    assert max(result.most_in_flight.values()) >= 4


@pytest.mark.parametrize("never", [("ann",), ("eve",), ("bob", "dan"), ("ann", "bob"), ("ann", "cyd", "eve")])
def test_a_bot_that_never_starts_loses_the_same_three_matches_in_any_order(never):
    sound = [bot for bot in BOTS if bot not in never]
    expected = run(BOTS, 5, failing(*never))

    @given(**ORDERS)
    @settings(derandomize=True, max_examples=12, deadline=None)
    def check(at_once, seed):
        result = run(BOTS, 5, failing(*never), at_once, seed)
        assert result.schedule.suspended == never
        for bot in never:
            lost = lost_by(bot, result.kept)
            assert len(lost) == STARTS_MAX
            assert lost == lost_by(bot, expected.kept)  # in the same order, too
            assert result.most_in_flight[bot] == 1
        between = [each.spec for each in result.kept if set(each.spec.bots) <= set(sound)]
        assert len({spec.id for spec in between}) == len(between) == 10 * len(list(combinations(sound, 2)))
        assert {each.spec.id for each in result.kept} == {each.spec.id for each in expected.kept}

    check()


@given(**ORDERS, stops=st.lists(st.integers(0, 30), min_size=1, max_size=4))
@settings(derandomize=True, max_examples=20, deadline=None)
def test_a_bot_that_never_starts_loses_the_same_three_matches_when_interrupted(at_once, seed, stops):
    never = ("bob",)
    expected = run(BOTS, 4, failing(*never))
    results, kept = ResultsInMemory(), list[MatchResult]()
    for number, most in enumerate([*stops, 10**6]):
        tail = [bool(lost_by("bob", [each])) for each in kept if "bob" in each.spec.bots]
        failures = next((count for count, failed in enumerate(reversed(tail)) if not failed), len(tail))
        part = Run(RoundRobin(4), BOTS, at_once, seed + number, results=results, failures={"bob": failures})
        kept += part.play(failing(*never), most).kept
    assert {each.spec.id for each in kept} == {each.spec.id for each in expected.kept}
    assert len(kept) == len(expected.kept)
    assert lost_by("bob", kept) == lost_by("bob", expected.kept)


def test_who_has_failed_too_often_before_is_not_tried_again():
    schedule = Schedule(RoundRobin(5), ["ann", "bob"], ResultsInMemory(), IDENTITY, {"ann": STARTS_MAX})
    assert list(schedule) == []
    assert schedule.is_complete
    assert schedule.suspended == ("ann",)


def test_a_start_makes_up_for_the_failures_before_it():
    starts = iter([False, False, True, False, False, True] + [True] * 100)

    def judge(spec: MatchSpec, _: int) -> Outcome:
        return failing()(spec, 0) if next(starts) else failing("ann")(spec, 0)

    result = run(["ann", "bob"], 10, judge)
    assert len(result.kept) == 20
    assert result.schedule.suspended == ()


def test_a_bot_that_fails_to_start_is_on_trial_again():
    pair = Run(RoundRobin(10), ["ann", "bob"], at_once=10)
    for judge in (failing(), failing("ann")):
        pair.at_once = 1
        pair.play(judge, 1)
    pair.at_once = 10
    pair.start()
    assert len(pair.in_flight) == 1  # one match at a time, until it has started


@given(**ORDERS, begins=st.integers(10, 60))
@settings(derandomize=True, max_examples=20, deadline=None)
def test_a_bot_that_stops_starting_is_suspended_soon_and_the_others_go_on(at_once, seed, begins):
    result = run(BOTS, 8, lambda spec, ended: failing("cyd" if ended >= begins else "")(spec, ended), at_once, seed)
    assert result.schedule.suspended == ("cyd",)
    assert STARTS_MAX <= len(lost_by("cyd", result.kept)) <= STARTS_MAX + at_once - 1
    others = [each for each in result.kept if "cyd" not in each.spec.bots]
    assert len(others) == 2 * 8 * 6


def test_matches_that_waited_for_a_trial_are_left_out_when_the_bot_is_suspended_after_all():
    """The first match of a bot goes well, and hundreds are waiting by then; it fails from there on."""
    outcomes = {"ann": 0}

    def judge(spec: MatchSpec, _: int) -> Outcome:
        if "ann" not in spec.bots:
            return failing()(spec, 0)
        outcomes["ann"] += 1
        return failing()(spec, 0) if outcomes["ann"] == 1 else failing("ann")(spec, 0)

    slow = Run(RoundRobin(40), BOTS, at_once=4, seed=1)
    while not any("ann" in spec.bots for spec in slow.in_flight):
        slow.play(judge, 1)
    trial = next(spec for spec in slow.in_flight if "ann" in spec.bots)
    for _ in range(200):  # everybody else goes on while that one match lasts
        slow.in_flight.remove(trial)
        slow.play(judge, 1)
        slow.in_flight.append(trial)
    slow.play(judge)
    assert slow.schedule.suspended == ("ann",)
    assert len(lost_by("ann", slow.kept)) <= STARTS_MAX + 4
    assert len([each for each in slow.kept if "ann" not in each.spec.bots]) == 2 * 40 * 6


# --- what the arena failed at --------------------------------------------------------------------------------------


@given(**ORDERS)
@settings(derandomize=True, max_examples=15, deadline=None)
def test_a_match_that_always_aborts_is_given_up_and_the_others_are_played(at_once, seed):
    specs = everything(BOTS, 2)
    doomed = {specs[0].id, specs[7].id, specs[-1].id}
    attempts: Counter[str] = Counter()

    def is_doomed(spec: MatchSpec) -> bool:
        assert spec.attempt == attempts[spec.id]
        attempts[spec.id] += 1
        return spec.id in doomed

    result = run(BOTS, 2, aborting(is_doomed), at_once, seed)
    assert {each.spec.id for each in result.schedule.given_up} == doomed
    assert len(result.schedule.given_up) == len(doomed)
    assert {attempts[each] for each in doomed} == {ATTEMPTS_MAX}
    assert not result.schedule.is_complete
    assert {each.spec.id for each in result.kept} == {spec.id for spec in specs} - doomed


def test_the_last_attempt_may_still_succeed():
    result = run(BOTS, 1, aborting(lambda spec: spec.attempt < ATTEMPTS_MAX - 1), at_once=3)
    assert len(result.kept) == 20
    assert result.schedule.given_up == []


@given(**ORDERS)
@settings(derandomize=True, max_examples=15, deadline=None)
def test_an_aborted_trial_proves_nothing(at_once, seed):
    """Trials that the arena fails at change nothing about which matches a bot that never starts has lost."""
    expected = run(BOTS, 4, failing("bob"))

    def judge(spec: MatchSpec, ended: int) -> Outcome:
        aborts = spec.attempt == 0 and int(spec.id, 16) % 3 == 0
        return Outcome(None, ABORTED, "lost") if aborts else failing("bob")(spec, ended)

    result = run(BOTS, 4, judge, at_once, seed)
    assert lost_by("bob", result.kept) == lost_by("bob", expected.kept)
    assert {each.spec.id for each in result.kept} == {each.spec.id for each in expected.kept}


def test_whether_a_result_is_to_be_kept():
    schedule = Schedule(RoundRobin(1), ["ann", "bob"], ResultsInMemory(), IDENTITY, {})
    spec = next(schedule)
    assert spec is not None
    assert schedule.settle(MatchResult(spec, Outcome(None, ABORTED))) is False
    again = next(schedule)
    assert again is not None
    assert (again.id, again.attempt) == (spec.id, 1)
    assert schedule.settle(MatchResult(again, Outcome(1, "goal"))) is True


# --- pulling -------------------------------------------------------------------------------------------------------


def test_nothing_may_start_only_while_something_is_in_flight():
    results = ResultsInMemory()
    schedule = Schedule(RoundRobin(2), ["ann", "bob"], results, IDENTITY, {})

    def settle(spec: MatchSpec | None) -> None:
        assert spec is not None
        result = MatchResult(spec, Outcome(0, "goal"))
        schedule.settle(result)
        record(results, result)

    first = next(schedule)
    assert [next(schedule), next(schedule)] == [None, None]  # both are on trial
    settle(first)
    rest = [next(schedule) for _ in range(4)]
    assert [spec is None for spec in rest] == [False, False, False, True]
    for spec in rest[:3]:
        assert next(schedule) is None
        assert not schedule.is_complete
        settle(spec)
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(schedule)
    assert schedule.is_complete


def test_a_plan_is_not_consumed_while_bots_are_on_trial():
    endless = round_robin(["ann", "bob"], 10**9)
    schedule = Schedule(endless, ["ann", "bob"], ResultsInMemory(), IDENTITY, {})
    assert next(schedule) is not None
    for _ in range(10):
        assert next(schedule) is None
    assert endless.taken == 1  # of two matches


def test_a_plan_is_pulled_one_by_one_when_nobody_is_on_trial():
    endless = round_robin(BOTS, 10**6)
    part = Run(endless, BOTS, at_once=2).play(failing(), 300)
    started = {*part.ids, *(spec.id for spec in part.in_flight)}
    assert started == {spec.id for spec in islice(planned(RoundRobin(10**6), BOTS), len(started))}
    assert endless.taken == -(-len(started) // 2)
