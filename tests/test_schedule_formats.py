"""Schedules of formats whose pairings follow from results: in one run or in many, whatever ends first."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contracts import Format, Progress
from arena.formats.round_robin import RoundRobin
from arena.model import ABORTED, MatchSpec, Outcome, Pairing
from arena.plan import lane_of
from arena.schedule import ATTEMPTS_MAX, STARTS_MAX
from arena.testing import ResultsInMemory
from tests.scheduling import IDENTITY, Asked, Knockout, Run, Swiss, by_chance, failing

BOTS = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")
ORDERS = {"at_once": st.integers(1, 12), "seed": st.integers(0, 10**6)}
ADAPTIVE = pytest.mark.parametrize("format_", [Swiss(4), Knockout()], ids=lambda each: type(each).__name__)


def points_of(pairing: Pairing) -> tuple[float, float]:
    """What `by_chance` gives either bot in both matches together."""
    of_a = 0.0
    for spec in IDENTITY.specs(pairing):
        winner = by_chance(spec, 0).winner
        of_a += 0.5 if winner is None else float(spec.bots[winner] == pairing.bot_a)
    return of_a, 2 - of_a


def literal_swiss(bots: Sequence[str], rounds: int) -> list[Pairing]:
    """Round by round, without a schedule."""
    points = dict.fromkeys(sorted(bots), 0.0)
    met = []
    for number in range(rounds):
        ranked = sorted(points, key=lambda bot: (-points[bot], bot))
        while len(ranked) > 1:
            bot_a, bot_b = sorted((ranked.pop(0), ranked.pop(0)))
            met.append(Pairing(bot_a, bot_b, number))
        for pairing in met[-(len(bots) // 2) :]:
            of_a, of_b = points_of(pairing)
            points[pairing.bot_a] += of_a
            points[pairing.bot_b] += of_b
    return met


def literal_knockout(bots: Sequence[str], rounds: int) -> list[Pairing]:
    left = sorted(bots)
    met = []
    while len(left) > 1:
        winners = []
        while len(left) > 1:
            bot_a, bot_b = sorted((left.pop(0), left.pop(0)))
            met.append(Pairing(bot_a, bot_b, 0))
            of_a, of_b = points_of(met[-1])
            winners.append(bot_a if of_a >= of_b else bot_b)
        left = winners + left
    return met


LITERAL: dict[type, Callable[[Sequence[str], int], list[Pairing]]] = {Swiss: literal_swiss, Knockout: literal_knockout}


def ids_of(pairings: Sequence[Pairing]) -> set[str]:
    return {spec.id for pairing in pairings for spec in IDENTITY.specs(pairing)}


@ADAPTIVE
def test_what_follows_from_results_is_played_in_one_run_in_any_order(format_):
    expected = ids_of(LITERAL[type(format_)](BOTS, 4))
    assert len(expected) == format_.planned(BOTS, ResultsInMemory())

    @given(**ORDERS)
    @settings(derandomize=True, max_examples=25, deadline=None)
    def check(at_once, seed):
        run = Run(format_, BOTS, at_once, seed).play(by_chance)
        assert len(run.ids) == len(expected)
        assert set(run.ids) == expected
        assert run.schedule.is_complete

    check()


@ADAPTIVE
def test_from_any_results_the_same_follows(format_):
    """Interrupted anywhere, with matches in flight that are lost."""
    expected = ids_of(LITERAL[type(format_)](BOTS, 4))

    @given(**ORDERS, stops=st.lists(st.integers(0, 12), min_size=1, max_size=4))
    @settings(derandomize=True, max_examples=25, deadline=None)
    def check(at_once, seed, stops):
        results, ids = ResultsInMemory(), list[str]()
        for number, most in enumerate([*stops, 10**6]):
            part = Run(format_, BOTS, at_once, seed + number, results=results).play(by_chance, most)
            ids += part.ids
        assert len(ids) == len(expected)
        assert set(ids) == expected
        assert part.schedule.is_complete
        again = Run(format_, BOTS, results=results)
        again.start()
        assert again.in_flight == []
        assert again.schedule.is_complete, "there is nothing to be played any more"

    check()


@given(**ORDERS)
@settings(derandomize=True, max_examples=25, deadline=None)
def test_a_round_begins_when_the_one_before_is_over(at_once, seed):
    run = Run(Swiss(4), BOTS, at_once, seed).play(by_chance)
    over = 0
    for what, spec in run.log:
        if what == "started":
            assert over >= 6 * spec.deal
        else:
            over += 1


def test_a_pairing_begins_at_once_when_its_bots_are_known():
    run = Run(Knockout(), "abcdefgh", at_once=20).play(lambda *_: Outcome(0, "goal"), 4)  # all have started by now
    run.start()
    semifinal = Pairing("a", "c", 0)
    while not any(lane_of(spec)[0] == semifinal for spec in run.in_flight):
        open_quarters = [spec for spec in run.in_flight if set(spec.bots) <= set("abcd")]
        assert open_quarters, "both quarterfinals are over, but the semifinal has not begun"
        run.end(open_quarters[0], Outcome(None, "max_rounds"))
        run.start()
    assert any(set(spec.bots) <= set("efgh") for spec in run.in_flight), "the others are still at it"


# --- waiting, and the end ------------------------------------------------------------------------------------------


def test_nothing_new_means_wait_while_a_match_is_in_flight_and_the_end_when_none_is():
    run = Run(Swiss(2), ["ann", "bob"], at_once=5)
    for number in range(4):
        run.start()
        assert len(run.in_flight) == 1 if number == 0 else run.in_flight
        assert not run.schedule.is_complete
        run.end(run.in_flight[0], Outcome(0, "goal"))
    assert next(run.schedule, "end") == "end"
    assert run.schedule.is_complete


def test_a_tournament_of_nobody_is_complete_at_once():
    for format_ in (Swiss(3), Knockout(), RoundRobin(3)):
        run = Run(format_, [])
        assert list(run.schedule) == []
        assert run.schedule.is_complete


def test_a_sequential_test_ends_when_it_is_decided():
    """Deal after deal until one bot is ahead by 3 points; what was in flight then is played to its end."""

    def until_decided(results: Progress) -> Iterator[Pairing]:
        for deal in count():
            if abs(sum(points - 0.5 for _, _, points in results.in_order())) >= 1.5:
                return
            yield Pairing("ann", "bob", deal)

    for at_once in (1, 2, 7):
        run = Run(Asked(until_decided), ["ann", "bob"], at_once)
        run.play(lambda spec, _: Outcome(spec.bots.index("ann"), "goal"))
        assert run.schedule.is_complete
        assert 3 <= len(run.ids) <= 3 + at_once + 1  # and of a deal both matches


def test_what_is_yielded_again_in_flight_is_not_started_twice():
    """Each is yielded three times, and again at every question; `Run` finds what is started twice."""
    ann_bob, ann_cyd = Pairing("ann", "bob", 0), Pairing("ann", "cyd", 0)
    for at_once in range(1, 6):
        format_ = Asked(lambda _: [ann_bob, ann_cyd] * 3)
        run = Run(format_, ["ann", "bob", "cyd"], at_once).play(by_chance)
        assert len(run.ids) == 4
        assert set(run.ids) == ids_of([ann_bob, ann_cyd])
        assert format_.calls > 1


def test_a_format_that_insists_on_what_is_in_flight_does_not_hang_the_schedule():
    def insisting(results: Progress) -> Iterator[Pairing]:
        for deal in range(3):
            while results.is_over(Pairing("ann", "bob", deal)) != (True, True):
                yield Pairing("ann", "bob", deal)

    run = Run(Asked(insisting), ["ann", "bob"], at_once=6).play(by_chance)
    assert [result.spec.deal for result in run.kept] == [0, 0, 1, 1, 2, 2]
    assert len(run.ids) == 6
    assert run.schedule.is_complete


# --- who is out, and what was given up -----------------------------------------------------------------------------


@ADAPTIVE
@pytest.mark.parametrize("never", [("ann",), ("ann", "dan"), BOTS])
def test_a_tournament_goes_on_without_who_cannot_be_started(format_, never):
    """Everybody is asked again and again whether its opponent's matches are over: they are, without a result."""

    @given(**ORDERS)
    @settings(derandomize=True, max_examples=10, deadline=None)
    def check(at_once, seed):
        run = Run(format_, BOTS, at_once, seed, failures=dict.fromkeys(never, STARTS_MAX)).play(by_chance)
        assert run.schedule.is_complete
        assert run.schedule.suspended == tuple(sorted(never))
        assert not any(set(never) & set(result.spec.bots) for result in run.kept)
        assert bool(run.kept) == (len(never) < len(BOTS) - 1)

    check()


