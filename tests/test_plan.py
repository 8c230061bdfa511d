"""Identities and seeds of matches, and the plan that a format makes of them."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from itertools import chain, count, islice, product, repeat
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contracts import Format, Progress
from arena.formats.round_robin import RoundRobin
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.model import DealScore, Pairing, Score, Tally
from arena.plan import Identity, NoResults, Plan, TournamentProgress, commitment, lane_of
from arena.testing import ResultsInMemory
from tests.scheduling import GAME, IDENTITY, Asked, has_ended, planned, round_robin

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


# --- a plan --------------------------------------------------------------------------------------------------------


@given(st.permutations(["ann", "bob", "cyd", "dan"]))
@settings(derandomize=True, max_examples=10, deadline=None)
def test_the_plan_does_not_depend_on_the_order_of_the_config(bots):
    specs = list(planned(RoundRobin(2), bots))
    assert specs == list(planned(RoundRobin(2), ["ann", "bob", "cyd", "dan"]))
    assert len(specs) == 24


def test_a_plan_seats_each_pair_both_ways_on_one_deal():
    specs = list(planned(RoundRobin(2), ["bob", "ann"]))
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
    specs = list(planned(Asked(lambda _: [ANN_BOB]), ["ann", "bob"], results))
    assert [spec.lane for spec in specs] == [1 - lane]


def test_a_plan_is_lazy():
    endless = Asked(lambda _: (Pairing("ann", "bob", deal) for deal in chain.from_iterable(repeat(range(10**9)))))
    assert len(list(islice(planned(endless, ["ann", "bob"]), 3))) == 3
    assert endless.taken == 2


# --- asking again --------------------------------------------------------------------------------------------------


class Course:
    """A plan, and a tournament in which what is ended has a result at once."""

    def __init__(self, format_: Format, bots: Sequence[str] = ("ann", "bob")) -> None:
        self.results = ResultsInMemory()
        self.progress = TournamentProgress(self.results)
        self.plan = Plan(format_, bots, self.progress, IDENTITY)

    def next(self) -> tuple[Pairing, int] | None:
        spec = self.plan.next()
        return None if spec is None else lane_of(spec)

    def all(self) -> list[tuple[Pairing, int]]:
        return list(iter(self.next, None))

    def end(self, pairing: Pairing, lane: int, points_a: float = 0.5) -> None:
        self.results.record(pairing, lane, points_a)
        self.forget(pairing, lane)

    def forget(self, pairing: Pairing, lane: int) -> None:
        self.progress.started.discard((pairing, lane))
        self.plan.note_end()


def deals(count: int) -> list[Pairing]:
    return [Pairing("ann", "bob", deal) for deal in range(count)]


def test_a_format_is_asked_again_when_its_iterator_is_at_its_end_and_something_has_ended():
    format_ = Asked(lambda results: deals(1 + sum(1 for _ in results.in_order())))
    course = Course(format_)
    assert course.all() == [(ANN_BOB, 0), (ANN_BOB, 1)]
    assert [course.next() for _ in range(5)] == [None] * 5
    assert format_.calls == 1, "nothing has ended"
    course.end(ANN_BOB, 1)
    assert course.all() == [(Pairing("ann", "bob", 1), 0), (Pairing("ann", "bob", 1), 1)]
    assert format_.calls == 2
    course.end(ANN_BOB, 0)
    assert course.next() == (Pairing("ann", "bob", 2), 0)
    assert format_.calls == 3


def test_a_format_is_not_asked_again_before_its_iterator_is_at_its_end():
    format_ = Asked(lambda _: deals(3))
    course = Course(format_)
    for pairing, lane in product(deals(3), (0, 1)):
        assert course.next() == (pairing, lane)
        course.end(pairing, lane)
    assert format_.calls == 1
    assert course.next() is None
    assert format_.calls == 2, "all has ended since it was asked first"
    assert course.next() is None
    assert format_.calls == 2


def test_an_iterator_sees_the_results_of_the_moment_at_each_step():
    seen = []

    def pairings(results: Progress) -> Iterator[Pairing]:
        for pairing in deals(4):
            seen.append(sum(1 for _ in results.in_order()))
            yield pairing

    course = Course(Asked(pairings))
    for pairing, lane in product(deals(4), (0, 1)):
        assert course.next() == (pairing, lane)
        course.end(pairing, lane)
    assert seen == [0, 2, 4, 6]


def test_what_is_yielded_again_is_handed_out_once():
    course = Course(Asked(lambda _: deals(2) * 3))
    once = [(pairing, lane) for pairing in deals(2) for lane in (0, 1)]
    assert course.all() == once
    course.end(*once[0])
    course.end(*once[3])
    assert course.all() == []


def test_a_pairing_of_which_one_match_is_under_way_is_half_planned():
    course = Course(Asked(lambda _: deals(1) * 2))
    assert course.next() == (ANN_BOB, 0)
    assert course.next() == (ANN_BOB, 1)
    course.forget(ANN_BOB, 1)  # without a result
    assert course.all() == [(ANN_BOB, 1)]


def test_an_endless_iterator_of_what_is_under_way_means_wait():
    taken = []

    def insisting(results: Progress) -> Iterator[Pairing]:
        """Deal by deal, each until it is over."""
        for deal in count():
            while results.is_over(Pairing("ann", "bob", deal)) != (True, True):
                taken.append(deal)
                yield Pairing("ann", "bob", deal)

    format_ = Asked(insisting)
    course = Course(format_)
    for pairing in deals(3):
        assert course.all() == [(pairing, 0), (pairing, 1)]
        for lane in (1, 0):
            before = len(taken)
            assert course.next() is None
            assert len(taken) - before < 20_000
            course.end(pairing, lane)
    assert format_.calls == 1


def test_a_format_of_which_nothing_is_left_is_at_its_end():
    course = Course(RoundRobin(2))
    for pairing, lane in course.all():
        course.end(pairing, lane)
    assert course.next() is None


@pytest.mark.parametrize("in_flight", [1, 2, 64, 500])
def test_a_dear_question_is_asked_a_few_times_at_the_end_and_not_after_every_result(in_flight):
    """Of 12,000 pairings, which a round robin looks at one by one."""
    format_ = round_robin(["ann", "bob"], 12_000)
    course = Course(format_)
    for pairing in deals(12_000 - in_flight):
        course.results.record(pairing, 0, 0.5)
        course.results.record(pairing, 1, 0.5)
    last = course.all()
    assert len(last) == 2 * in_flight
    course.end(*last.pop())
    assert course.next() is None  # that has just been asked, and was dear
    for pairing, lane in last:
        course.end(pairing, lane)
        assert course.next() is None
    assert format_.calls <= 3 + log2(2 * in_flight), "not once for each of them"
    assert course.progress.questions <= 12_000 * format_.calls + 2 * 4 * in_flight
    assert course.next() is None
    assert not course.progress.started


def test_a_dear_question_is_asked_once_more_when_the_last_match_has_ended():
    """What a dear format wants next may depend on the very last result."""

    def pairings(results: Progress) -> Iterator[Pairing]:
        for pairing in deals(12_000):
            if results.is_finished(pairing) != (True, True):
                yield pairing
        if results.tallies()[0].matches == 24_000:
            yield Pairing("ann", "bob", 12_000)

    course = Course(Asked(pairings))
    for pairing in deals(11_990):
        course.results.record(pairing, 0, 0.5)
        course.results.record(pairing, 1, 0.5)
    last = course.all()
    found = []
    for pairing, lane in last:
        course.end(pairing, lane)
        found.append(course.next())
    assert found == [None] * 19 + [(Pairing("ann", "bob", 12_000), 0)]


def test_a_cheap_question_is_asked_after_every_result():
    format_ = Asked(lambda results: [pairing for pairing in deals(50) if not has_ended(pairing, results)])
    course = Course(format_)
    for pairing, lane in course.all():
        before = format_.calls
        course.end(pairing, lane)
        assert course.next() is None
        assert format_.calls == before + 1


# --- progress ------------------------------------------------------------------------------------------------------


def test_who_is_suspended_is_out_and_its_matches_are_over_but_those_in_flight():
    results = ResultsInMemory()
    progress = TournamentProgress(results)
    first, second, other = (Pairing("ann", "bob", 0), Pairing("ann", "bob", 1), Pairing("bob", "cyd", 0))
    results.record(first, 0, 1.0)
    assert progress.out == frozenset()
    assert [progress.is_over(each) for each in (first, second, other)] == [(True, False), (False,) * 2, (False,) * 2]
    progress.started.add((second, 1))
    progress.suspended.add("ann")
    assert progress.out == {"ann"}
    assert [progress.is_over(each) for each in (first, second, other)] == [(True,) * 2, (True, False), (False,) * 2]
    progress.started.discard((second, 1))
    assert progress.is_over(second) == (True, True)
    progress.suspended.discard("ann")  # it could be started after all
    assert [progress.is_over(each) for each in (first, second)] == [(True, False), (False, False)]
    assert progress.is_finished(second) == (False, False)


def test_a_match_that_was_given_up_is_over_without_a_result():
    progress = TournamentProgress(ResultsInMemory())
    progress.given_up.add((ANN_BOB, 1))
    assert progress.is_over(ANN_BOB) == (False, True)
    assert progress.is_finished(ANN_BOB) == (False, False)


def test_progress_shows_the_results_as_they_are():
    results = ResultsInMemory()
    progress = TournamentProgress(results)
    results.record(ANN_BOB, 1, 0.5)
    assert progress.tallies() == results.tallies() == [Tally("ann", "bob", singles=(0, 1, 0))]
    assert list(progress.in_order()) == [Score(ANN_BOB, 1, 0.5)]
    assert list(progress.deals()) == [DealScore(ANN_BOB, (None, 0.5))]


def test_before_a_tournament_there_is_nothing():
    progress = TournamentProgress(NoResults())
    assert (list(progress.tallies()), list(progress.in_order()), list(progress.deals())) == ([], [], [])
    assert progress.is_over(ANN_BOB) == (False, False)


@pytest.mark.parametrize("lane", [0, 1])
def test_a_spec_tells_its_pairing_and_lane(lane):
    pairing = Pairing("ann", "bob", 7)
    assert lane_of(IDENTITY.specs(pairing)[lane]) == (pairing, lane)
    assert [spec.lane for spec in IDENTITY.specs(pairing, [lane])] == [lane]
