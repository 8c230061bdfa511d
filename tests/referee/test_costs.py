"""What bots cost: seldom measured, nothing lost in between; a start that waits for something is told from one that
computes."""

import pytest

from arena.referee.costs import Costs, Effort, Meter


class Spender:
    """Of `arena.contracts.Confined` only what a meter asks for. Looking takes `look_ms` on the clock."""

    def __init__(self, look_ms: float = 0.0) -> None:
        self.spent_ms = 0.0
        self.is_gone = False
        self.now_ms = 0.0
        self.looks = 0
        self._look_ms = look_ms

    def cpu_seconds(self) -> float | None:
        self.looks += 1
        self.now_ms += self._look_ms
        return None if self.is_gone else self.spent_ms / 1000

    def clock(self) -> float:
        return self.now_ms


def meter(spender: Spender) -> Meter:
    return Meter(spender, 0.0)  # type: ignore[arg-type]  # the rest of it is not used


def test_the_start_is_no_part_of_an_answer():
    spender = Spender()
    found = meter(spender)
    spender.spent_ms = 700.0
    assert found.read() is None
    spender.spent_ms = 760.0
    for _ in range(3):
        found.note_answer(40.0)
    assert found.read() == Effort(20.0, 0.5)
    assert found.read() is None, "there was no answer since"
    spender.spent_ms = 860.0
    found.note_answer(50.0)
    assert found.read() == Effort(100.0, 2.0)


def test_who_has_gone_cannot_be_measured():
    spender = Spender()
    found = meter(spender)
    found.read()
    found.note_answer(1.0)
    spender.is_gone = True
    assert found.read() is None
    assert found.total_ms() is None


def test_measuring_takes_a_hundredth_of_the_time_and_loses_nothing():
    spender = Spender(look_ms=2.0)
    costs, found = Costs(10, spender.clock), meter(spender)
    spender.now_ms = 300.0
    costs.note_ready("ann", found)
    assert costs.start_ms("ann") == 300.0
    efforts = []
    for _ in range(10_000):
        spender.now_ms += 5
        spender.spent_ms += 1
        found.note_answer(4.0)
        effort = costs.measure("ann", found)
        if effort is not None:
            efforts.append(effort)
    assert all(effort == pytest.approx((1.0, 0.25)) for effort in efforts)
    assert 10 * 2.0 * spender.looks <= 0.01 * spender.now_ms + 10 * 2 * 2.0, "of ten bots"
    assert len(efforts) > 20, "but it is measured again and again"


def test_bots_are_measured_each_by_itself():
    spender = Spender(look_ms=2.0)
    costs = Costs(2, spender.clock)
    for bot in ("ann", "bob"):
        found = meter(spender)
        costs.note_ready(bot, found)
        found.note_answer(1.0)
        assert costs.measure(bot, found) is not None
        found.note_answer(1.0)
        assert costs.measure(bot, found) is None


def test_a_start_that_waits_for_something_does_not_load():
    spender = Spender()
    found = meter(spender)
    assert found.is_loading(0.0), "nothing is known yet"
    spender.spent_ms = 100.0
    assert found.is_loading(300.0)
    spender.spent_ms = 102.0
    assert found.is_loading(400.0), "too soon to tell"
    assert not found.is_loading(600.0)
    spender.spent_ms = 150.0
    assert found.is_loading(900.0)
    looks = spender.looks
    assert found.is_loading(910.0)
    assert spender.looks == looks