def test_a_knockout_goes_on_with_the_opponent_of_who_is_out():
    run = Run(Knockout(), ["ann", "bob", "cyd", "dan"], failures={"ann": STARTS_MAX}).play(
        lambda *_: Outcome(0, "goal")
    )
    played = {lane_of(result.spec)[0] for result in run.kept}
    assert played == {Pairing("cyd", "dan", 0), Pairing("bob", "cyd", 0)}


def test_a_bot_that_fails_on_the_way_is_out_but_for_its_matches_in_flight():
    run = Run(RoundRobin(20), ["ann", "bob", "cyd"], at_once=8)
    of_ann: list[MatchSpec] = []
    while len(of_ann) <= STARTS_MAX:
        run.play(failing(), 1)
        run.start()
        of_ann = [spec for spec in run.in_flight if "ann" in spec.bots]
    for spec in of_ann[:STARTS_MAX]:
        assert run.schedule.progress.out == frozenset()
        run.end(spec, failing("ann")(spec, 0))
    assert run.schedule.progress.out == {"ann"}
    for following in iter(lambda: next(run.schedule, None), None):
        assert "ann" not in following.bots
    progress = run.schedule.progress
    for spec in of_ann[STARTS_MAX:]:
        pairing, lane = lane_of(spec)
        assert not progress.is_over(pairing)[lane], "it may still bring a result"
    assert progress.is_over(Pairing("ann", "bob", 19)) == (True, True)
    assert progress.is_over(Pairing("bob", "cyd", 19)) == (False, False)


