"""The core of a match, event by event, without a clock: the polite path, judgement, evidence, end."""

from typing import Any

import pytest
from msgspec.structs import replace

from arena.errors import InvalidTransition
from arena.match import (
    IGNORED_MAX,
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    BotReady,
    DeadlinePassed,
    FrameRejected,
    MatchEvent,
    Send,
)
from arena.model import Decision, Fault, FaultRecord, Outcome
from protocol.messages import Error, MatchEnd, MatchStart, Request
from tests.match_play import Play

BEGUN = {"event": "begun"}
DIGITS = list(range(10))


def asked(number: int, seat: int, observation: dict[str, int], events: list[dict[str, Any]]) -> Request:
    """A request of the match below."""
    return Request(
        match="m1", request=number, seat=seat, observation=observation, events=events, legal_actions=DIGITS, time_ms=800
    )


# --- the polite path -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_a_whole_match_message_by_message(first):
    play = Play("0 01", start=False, move_ms=800, margin_ms=20)
    assert play.tell(BotReady(first)) == []  # nothing is said before both are there
    play.tell(BotReady(1 - first))
    play.answer(0, 3, 10.0)
    play.answer(1, 8, 20.5)
    play.answer(0, 9, 30.0)
    said = [{"event": "said", "turn": 0, "digits": [3, None]}, {"event": "said", "turn": 1, "digits": [9, 8]}]
    time = {"move_ms": 800, "bank_ms": None, "increment_ms": 0, "margin_ms": 20}
    rules = {"turns": [[0], [0, 1]], "winner": 0}
    end = ("m1", 0, "talked out", "Nothing is left to say.")
    assert play.sent(0) == [
        MatchStart("m1", "digits", 0, ["ann", "bob"], rules, time),
        asked(1, 0, {"turn": 0, "you": 0}, [BEGUN]),
        asked(2, 0, {"turn": 1, "you": 0}, said[:1]),
        MatchEnd(*end, said[1:]),
    ]
    assert play.sent(1) == [
        MatchStart("m1", "digits", 1, ["ann", "bob"], rules, time),
        asked(1, 1, {"turn": 1, "you": 1}, [BEGUN, said[0]]),
        MatchEnd(*end, said[1:]),
    ]
    result = play.result
    assert result.outcome == Outcome(0, "talked out", "Nothing is left to say.")
    assert result.events == (BEGUN, *said)
    assert result.decisions == (
        Decision(0, "say", 3, 10.0, False),
        Decision(0, "say together", 9, 30.0, False),  # by seat, not by arrival
        Decision(1, "say together", 8, 20.5, False),
    )
    assert result.ignored == (0, 0)


def test_a_match_without_a_decision_is_told_as_a_whole():
    play = Play("")
    assert [type(message) for message in play.sent(1)] == [MatchStart, MatchEnd]
    assert play.outcome.reason == "talked out"


def test_only_a_match_that_is_being_played_says_so():
    play = Play("0", start=False)
    said = [play.match.is_playing]
    for event in (BotReady(0), BotReady(1), ActionReceived(0, 1, 5, 1.0)):
        play.tell(event)
        said.append(play.match.is_playing)
    assert said == [False, False, True, False]


def test_request_numbers_count_what_the_seat_itself_was_asked():
    play = Play("0 0 1 01 1")
    for seat in (0, 0, 1, 0, 1, 1):
        play.answer(seat)
    assert [request.request for request in play.requests(0)] == [1, 2, 3]
    assert [request.request for request in play.requests(1)] == [1, 2, 3]


# --- decisions that are not asked for ------------------------------------------------------------------------------


def test_what_is_forced_is_played_and_not_asked_for():
    play = Play("0! 1 0!1 1!")
    assert play.requests(0) == []
    play.answer(1, 2, 4.0)
    play.answer(1, 3, 6.0)
    assert play.requests(0) == []
    assert [request.request for request in play.requests(1)] == [1, 2]
    assert play.result.decisions == (
        Decision(0, "say", 7, 0.0, True),
        Decision(1, "say", 2, 4.0, False),
        Decision(0, "say together", 7, 0.0, True),
        Decision(1, "say together", 3, 6.0, False),
        Decision(1, "say", 7, 0.0, True),
    )
    # the news of what was played for it reaches seat 0 at the end, all of it, once
    assert play.sent(0)[-1] == MatchEnd("m1", 0, "talked out", "Nothing is left to say.", list(play.result.events))


def test_a_match_that_is_all_forced_ends_at_the_start():
    play = Play("0! 0!1! 1!")
    assert [decision.forced for decision in play.result.decisions] == [True] * 4


