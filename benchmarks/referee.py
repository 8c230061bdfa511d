"""A decision in our referee, beside a bare ZeroMQ loop that says the same messages to the same bots."""

import sys
from collections.abc import Iterator
from typing import NamedTuple

from arena.config.examples import languages
from arena.config.roster import named
from arena.errors import ConfigError
from arena.model import BotSpec
from benchmarks.floor.recording import first_legal, job, place, record
from benchmarks.floor.replay import Replay
from benchmarks.floor.side import FloorSide, RefereeSide, cost_lines
from benchmarks.measure import Line, Scale, in_turns

__all__ = ["measure"]


class _Case(NamedTuple):
    """Bots of one kind. concurrency: matches at once of one process."""

    name: str
    bot: BotSpec
    concurrency: int = 1


def measure(scale: Scale) -> Iterator[Line | str]:
    """Bots that answer at once, with 1, 16 and 64 matches in progress."""
    cases = [
        _Case("Python", first_legal(sys.executable)),
        _Case("Python, 16 in one", first_legal(sys.executable, "--concurrency", "16"), 16),
    ]
    try:
        entry = named("c", [str(languages()["c"])], scale.directory, is_built=True)
        cases.insert(1, _Case("C", entry.spec))
    except ConfigError as error:
        yield f"C is left out, because it is not built: {error}"
    for case in cases:
        for at_once in scale.choose([16], [1, 16, 64]):
            yield from _compare(scale, case, at_once)


def _compare(scale: Scale, case: _Case, at_once: int) -> Iterator[Line]:
    recording = record(case.bot, scale.choose(2, 8), scale.directory)
    ours = RefereeSide(job(case.bot), place(case.bot, scale.directory), recording, at_once)
    floor = FloorSide(Replay(recording, at_once, case.concurrency))
    matches = max(scale.choose(40, 60), 3 * at_once)
    with ours, floor:
        ours.warm_up(at_once)
        floor.warm_up(at_once)
        found = in_turns(scale.rounds, lambda: ours.measure(matches), lambda: floor.measure(matches))
    yield from cost_lines(f"{case.name}, {at_once} at once", found[0], "bare ROUTER", found[1])
