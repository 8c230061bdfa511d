"""What workers do in tests of the pace, instead of playing matches. A module apart, which workers import quickly."""

from collections.abc import Callable
from dataclasses import dataclass

from arena.contracts import Orders, Place
from arena.model import MatchResult, MatchSpec, Outcome
from arena.testing.executors import wait_for_orders


@dataclass(frozen=True)
class Computing:
    """Says of every match that its bots computed for `cpu_ms` a decision. Answers the first ones at once, then only
    when it holds exactly `size` matches, all of them."""

    cpu_ms: float
    size: int

    def __call__(self, orders: Orders, report: Callable[[MatchResult], None], place: Place) -> None:
        held: list[MatchSpec] = []
        wanted = 1
        while (specs := orders.take()) is not None:
            held += specs
            assert len(held) <= self.size, "too many matches at once"
            if len(held) >= wanted:
                for spec in held:
                    outcome = Outcome(0, "goal", f"{len(held)} of {place.cores}")
                    report(MatchResult(spec, outcome, cpu_ms=(self.cpu_ms, self.cpu_ms), cores=(1.0, 1.0)))
                held.clear()
                wanted = self.size
            if not specs:
                wait_for_orders(orders)
