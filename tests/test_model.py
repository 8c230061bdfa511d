"""Values that travel between processes."""

import pickle

import pytest

from arena.model import Decision, Fault, FaultRecord, MatchResult, MatchSpec, Outcome

SPEC = MatchSpec("3f9a0c21b7d45e68", ("ann", "たこ 🐈"), 7, 1, bytes(range(32)), attempt=2)
OUTCOMES = {
    "won": Outcome(1, "goal", "The Tacocat reached the goal."),
    "drawn by two faults": Outcome(
        None, "timeout+crash", "two\nlines", (FaultRecord(0, Fault.TIMEOUT), FaultRecord(1, Fault.CRASH))
    ),
    "aborted": Outcome(None, "aborted", "the worker was lost"),
}


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=list(OUTCOMES))
def test_a_result_is_the_same_after_its_trip_between_processes(outcome):
    result = MatchResult(
        spec=SPEC,
        outcome=outcome,
        events=({"event": "duel", "cards": [3, 9]}, {"event": "showdown", "cards": [1, 1], "winner": None}),
        decisions=(Decision(0, "duel", [3], 0.25, False), Decision(1, "replace", [], 0.0, True)),
        ignored=(0, 16),
        cpu_ms=(None, 1.5),
    )
    back = pickle.loads(pickle.dumps(result))
    assert back == result
    assert repr(back) == repr(result)  # 1, 1.0 and True are equal, but not the same
    assert back.outcome.is_aborted is outcome.is_aborted
    assert {type(record.fault) for record in back.outcome.faults} <= {Fault}


def test_tuples_in_actions_arrive_as_lists():
    result = MatchResult(SPEC, OUTCOMES["won"], decisions=(Decision(0, "duel", (3,), 0.25, False),))
    assert pickle.loads(pickle.dumps(result)).decisions == (Decision(0, "duel", [3], 0.25, False),)
