"""Builds of bots: each is run once, in its place; of those that fail everything is told, and nothing outlives them."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import yaml

from arena.config.builds import build
from arena.config.tournament import TournamentConfig, load_config
from arena.errors import ConfigError
from tests.e2e.place import wait_until

MAKE = """
import os, sys
with open("log.txt", "a") as log:
    print(os.getcwd(), os.environ.get("LEVEL", ""), *sys.argv[1:], file=log)
with open("made", "w") as made:
    made.write("#!/bin/sh\\n")
os.chmod("made", 0o755)
"""
"""A build that writes down where it ran, and makes a program."""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., TournamentConfig]:
    """A config of bots that are made in the folders `one` and `two`; what is kept of builds is in `kept`."""
    for name in ("one", "two", "kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "make.py").write_text(MAKE)
    (tmp_path / "kept" / "make.py").unlink()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "kept"))

    def load_it(*bots: dict[str, Any]) -> TournamentConfig:
        path = tmp_path / "test.yaml"
        path.write_text(yaml.safe_dump({"bots": list(bots)}))
        return load_config(path, built=())

    return load_it


def bot(name: str, folder: str, *build: str, **keys: Any) -> dict[str, Any]:
    words = build or ("python", "make.py")
    return {"name": name, "directory": folder, "build": list(words), "command": "./made", **keys}


def fails(config: TournamentConfig) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        build(config)
    return [str(problem) for problem in caught.value.problems]


def test_a_build_runs_in_its_place_with_the_bots_variables(load, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OURS", "kept")
    monkeypatch.setenv("LEVEL", "the bot's own goes before")
    script = "import os; print(os.environ['OURS'], file=open('ours.txt', 'w')); exec(open('make.py').read())"
    config = build(load(bot("ann", "one", environment={"LEVEL": 3}), bot("ben", "two", "python", "-c", script)))
    assert (tmp_path / "one" / "log.txt").read_text() == f"{tmp_path / 'one'} 3\n"
    assert (tmp_path / "two" / "ours.txt").read_text() == "kept\n"
    assert [each.command for each in config.bots] == [(str(tmp_path / name / "made"),) for name in ("one", "two")]
    said = capsys.readouterr()
    assert re.fullmatch(r"ann: built after \d+\.\d s\nben: built after \d+\.\d s\n", said.err)
    assert said.out == ""
    assert not list((tmp_path / "kept").iterdir())


def test_the_same_build_is_run_once(load, tmp_path, capsys):
    build(
        load(
            bot("ann", "one", "python", "make.py", "x"),
            bot("ben", "two", "python", "make.py", "x"),
            bot("cat", "one", "python", "make.py", "x"),
            bot("dot", "one", "python", "make.py", "y"),
            bot("eve", "one", "python", "make.py", "x", environment={"LEVEL": 3}),
        )
    )
    where = str(tmp_path / "one")
    assert (tmp_path / "one" / "log.txt").read_text().splitlines() == [f"{where}  x", f"{where}  y", f"{where} 3 x"]
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["ann and cat", "ben", "dot", "eve"]


def test_bots_can_be_chosen(load, tmp_path):
    config = build(load(bot("ann", "one"), bot("ben", "two")), ["ben", "nobody"])
    assert not (tmp_path / "one" / "log.txt").exists()
    assert (tmp_path / "two" / "log.txt").exists()
    assert [each.name for each in config.bots] == ["ann", "ben"]


def test_without_builds_nothing_is_done(load, capsys):
    config = load(*({"name": name, "command": ["python", "one/make.py"]} for name in ("ann", "ben")))
    assert build(config) is config
    assert capsys.readouterr().err == ""


def test_fingerprints_are_of_what_was_built(load, tmp_path):
    config = load(bot("ann", "one"), bot("ben", "two"))
    built = build(config)
    assert built.bots == load_config(tmp_path / "test.yaml").bots
    assert built.bots[0].fingerprint != config.bots[0].fingerprint


def test_of_each_build_that_fails_everything_is_told_once_all_were_tried(load, tmp_path):
    script = "for i in range(100): print('line', i)\nprint('\\033[31mred\\a')\nimport sys; sys.exit(3)"
    config = load(
        bot("ann", "one", "python", "-c", script),
        bot("ben", "one", "sh", "-c", "kill -9 $$"),
        bot("cat", "two"),
    )
    first, second = fails(config)
    assert (tmp_path / "two" / "made").exists()
    lines = [line.strip() for line in first.splitlines()]
    assert lines[0] == "ann cannot be built: it exited with status 3"
    assert lines[1].startswith(f"command: {sys.executable} -c 'for i in range(100)")
    assert f"directory: {tmp_path / 'one'}" in lines
    assert lines[-40:] == [*(f"line {number}" for number in range(61, 100)), "[31mred"]
    assert "line 60" not in lines
    (kept,) = (tmp_path / "kept").iterdir()
    assert f"all that it wrote: {kept}, which ends with" in lines
    assert len(kept.read_text().splitlines()) == 101
    assert "\x1b" not in first
    assert second.splitlines()[0] == "ben cannot be built: it was killed by SIGKILL"
    assert second.splitlines()[-1].strip() == "it wrote nothing"


def test_both_outputs_are_told_in_their_order(load):
    script = "echo one; echo two >&2; echo three; exit 1"
    (said,) = fails(load(bot("ann", "one", "sh", "-c", script), bot("ben", "two")))
    assert [line.strip() for line in said.splitlines()[-3:]] == ["one", "two", "three"]


def test_only_the_end_of_endless_output_is_shown(load, tmp_path):
    (said,) = fails(load(bot("ann", "one", "python", "-c", "print('x' * 1_000_000); 1 / 0"), bot("ben", "two")))
    assert len(said) < 20_000
    assert said.endswith("ZeroDivisionError: division by zero")
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.stat().st_size > 1_000_000


def test_a_build_that_cannot_be_started_fails_like_others(load, tmp_path):
    (tmp_path / "one" / "garbage").write_bytes(b"\x00\x01")
    (tmp_path / "one" / "garbage").chmod(0o755)
    (said,) = fails(load(bot("ann", "one", "./garbage"), bot("ben", "two")))
    assert said.startswith("ann cannot be built: it could not be started: Exec format error")
    assert not list((tmp_path / "kept").iterdir())


def test_a_build_that_makes_nothing_is_found_out(load):
    (said,) = fails(load(bot("ann", "one", "python", "-c", "pass"), bot("ben", "two")))
    assert said.startswith('line 6: bots[0].command: the build made no file "./made"')


def test_a_build_has_a_session_of_its_own(load, tmp_path):
    script = "import os; print(os.getsid(0) == os.getpid(), file=open('seen.txt', 'w'))"
    build(load(bot("ann", "one", "python", "-c", script + "; exec(open('make.py').read())"), bot("ben", "two")))
    assert (tmp_path / "one" / "seen.txt").read_text() == "True\n"


def test_what_a_build_leaves_running_is_ended(load, tmp_path):
    build(load(bot("ann", "one", "sh", "-c", "sleep 600 & echo $! > pid; python3 make.py"), bot("ben", "two")))
    wait_until(lambda: is_gone((tmp_path / "one" / "pid").read_text()), "it is gone")


def test_an_interrupted_build_is_ended_with_all_that_it_started(load, tmp_path, monkeypatch):
    def interrupt(seconds: float) -> None:
        if (tmp_path / "one" / "ready").exists():
            raise KeyboardInterrupt
        time.sleep(seconds)

    monkeypatch.setattr("arena.config.builds.time", SimpleNamespace(sleep=interrupt))
    script = "sleep 600 & echo $! $$ > pids; touch ready; wait"
    with pytest.raises(KeyboardInterrupt):
        build(load(bot("ann", "one", "sh", "-c", script), bot("ben", "two")))
    wait_until(lambda: all(map(is_gone, (tmp_path / "one" / "pids").read_text().split())), "all are gone")
    assert not list((tmp_path / "kept").iterdir())
    assert not (tmp_path / "two" / "log.txt").exists()


def is_gone(pid: str) -> bool:
    """Whether a process has ended, collected by whoever inherited it or not."""
    try:
        return psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_terminal_shows_what_is_being_built_and_is_not_read_from(load, tmp_path):
    """In a process of its own, whose terminal nobody types into."""
    script = "import sys; sys.stdin.read(); exec(open('make.py').read())"
    load(bot("ann", "one", "python", "-c", script), bot("ben", "two"))
    source = (
        "from pathlib import Path; from arena.config.builds import build\n"
        "from arena.config.tournament import load_config\n"
        f"build(load_config(Path({str(tmp_path / 'test.yaml')!r}), built=()))"
    )
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    command = [sys.executable, "-c", source]
    subprocess.run(command, stdin=theirs, stderr=theirs, env=environment, timeout=300, check=True)
    os.close(theirs)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert "building ann: " in shown
    assert "ann: built after " in shown
