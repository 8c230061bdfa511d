"""Results on disk: what goes in comes out, counts are those of a literal recount, nothing counts twice."""

import gc
import sqlite3
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.model import (
    ABORTED,
    Decision,
    Fault,
    FaultRecord,
    MatchResult,
    Outcome,
    Pairing,
    Standing,
    StoredMatch,
    Tally,
    Totals,
)
from arena.replays import replay_object
from arena.store import Store
from tests.stored import bot, directory, ids, played, spec, won

BOTS = ("ann", "bob", "cyd")


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    with Store.open_to_write(place) as store:
        store.enter([bot(name) for name in BOTS])
        yield store


# --- what goes in comes out ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("lane", [0, 1])
def test_a_result_comes_back_as_it_was(store, lane):
    decisions = (
        Decision(0, "replace", (5, 6), 0.21, False),
        Decision(1, "replace", (), 0.0, True),
        Decision(1, "duel", (12,), 999.75, False),
    )
    events = ({"event": "deal", "round": 1, "cards": 7}, {"event": "showdown", "cards": [1, 1], "winner": None})
    outcome = Outcome(1, "timeout", "request 7: späte Antwort ⏰\nlast lines", (FaultRecord(0, Fault.TIMEOUT),))
    store.append(MatchResult(spec("ann", "bob", 3, lane), outcome, events, decisions, (2, 0)))
    (stored,) = store.matches()
    assert stored.bots == (("ann", "bob") if lane == 0 else ("bob", "ann"))
    as_lists = tuple(msgspec.structs.replace(decision, action=list(decision.action)) for decision in decisions)
    assert stored == StoredMatch(f"ann-bob-3-{lane}", Pairing("ann", "bob", 3), lane, outcome, events, as_lists)


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(0, "goal", "", ()),
        Outcome(1, "goal", "", ()),
        Outcome(None, "max_rounds", "", ()),
        Outcome(0, "crash", "", (FaultRecord(1, Fault.CRASH),)),
        Outcome(None, "timeout+crash", "", (FaultRecord(0, Fault.TIMEOUT), FaultRecord(1, Fault.CRASH))),
    ],
    ids=lambda outcome: f"{outcome.reason}-{outcome.winner}",
)
def test_every_kind_of_outcome_comes_back_as_it_was(store, outcome, lane):
    store.append(MatchResult(spec("ann", "bob", 0, lane), outcome))
    assert [match.outcome for match in store.matches()] == [outcome]


def test_results_come_in_the_order_of_the_plan_whatever_order_they_came_in(store):
    keys = [
        ("bob", "cyd", 0, 1),
        ("ann", "bob", 1, 0),
        ("ann", "cyd", 0, 0),
        ("ann", "bob", 0, 1),
        ("ann", "bob", 0, 0),
    ]
    for key in keys:
        store.append(played(*key))
    assert ids(store) == ["ann-bob-0-0", "ann-bob-0-1", "ann-cyd-0-0", "bob-cyd-0-1", "ann-bob-1-0"]


def test_reading_all_results_keeps_none_of_them(store):
    """However many there are, as much memory is needed as for a few."""

    def append(deals: range) -> None:
        for deal in deals:
            store.append(won("ann", "bob", deal, times_ms=[("ann", 1.5), ("bob", 2.5)] * 100))

    def peak() -> int:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for match in store.matches():
            msgspec.json.encode(replay_object(match, "tacocat", {}, bytes(32)))
        return tracemalloc.get_traced_memory()[1] - before

    append(range(10))
    tracemalloc.start()
    try:
        few = peak()
        append(range(10, 200))
        many = peak()
    finally:
        tracemalloc.stop()
    assert many < 1.5 * few


def test_a_match_is_found_by_the_beginning_of_its_id(store):
    for number, name in enumerate(["5b0c11", "5b0d22", "a%b_cc"]):
        store.append(replace(played("ann", "bob", number), spec=replace(spec("ann", "bob", number), id=name)))
    assert [match.id for match in store.match("5b0")] == ["5b0c11", "5b0d22"]
    assert [match.id for match in store.match("5B0C")] == ["5b0c11"]
    assert store.match("77") == []
    assert store.match("%d22") == []  # no pattern of SQL's


def test_notes(store):
    assert store.meta("seed") is None
    store.set_meta({"seed": "1", "name": "spring"})
    store.set_meta({"seed": "2"})
    assert (store.meta("seed"), store.meta("name"), store.meta("format")) == ("2", "spring", "1")


def test_results_survive_closing(place):
    with Store.open_to_write(place) as store:
        store.enter([bot("ann"), bot("bob")])
        store.append(won("ann", "bob"))
    with Store.open(place) as reader:
        assert reader.entrants == ["ann", "bob"]
        assert ids(reader) == ["ann-bob-0-0"]
    with Store.open_to_write(place) as store:
        store.append(won("ann", "bob", 1))
        assert ids(store) == ["ann-bob-0-0", "ann-bob-1-0"]


# --- nothing counts twice ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "second", [won("bob", "ann"), replace(won("bob", "ann"), spec=replace(spec("ann", "bob"), id="x"))]
)
def test_a_match_has_one_result(store, second):
    store.append(won("ann", "bob"))
    with pytest.raises(sqlite3.IntegrityError):
        store.append(second)
    assert [match.outcome.winner for match in store.matches()] == [0]
    store.append(won("ann", "bob", 1))  # nothing of the refused one is left in the way


def test_a_stranger_has_no_results(store):
    with pytest.raises(sqlite3.IntegrityError):
        store.append(won("ann", "zoe"))
    assert ids(store) == []


def test_an_aborted_match_is_no_result(store):
    with pytest.raises(AssertionError, match="aborted"):
        store.append(MatchResult(spec("ann", "bob"), Outcome(None, ABORTED, "lost")))


