"""Decisions of both seats at once: neither sees the other's answer first, and two faults are a draw."""

import json
from collections.abc import Callable, Mapping
from itertools import product

import pytest

from arena.match import (
    IGNORED_MAX,
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    DeadlinePassed,
    FrameRejected,
    MatchEvent,
    Send,
)
from arena.model import Fault, FaultRecord
from protocol.messages import Error, MatchEnd, Request
from tests.match_play import Play

FAULTS: Mapping[Fault, Callable[[int], MatchEvent]] = {
    Fault.TIMEOUT: lambda seat: DeadlinePassed(seat, 2000.0),
    Fault.ILLEGAL_ACTION: lambda seat: ActionReceived(seat, 1, "no digit", 1.0),
    Fault.PROTOCOL_ERROR: lambda seat: FrameRejected(seat, "empty_frame", "nothing in it"),
    Fault.CRASH: lambda seat: BotExited(seat, "it exited with status 1"),
}


@pytest.mark.parametrize("first", [0, 1])
def test_neither_answer_is_shown_before_both_are_in(first):
    play = Play("01 01")
    assert len(play.requests(0)) == len(play.requests(1)) == 1  # both are asked at once
    assert play.answer(first, 8) == []  # nothing at all is said, to neither
    second = play.answer(1 - first, 9)
    digits = [8, 9] if first == 0 else [9, 8]
    assert [each.message.events for each in second if isinstance(each, Send) and isinstance(each.message, Request)] == [
        [{"event": "begun"}, {"event": "said", "turn": 0, "digits": digits}][1:]
    ] * 2


def test_the_order_of_arrival_leaves_no_trace():
    plays = [Play("01 01"), Play("01 01")]
    for play, order in zip(plays, [(0, 1), (1, 0)], strict=True):
        for _ in range(2):
            for seat in order:
                play.answer(seat, 2 + seat)
    assert plays[0].result == plays[1].result
    assert [plays[0].sent(seat) for seat in (0, 1)] == [plays[1].sent(seat) for seat in (0, 1)]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(("fault_0", "fault_1"), list(product(FAULTS, FAULTS)))
def test_two_faults_in_one_decision_are_a_draw(fault_0, fault_1, first):
    play = Play("01")
    events = [FAULTS[fault_0](0), FAULTS[fault_1](1)]
    play.tell(events[first])
    assert not play.is_over
    play.tell(events[1 - first])
    outcome = play.outcome
    assert (outcome.winner, outcome.reason) == (None, f"{fault_0}+{fault_1}")
    assert outcome.faults == (FaultRecord(0, fault_0), FaultRecord(1, fault_1))
    assert outcome.fault_seat is None
    first_detail, second_detail = outcome.detail.split("; request 1 (say together) to bob: ")
    assert first_detail.startswith("request 1 (say together) to ann: ")
    assert second_detail
    for seat in (0, 1):
        error, end = play.sent(seat)[2:]
        assert isinstance(error, Error)
        assert isinstance(end, MatchEnd)
        assert (end.winner, end.reason) == (None, outcome.reason)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_one_fault_waits_for_the_answer_of_the_other_one(seat, fault):
    play = Play("01 0")
    news = play.tell(FAULTS[fault](seat))
    assert [(each.seat, type(each.message)) for each in news if isinstance(each, Send)] == [(seat, Error)]
    assert len(news) == 1
    play.answer(1 - seat, 4)
    assert (play.outcome.winner, play.outcome.reason) == (1 - seat, fault)
    assert play.outcome.faults == (FaultRecord(seat, fault),)
    assert play.result.decisions == ()  # the decision was never made
    assert "digits" not in json.dumps(play.result.events)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_answer_that_came_before_the_fault_of_the_other_one_wins(fault):
    play = Play("01")
    play.answer(0, 4)
    play.tell(FAULTS[fault](1))
    assert (play.outcome.winner, play.outcome.reason) == (0, fault)


def test_a_bot_that_answers_and_then_dies_waits_for_the_other_one_and_loses():
    play = Play("01")
    play.answer(0, 4)
    play.tell(BotExited(0, "it exited with status 0"))
    assert not play.is_over  # the other one may fail as well
    play.answer(1, 4)
    assert (play.outcome.winner, play.outcome.reason) == (1, "crash")


def test_a_bot_that_answers_and_then_dies_draws_when_the_other_one_fails():
    play = Play("01")
    play.answer(0, 4)
    play.tell(BotExited(0, "it exited with status 0"))
    play.tell(DeadlinePassed(1, 2000.0))
    assert (play.outcome.winner, play.outcome.reason) == (None, "crash+timeout")


def test_a_seat_whose_part_was_forced_was_not_asked_and_its_crash_ends_the_match_at_once():
    play = Play("0!1")
    play.tell(BotExited(0, "it exited with status 1"))
    assert (play.outcome.winner, play.outcome.reason) == (1, "crash")
    assert play.outcome.detail == "ann, which no request was waiting for: it exited with status 1"


def test_a_seat_that_waits_for_the_other_one_may_not_flood():
    play = Play("01")
    play.answer(0)
    for _ in range(IGNORED_MAX + 1):
        play.tell(AnswerIgnored(0))
    assert not play.is_over
    play.answer(1)
    assert (play.outcome.winner, play.outcome.reason) == (1, "protocol_error")
    assert play.result.ignored == (IGNORED_MAX + 1, 0)


def test_the_arena_fails_while_one_answer_is_in():
    play = Play("01")
    play.answer(0)
    play.tell(ArenaFailed("the run was stopped"))
    assert play.outcome.is_aborted
    assert play.result.decisions == ()
