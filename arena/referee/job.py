"""What a worker plays: all matches of a tournament that it is ordered to, or one match in this process."""

import gc
import signal
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import arena
from arena.contracts import Launcher, Orders, Place
from arena.errors import HostError
from arena.match import MatchTerms
from arena.model import Limits, MatchResult, MatchSpec
from arena.processes import become_subreaper, kill_descendants, raise_file_limit
from arena.referee.referee import Referee, Trace

__all__ = ["RefereeJob"]


@dataclass(frozen=True)
class RefereeJob:
    """Matches between real processes: an `arena.contracts.Play`.

    bots: the fingerprint of each bot's program, by name. Where the programs lie is a matter of the place.
    """

    terms: MatchTerms
    bots: Mapping[str, str]
    launcher: Launcher
    limits: Limits

    def __call__(self, orders: Orders, report: Callable[[MatchResult], None], place: Place) -> None:
        """Serve until `orders` say stop. Raises HostError when a bot's program at this place is another one."""
        become_subreaper()
        raise_file_limit()
        _spare_the_collector()
        with tempfile.TemporaryDirectory(prefix="arena-") as directory:
            referee = self._referee(orders, report, place, Path(directory))

            def stop(_signal: int, _frame: FrameType | None) -> None:
                referee.stop()

            signal.signal(signal.SIGTERM, stop)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            try:
                referee.serve()
            except Exception:
                crash = place.logs / f"referee-{place.worker}.crash.txt"
                crash.write_text(f"arena {arena.__version__}\n{traceback.format_exc()}")
                raise
            finally:
                kill_descendants()

    def play_one(self, spec: MatchSpec, place: Place, trace: Trace | None = None) -> MatchResult:
        """Play one match in this process; `trace` sees every message of it."""
        results: list[MatchResult] = []
        with tempfile.TemporaryDirectory(prefix="arena-") as directory:
            referee = self._referee(_OneMatch(spec), results.append, place, Path(directory), trace)
            referee.serve(is_done=lambda: bool(results))
        return results[0]

    def _referee(
        self,
        orders: Orders,
        report: Callable[[MatchResult], None],
        place: Place,
        directory: Path,
        trace: Trace | None = None,
    ) -> Referee:
        for name, fingerprint in self.bots.items():
            if name not in place.bots or place.bots[name].fingerprint != fingerprint:
                raise HostError(f"{name}: the program at this place is not the one that was entered")
        return Referee(
            self.terms,
            place,
            launcher=self.launcher,
            limits=self.limits,
            orders=orders,
            report=report,
            directory=directory,
            trace=trace,
        )


class _OneMatch:
    """Orders of a single match."""

    watch: int | None = None

    def __init__(self, spec: MatchSpec) -> None:
        self._specs = [spec]

    def take(self) -> Sequence[MatchSpec]:
        specs, self._specs = self._specs, []
        return specs


def _spare_the_collector() -> None:
    """Make Python's search for cyclic garbage rare: a referee makes none to speak of, but keeps tens of thousands of
    events, which would be looked through again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
