"""Places for tests: for whole tournaments with real processes (a bot that is left running fails its test), and for
results."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import Store
from tests.e2e.place import Arena, wait_until
from tests.stored import BOTS, bot, directory


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


@pytest.fixture
def store(place: Path) -> Iterator[Store]:
    """Open for writing, with `BOTS` entered."""
    with Store.open_to_write(place) as store:
        store.enter([bot(name) for name in BOTS])
        yield store
