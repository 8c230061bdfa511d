"""A tournament that is stopped, killed, or changed on the way."""

import random
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from arena.store import Store
from tests.e2e.place import Arena, matches_of, wait_until


def played(arena: Arena) -> int:
    if not (arena.results / "results.sqlite").exists():
        return 0
    with Store.open(arena.results) as store:
        return store.totals().matches if store.meta("entrants") else 0


def has_come_to(arena: Arena, run: "subprocess.Popen[str]", goal: int) -> bool:
    return run.poll() is not None or played(arena) >= goal


def three_bots(arena: Arena) -> list[dict[str, object]]:
    return [arena.bot("random", "random_bot.py"), arena.bot("greedy", "greedy.py"), arena.bot("high", "high.py")]


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("pairs", [7, pytest.param(100, marks=pytest.mark.soak)])
def test_killed_again_and_again_it_ends_as_if_never_interrupted(arena: Arena, pairs: int) -> None:
    config = arena.config(three_bots(arena), pairs=pairs, run={"workers": 2, "matches_at_once": 4})
    kills = 0
    chance = random.Random(f"kills {pairs}")
    while True:
        run = arena.start(config)
        before = played(arena)
        goal = before + chance.randrange(1, 10)
        wait_until(partial(has_come_to, arena, run, goal), "results come in", 300)
        if run.poll() is not None:
            break
        run.send_signal(signal.SIGKILL)
        run.communicate()
        kills += 1
        wait_until(lambda: not arena.bots_alive(), "bots end when the run is killed")
    run.communicate()
    assert kills >= 3
    assert played(arena) == 6 * pairs
    interrupted, board = arena.export(), arena.standings()
    assert f"identical: {6 * pairs}" in arena.here("verify", arena.results)
    arena.run(config, "--fresh")
    assert matches_of(arena.export()) == matches_of(interrupted)
    assert arena.standings() == board


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_it_and_tells_how_to_go_on(arena: Arena, number: signal.Signals) -> None:
    config = arena.config(three_bots(arena), pairs=200)
    run = arena.start(config, "--workers", "2")
    wait_until(lambda: played(arena) >= 5, "matches are played", 300)
    run.send_signal(number)
    out, err = run.communicate(timeout=300)
    assert run.returncode == 130, err
    assert out == ""
    assert f"arena run {config} --output {arena.results} --workers 2" in err
    assert not arena.bots_alive()
    assert 5 <= played(arena) < 1200
    assert "Traceback" not in err


def test_a_lost_referee_is_replaced_and_its_bots_ended(arena: Arena) -> None:
    config = arena.config(three_bots(arena), pairs=10, run={"workers": 1, "matches_at_once": 4})
    run = arena.start(config)
    wait_until(lambda: played(arena) >= 5, "matches are played", 300)
    (referee,) = psutil.Process(run.pid).children()
    referee.kill()
    out, err = run.communicate(timeout=300)
    assert run.returncode == 0, err
    assert "60 matches of 60" in out
    assert "identical" in arena("verify", arena.results).stdout


def test_a_referee_that_stood_still_blames_nobody(arena: Arena) -> None:
    """While the referee is stopped, answers come that it can only read too late."""
    bots = three_bots(arena)[:2]
    config = arena.config(bots, pairs=40, time={"move_ms": 1000, "margin_ms": 20, "startup_ms": 60_000})
    run = arena.start(config)
    for goal in (2, 10):
        wait_until(partial(has_come_to, arena, run, goal), "matches are played", 300)
        (referee,) = psutil.Process(run.pid).children()
        referee.suspend()
        time.sleep(1.5)  # beyond the clock of a move
        referee.resume()
    _, err = run.communicate(timeout=300)
    assert run.returncode == 0, err
    assert arena.board()["reasons"] == {"goal": 80}


def test_a_new_bot_plays_only_what_is_missing(arena: Arena) -> None:
    bots = three_bots(arena)
    arena.run(arena.config(bots[:2], pairs=3))
    before = matches_of(arena.export())
    done = arena.run(arena.config(bots, pairs=3))
    assert "6 of 18 matches have been played" in done.stderr
    after = matches_of(arena.export())
    assert len(after) == 18
    assert before.items() <= after.items()


def test_a_removed_bot_leaves_the_ladder_and_comes_back(arena: Arena) -> None:
    bots = three_bots(arena)
    arena.run(arena.config(bots, pairs=2))
    full = arena.standings()
    done = arena.run(arena.config(bots[1:], pairs=2))
    assert "8 results of bots that are not entered any more" in done.stdout
    assert len(arena.board()["leaderboard"]) == 2
    again = arena.run(arena.config(bots, pairs=2))
    assert "complete" in again.stderr
    assert arena.standings() == full


def test_a_changed_program_is_noticed_and_plays_again(arena: Arena) -> None:
    script = arena.directory / "mine.py"
    script.write_text((Path(__file__).parents[2] / "example_bots/python/high.py").read_text())
    bots = [arena.bot("mine", script), *three_bots(arena)[:2]]
    config = arena.config(bots, pairs=2)
    arena.run(config)
    others = {key: match for key, match in matches_of(arena.export()).items() if "mine" not in match["bots"]}
    script.write_text(script.read_text() + "\n# improved\n")
    done = arena.run(config)
    assert "mine has changed since 8 of its results were played" in done.stderr
    assert "Not counted: 8 results, because mine has changed" in done.stdout
    after = matches_of(arena.export())
    assert len(after) == 12
    assert others.items() <= after.items()


def test_other_conditions_are_refused_with_words(arena: Arena) -> None:
    bots = three_bots(arena)[:2]
    arena.run(arena.config(bots, pairs=1))
    changed = arena.config(bots, pairs=1, time={"move_ms": 77}, game={"name": "tacocat", "rules": {"max_rounds": 9}})
    refused = arena.run(changed, code=2)
    assert "time.move_ms was 30000, is 77" in refused.stderr
    assert "game.rules.max_rounds was 100, is 9" in refused.stderr
    assert "--fresh" in refused.stderr
    moved = arena.run(changed, "--fresh")
    assert "Older results were moved to" in moved.stderr
    assert (arena.directory / "results.old-1" / "results.sqlite").exists()


def test_two_runs_do_not_write_to_one_place(arena: Arena) -> None:
    config = arena.config(three_bots(arena), pairs=200)
    run = arena.start(config)
    try:
        wait_until(lambda: played(arena) >= 1, "matches are played", 300)
        refused = arena.run(config, code=2)
        assert "another run is writing here" in refused.stderr
        assert arena.here("leaderboard", arena.results), "reading is welcome"
    finally:
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=300)


def test_more_pairs_are_played_on_top(arena: Arena) -> None:
    bots = three_bots(arena)[:2]
    arena.run(arena.config(bots, pairs=2))
    before = matches_of(arena.export())
    arena.run(arena.config(bots, pairs=3))
    after = matches_of(arena.export())
    assert len(after) == 6
    assert before.items() <= after.items()


def test_broken_pipe_is_no_crash(arena: Arena) -> None:
    arena.run(arena.config(three_bots(arena), pairs=4))
    shell = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | head -n 1', "bash", *arena.command("export", arena.results)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert shell.stdout.startswith('{"format"')
    assert shell.stderr == ""
