"""Referee processes on this machine; as a program, one of them."""

import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from arena.contracts import Place, Play
from arena.errors import SettingsError
from arena.executors._pace import Pace
from arena.executors._referees import Referees, serve
from arena.model import MatchResult, MatchSpec
from arena.processes import become_subreaper, usable_cores

__all__ = ["Local"]


@dataclass(frozen=True)
class Local:
    """Matches run in referee processes on this machine.

    workers: referee processes; auto = one for every two cores.
    matches_at_once: matches in progress in each worker; auto = as many as the cores can take of what its bots compute,
    so that a bot that computes for long has a core of its own, and up to 8 of bots that answer at once.
    """

    is_default: ClassVar[bool] = True

    workers: int | Literal["auto"] = "auto"
    matches_at_once: int | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        problems = [
            (name, f'must be at least 1, or "auto", not {value}')
            for name in ("workers", "matches_at_once")
            if isinstance(value := getattr(self, name), int) and value < 1
        ]
        if problems:
            raise SettingsError(problems)

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        """See `arena.contracts.Executor.run`. Raises `HostError` when workers are lost again and again."""
        become_subreaper()
        cores = usable_cores()
        workers = max(1, cores // 2) if self.workers == "auto" else self.workers
        share = replace(place, cores=max(1, cores // workers))
        referees = Referees(play, share, Pace(cores, workers, self.matches_at_once))
        try:
            referees.start(workers)
            yield from referees.results(specs)
        finally:
            referees.stop()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
