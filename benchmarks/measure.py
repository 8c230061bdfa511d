"""What every section works with: figures with their spread, and what processes cost.

A figure alone says more about the machine than about the program. So each stands beside a floor (the least that any
program must do for the same end) or a peer, measured in turns with it, and what counts is their relation.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import psutil

__all__ = [
    "ROOT",
    "Line",
    "Run",
    "Scale",
    "Spread",
    "Target",
    "cpu_in_turns",
    "descendants",
    "in_turns",
    "run",
]

ROOT = Path(__file__).resolve().parents[1]

Relation: TypeAlias = Literal["ratio", "difference"]

_T = TypeVar("_T")


class Scale(NamedTuple):
    """How much is measured. directory: a temporary one, the only place where a section writes."""

    size: Literal["quick", "usual", "full"]
    directory: Path

    def choose(self, quick: _T, usual: _T, full: _T | None = None) -> _T:
        """The value for this size; `full` is as `usual` where nothing else is said."""
        if self.size == "quick":
            return quick
        return full if self.size == "full" and full is not None else usual

    @property
    def rounds(self) -> int:
        """How often each thing is measured."""
        return self.choose(3, 5)


class Spread(NamedTuple):
    """Several measurements of one thing."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(median(values), min(values), max(values))


class Target(NamedTuple):
    """What a figure should come to. of: the figure itself, or its relation to the floor."""

    of: Literal["figure", "relation"]
    bound: Literal["at most", "at least"]
    value: float

    def is_met(self, found: float) -> bool:
        return found <= self.value if self.bound == "at most" else found >= self.value


@dataclass(frozen=True)
class Line:
    """One figure, as often as it was measured.

    subject, figure: what was measured, and what of it. floor: the same of `beside`, measured in turns with `ours`;
    empty when there is none. relation: whether ours is to be divided by the floor, or the floor to be taken from it.
    """

    subject: str
    figure: str
    unit: str
    ours: Sequence[float]
    beside: str = ""
    floor: Sequence[float] = ()
    relation: Relation = "ratio"
    target: Target | None = None

    @property
    def related(self) -> Spread | None:
        """Our figure in relation to the floor's, turn by turn; None without a floor."""
        if not self.floor or (self.relation == "ratio" and not all(self.floor)):
            return None
        pairs = zip(self.ours, self.floor, strict=True)
        return Spread.of([a / b if self.relation == "ratio" else a - b for a, b in pairs])


def in_turns(rounds: int, *measured: Callable[[], _T]) -> list[list[_T]]:
    """What each callable returns, `rounds` times; they are called in turns, so that a slow moment of the machine hits
    them alike."""
    found: list[list[_T]] = [[] for _ in measured]
    for _ in range(rounds):
        for values, call in zip(found, measured, strict=True):
            values.append(call())
    return found


def cpu_in_turns(rounds: int, *measured: Callable[[], object]) -> list[list[float]]:
    """Seconds of this process's CPU that each callable takes, in turns."""

    def timed(call: Callable[[], object]) -> Callable[[], float]:
        def time_once() -> float:
            begun = time.process_time()
            call()
            return time.process_time() - begun

        return time_once

    return in_turns(rounds, *map(timed, measured))


class Run(NamedTuple):
    """What a program cost from start to end: elapsed seconds, and CPU seconds with all that it started and waited
    for."""

    wall_s: float
    cpu_s: float


def run(command: Sequence[str], watch: Callable[[int], None] | None = None) -> Run:
    """Run a program to its end, its output thrown away; RuntimeError with its words when it fails.

    watch: called with its process id again and again while it runs, and once when it has ended but is still known.
    """
    with tempfile.TemporaryFile() as words:
        begun = time.perf_counter()
        popen = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=words,
        )
        if watch is not None:
            while os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                watch(popen.pid)
                time.sleep(0.01)
            watch(popen.pid)
        _, status, usage = os.wait4(popen.pid, 0)
        wall_s = time.perf_counter() - begun
        popen.returncode = os.waitstatus_to_exitcode(status)
        if popen.returncode:
            words.seek(0)
            raise RuntimeError(f"{command} exited with status {popen.returncode}: {words.read().decode()}")
    return Run(wall_s, usage.ru_utime + usage.ru_stime)


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    return [process.pid for process in psutil.Process(pid).children(recursive=True)]
