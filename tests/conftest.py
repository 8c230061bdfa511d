"""Places for tests: for whole tournaments with real processes (a bot that is left running fails its test), and for
results."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.place import Arena, wait_until
from tests.stored import directory


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    place = Arena(tmp_path)
    yield place
    try:
        wait_until(lambda: not place.bots_alive(), "all bots are gone", 10)
    except AssertionError:
        left = [f"{process.pid} {process.cmdline()}" for process in place.bots_alive()]
        for process in place.bots_alive():
            process.kill()
        pytest.fail(f"left running: {left}")


@pytest.fixture
def place() -> Iterator[Path]:
    with directory() as path:
        yield path
