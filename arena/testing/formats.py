"""What a tournament format must satisfy."""

import tracemalloc
from collections.abc import Sequence
from itertools import islice

from arena.contracts import Format
from arena.model import Pairing
from arena.testing.results import ResultsInMemory

__all__ = ["check_format"]


def check_format(format_: Format) -> None:
    """A format ends, pairs entrants properly, resumes exactly, and is lazy."""
    for count in (0, 1, 2, 3, 6):
        entrants = [f"bot {number}" for number in range(count)]
        schedule = _play_out(format_, entrants, ResultsInMemory())
        _check_schedule(format_, entrants, schedule)
        shuffled = [*entrants[1::2], *reversed(entrants[::2])]
        assert _play_out(format_, shuffled, ResultsInMemory()) == schedule, "the order of entrants matters"
        _check_resume(format_, entrants, schedule)
    _check_laziness(format_)


def _play_out(format_: Format, entrants: Sequence[str], results: ResultsInMemory) -> list[Pairing]:
    """All pairings in the order in which they are offered; what is offered is played, until nothing more is."""
    planned = format_.planned(entrants, results)
    most = 10_000 if planned is None else planned // 2
    played: list[Pairing] = []
    while offered := list(islice(format_.pairings(entrants, results), most + 1)):
        played += offered
        assert not any(all(results.is_finished(pairing)) for pairing in offered), "offers what is finished"
        assert len(played) <= most, f"offers more than the {most} pairings planned for {len(entrants)} entrants"
        for pairing in offered:
            _record(results, pairing)
    return played


def _record(results: ResultsInMemory, pairing: Pairing, lanes: Sequence[int] = (0, 1)) -> None:
    """Both matches (or one) of a pairing, with points that depend on nothing but the pairing."""
    seed = sum(map(ord, pairing.bot_a + 2 * pairing.bot_b)) + pairing.deal
    for lane in lanes:
        results.record(pairing, lane, (seed + lane) % 3 / 2)


def _check_schedule(format_: Format, entrants: Sequence[str], schedule: Sequence[Pairing]) -> None:
    planned = format_.planned(entrants, ResultsInMemory())
    assert planned is None or 2 * len(schedule) == planned, (
        f"{planned} matches planned for {len(entrants)} entrants, not {len(schedule)} * 2"
    )
    assert len(set(schedule)) == len(schedule), "a pairing is offered twice"
    for pairing in schedule:
        assert {pairing.bot_a, pairing.bot_b} <= set(entrants), f"{pairing}: not an entrant"
        assert pairing.bot_a < pairing.bot_b, f"{pairing}: bot_a < bot_b must hold"
        assert pairing.deal >= 0, f"{pairing}: deals count from 0"


def _check_resume(format_: Format, entrants: Sequence[str], schedule: Sequence[Pairing]) -> None:
    """From any prefix of the results, and from results with gaps, the rest and nothing else is offered."""
    for done in range(0, len(schedule) + 1, 1 + len(schedule) // 20):
        results = ResultsInMemory()
        for pairing in schedule[:done]:
            _record(results, pairing)
        for pairing in schedule[done : done + 1]:
            _record(results, pairing, lanes=[done % 2])
        rest = _play_out(format_, entrants, results)
        assert rest == schedule[done:], f"resumed after {done} pairings, it does not play exactly the other ones"
    results = ResultsInMemory()
    gaps = list(format_.pairings(entrants, results))[::3]
    for pairing in gaps:
        _record(results, pairing)
    rest = [pairing for pairing in schedule if pairing not in set(gaps)]
    assert _play_out(format_, entrants, results) == rest, (
        "resumed from results with gaps, it does not fill them in order"
    )


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
