"""Results on disk: what goes in comes out, nothing counts twice, what is set aside counts no longer."""

import gc
import sqlite3
import tracemalloc
from dataclasses import replace

import msgspec
import pytest

from arena.ladder.replays import replay_object
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
)
from arena.store import Store
from tests.stored import BOTS, bot, failed, ids, played, spec, won

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


# --- what has been played ------------------------------------------------------------------------------------------


def test_what_is_finished_is_known_at_once(store):
    """Also within a deal that was asked about before: formats may ask again at any time."""
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, False)
    store.append(played("ann", "bob", 0, 1))
    assert store.is_finished(Pairing("ann", "bob", 0)) == (False, True)
    assert store.is_finished(Pairing("ann", "bob", 1)) == (False, False)
    store.append(played("ann", "bob", 0, 0))
    assert store.is_finished(Pairing("ann", "bob", 0)) == (True, True)
    assert store.is_finished(Pairing("ann", "cyd", 0)) == (False, False)


def test_what_is_finished_is_known_of_deals_far_apart(store):
    for deal in (0, 4095, 4096, 10**9, 4096, 0):
        assert store.is_finished(Pairing("ann", "bob", deal)) == (False, False)
    for deal in (0, 4095, 4096, 10**9):
        store.append(played("ann", "bob", deal, deal % 2))
    for deal in (0, 4095, 4096, 10**9, 4096, 0):
        assert store.is_finished(Pairing("ann", "bob", deal)) == ((False, True) if deal % 2 else (True, False))
        for pairing in (Pairing("ann", "bob", deal + 2), Pairing("ann", "cyd", deal), Pairing("bob", "cyd", deal)):
            assert store.is_finished(pairing) == (False, False)


def test_a_stranger_has_finished_nothing(store):
    store.append(won("ann", "bob"))
    for pairing in (Pairing("ann", "zoe", 0), Pairing("aaa", "bob", 0), Pairing("yve", "zoe", 0)):
        assert store.is_finished(pairing) == (False, False)


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
    store.append(won("ann", "bob"))
    assert store.enter([bot("bob", "3"), bot("ann", "3"), bot("cyd")]) == {"ann": 1}


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
