"""Tournaments from config to ladder: what is played, by which processes, and that nothing but the seed decides."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.e2e.place import Arena, matches_of

# Plays its lowest card always, and writes down which process played which deal in which seat.
WITNESS = """
import os, sys
from protocol.bot import serve

def choose(request):
    return request.legal_actions[0] if request.legal_actions else []

def begin(start):
    with open(sys.argv[1], "a") as out:
        out.write(f"{os.getpid()} {start.match}\\n")

serve(choose, name="witness", concurrency=int(sys.argv[2]) if len(sys.argv) > 2 else 1, on_start=begin)
"""


def witnessed(path: Path) -> list[tuple[int, str]]:
    lines = [line.split() for line in path.read_text().splitlines()]
    return [(int(pid), match) for pid, match in lines]


def test_a_tournament_is_played_to_its_ladder(arena: Arena) -> None:
    config = arena.config([arena.bot("random", "random_bot.py"), arena.bot("high", "high.py")], pairs=5)
    done = arena.run(config)
    assert "10 matches of 10, 5 complete pairs" in done.stdout
    assert done.stdout.splitlines()[0].split()[:3] == ["#", "bot", "Elo"]
    assert "SHA-256" in done.stderr
    again = arena.run(config)
    assert "complete: all 10 matches" in again.stderr
    assert again.stdout == done.stdout
    assert "identical: 10 matches" in arena("verify", arena.results).stdout


def test_results_do_not_depend_on_workers_or_matches_at_once(arena: Arena) -> None:
    bots = [arena.bot("random", "random_bot.py"), arena.bot("greedy", "greedy.py"), arena.bot("high", "high.py")]
    one = arena.config(bots, pairs=2, name="one", run={"workers": 1, "matches_at_once": 1})
    arena.run(one)
    first, first_board = arena.export(), arena.standings()
    four = arena.config(bots[::-1], pairs=2, name="four", run={"workers": 4, "matches_at_once": 3})
    arena.run(four, "--fresh")
    assert matches_of(arena.export()) == matches_of(first)
    assert [match["match"] for match in arena.export()] == [match["match"] for match in first]
    assert arena.standings() == first_board


@pytest.mark.parametrize("matches_at_once", [1, 6])
def test_results_do_not_depend_on_how_bots_talk(arena: Arena, matches_at_once: int) -> None:
    """By lines or over ZeroMQ, each alone and both in one match."""
    witness = arena.script("witness.py", WITNESS)
    exports = []
    for number, protocols in enumerate((("zeromq",) * 3, ("stdio",) * 3, ("stdio", "zeromq", "stdio"))):
        bots = [
            arena.bot("random", "random_bot.py", protocol=protocols[0]),
            arena.bot("greedy", "greedy.py", protocol=protocols[1]),
            arena.bot("many", witness, str(arena.directory / "log.txt"), "4", protocol=protocols[2]),
        ]
        config = arena.config(bots, pairs=2, name=str(number), run={"matches_at_once": matches_at_once})
        arena.run(config, "--fresh")
        exports.append(matches_of(arena.export()))
    assert {match["outcome"]["reason"] for match in exports[0].values()} == {"goal"}
    assert exports[1] == exports[0]
    assert exports[2] == exports[0]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_process_meets_a_deal_twice(arena: Arena, workers: int) -> None:
    witness = arena.script("witness.py", WITNESS)
    logs = {name: arena.directory / f"{name}.txt" for name in ("a", "b", "c")}
    bots = [arena.bot(name, witness, str(log)) for name, log in logs.items()]
    arena.run(arena.config(bots, pairs=6, run={"workers": workers, "matches_at_once": 4}))
    seeds = {match["match"]: match["seed"] for match in arena.export()}
    assert len(seeds) == 36
    assert len(set(seeds.values())) == 18, "both matches of a pair share a deal, no others do"
    for log in logs.values():
        met = defaultdict(list)
        for pid, match in witnessed(log):
            met[pid].append(seeds[match])
        assert sum(map(len, met.values())) == 24
        assert len(met) < 24, "processes are kept for more than one match"
        for deals in met.values():
            assert len(deals) == len(set(deals))


def test_a_bot_may_play_several_matches_at_once(arena: Arena) -> None:
    witness = arena.script("witness.py", WITNESS)
    log = arena.directory / "log.txt"
    many = arena.bot("many", witness, str(log), "8")
    bots = [many, arena.bot("random", "random_bot.py")]
    arena.run(arena.config(bots, pairs=10, run={"workers": 1, "matches_at_once": 8}))
    assert arena.board()["reasons"] == {"goal": 20}
    assert len({pid for pid, _ in witnessed(log)}) == 2, "one process for each lane is enough"


def test_a_fresh_process_for_each_match(arena: Arena) -> None:
    witness = arena.script("witness.py", WITNESS)
    log, worn = arena.directory / "fresh.txt", arena.directory / "worn.txt"
    bots = [
        arena.bot("fresh", witness, str(log), restart="match"),
        arena.bot("worn", witness, str(worn), instances_matches=2),
    ]
    arena.run(arena.config(bots, pairs=4))
    assert len({pid for pid, _ in witnessed(log)}) == 8
    played: defaultdict[int, int] = defaultdict(int)
    for pid, _ in witnessed(worn):
        played[pid] += 1
    assert max(played.values()) == 2


def test_names_and_paths_may_be_anything_printable(arena: Arena) -> None:
    folder = arena.directory / "a folder with 'quotes' und Umläuten"
    folder.mkdir()
    (folder / "my bot.py").write_text(WITNESS)
    names = ["héllo wörld", "机器人 🤖", 'a "quoted" | name', "../up", "a" * 100]
    bots = [arena.bot(name, folder / "my bot.py", str(folder / f"{number}.txt")) for number, name in enumerate(names)]
    arena.run(arena.config(bots, pairs=1))
    board = arena.board()
    assert {row["bot"] for row in board["leaderboard"]} == set(names)
    assert board["reasons"] == {"goal": 20}
    logs = {path.name for path in (arena.results / "logs").iterdir()}
    assert len(logs) == 5
    assert all(path.parent == arena.results / "logs" for path in (arena.results / "logs").iterdir())


def test_output_of_a_bot_goes_to_its_bounded_log(arena: Arena) -> None:
    noisy = arena.bot("noisy", "faulty.py", "noise")
    config = arena.config([noisy, arena.bot("high", "high.py")], pairs=2, limits={"output_mb": 1})
    arena.run(config)
    assert arena.board()["reasons"] == {"goal": 4}, "noise is no fault"
    written = sum(path.stat().st_size for path in (arena.results / "logs").glob("noisy*"))
    assert 0 < written < 2 << 20


def test_matches_can_be_told_and_exported(arena: Arena) -> None:
    config = arena.config([arena.bot("random", "random_bot.py"), arena.bot("high", "high.py")], pairs=1)
    arena.run(config)
    match = arena.export()[0]
    told = arena("replay", arena.results, match["match"][:8]).stdout
    assert told.startswith(f"Match {match['match']}, deal 0: ")
    assert "Round 1: the Tacocat is on space 4" in told
    assert told.rstrip().endswith(match["outcome"]["detail"])
    assert json.loads(arena("replay", arena.results, match["match"], "--format", "json").stdout) == match
    assert "no match whose id begins with" in arena("replay", arena.results, "zzz", code=2).stderr
    for form in ("table", "markdown", "csv", "json"):
        assert "high" in arena("leaderboard", arena.results, "--format", form).stdout


def test_one_match_is_shown_move_by_move(arena: Arena) -> None:
    config = arena.config([arena.bot("random", "random_bot.py"), arena.bot("high", "high.py")])
    seed = "0" * 64
    shown = arena("match", "random", "high", "--config", config, "--seed", seed).stdout
    assert shown.startswith(f"random (seat 0) against high (seat 1), seed {seed}")
    assert "Round 1: the Tacocat is on space 4" in shown
    assert shown.splitlines()[-1].startswith(("random wins", "high wins"))
    again = arena("match", "random", "high", "--config", config, "--seed", seed).stdout
    assert again == shown
    traced = arena("match", "random", "high", "--config", config, "--seed", seed, "--trace").stdout
    assert '"type": "match_start"' in traced
    assert '<- random: {"type": "action"' in traced
    assert "must have 64 hexadecimal digits" in arena("match", "a", "b", "--seed", "00", code=2).stderr
