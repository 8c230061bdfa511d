"""What is played next: identities and seeds, bots on probation, and matches that the arena failed at."""

import hashlib
import hmac
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, islice, product, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.round_robin import RoundRobin
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.model import ABORTED, Fault, FaultRecord, MatchResult, MatchSpec, Outcome, Pairing
from arena.schedule import ATTEMPTS_MAX, STARTS_MAX, Identity, Schedule, commitment, plan
from arena.testing import ResultsInMemory

GAME = "tacocat", Tacocat().public_rules()
ANN_BOB = Pairing("ann", "bob", 0)

# --- identities ----------------------------------------------------------------------------------------------------


def test_an_id_is_a_keyed_hash_of_a_text_that_anybody_can_write_down():
    identity = Identity("spring 🌱", "guess", {"z": 1, "a": [2, "both"]})
    pairing = Pairing("ann", "bøb", 17)
    match_text = rb'[["guess",{"a":[2,"both"],"z":1}],"match",["ann","b\u00f8b",17],1]'
    deal_text = rb'[["guess",{"a":[2,"both"],"z":1}],"deal",["ann","b\u00f8b",17]]'
    key = "spring 🌱".encode()
    assert identity.match_id(pairing, 1) == hmac.new(key, match_text, hashlib.sha256).hexdigest()[:20]
    assert identity.deal_seed(pairing) == hmac.new(key, deal_text, hashlib.sha256).digest()


def test_ids_and_seeds_never_change():
    """Stored results are known by these: another value would orphan everybody's results."""
    identity = Identity("20261130", *GAME)
    assert identity.match_id(ANN_BOB, 0) == "ae4cba5cbaf3f8c65f99"
    assert identity.match_id(ANN_BOB, 1) == "f0e82982aae846a59144"
    assert identity.deal_seed(ANN_BOB).hex() == "5c9c6baa8d56326eca17f923b2f7dc6cf20fb1e3e0ebb5daf2cd7a757ed367fd"