@ADAPTIVE
def test_a_match_that_is_given_up_is_over_for_this_run(format_: Format):
    """The tournament ends, but is not complete; the next run tries that match again, and what follows from it."""
    first = IDENTITY.specs(LITERAL[type(format_)](BOTS, 4)[0])[0].id

    @given(**ORDERS)
    @settings(derandomize=True, max_examples=10, deadline=None)
    def check(at_once, seed):
        run = Run(format_, BOTS, at_once, seed)
        run.play(lambda spec, ended: Outcome(None, ABORTED) if spec.id == first else by_chance(spec, ended))
        assert [result.spec.id for result in run.schedule.given_up] == [first]
        pairing, lane = lane_of(run.schedule.given_up[0].spec)
        assert run.schedule.progress.is_over(pairing)[lane]
        assert not run.schedule.progress.is_finished(pairing)[lane]
        assert not run.schedule.is_complete
        again = Run(format_, BOTS, at_once, seed, results=run.results).play(by_chance)
        assert first in again.ids
        assert again.schedule.is_complete

    check()


@given(**ORDERS, never=st.sampled_from([(), ("bob",), ("cyd", "fay")]), aborts=st.integers(0, 3))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_whatever_happens_a_schedule_ends_and_says_whether_it_is_complete(at_once, seed, never, aborts):
    def judge(spec, ended):
        if spec.attempt < aborts and int(spec.id, 16) % 5 == 0:
            return Outcome(None, ABORTED)
        fails = failing(*never)(spec, ended)
        return fails if fails.faults else by_chance(spec, ended)

    for format_ in (Swiss(5), Knockout(), RoundRobin(2)):
        run = Run(format_, BOTS, at_once, seed).play(judge)
        schedule = run.schedule
        assert run.in_flight == []
        assert schedule.in_flight == 0
        assert not schedule.progress.started
        assert schedule.is_complete == (not schedule.given_up)
        assert bool(schedule.given_up) <= (aborts == ATTEMPTS_MAX)
        assert set(schedule.suspended) <= set(never)
        for pairing in {lane_of(spec)[0] for _, spec in run.log}:
            assert schedule.progress.is_over(pairing) == (True, True)