def test_what_is_forced_is_asked_for_when_the_terms_say_so():
    play = Play("0! 0!1", ask_forced=True)
    assert play.requests(0)[0].legal_actions == [7]
    for seat, action in ((0, 7), (1, 1), (0, 7)):
        play.answer(seat, action, 9.0)
    assert play.result.decisions == (
        Decision(0, "say", 7, 9.0, False),
        Decision(0, "say together", 7, 9.0, False),
        Decision(1, "say together", 1, 9.0, False),
    )


# --- judgement: late beats closed beats illegal --------------------------------------------------------------------


@pytest.mark.parametrize("elapsed_ms", [0.0, 1000.0, 1000.1, 1050.0])
def test_an_answer_within_limit_and_margin_is_applied(elapsed_ms):
    play = Play("0", move_ms=1000, margin_ms=50)
    assert play.limits_ms(0) == [1050.0]
    play.answer(0, 4, elapsed_ms)
    assert play.result.decisions == (Decision(0, "say", 4, elapsed_ms, False),)


@pytest.mark.parametrize("action", [4, "illegal"])
def test_a_late_answer_is_late_whatever_it_says(action):
    play = Play("0", move_ms=1000, margin_ms=50)
    play.answer(0, action, 1050.5)
    assert play.outcome == Outcome(
        1,
        "timeout",
        "request 1 (say) to ann: the answer came after 1050 ms; it had 1000 ms and 50 ms of margin",
        (FaultRecord(0, Fault.TIMEOUT),),
    )
    assert play.result.decisions == ()


@pytest.mark.parametrize("elapsed_ms", [1.0, 99_999.0])
@pytest.mark.parametrize("action", [4, "illegal"])
def test_an_answer_to_a_closed_request_is_counted_and_nothing_else(action, elapsed_ms):
    play = Play("0 0")
    play.answer(0)
    assert play.tell(ActionReceived(0, 1, action, elapsed_ms)) == []
    assert play.tell(ActionReceived(1, 1, action, elapsed_ms)) == []  # seat 1 has not been asked yet
    play.answer(0, 6)
    assert play.result.ignored == (1, 1)
    assert [decision.action for decision in play.result.decisions] == [5, 6]


def test_the_first_fault_of_a_seat_is_the_one_that_counts():
    cases: list[tuple[MatchEvent, MatchEvent, str]] = [
        (DeadlinePassed(0, 1051.0), FrameRejected(0, "empty_frame", "late and empty"), "timeout"),
        (FrameRejected(0, "empty_frame", "empty"), DeadlinePassed(0, 1051.0), "protocol_error"),
        (DeadlinePassed(0, 1051.0), ActionReceived(0, 1, 5, 1051.0), "timeout"),
        (BotExited(0, "gone"), FrameRejected(0, "empty_frame", "out of the grave"), "crash"),
    ]
    for first, second, reason in cases:
        play = Play("01")
        assert [type(each) for each in play.tell(first)] == [Send]  # the error; the other seat is waited for
        assert play.tell(second) == []
        play.answer(1)
        assert (play.outcome.winner, play.outcome.reason) == (1, reason)


# --- evidence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "fault", "code", "detail"),
    [
        (
            DeadlinePassed(0, 1062.4),
            Fault.TIMEOUT,
            "timeout",
            "request 1 (say) to ann: no answer within 1062 ms; it had 1000 ms and 50 ms of margin",
        ),
        (
            ActionReceived(0, 1, {"digit": 5}, 12.4),
            Fault.ILLEGAL_ACTION,
            "illegal_action",
            "request 1 (say) to ann: that is no digit; it answered \"{'digit': 5}\" after 12 ms",
        ),
        (
            FrameRejected(0, "not_a_map", "a message is a map"),
            Fault.PROTOCOL_ERROR,
            "not_a_map",
            "request 1 (say) to ann: a message is a map",
        ),
        (
            BotExited(0, "it exited with status 3"),
            Fault.CRASH,
            "crash",
            "request 1 (say) to ann: it exited with status 3",
        ),
    ],
    ids=["timeout", "illegal", "protocol", "crash"],
)
def test_a_fault_ends_the_match_with_its_evidence(event, fault, code, detail):
    play = Play("0", move_ms=1000, margin_ms=50)
    news = play.tell(event)
    end = MatchEnd("m1", 1, fault.value, detail, [])
    assert news[:-1] == [
        Send(0, Error(code, detail, "m1", 1)),  # before the penalty takes effect
        Send(0, end),
        Send(1, replace(end, events=[BEGUN])),
    ]
    assert play.outcome == Outcome(1, fault.value, detail, (FaultRecord(0, fault),))


