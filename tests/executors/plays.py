"""What workers do in tests of executors, instead of playing matches. A module apart, which workers import quickly."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from arena.contracts import Orders, Place
from arena.model import MatchResult, MatchSpec, Outcome
from arena.testing.executors import wait_for_orders

Report: TypeAlias = Callable[[MatchResult], None]


def ordered(orders: Orders) -> Iterator[MatchSpec]:
    """The matches one by one, as they come, until the end."""
    while (specs := orders.take()) is not None:
        yield from specs
        if not specs:
            wait_for_orders(orders)


def echo(spec: MatchSpec, worker: int) -> MatchResult:
    """A result that says who played: worker, process, session."""
    return MatchResult(spec, Outcome(0, "echo", f"{worker} {os.getpid()} {os.getsid(0)}"))


@dataclass(frozen=True)
class Batches:
    """Answers only when it holds exactly `size` matches, all of them then."""

    size: int

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        held: list[MatchSpec] = []
        while (specs := orders.take()) is not None:
            held += specs
            assert len(held) <= self.size, "too many matches at once"
            if len(held) == self.size:
                for each in held:
                    report(echo(each, place.worker))
                held.clear()
            if not specs:
                wait_for_orders(orders)


@dataclass(frozen=True)
class Echo:
    """Answers at once; never on what worker `mute` gets after its first match."""

    mute: int | None = None

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        for number, spec in enumerate(ordered(orders)):
            if place.worker != self.mute or number == 0:
                report(echo(spec, place.worker))


class Surroundings:
    """Says what it was told of the place: the worker's number, the folder for logs, and the bots with their folders."""

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        bots = " ".join(f"{name}={bot.directory}" for name, bot in sorted(place.bots.items()))
        for spec in ordered(orders):
            report(MatchResult(spec, Outcome(0, "echo", f"{place.worker} {place.logs} {bots}")))


class Stranding:
    """Starts a bot (a process that has a token) in a session of its own, says its number, and leaves it behind."""

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        matches = ordered(orders)
        spec = next(matches, None)
        if spec is None:
            return
        environment = {**os.environ, "ARENA_TOKEN": "secret"}
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        bot = subprocess.Popen(sleep, env=environment, start_new_session=True)
        report(MatchResult(spec, Outcome(0, "echo", str(bot.pid))))
        next(matches, None)  # the end, or a second match: either way it goes without a word to its bot
        os._exit(0)


class Stubborn:
    """Says its number and never ends."""

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        report(echo(next(ordered(orders)), place.worker))
        time.sleep(600)


class Broken:
    """Cannot even begin."""

    def __call__(self, orders: Orders, report: Report, place: Place) -> None:
        os._exit(3)
