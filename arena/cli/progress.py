"""What a person sees while a tournament runs: a bar and the standings on a terminal, plain lines elsewhere.

Written to stderr. The standings are computed from the store now and then; the more that costs, the less often it is
done.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from arena.ladder.leaderboard import Leaderboard
from arena.ladder.rendering import table

__all__ = ["View", "standings_text", "watch"]

_REFRESH_S = 1.0
_LINE_S = 10.0
_COST_SHARE = 0.05  # of the time, at most, that computing standings may take
_ROWS_MAX = 20


class View(Protocol):
    """Where the progress of a run is shown."""

    def advance(self, played: int) -> None:
        """So many of the tournament's matches have a result now."""

    def say(self, text: str) -> None:
        """Something that must not scroll away with the bar."""


@contextmanager
def watch(played: int, planned: int | None, standings: Callable[[], Leaderboard]) -> Iterator[View]:
    """A view of a run that begins with `played` results of `planned`; None: nobody knows how many there will be."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _Screen(console, played, planned, standings) as screen:
            yield screen
    else:
        yield _Lines(played, planned, standings)


class _Rhythm:
    """When standings are due: every `period_s`, less often when they are dear."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._due = time.monotonic() + period_s

    def is_due(self) -> bool:
        return time.monotonic() >= self._due

    def compute(self, standings: Callable[[], Leaderboard]) -> Leaderboard:
        begun = time.monotonic()
        board = standings()
        ended = time.monotonic()
        self._due = ended + max(self._period_s, (ended - begun) / _COST_SHARE)
        return board


class _Lines:
    """For logs and pipes: a line every ten seconds."""

    def __init__(self, played: int, planned: int | None, standings: Callable[[], Leaderboard]) -> None:
        self._begun = time.monotonic()
        self._first = played
        self._of = "" if planned is None else f"/{planned:,}"
        self._standings = standings
        self._rhythm = _Rhythm(_LINE_S)

    def advance(self, played: int) -> None:
        if not self._rhythm.is_due():
            return
        board = self._rhythm.compute(self._standings)
        rate = (played - self._first) / (time.monotonic() - self._begun)
        leaders = ", ".join(f"{row.bot} {row.elo:.0f}" for row in board.rows[:3] if row.elo is not None)
        self.say(f"{played:,}{self._of} matches, {rate:.1f}/s; leading: {leaders}")

    def say(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


class _Screen:
    """For a terminal: a bar, and under it the standings so far."""

    def __init__(
        self, console: Console, played: int, planned: int | None, standings: Callable[[], Leaderboard]
    ) -> None:
        self._standings = standings
        self._rhythm = _Rhythm(_REFRESH_S)
        self._bar = Progress(
            TextColumn("matches"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
        )
        self._task = self._bar.add_task("matches", total=planned, completed=played)
        self._live = Live(self._bar, console=console, refresh_per_second=8, transient=True)

    def __enter__(self) -> "_Screen":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def advance(self, played: int) -> None:
        self._bar.update(self._task, completed=played)
        if self._rhythm.is_due():
            board = self._rhythm.compute(self._standings)
            self._live.update(Group(self._bar, standings_text(board, self._live.console.width)))

    def say(self, text: str) -> None:
        self._live.console.print(Text(text))


def standings_text(board: Leaderboard, width: int) -> Text:
    """The best of a ladder for a terminal of `width` columns, in the form in which the ladder is printed at the end."""
    leaders = replace(board, rows=board.rows[:_ROWS_MAX])
    text = Text(table(leaders, width), no_wrap=True, overflow="crop")
    if len(board.rows) > _ROWS_MAX:
        text.append(f"\n… and {len(board.rows) - _ROWS_MAX} more", style="dim")
    return text
