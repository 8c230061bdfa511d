"""How a match begins: both bots are ready, or one is, or none."""

from itertools import product
from typing import Any

import pytest

from arena.match import ArenaFailed, BotExited, BotReady, DeadlinePassed, End, FrameRejected, Send
from arena.model import Fault, FaultRecord, Outcome
from protocol.messages import Error, MatchEnd, MatchStart
from tests.match_play import Play

BEGUN = {"event": "begun"}
FAILURES: list[tuple[type[Any], tuple[Any, ...], str]] = [
    (DeadlinePassed, (10_003.0,), "no valid hello within 10003 ms of its start"),
    (FrameRejected, ("bad_token", "its hello was refused: no"), "its hello was refused: no"),
    (BotExited, ("it exited with status 2",), "it exited with status 2"),
]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("fails_first", [True, False])
@pytest.mark.parametrize(("kind", "values", "words"), FAILURES)
def test_one_bot_does_not_start(kind, values, words, fails_first, seat):
    play = Play("0", start=False)
    failure, readiness = kind(seat, *values), BotReady(1 - seat)
    for event in (failure, readiness) if fails_first else (readiness, failure):
        play.tell(event)
    detail = f"{('ann', 'bob')[seat]}: {words}"
    assert play.outcome == Outcome(1 - seat, "startup_failure", detail, (FaultRecord(seat, Fault.STARTUP_FAILURE),))
    assert play.sent(seat) == []
    start, end = play.sent(1 - seat)
    assert isinstance(start, MatchStart)
    assert end == MatchEnd("m1", 1 - seat, "startup_failure", detail, [BEGUN])


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("one", "other"), list(product(FAILURES, FAILURES)))
def test_neither_bot_starts(one, other, first):
    play = Play("0", start=False)
    events = [one[0](0, *one[1]), other[0](1, *other[1])]
    assert play.tell(events[first]) == []
    assert [type(each) for each in play.tell(events[1 - first])] == [End]
    assert play.outcome == Outcome(
        None,
        "startup_failure+startup_failure",
        f"ann: {one[2]}; bob: {other[2]}",
        (FaultRecord(0, Fault.STARTUP_FAILURE), FaultRecord(1, Fault.STARTUP_FAILURE)),
    )


def test_a_bot_fails_to_start_only_once():
    play = Play("0", start=False)
    play.tell(FrameRejected(0, "bad_token", "no"))
    assert play.tell(BotExited(0, "it exited with status 1")) == []
    assert not play.is_over
    play.tell(BotReady(1))
    assert play.outcome.detail == "ann: no"


def test_a_good_hello_after_a_refused_one_changes_nothing_and_the_other_bot_is_waited_for():
    play = Play("0", start=False)
    play.tell(FrameRejected(0, "bad_token", "no"))
    assert play.tell(BotReady(0)) == []
    play.tell(BotExited(1, "it exited with status 1"))
    assert play.outcome.reason == "startup_failure+startup_failure"


def test_a_ready_bot_crashes_while_the_other_one_starts():
    play = Play("0", start=False)
    play.tell(BotReady(0))
    assert play.tell(BotExited(0, "it was killed by SIGSEGV")) == []
    play.tell(BotReady(1))
    assert play.outcome == Outcome(1, "crash", "ann: it was killed by SIGSEGV", (FaultRecord(0, Fault.CRASH),))
    assert play.sent(0) == []
    assert [type(message) for message in play.sent(1)] == [MatchStart, MatchEnd]


def test_a_ready_bot_crashes_and_the_other_one_never_starts():
    play = Play("0", start=False)
    for event in (BotReady(1), BotExited(1, "gone"), DeadlinePassed(0, 5000.0)):
        play.tell(event)
    assert (play.outcome.winner, play.outcome.reason) == (None, "startup_failure+crash")


def test_a_ready_bot_breaks_the_protocol_while_the_other_one_starts_and_is_told():
    play = Play("0", start=False)
    play.tell(BotReady(0))
    assert play.tell(FrameRejected(0, "empty_frame", "nothing in it")) == [
        Send(0, Error("empty_frame", "nothing in it"))
    ]
    play.tell(BotReady(1))
    assert play.outcome == Outcome(1, "protocol_error", "ann: nothing in it", (FaultRecord(0, Fault.PROTOCOL_ERROR),))


def test_the_arena_fails_while_bots_start():
    play = Play("0", start=False)
    play.tell(BotReady(0))
    assert [type(each) for each in play.tell(ArenaFailed("no more processes"))] == [End]
    assert play.outcome == Outcome(None, "aborted", "no more processes")