@pytest.mark.parametrize(
    ("event", "reason", "detail"),
    [
        (BotExited(1, "it exited with status 0"), "crash", "it exited with status 0"),
        (FrameRejected(1, "bad_key", "a key is binary"), "protocol_error", "a key is binary"),
    ],
)
def test_a_fault_of_the_seat_that_was_not_asked_ends_the_match_at_once(event, reason, detail):
    play = Play("0 1")
    play.tell(event)
    assert play.outcome == Outcome(
        0, reason, f"bob, which no request was waiting for: {detail}", (FaultRecord(1, Fault(reason)),)
    )
    error = play.sent(1)[1]
    assert isinstance(error, Error)
    assert (error.match, error.request) == ("m1", None)


def test_a_long_answer_is_shown_in_part():
    play = Play("0")
    play.answer(0, ["x" * 60_000])
    assert len(play.outcome.detail) < 200
    assert "it answered \"['xxxxx" in play.outcome.detail


def test_events_and_decisions_go_as_far_as_the_match_went():
    play = Play("0 1 0")
    play.answer(0, 1)
    play.answer(1, 2)
    play.answer(0, -1)
    assert [decision.action for decision in play.result.decisions] == [1, 2]
    assert [event["event"] for event in play.result.events] == ["begun", "said", "said"]
    assert play.sent(1)[-1] == MatchEnd("m1", 1, "illegal_action", play.outcome.detail, [play.result.events[2]])


# --- answers that nobody asked for ---------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [AnswerIgnored(1), ActionReceived(1, 99, 5, 1.0)])
def test_a_flood_of_answers_ends_the_match(event: MatchEvent):
    play = Play("0 1")
    for _ in range(IGNORED_MAX):
        assert play.tell(event) == []
    assert not play.is_over
    play.tell(event)
    detail = f"bob sent {IGNORED_MAX + 1} answers that nobody had asked for"
    assert play.outcome == Outcome(0, "protocol_error", detail, (FaultRecord(1, Fault.PROTOCOL_ERROR),))
    assert play.sent(1)[1] == Error("flood", detail, "m1", None)
    assert play.result.ignored == (0, IGNORED_MAX + 1)


def test_ignored_answers_of_a_seat_are_its_own():
    play = Play("01")
    for seat in [0] * IGNORED_MAX + [1] * IGNORED_MAX:
        play.tell(AnswerIgnored(seat))
    play.answer(0)
    play.answer(1)
    assert play.outcome.reason == "talked out"
    assert play.result.ignored == (IGNORED_MAX, IGNORED_MAX)


# --- the end -------------------------------------------------------------------------------------------------------


def test_the_arena_fails_in_the_middle():
    play = Play("0 1")
    play.answer(0)
    play.tell(ArenaFailed("the run was stopped"))
    assert play.outcome == Outcome(None, "aborted", "the run was stopped")
    assert play.outcome.is_aborted
    for seat in (0, 1):
        end = play.sent(seat)[-1]
        assert isinstance(end, MatchEnd)
        assert (end.winner, end.reason) == (None, "aborted")


@pytest.mark.parametrize(
    "event",
    [
        BotReady(0),
        ActionReceived(0, 1, 5, 1.0),
        AnswerIgnored(0),
        DeadlinePassed(0, 2000.0),
        FrameRejected(0, "x", "y"),
        BotExited(0, "gone"),
        ArenaFailed("too late"),
    ],
)
def test_nothing_can_happen_after_the_end(event):
    play = Play("0")
    play.answer(0)
    with pytest.raises(InvalidTransition, match="OVER"):
        play.match.handle(event)


@pytest.mark.parametrize("event", [ActionReceived(0, 1, 5, 1.0), AnswerIgnored(0)])
def test_no_answer_can_come_before_the_start(event):
    play = Play("0", start=False)
    with pytest.raises(InvalidTransition, match="STARTING"):
        play.match.handle(event)


def test_an_impossible_event_tells_the_story():
    play = Play("0 1")
    play.answer(0, 3, 21.5)
    with pytest.raises(InvalidTransition) as caught:
        play.tell(BotReady(1))
    story = str(caught.value)
    assert "match m1: BotReady(seat=1) while PLAYING" in story
    assert "bots=('ann', 'bob')" in story
    assert story.index("BotReady(seat=0)") < story.index("action=3, elapsed_ms=21.5")
