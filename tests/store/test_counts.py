"""What results come to: counts, and who failed to start, are those of a literal recount."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from statistics import median

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.model import DealScore, Decision, Fault, FaultRecord, MatchResult, Pairing, Score, Standing, Tally, Totals
from arena.plan import lane_of
from arena.store import Store
from arena.testing import ResultsInMemory
from tests.stored import BOTS, bot, directory, failed, ids, played, won

KEYS = st.tuples(
    st.sampled_from([("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")]), st.integers(0, 2), st.integers(0, 1)
)
FAULTS = st.lists(st.sampled_from(list(Fault)), max_size=2)
TIMES = st.lists(st.sampled_from([0.0, 0.001, 0.5, 2.0, 3.25, 1000.0]), max_size=5)


@st.composite
def histories(draw: st.DrawFn) -> list[MatchResult]:
    results = []
    for bots, deal, lane in draw(st.lists(KEYS, unique=True, max_size=18)):
        faults = list(zip(draw(st.permutations(bots)), draw(FAULTS), strict=False)) if draw(st.booleans()) else []
        winner = draw(st.sampled_from([None, *bots]))
        if faults:
            winner = next(name for name in bots if name != faults[0][0]) if len(faults) == 1 else None
        times = [(name, ms) for name in bots for ms in draw(TIMES)]
        results.append(played(*bots, deal, lane, winner, faults=faults, times_ms=times))
    return results


def literal_tallies(results: Sequence[MatchResult]) -> list[Tally]:
    tallies = []
    for bots in [("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")]:
        pairs, singles = [0] * 5, [0] * 3
        for deal in range(3):
            points = []
            for result in results:
                if set(result.spec.bots) == set(bots) and result.spec.deal == deal:
                    winner = result.outcome.winner
                    points.append(1 if winner is None else 2 if result.spec.bots[winner] == bots[0] else 0)
            if len(points) == 2:
                pairs[points[0] + points[1]] += 1
            elif len(points) == 1:
                singles[points[0]] += 1
        if any(pairs + singles):
            tallies.append(Tally(*bots, tuple(pairs), tuple(singles)))  # type: ignore[arg-type]
    return tallies


def literal_scores(results: Sequence[MatchResult]) -> list[Score]:
    """Deal by deal, of each the bots' names ascending, of those the lanes."""
    scores = []
    for deal, bots, lane in product(range(3), [("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")], (0, 1)):
        for result in results:
            if result.spec.deal == deal and result.spec.bots == (bots if lane == 0 else bots[::-1]):
                winner = result.outcome.winner
                points = 0.5 if winner is None else 1.0 if result.spec.bots[winner] == bots[0] else 0.0
                scores.append(Score(Pairing(*bots, deal), lane, points))
    return scores


def literal_deals(results: Sequence[MatchResult]) -> list[DealScore]:
    points = {(score.pairing, score.lane): score.points_a for score in literal_scores(results)}
    pairings = list(dict.fromkeys(pairing for pairing, _ in points))
    return [DealScore(each, (points.get((each, 0)), points.get((each, 1)))) for each in pairings]


