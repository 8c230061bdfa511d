"""Whole tournaments with real processes; a test that leaves a bot running fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.place import Arena, wait_until


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
