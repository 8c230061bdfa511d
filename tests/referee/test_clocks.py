"""The clock of an answer, with a standstill of the arena before, in and around it; arithmetic by hand."""

from arena.referee.clocks import AnswerClock


def test_without_a_standstill_a_clock_is_past_after_its_limit():
    clock = AnswerClock()
    clock.start(1000.0, 50.0, 0.0)
    assert not clock.is_past(1050.0, 0.0)
    assert clock.is_past(1050.1, 0.0)
    assert clock.times_ms(1040.0, 0.0) == (40.0, 0.0)


def test_what_stood_still_before_the_request_is_no_excuse():
    clock = AnswerClock()
    clock.start(1000.0, 50.0, 300.0)
    assert clock.is_past(1050.1, 300.0)
    assert clock.times_ms(1060.0, 300.0) == (60.0, 0.0)


def test_what_stood_still_meanwhile_moves_the_deadline_by_as_much_and_no_more():
    clock = AnswerClock()
    clock.start(1000.0, 50.0, 300.0)
    assert not clock.is_past(1350.0, 600.0)  # 300 of the 350 ms are not counted
    assert clock.is_past(1350.1, 600.0)
    assert clock.times_ms(1350.0, 600.0) == (50.0, 300.0)


def test_a_silent_bot_is_past_its_deadline_although_the_arena_stands_still_again_and_again():
    clock = AnswerClock()
    clock.start(0.0, 1000.0, 0.0)
    passed = [now_ms for now_ms in range(0, 3000, 100) if clock.is_past(now_ms, now_ms * 0.06)]
    assert passed[0] == 1100  # 94 % of 1,100 ms is the first above 1,000


def test_a_stopped_clock_is_never_past():
    clock = AnswerClock()
    clock.start(0.0, 1.0, 0.0)
    clock.stop()
    assert not clock.is_past(1e12, 0.0)
