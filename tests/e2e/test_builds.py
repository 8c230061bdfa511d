"""Tournaments of bots that are built first: what is built plays, what cannot be is told before anything is played."""

import signal

import pytest

from tests.e2e.place import Arena, wait_until

MAKE = """
import os, pathlib, shutil, sys
source, made = map(pathlib.Path, sys.argv[1:])
if not made.exists() or made.read_text() != source.read_text():
    made.write_text(source.read_text())
    print("made", file=open("log.txt", "a"))
"""
"""A build like any: it makes one file of another, and does nothing when nothing has changed."""
BOT = """
from protocol.bot import serve

serve(lambda request: request.legal_actions[{}] if request.legal_actions else [])
"""


def built(arena: Arena, name: str, **keys: object) -> dict[str, object]:
    """An entry of a bot `name`.py that is made of `name`.txt."""
    make = arena.script("make.py", MAKE)
    (arena.directory / f"{name}.txt").write_text(BOT.format(0))
    return arena.bot(name, f"{name}.py", build=["python", make, f"{name}.txt", f"{name}.py"], **keys)


def test_what_is_built_plays_and_counts_until_it_is_built_anew(arena: Arena) -> None:
    bots = [built(arena, "made"), arena.bot("high", "high.py"), arena.bot("random", "random_bot.py")]
    config = arena.config(bots)
    log = arena.directory / "log.txt"
    checked = arena("validate", config)
    assert "Built before it is played: made." in checked.stdout
    assert not log.exists(), "validate builds nothing"
    done = arena.run(config)
    assert "made: built after " in done.stderr
    assert arena.board()["reasons"] == {"goal": 12}

    again = arena.run(config)
    assert "made: built after " in again.stderr, "whatever has been played"
    assert "complete: all 12 matches" in again.stderr
    assert "has changed" not in again.stderr
    assert log.read_text() == "made\n"

    (arena.directory / "made.txt").write_text(BOT.format(-1))
    changed = arena.run(config)
    assert "made has changed since 8 of its results were played" in changed.stderr
    assert log.read_text() == "made\nmade\n"
    assert sum(arena.board()["set_aside"].values()) == 8
    assert len(arena.export()) == 12


def test_of_builds_that_fail_all_is_told_and_nothing_is_played(arena: Arena) -> None:
    bots = [
        built(arena, "good"),
        arena.bot("bad", "bad.py", build="python -c 'print(4 * 10); 1 / 0'"),
        arena.bot("worse", "worse.py", build="python -c pass"),
        arena.bot("high", "high.py"),
    ]
    config = arena.config(bots)
    done = arena.run(config, code=2)
    assert "bad: the build failed after " in done.stderr
    assert "bad cannot be built: it exited with status 1" in done.stderr
    assert "\n        40\n" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "good: built after " in done.stderr
    assert not arena.results.exists()

    done = arena.run(config, "--without", "bad", "--without", "worse")
    assert "bad is left out, because of --without" in done.stderr
    assert {row["bot"] for row in arena.board()["leaderboard"]} == {"good", "high"}
    arena.results.rename(arena.directory / "played")
    assert "did you mean worse?" in arena.run(config, "--without", "worst", code=2).stderr
    needs_two = arena.run(config, *(word for name in ("good", "bad", "worse") for word in ("--without", name)), code=2)
    assert "at least two bots" in needs_two.stderr

    config = arena.config([bots[0], *bots[2:]])
    assert 'the build made no file "' in arena.run(config, code=2).stderr
    assert not arena.results.exists()


def test_a_bot_that_lacks_something_is_left_out(arena: Arena) -> None:
    bots = [
        arena.bot("high", "high.py"),
        arena.bot("lacking", "none.py", needs=["no-such-program"], build="no-such-program x"),
        arena.bot("random", "random_bot.py"),
    ]
    config = arena.config(bots, rating={"anchor": {"bot": "lacking", "elo": 0}})
    said = "lacking is left out: it needs no-such-program, which is not on the PATH"
    checked = arena("validate", config)
    assert said in checked.stderr
    assert "2 bots" in checked.stdout
    done = arena.run(config)
    assert said in done.stderr
    assert {row["bot"] for row in arena.board()["leaderboard"]} == {"high", "random"}
    assert said in arena("match", "lacking", "high", "--config", config, code=2).stderr
    alone = arena.config(bots[:2], name="alone")
    assert f"at least two bots, but {said}" in arena("validate", alone, code=2).stderr


def test_a_match_builds_the_two_bots_that_play_it(arena: Arena) -> None:
    bots = [built(arena, "made"), built(arena, "other"), arena.bot("high", "high.py")]
    config = arena.config(bots)
    done = arena("match", "high", "made", "--config", config)
    assert "high (seat 0) against made (seat 1)" in done.stdout
    assert "made: built after " in done.stderr
    assert not (arena.directory / "other.py").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_build_and_all_that_it_started(arena: Arena, number: signal.Signals) -> None:
    slow = arena.bot("slow", "slow.py", build=["sh", "-c", "sleep 600 & sleep 600"])
    run = arena.start(arena.config([slow, arena.bot("high", "high.py")]))
    wait_until(lambda: len(arena.bots_alive()) == 3, "the build runs")
    run.send_signal(number)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    wait_until(lambda: not arena.bots_alive(), "all of it is gone")
    assert not arena.results.exists()
