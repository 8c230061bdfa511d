"""Clocks of a match: limits, banks and their arithmetic by hand, and the arena's own standstill."""

import pytest

from arena.match import ActionReceived, DeadlinePassed
from arena.model import Fault
from tests.match_play import Play


def budgets(play: Play, seat: int) -> list[tuple[int, float]]:
    """What the bot was told that it has, and what the shell was told to wait; for each request."""
    return list(zip([request.time_ms for request in play.requests(seat)], play.limits_ms(seat), strict=True))


def test_a_limit_for_each_decision_is_the_same_every_time():
    play = Play("0 0 0", move_ms=700, margin_ms=30)
    for elapsed_ms in (700.0, 730.0, 1.0):
        play.answer(0, 5, elapsed_ms)
    assert budgets(play, 0) == [(700, 730.0)] * 3


def test_a_bank_by_hand():
    play = Play("0 0 0 0 0", move_ms=None, bank_ms=1000, increment_ms=100, margin_ms=50)
    play.answer(0, 5, 300.0)  # 1000 - 300 + 100 = 800
    play.answer(0, 5, 799.5)  # 800 - 799.5 + 100 = 100.5
    play.answer(0, 5, 140.0)  # 100.5, and 39.5 within the margin: 100.5 - 100.5 + 100 = 100
    play.answer(0, 5, 0.25)  # 100 - 0.25 + 100 = 199.75
    assert budgets(play, 0) == [(1000, 1050.0), (800, 850.0), (100, 150.5), (100, 150.0), (199, 249.75)]


def test_the_margin_is_never_charged():
    play = Play("0 0 0", move_ms=None, bank_ms=200, margin_ms=50)
    play.answer(0, 5, 250.0)  # all of the bank and all of the margin
    assert budgets(play, 0)[1] == (0, 50.0)
    play.answer(0, 5, 50.0)  # an empty bank stays empty
    assert budgets(play, 0)[2] == (0, 50.0)
    play.answer(0, 5, 50.5)
    assert play.outcome.reason == "timeout"
    assert play.outcome.detail.endswith("it had 0 ms and 50 ms of margin")


def test_an_increment_follows_each_answer_of_an_empty_bank():
    play = Play("0 0 0", move_ms=None, bank_ms=100, increment_ms=20, margin_ms=0)
    play.answer(0, 5, 100.0)
    play.answer(0, 5, 20.0)
    assert budgets(play, 0) == [(100, 100.0), (20, 20.0), (20, 20.0)]


def test_a_limit_and_a_bank_the_smaller_one_holds():
    play = Play("0 0 0 0", move_ms=300, bank_ms=700, increment_ms=10, margin_ms=5)
    play.answer(0, 5, 305.0)  # limit 300: 5 of the margin, 700 - 300 + 10 = 410
    play.answer(0, 5, 290.0)  # 410 - 290 + 10 = 130, below the limit
    play.answer(0, 5, 30.0)  # 130 - 30 + 10 = 110
    assert budgets(play, 0) == [(300, 305.0), (300, 305.0), (130, 135.0), (110, 115.0)]
    play.answer(0, 5, 115.1)
    assert play.outcome.reason == "timeout"


def test_each_seat_has_a_bank_of_its_own():
    play = Play("0 1 01 01", move_ms=None, bank_ms=500, increment_ms=0, margin_ms=0)
    play.answer(0, 5, 100.0)
    play.answer(1, 5, 7.0)
    play.answer(1, 5, 200.0)
    play.answer(0, 5, 1.0)
    assert budgets(play, 0) == [(500, 500.0), (400, 400.0), (399, 399.0)]
    assert budgets(play, 1) == [(500, 500.0), (493, 493.0), (293, 293.0)]


def test_forced_decisions_cost_nothing_and_earn_nothing():
    play = Play("0 0! 0! 0", move_ms=None, bank_ms=500, increment_ms=50, margin_ms=0)
    play.answer(0, 5, 100.0)
    assert budgets(play, 0) == [(500, 500.0), (450, 450.0)]


def test_a_bot_is_told_whole_milliseconds_that_it_has():
    play = Play("0 0", move_ms=None, bank_ms=100, margin_ms=0)
    play.answer(0, 5, 0.001)
    assert budgets(play, 0)[1] == (99, 99.999)


def test_a_timeout_says_what_else_came():
    play = Play("0", move_ms=1000, margin_ms=50)
    for number in (0, 7):
        play.tell(ActionReceived(0, number, 5, 1.0))
    play.tell(DeadlinePassed(0, 1060.0))
    assert play.outcome.detail == (
        "request 1 (say) to ann: no answer within 1060 ms; it had 1000 ms and 50 ms of margin;"
        " ignored answers to requests that were not open: 2"
    )


# --- the arena stood still -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [DeadlinePassed, lambda *times: ActionReceived(times[0], 1, 5, *times[1:])])
def test_a_timeout_says_what_was_not_counted(event):
    play = Play("0", move_ms=1000, margin_ms=50)
    play.tell(event(0, 1051.0, 1949.0))
    assert (play.outcome.winner, play.outcome.reason) == (1, "timeout")
    assert play.outcome.detail.endswith(
        "1051 ms; it had 1000 ms and 50 ms of margin;"
        " the arena itself stood still for another 1949 ms, which are not counted"
    )


def test_an_answer_within_its_own_time_is_in_time_however_long_the_arena_stood_still():
    play = Play("0", move_ms=1000, margin_ms=50)
    play.answer(0, 5, 1050.0, stalled_ms=9000.0)
    assert play.outcome.reason == "talked out"


def test_a_standstill_is_not_charged_to_the_bank():
    play = Play("0 0", move_ms=None, bank_ms=1000, margin_ms=0)
    play.answer(0, 5, 300.0, stalled_ms=5000.0)
    assert budgets(play, 0) == [(1000, 1000.0), (700, 700.0)]


def test_an_answer_after_a_standstill_is_judged_like_any_other():
    play = Play("0", move_ms=1000, margin_ms=50)
    play.answer(0, "no digit", 1000.0, stalled_ms=900.0)
    assert play.outcome.faults[0].fault is Fault.ILLEGAL_ACTION
