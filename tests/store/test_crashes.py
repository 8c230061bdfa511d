"""A run that is killed at any instant: nothing acknowledged is lost, nothing counts twice, nothing is half-made."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.store import Store, tables
from tests.stored import bot, directory, won

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the writers are forked")
def test_kill_9_all_along_the_store_and_at_any_time():
    with directory() as path:
        run = subprocess.run(
            [sys.executable, "-m", "tests.store_crashes", str(path)], cwd=ROOT, capture_output=True, text=True
        )
    assert run.returncode == 0, run.stderr


def test_an_interrupted_creation_leaves_nothing_half_made(monkeypatch):
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with directory() as path:
        monkeypatch.setattr(Path, "rename", fail)
        with pytest.raises(KeyboardInterrupt):
            Store.open_to_write(path)
        assert not (path / "results.sqlite").exists()
        monkeypatch.undo()
        monkeypatch.setattr(tables, "_SCHEMA", tables._SCHEMA + "; no SQL at all")
        with pytest.raises(Exception, match="syntax error"):
            Store.open_to_write(path)
        assert not (path / "results.sqlite").exists()
        monkeypatch.undo()
        with Store.open_to_write(path) as store:
            store.enter([bot("ann"), bot("bob")])
            store.append(won("ann", "bob"))
            assert store.totals().matches == 1
        assert sorted(file.name for file in path.iterdir()) == ["lock", "results.sqlite"]


def test_deleted_results_do_not_come_back():
    """What SQLite keeps beside its file while a run is writing outlives a killed run, and belongs to the file only."""
    program = (
        "import os, sys; from pathlib import Path; from arena.store import Store; from tests.stored import bot, won\n"
        "store = Store.open_to_write(Path(sys.argv[1])); store.enter([bot('ann'), bot('bob')])\n"
        "store.append(won('ann', 'bob')); os.kill(os.getpid(), 9)"
    )
    with directory() as path:
        killed = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT)
        assert killed.returncode == -signal.SIGKILL
        assert (path / "results.sqlite-wal").stat().st_size > 0
        (path / "results.sqlite").unlink()
        with Store.open_to_write(path) as store:
            assert store.entrants == []
            store.enter([bot("ann"), bot("bob")])
            assert store.totals().matches == 0