def test_the_promise_of_a_seed_is_its_sha_256():
    assert commitment("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2


def test_everything_that_a_match_is_known_by_changes_its_id_and_its_deal():
    games = [GAME, ("other", GAME[1]), ("tacocat", Tacocat(RuleSet(max_rounds=99)).public_rules())]
    names = [("ann", "bob"), ("ann", "bobb"), ("annb", "ob"), ("bob", "cyd")]
    ids, seeds = set(), set()
    cases = list(product(["1", "2"], games, names, [0, 1, 10]))
    for seed, game, bots, deal in cases:
        identity, pairing = Identity(seed, *game), Pairing(bots[0], bots[1], deal)
        ids |= {identity.match_id(pairing, lane) for lane in (0, 1)}
        seeds.add(identity.deal_seed(pairing))
    assert len(ids) == 2 * len(cases)
    assert len(seeds) == len(cases)


@given(st.permutations(["ann", "bob", "cyd", "dan"]))
@settings(derandomize=True, max_examples=10, deadline=None)
def test_the_plan_does_not_depend_on_the_order_of_the_config(bots):
    specs = list(planned(bots, 2))
    assert specs == list(planned(["ann", "bob", "cyd", "dan"], 2))


def test_a_plan_seats_each_pair_both_ways_on_one_deal():
    specs = list(planned(["bob", "ann"], 2))
    assert [(spec.bots, spec.deal, spec.lane) for spec in specs] == [
        (("ann", "bob"), 0, 0),
        (("bob", "ann"), 0, 1),
        (("ann", "bob"), 1, 0),
        (("bob", "ann"), 1, 1),
    ]
    assert specs[0].seed == specs[1].seed != specs[2].seed == specs[3].seed
    assert all(spec.attempt == 0 and len(spec.seed) == 32 for spec in specs)


@pytest.mark.parametrize("lane", [0, 1])
def test_a_plan_leaves_out_what_has_a_result(lane):
    results = ResultsInMemory()
    results.record(ANN_BOB, lane, 1.0)
    specs = list(plan([ANN_BOB], results, Identity("1", *GAME)))
    assert [spec.lane for spec in specs] == [1 - lane]


def test_a_plan_is_lazy():
    endless = (Pairing("ann", "bob", deal) for deal in chain.from_iterable(repeat(range(10**9))))
    assert len(list(islice(plan(endless, ResultsInMemory(), Identity("1", *GAME)), 3))) == 3


# --- a simulated run -----------------------------------------------------------------------------------------------

Judge = Callable[[MatchSpec, int], Outcome]
"""How a match ends; the number counts the matches that have ended so far."""


def planned(bots: Sequence[str], pairs: int, results: ResultsInMemory | None = None) -> Iterator[MatchSpec]:
    results = results or ResultsInMemory()
    return plan(RoundRobin(pairs).pairings(bots, results), results, Identity("1", *GAME))


def failing(*bots: str) -> Judge:
    """These bots never start; of the others seat 0 wins."""

    def judge(spec: MatchSpec, _: int) -> Outcome:
        faults = tuple(FaultRecord(seat, Fault.STARTUP_FAILURE) for seat in (0, 1) if spec.bots[seat] in bots)
        if not faults:
            return Outcome(0, "goal")
        winner = 1 - faults[0].seat if len(faults) == 1 else None
        return Outcome(winner, "+".join(record.fault for record in faults), "", faults)

    return judge


class Run:
    """Plays a schedule: up to `at_once` matches in flight, of which `chance` says which ends next."""

    def __init__(
        self, specs: Iterator[MatchSpec], at_once: int, chance: random.Random, failures: dict[str, int]
    ) -> None:
        self.schedule = Schedule(specs, failures)
        self.at_once = at_once
        self.chance = chance
        self.in_flight: list[MatchSpec] = []
        self.kept: list[MatchResult] = []
        self.ended = 0
        self.most_in_flight: Counter[str] = Counter()

    def start(self) -> None:
        while len(self.in_flight) < self.at_once:
            spec = next(self.schedule, None)
            if spec is None:
                return
            self.in_flight.append(spec)
            for bot in spec.bots:
                count = sum(bot in each.bots for each in self.in_flight)
                self.most_in_flight[bot] = max(count, self.most_in_flight[bot])

    def play(self, judge: Judge, most: int = 10**6) -> "Run":
        """Until all is played, or `most` matches have ended; what is in flight then is lost."""
        for _ in range(most):
            self.start()
            if not self.in_flight:
                break
            spec = self.in_flight.pop(self.chance.randrange(len(self.in_flight)))
            result = MatchResult(spec, judge(spec, self.ended))
            self.ended += 1
            if self.schedule.settle(result):
                self.kept.append(result)
        return self


def run(bots: Sequence[str], pairs: int, judge: Judge, at_once: int = 1, seed: int = 0) -> Run:
    return Run(planned(bots, pairs), at_once, random.Random(seed), {}).play(judge)


def lost_by(bot: str, results: Sequence[MatchResult]) -> list[str]:
    return [
        result.spec.id for result in results if any(result.spec.bots[seat] == bot for seat, _ in result.outcome.faults)
    ]


BOTS = ("ann", "bob", "cyd", "dan", "eve")
ORDERS = {"at_once": st.integers(1, 12), "seed": st.integers(0, 10**6)}


@given(**ORDERS)
@settings(derandomize=True, max_examples=20, deadline=None)
def test_sound_bots_play_everything_once_in_any_order(at_once, seed):
    everything = [spec.id for spec in planned(BOTS, 3)]
    result = run(BOTS, 3, failing(), at_once, seed)
    assert sorted(each.spec.id for each in result.kept) == sorted(everything)
    assert result.schedule.suspended == ()
    if at_once == 1:
        assert [each.spec.id for each in result.kept] == everything


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
    results, kept, chance = ResultsInMemory(), list[MatchResult](), random.Random(seed)
    for most in [*stops, 10**6]:
        tail = [bool(lost_by("bob", [each])) for each in kept if "bob" in each.spec.bots]
        failures = next((count for count, failed in enumerate(reversed(tail)) if not failed), len(tail))
        part = Run(planned(BOTS, 4, results), at_once, chance, {"bob": failures}).play(failing(*never), most)
        for each in part.kept:
            bot_a, bot_b = sorted(each.spec.bots)
            results.record(Pairing(bot_a, bot_b, each.spec.deal), each.spec.lane, 0.5)
        kept += part.kept
    assert {each.spec.id for each in kept} == {each.spec.id for each in expected.kept}
    assert len(kept) == len(expected.kept)
    assert lost_by("bob", kept) == lost_by("bob", expected.kept)


def test_who_has_failed_too_often_before_is_not_tried_again():
    schedule = Schedule(planned(["ann", "bob"], 5), {"ann": STARTS_MAX})
    assert list(schedule) == []
    assert schedule.suspended == ("ann",)


def test_a_start_makes_up_for_the_failures_before_it():
    starts = iter([False, False, True, False, False, True] + [True] * 100)

    def judge(spec: MatchSpec, _: int) -> Outcome:
        return failing()(spec, 0) if next(starts) else failing("ann")(spec, 0)

    result = run(["ann", "bob"], 10, judge)
    assert len(result.kept) == 20
    assert result.schedule.suspended == ()


def test_a_bot_that_fails_to_start_is_on_trial_again():
    schedule = Schedule(planned(["ann", "bob"], 10), {})
    for outcome in (failing(), failing("ann")):
        spec = next(schedule)
        assert spec is not None
        schedule.settle(MatchResult(spec, outcome(spec, 0)))
    assert next(schedule) is not None
    assert next(schedule) is None  # one match at a time, until it has started


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

    chance = random.Random(1)
    slow = Run(planned(BOTS, 40), 4, chance, {})
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


def aborting(doomed: Callable[[MatchSpec], bool]) -> Judge:
    return lambda spec, ended: Outcome(None, ABORTED, "lost") if doomed(spec) else failing()(spec, ended)


@given(**ORDERS)
@settings(derandomize=True, max_examples=15, deadline=None)
def test_a_match_that_always_aborts_is_given_up_and_the_others_are_played(at_once, seed):
    specs = list(planned(BOTS, 2))
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
    schedule = Schedule(planned(["ann", "bob"], 1), {})
    spec = next(schedule)
    assert spec is not None
    assert schedule.settle(MatchResult(spec, Outcome(None, ABORTED))) is False
    again = next(schedule)
    assert again is not None
    assert (again.id, again.attempt) == (spec.id, 1)
    assert schedule.settle(MatchResult(again, Outcome(1, "goal"))) is True


# --- pulling -------------------------------------------------------------------------------------------------------


def test_nothing_may_start_only_while_something_is_in_flight():
    schedule = Schedule(planned(["ann", "bob"], 2), {})
    first = next(schedule)
    assert first is not None
    assert [next(schedule), next(schedule)] == [None, None]  # both are on trial
    schedule.settle(MatchResult(first, Outcome(0, "goal")))
    rest = [next(schedule) for _ in range(4)]
    assert [spec is None for spec in rest] == [False, False, False, True]
    for spec in rest[:3]:
        assert spec is not None
        assert next(schedule) is None
        schedule.settle(MatchResult(spec, Outcome(0, "goal")))
    with pytest.raises(StopIteration):
        next(schedule)


def test_a_plan_is_not_consumed_while_bots_are_on_trial():
    pulled = 0

    def endless() -> Iterator[MatchSpec]:
        nonlocal pulled
        for spec in planned(["ann", "bob"], 10**9):
            pulled += 1
            yield spec

    schedule = Schedule(endless(), {})
    assert next(schedule) is not None
    for _ in range(10):
        assert next(schedule) is None
    assert pulled <= 1001


def test_a_plan_is_pulled_one_by_one_when_nobody_is_on_trial():
    specs = planned(BOTS, 10**6)
    schedule = Schedule(specs, {})
    chance, judge = random.Random(0), failing()
    part = Run(specs, 2, chance, {})
    part.schedule = schedule
    part.play(judge, 300)
    following = next(specs)
    started = {each.spec.id for each in part.kept} | {spec.id for spec in part.in_flight}
    assert following.id == [spec.id for spec in islice(planned(BOTS, 10**6), len(started) + 1)][-1]
