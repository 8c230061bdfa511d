"""What a tournament format must satisfy.

A format is tried by what a run does with it: the real schedule asks it for pairings, and matches end at once in a way
that is decided before. So whatever a format decides from results, it decides alike in every run of the same tournament:
which matches are played may not depend on the order in which they end, on how many are in flight, or on interruptions.
A format keeps to that when it decides only from matches that are over, and only when all that decide with them are.
"""

import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from random import Random

from arena.contracts import Format
from arena.model import Pairing
from arena.testing.results import ResultsInMemory
from arena.testing.tournaments import Tournament, World, kept

__all__ = ["check_format"]

_SIZES = (0, 1, 2, 3, 5, 6)
_STEPS = 100
"""Interruptions of one tournament; of one with fewer matches, one after each."""
_MANY = 400
"""Matches; a tournament of more is played in fewer ways."""


def check_format(format_: Format) -> None:
    """A format ends, pairs entrants properly, plays the same matches whatever happens on the way, and is lazy."""
    for size in _SIZES:
        entrants = [f"bot {number}" for number in range(size)]
        plan = _check_plan(format_, entrants)
        _check_orders(format_, entrants, World(), plan)
        _check_resumed(format_, entrants, plan)
        if 0 < len(plan.played) <= _MANY:
            for at_once in (2, 24):
                _check_orders(format_, entrants, World(), plan, at_once)
            for bot in (entrants[0], entrants[-1]):
                _check_absent(format_, entrants, bot)
            _check_given_up(format_, entrants, plan.played[0][0])
    _check_kept(format_)
    _check_laziness(format_)


def _check_plan(format_: Format, entrants: Sequence[str]) -> Tournament:
    """The tournament as it is played match by match."""
    planned = format_.planned(entrants, ResultsInMemory())
    plan = Tournament(format_, entrants, World()).play()
    assert len(entrants) < 2 or plan.played, f"nothing to play for {len(entrants)} entrants"
    for count in (planned, format_.planned(entrants, plan.results)):
        assert count is None or len(plan.played) == count, (
            f"{count} matches are planned for {len(entrants)} entrants, but {len(plan.played)} are played"
        )
    shuffled = [*entrants[1::2], *reversed(entrants[::2])]
    again = Tournament(format_, shuffled, World()).play()
    assert again.played == plan.played, "the order of entrants matters"
    return plan


def _check_orders(format_: Format, entrants: Sequence[str], world: World, plan: Tournament, at_once: int = 5) -> None:
    """The same matches are played in whatever order they end, and with interruptions in between."""
    chance = Random(at_once)
    free = Tournament(format_, entrants, world).play(at_once, chance)
    _compare(free, plan, f"with {at_once} matches in flight that end in any order")
    stopped = Tournament(format_, entrants, world)
    while not stopped.is_over:
        stopped.play(at_once, chance, most=chance.randint(1, 1 + len(plan.played) // 3))
    _compare(stopped, plan, f"interrupted again and again with {at_once} matches in flight")


def _compare(found: Tournament, plan: Tournament, when: str) -> None:
    matches, wanted = {*found.played, *found.given_up}, {*plan.played, *plan.given_up}
    more, less = _some(matches - wanted), _some(wanted - matches)
    assert matches == wanted, f"{when}, other matches are played than one by one: also {more}, but not {less}"


def _some(matches: set[tuple[Pairing, int]]) -> str:
    shown = [f"{bot_a} - {bot_b} (deal {deal}, lane {lane})" for (bot_a, bot_b, deal), lane in sorted(matches)[:3]]
    return ", ".join([*shown, *(["..."] if len(matches) > 3 else [])]) or "none"


def _check_resumed(format_: Format, entrants: Sequence[str], plan: Tournament) -> None:
    """From any prefix of the results, and from results with gaps, the rest follows in the same order."""
    stopped, step = Tournament(format_, entrants, World()), 1 + len(plan.played) // _STEPS
    while not stopped.is_over:
        stopped.play(most=step)
        assert stopped.played == plan.played[: len(stopped.played)], (
            f"resumed after {len(stopped.played) - step} matches, it does not go on as it would have"
        )
    assert len(stopped.played) == len(plan.played), "interrupted after each match, it ends too early"
    for part in (5, 3, 2):
        gaps = Tournament(format_, entrants, World()).play(4, Random(part), most=len(plan.played) // part)
        done = set(gaps.played)
        rest = [match for match in plan.played if match not in done]
        assert gaps.play().played[len(done) :] == rest, "resumed from results with gaps, it does not fill them in order"


def _check_absent(format_: Format, entrants: Sequence[str], bot: str) -> None:
    """A bot that cannot be started is out after its first matches; the others play on as if it had lost the rest."""
    world = World(absent=frozenset([bot]))
    absent = Tournament(format_, entrants, world).play()
    loser = Tournament(format_, entrants, World(losers=frozenset([bot]))).play()
    left, wanted = (sum(bot not in pairing[:2] for pairing, _ in played.played) for played in (absent, loser))
    assert left >= wanted, (
        f"{bot} of {len(entrants)} is out, and the others play {left} matches, but {wanted} when it loses all its own"
    )
    _check_orders(format_, entrants, world, absent)


def _check_given_up(format_: Format, entrants: Sequence[str], pairing: Pairing) -> None:
    """Two matches that the arena fails at do not hold up the others."""
    world = World(failing=frozenset([pairing]))
    failed = Tournament(format_, entrants, world).play()
    least = min(
        len(Tournament(format_, entrants, World(decided={pairing: points})).play().played) for points in (0.0, 0.5, 1.0)
    )
    count = len(failed.played) + len(failed.given_up)
    assert count >= least, (
        f"the arena has given up {pairing}, and {count} matches were begun, but {least} or more when it was played"
    )
    _check_orders(format_, entrants, world, failed)


def _check_kept(format_: Format) -> None:
    """With the results on disk, where every run begins: what is played is what was played in memory."""
    entrants = [f"bot {number}" for number in range(4)]
    world = World(absent=frozenset(entrants[1:2]))
    plan = Tournament(format_, entrants, world).play()
    with tempfile.TemporaryDirectory(prefix="arena-") as place:
        found, is_complete = kept(
            format_, entrants, world, Path(place) / "results", stop_after=1 + len(plan.played) // 4
        )
    assert found == set(plan.played), "a run that is interrupted and keeps its results on disk plays other matches"
    assert is_complete, "a run that has played everything is not complete"


def _check_laziness(format_: Format) -> None:
    """The first pairing of a big tournament comes without the others."""
    entrants = [f"bot {number:04}" for number in range(1000)]
    results = _CountingResults()
    tracemalloc.start()
    try:
        first = next(format_.pairings(entrants, results), None)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert first is not None, "nothing to play for 1000 entrants"
    assert memory < 4096 * len(entrants), f"the first pairing of 1000 entrants takes {memory} bytes of memory"


class _CountingResults(ResultsInMemory):
    """Nothing is finished, and who asks that for every pairing there is, before playing the first, asks too much."""

    def __init__(self) -> None:
        super().__init__()
        self.questions = 0

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        self.questions += 1
        assert self.questions < 10_000, "asks for all results before it offers the first pairing"
        return super().is_finished(pairing)
