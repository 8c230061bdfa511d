"""A program that writes results and is killed, again and again; it fails when anything that was promised is lost.

``python -m tests.store_crashes DIRECTORY``. A process of its own, since it forks.
"""

import os
import random
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import IO, Any

import arena.store
from arena.store import Store
from tests.stored import bot, won

ROUNDS = 30
STORE = Path(arena.store.__file__).parent


def write_results(directory: Path, acknowledge: IO[bytes], first: int, count: int) -> None:
    """Results of the deals from `first`; each is acknowledged when it is surely kept."""
    with Store.open_to_write(directory) as store:
        store.enter([bot("ann"), bot("bob")])
        for deal in range(first, first + count):
            result = won("ann", "bob", deal)
            store.append(result)
            acknowledge.write(f"{result.spec.id}\n".encode())
            acknowledge.flush()


def in_a_child(work: Callable[[IO[bytes]], None], until: Callable[[IO[bytes], int], list[str]]) -> list[str]:
    """Do `work` in a forked child while `until` reads what it acknowledges; what was acknowledged in all."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with os.fdopen(writing, "wb") as acknowledge:
                work(acknowledge)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as acknowledged:
        ids = until(acknowledged, child)
        ids += [line.decode().strip() for line in acknowledged if line.endswith(b"\n")]
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the writer failed by itself"
    return ids


def check(directory: Path, acknowledged: list[str]) -> int:
    """The store can be used, is sound, and has what was acknowledged once, and at most one result more."""
    with Store.open_to_write(directory) as store:
        store.enter([bot("ann"), bot("bob")])
        ids = [match.id for match in store.matches()]
        assert len(set(ids)) == len(ids), f"there twice: {ids}"
        assert set(acknowledged) <= set(ids), f"lost: {set(acknowledged) - set(ids)}"
        assert store.totals().matches == len(ids)
    connection = sqlite3.connect(directory / "results.sqlite")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return len(ids)


def kill_at_line(number: int) -> None:
    """Kill this process when so many lines of the store have been run."""
    left = number

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if Path(frame.f_code.co_filename).parent != STORE:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def at_many_lines(directory: Path) -> None:
    """Creating a store, entering bots and writing two results, killed at every second line of it in turn."""
    line, acknowledged = 0, list[str]()
    while len(acknowledged) < 2:
        line += 2
        place = directory / str(line)

        def work(acknowledge: IO[bytes], line: int = line, place: Path = place) -> None:
            kill_at_line(line)
            write_results(place, acknowledge, 0, 2)

        acknowledged = in_a_child(work, lambda *_: [])
        kept = check(place, acknowledged)
        assert kept <= len(acknowledged) + 1
    assert line > 80, f"the store has more lines than {line}"


def at_any_time(directory: Path) -> None:
    """One store, written to by one process after another, each killed in the middle of its work."""
    chance, acknowledged, kept = random.Random(1), list[str](), 0
    for _ in range(ROUNDS):
        patience = chance.randrange(30)

        def until(reading: IO[bytes], child: int, patience: int = patience) -> list[str]:
            ids = [reading.readline().decode().strip() for _ in range(patience)]
            for _ in range(chance.randrange(20_000)):  # somewhere in the middle of the next one
                pass
            os.kill(child, signal.SIGKILL)
            return ids

        def work(acknowledge: IO[bytes], first: int = kept) -> None:
            write_results(directory, acknowledge, first, 10**6)

        acknowledged += in_a_child(work, until)
        before, kept = kept, check(directory, acknowledged)
        assert kept >= before
    assert ROUNDS < kept <= len(acknowledged) + ROUNDS


if __name__ == "__main__":
    at_many_lines(Path(sys.argv[1]) / "lines")
    at_any_time(Path(sys.argv[1]) / "times")