def literal_standing(name: str, results: Sequence[MatchResult]) -> Standing:
    ends: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    lasted: list[float] = []
    for result in results:
        if name not in result.spec.bots:
            continue
        seat = result.spec.bots.index(name)
        winner = result.outcome.winner
        ends["draw" if winner is None else "win" if winner == seat else "loss"] += 1
        faults.update(record.fault.value for record in result.outcome.faults if record.seat == seat)
        times = [decision.elapsed_ms for decision in result.decisions if decision.seat == seat]
        lasted += [round(1000 * median(times)) / 1000] * len(times) if times else []
    middle = sorted(lasted)[(len(lasted) - 1) // 2] if lasted else None
    return Standing(name, ends["win"], ends["draw"], ends["loss"], dict(faults), middle)


def literal_failures(name: str, results: Sequence[MatchResult]) -> int:
    """In a row, from the newest result back, 3 at most."""
    own = [result for result in results if name in result.spec.bots]
    faults = [FaultRecord(result.spec.bots.index(name), Fault.STARTUP_FAILURE) for result in own]
    failed = [fault in result.outcome.faults for fault, result in zip(faults, own, strict=True)]
    return [*failed[:-4:-1], False].index(False)


def assert_counts(store: Store, results: Sequence[MatchResult], *, others: int = 0, aside: Mapping[str, int]) -> None:
    """The store says of these results what a literal count says, and how many more it has."""
    assert sorted(ids(store)) == sorted(result.spec.id for result in results)
    tallies = literal_tallies(results)
    assert store.tallies() == tallies
    assert list(store.in_order()) == literal_scores(results)
    assert list(store.deals()) == literal_deals(results)
    assert store.standings() == {name: literal_standing(name, results) for name in store.entrants}
    assert store.startup_failures(3) == {name: literal_failures(name, results) for name in store.entrants}
    assert store.matches_counted == len(results)
    assert store.totals() == Totals(
        matches=len(results),
        pairs=sum(sum(tally.pairs) for tally in tallies),
        seat_0_points=sum({0: 1.0, 1: 0.0, None: 0.5}[result.outcome.winner] for result in results),
        reasons=Counter(result.outcome.reason for result in results),
        set_aside={why: count for why, count in aside.items() if count},
        of_others=others,
        aborted=[],
    )
    keys = {(*sorted(result.spec.bots), result.spec.deal, result.spec.lane) for result in results}
    for bots, deal in product(combinations(BOTS, 2), range(3)):
        finished = tuple((*bots, deal, lane) in keys for lane in (0, 1))
        assert store.is_finished(Pairing(*bots, deal)) == finished


def without(results: Sequence[MatchResult], name: str) -> list[MatchResult]:
    return [result for result in results if name not in result.spec.bots]


@given(histories(), histories())
@settings(derandomize=True, max_examples=40, deadline=None)
def test_counts_are_those_of_a_literal_recount(before, after):
    """With faults of either seat and of both, and draws; then with a bot that has changed, then with one that left."""
    with directory() as path, Store.open_to_write(path) as store:
        store.enter([bot(name) for name in BOTS])
        for result in before:
            store.append(result)
        assert_counts(store, before, aside={})
        store.enter([bot("bob"), bot("cyd"), bot("ann", "2")])
        kept = without(before, "ann")
        aside = {"ann has changed": len(before) - len(kept)}
        assert_counts(store, kept, aside=aside)
        again = [result for result in after if "ann" in result.spec.bots]
        for result in again:
            store.append(result)
        assert_counts(store, [*kept, *again], aside=aside)
        store.enter([bot("bob"), bot("ann", "2")])
        left = without([*kept, *again], "cyd")
        assert_counts(store, left, others=len(kept) + len(again) - len(left), aside=aside)


@given(histories().flatmap(lambda results: st.tuples(st.just(results), st.permutations(results))))
@settings(derandomize=True, max_examples=40, deadline=None)
def test_results_are_told_in_the_order_of_the_schedule_whatever_came_first(arrivals):
    """By bots whose numbers in the store are not in the order of their names."""
    told = []
    for results in arrivals:
        with directory() as path, Store.open_to_write(path) as store:
            for names in (["cyd"], ["bob", "cyd"], BOTS):
                store.enter([bot(name) for name in names])
            for result in results:
                store.append(result)
            told.append((list(store.in_order()), list(store.deals()), store.tallies()))
    assert told[0] == told[1] == (literal_scores(arrivals[0]), literal_deals(arrivals[0]), literal_tallies(arrivals[0]))


@given(histories())
@settings(derandomize=True, max_examples=40, deadline=None)
def test_results_in_memory_tell_the_same_as_a_store(results):
    in_memory = ResultsInMemory()
    for result in results:
        (pairing, lane), winner = lane_of(result.spec), result.outcome.winner
        in_memory.record(pairing, lane, 0.5 if winner is None else float(winner == lane))
    assert list(in_memory.in_order()) == literal_scores(results)
    assert list(in_memory.deals()) == literal_deals(results)
    assert in_memory.tallies() == literal_tallies(results)


def test_results_that_come_while_others_are_told_disturb_nothing(store):
    for deal in range(3):
        store.append(won("ann", "bob", deal))
    telling = store.in_order()
    assert next(telling) == Score(Pairing("ann", "bob", 0), 0, 1.0)
    store.append(won("bob", "cyd", 0))
    store.append(won("bob", "ann", 2, 1))
    of_ann_and_bob = [score for score in telling if score.pairing.bot_a == "ann" and score.lane == 0]
    assert [score.pairing.deal for score in of_ann_and_bob] == [1, 2]


def test_nothing_played_yet(store):
    assert store.tallies() == list(store.in_order()) == list(store.deals()) == []
    assert store.standings() == {name: Standing(name) for name in BOTS}
    assert store.totals() == Totals(0, 0, 0.0, {}, {}, 0, [])
    assert list(store.matches()) == []


def test_the_median_weighs_matches_by_their_decisions(store):
    store.append(won("ann", "bob", 0, times_ms=[("ann", 1.0), ("ann", 9.0), ("ann", 2.0)]))  # median 2, three times
    store.append(won("ann", "bob", 1, times_ms=[("ann", 50.0), ("ann", 70.0)]))  # median 60, twice
    assert store.standings()["ann"].median_ms == 2.0
    store.append(won("ann", "bob", 2, times_ms=[("ann", 60.0)] * 2))  # three against four
    assert store.standings()["ann"].median_ms == 60.0
    assert store.standings()["bob"].median_ms is None


def test_forced_decisions_are_no_part_of_the_median(store):
    result = won("ann", "bob", times_ms=[("ann", 4.0)])
    forced = [Decision(0, "duel", [5], 0.0, True)] * 9
    store.append(replace(result, decisions=(*result.decisions, *forced)))
    assert store.standings()["ann"].median_ms == 4.0


def test_failures_to_start_are_counted_from_the_end(store):
    assert store.startup_failures(3)["ann"] == 0
    for deal, result in enumerate([failed("ann", "bob", 0), won("ann", "cyd", 1), failed("ann", "bob", 2, 1)]):
        store.append(result)
        assert store.startup_failures(3)["ann"] == (1, 0, 1)[deal]
    store.append(won("bob", "cyd", 3))  # of others
    store.append(failed("cyd", "ann", 4))  # ann started, cyd did not
    assert store.startup_failures(3)["ann"] == 0
    assert store.startup_failures(3)["cyd"] == 1
    for deal in (5, 6, 7, 8):
        store.append(failed("ann", "bob", deal))
    assert store.startup_failures(3)["ann"] == 3
    assert store.startup_failures(3)["bob"] == 0


def test_another_kind_of_fault_is_a_start(store):
    store.append(failed("ann", "bob", 0))
    store.append(won("bob", "ann", 1, faults=[("ann", Fault.CRASH)]))
    assert store.startup_failures(3)["ann"] == 0