# --- counts --------------------------------------------------------------------------------------------------------

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


def assert_counts(store: Store, results: Sequence[MatchResult], *, others: int = 0, aside: Mapping[str, int]) -> None:
    """The store says of these results what a literal count says, and how many more it has."""
    assert sorted(ids(store)) == sorted(result.spec.id for result in results)
    tallies = literal_tallies(results)
    assert store.tallies() == tallies
    assert store.standings() == {name: literal_standing(name, results) for name in store.entrants}
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
        for bots, deal in [(("ann", "bob"), 0), (("bob", "cyd"), 0), (("bob", "cyd"), 2), (("ann", "cyd"), 2)]:
            played_ids = [result.spec.id for result in before]
            finished = tuple(f"{bots[0]}-{bots[1]}-{deal}-{lane}" in played_ids for lane in (0, 1))
            assert store.is_finished(Pairing(*bots, deal)) == finished
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


def test_nothing_played_yet(store):
    assert store.tallies() == []
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


def test_what_is_finished_is_known_at_once(store):
    """Also within a deal that was asked about before: formats may ask again at any time."""
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, False)
    store.append(played("ann", "bob", 0, 1))
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, True)
    assert store.is_finished(Pairing("ann", "bob", 1)) == (False, False)
    store.append(played("ann", "bob", 0, 0))
    assert store.is_finished(Pairing("ann", "bob", 0)) == (True, True)
    assert store.is_finished(Pairing("ann", "cyd", 0)) == (False, False)


def test_what_the_arena_gave_up_is_noted_until_it_is_played(store):
    lost = MatchResult(spec("ann", "bob"), Outcome(None, ABORTED, "referee 0 was lost"))
    store.give_up(lost)
    store.give_up(lost)
    assert store.totals().aborted == [("ann-bob-0-0", "ann - bob", "referee 0 was lost")]
    assert store.totals().matches == 0
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, False)
    store.append(won("bob", "ann"))
    assert store.totals().aborted == []


# --- bots that change, come and go ---------------------------------------------------------------------------------


def test_a_changed_bot_leaves_its_old_results_behind_and_the_others_keep_theirs(store):
    for result in (won("ann", "bob"), won("ann", "cyd"), won("bob", "cyd"), won("bob", "cyd", 1)):
        store.append(result)
    assert store.enter([bot("ann", "2"), bot("bob"), bot("cyd")]) == {"ann": 2}
    assert ids(store) == ["bob-cyd-0-0", "bob-cyd-1-0"]
    assert store.standings()["ann"] == Standing("ann")
    assert store.standings()["bob"].wins == 2
    assert store.totals().set_aside == {"ann has changed": 2}
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, False)
    store.append(won("bob", "ann"))  # it may be played again
    assert store.totals().matches == 3
    assert store.totals().set_aside == {"ann has changed": 2}


def test_a_result_of_two_changed_bots_is_set_aside_once(store):
    for result in (won("ann", "bob"), won("ann", "cyd"), won("bob", "cyd")):
        store.append(result)
    assert store.enter([bot("ann", "2"), bot("bob", "2"), bot("cyd")]) == {"ann": 2, "bob": 1}
    assert ids(store) == []
    assert sum(store.totals().set_aside.values()) == 3


def test_entering_the_same_bots_again_changes_nothing(store):
    store.append(won("ann", "bob"))
    assert store.enter([bot(name) for name in reversed(BOTS)]) == {}
    assert ids(store) == ["ann-bob-0-0"]


def test_a_new_bot_has_everything_before_it(store):
    store.append(won("ann", "bob"))
    assert store.enter([bot(name) for name in (*BOTS, "dan")]) == {}
    assert store.entrants == ["ann", "bob", "cyd", "dan"]
    assert store.standings()["dan"] == Standing("dan")
    assert ids(store) == ["ann-bob-0-0"]


def test_a_bot_that_leaves_takes_its_results_out_of_every_count_and_may_come_back(store):
    for result in (won("ann", "bob"), won("ann", "cyd"), won("bob", "cyd")):
        store.append(result)
    assert store.enter([bot("bob"), bot("cyd")]) == {}
    assert ids(store) == ["bob-cyd-0-0"]
    assert list(store.standings()) == ["bob", "cyd"]
    totals = store.totals()
    assert (totals.matches, totals.of_others, totals.set_aside) == (1, 2, {})
    store.enter([bot(name) for name in BOTS])
    assert store.totals().matches == 3


def test_a_bot_that_comes_back_changed_finds_its_old_results_set_aside(store):
    store.append(won("ann", "bob"))
    store.enter([bot("bob"), bot("cyd")])
    assert store.enter([bot("ann", "2"), bot("bob"), bot("cyd")]) == {"ann": 1}
    assert (store.totals().matches, store.totals().of_others) == (0, 0)


def failed(loser: str, winner: str, deal: int, lane: int = 0) -> MatchResult:
    return won(winner, loser, deal, lane, faults=[(loser, Fault.STARTUP_FAILURE)])


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


def test_another_chance_forgets_failures_to_start_and_nothing_else(store):
    store.append(failed("ann", "bob", 0))
    store.append(failed("ann", "bob", 0, 1))
    store.append(failed("cyd", "bob", 1))
    store.append(won("bob", "ann", 2, faults=[("ann", Fault.CRASH)]))
    assert store.is_finished(Pairing("ann", "bob", 0)) == (True, True)
    assert store.set_aside_startup_failures("ann") == 2
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, False)
    assert ids(store) == ["bob-cyd-1-0", "ann-bob-2-0"]
    assert store.startup_failures(3)["ann"] == 0
    assert store.totals().set_aside == {"ann was tried again": 2}
    assert store.set_aside_startup_failures("ann") == 0
