"""Places for tests: for whole tournaments with real processes (a bot that is left running fails its test), and for
results."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from arena.store import Store
from tests.e2e.place import Arena, wait_until
from tests.stored import BOTS, bot, directory

settings.register_profile("no haste", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no haste")  # no test fails because the machine is slow or busy


def pytest_xdist_auto_num_workers() -> int:
    """Processes of ``pytest -n auto``: one more than there are cores, as many tests wait for something."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    place = Arena(tmp_path)
    yield place
    try:
        wait_until(lambda: not place.bots_alive(), "all bots are gone")
    except AssertionError:
        left = [f"{process.pid} {process.cmdline()}" for process in place.bots_alive()]
        for process in place.bots_alive():
            process.kill()
        pytest.fail(f"left running: {left}")


@pytest.fixture
def place() -> Iterator[Path]:
    with directory() as path:
        yield path


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    """Open for writing, with `BOTS` entered."""
    with Store.open_to_write(place) as store:
        store.enter([bot(name) for name in BOTS])
        yield store


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of a test, each the leader of a group; none of them outlives it."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
