"""A package that adds a game, two formats and a rating: from its installation through every command to its removal."""

import csv
import io
import json
import random
import shutil
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.place import Arena, matches_of, wait_until
from tests.e2e.test_resume import played
from tests.second_game.site import installed

ROUND_ROBIN = {"format": "round_robin", "pairs": 2, "seed": "a test"}
SWISS = {"format": "swiss", "rounds": 3, "pairs": 2, "seed": "a test"}
KNOCKOUT = {"format": "knockout", "pairs": 2, "seed": "a test"}
FORMATS = [ROUND_ROBIN, SWISS, KNOCKOUT]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of installed packages."""
    path = tmp_path_factory.mktemp("packages") / "site"
    installed(path)
    return path


@pytest.fixture
def leduc(arena: Arena, site: Path) -> Arena:
    """A place where the package is installed."""
    arena.environment["PYTHONPATH"] = str(site)
    return arena


def config(arena: Arena, tournament: dict[str, Any], *, size: int = 7, **blocks: Any) -> Path:
    """A tournament of bots that always answer alike, the third of which cannot be started."""
    scripts = Path(arena.environment["PYTHONPATH"]) / "arena_leduc" / "bots" / "python"
    bots = [
        arena.bot(f"{number} {name}", scripts / f"{name}.py")
        for number, name in enumerate(["steady", "caller", "broken", "raiser", "steady", "caller", "raiser"][:size])
    ]
    bots[2]["command"] = ["python", "-c", "raise SystemExit('out of order')"]
    document = {"game": {"name": "leduc", "hands": 4}, "tournament": tournament, "rating": {"method": "score_share"}}
    return arena.config(bots, **{**document, "run": {"workers": 2, "matches_at_once": 3}, **blocks})


def export(arena: Arena) -> list[dict[str, Any]]:
    return [json.loads(line) for line in arena("export", arena.results).stdout.splitlines()]


def board(arena: Arena) -> dict[str, Any]:
    """The ladder, without what differs from run to run, which is time."""
    found: dict[str, Any] = json.loads(arena("leaderboard", arena.results, "--format", "json").stdout)
    for row in found["leaderboard"]:
        del row["median_ms"]
    return found


def meetings(matches: Sequence[dict[str, Any]]) -> Counter[tuple[str, ...]]:
    """How many matches each two bots have played."""
    return Counter(tuple(sorted(match["bots"])) for match in matches)


@pytest.mark.parametrize("tournament", FORMATS, ids=lambda block: block["format"])
def test_one_run_plays_all_of_a_tournament_though_a_bot_cannot_be_started(
    leduc: Arena, tournament: dict[str, Any]
) -> None:
    path = config(leduc, tournament)
    said = leduc("validate", path).stdout
    assert f"7 bots, {tournament['format']} of leduc" in said
    done = leduc.run(path)
    assert "2 broken failed to start three times in a row and is suspended" in done.stderr
    counts = meetings(export(leduc))
    of_broken = {bots: count for bots, count in counts.items() if "2 broken" in bots}
    assert sum(of_broken.values()) == 3
    others = {bots: count for bots, count in counts.items() if "2 broken" not in bots}
    {"round_robin": check_round_robin, "swiss": check_swiss, "knockout": check_knockout}[tournament["format"]](others)
    ladder = board(leduc)
    assert ladder["matches"] == counts.total()
    assert ladder["suspended"] == ["2 broken"]
    again = leduc.run(path)
    assert "This tournament is complete" in again.stderr
    assert meetings(export(leduc)) == counts


def check_round_robin(others: dict[tuple[str, ...], int]) -> None:
    """Each two of the other six."""
    assert len(others) == 15
    assert set(others.values()) == {4}


def check_swiss(others: dict[tuple[str, ...], int]) -> None:
    """In each of three rounds two or three meetings, a walkover or a bye for the bot that is out, and one bye."""
    assert 6 <= len(others) <= 9
    assert set(others.values()) == {4}
    rounds = Counter(bot for bots in others for bot in bots)
    assert len(rounds) == 6
    assert all(1 <= count <= 3 for count in rounds.values())


def check_knockout(others: dict[tuple[str, ...], int]) -> None:
    """Of six meetings of seven bots one was a walkover, and who has lost a meeting plays no other."""
    assert len(others) == 5
    assert all(4 <= count <= 10 for count in others.values())
    rounds = Counter(bot for bots in others for bot in bots)
    assert len(rounds) == 6


def test_what_its_ladder_shows(leduc: Arena) -> None:
    leduc.run(config(leduc, SWISS, size=4))
    table = leduc("leaderboard", leduc.results).stdout.splitlines()
    assert table[0].split()[:4] == ["#", "bot", "score", "%"]
    assert "A score depends on the opponents: compare bots that have met the same ones." in table
    found = board(leduc)
    assert (found["scale"], found["planned"]) == ("score %", 16)
    rows = list(csv.DictReader(io.StringIO(leduc("leaderboard", leduc.results, "--format", "csv").stdout)))
    for row, shown in zip(rows, found["leaderboard"], strict=True):
        assert (row["bot"], float(row["elo"])) == (shown["bot"], shown["elo"])
        points = shown["wins"] + shown["draws"] / 2
        assert shown["elo"] == pytest.approx(100 * (points + 1) / (shown["matches"] + 2), abs=0.05)
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4"]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("tournament", [SWISS, KNOCKOUT], ids=lambda block: block["format"])
def test_killed_again_and_again_it_ends_as_if_never_interrupted(leduc: Arena, tournament: dict[str, Any]) -> None:
    """Whatever a format decides by results, it decides alike after each kill."""
    path = config(leduc, tournament, size=5, game={"name": "leduc", "hands": 20})
    kills, chance = 0, random.Random(tournament["format"])
    while True:
        goal = played(leduc) + chance.randrange(1, 8)
        run = leduc.start(path)
        wait_until(lambda: run.poll() is not None or played(leduc) >= goal, "results come in", 60)  # noqa: B023
        if run.poll() is not None:
            break
        run.send_signal(signal.SIGKILL)
        run.communicate()
        kills += 1
        wait_until(lambda: not leduc.bots_alive(), "bots end when the run is killed", 10)
    _, said = run.communicate()
    assert run.returncode == 0, said
    assert kills >= 1
    interrupted, ladder = matches_of(export(leduc)), board(leduc)
    assert f"identical: {len(interrupted)} matches" in leduc("verify", leduc.results).stdout
    leduc.run(path, "--fresh", "--workers", "1")
    assert matches_of(export(leduc)) == interrupted
    assert board(leduc) == ladder


def test_single_matches_and_bots_of_its_own_game(leduc: Arena) -> None:
    path = config(leduc, KNOCKOUT, size=4)
    told = leduc("match", "0 steady", "3 raiser", "--config", path, "--seed", "00" * 32).stdout
    assert "Hand 4: both pay 1 chip, 3 raiser is the first to bet." in told
    assert "(chips). After 4 hands seat 0 has won" in told
    assert "fit to enter" in leduc("check", "--config", path, "--quick", "3 raiser").stdout
    scripts = Path(leduc.environment["PYTHONPATH"]) / "arena_leduc" / "bots" / "python"
    assert "fit to enter" in leduc("check", "--game", "leduc", "--quick", scripts).stdout
    refused = leduc("check", "--config", path, "--quick", "2 broken", code=1).stdout
    assert "out of order" in refused


def test_replays_tell_its_matches(leduc: Arena) -> None:
    leduc.run(config(leduc, SWISS, size=4))
    match = next(match for match in export(leduc) if match["outcome"]["reason"] == "chips")
    assert match["rules"] == {"hands": 4}
    told = leduc("replay", leduc.results, match["match"]).stdout.splitlines()
    assert told[1] == f"Hand 1: both pay 1 chip, {match['bots'][0]} is the first to bet."
    assert told[-1].endswith(match["outcome"]["detail"])
    assert json.loads(leduc("replay", leduc.results, match["match"], "--format", "json").stdout) == match


def test_everything_it_adds_is_listed(leduc: Arena) -> None:
    for kind, names in [
        ("games", ["leduc", "tacocat"]),
        ("formats", ["knockout", "round_robin", "swiss"]),
        ("ratings", ["bradley_terry", "score_share"]),
    ]:
        listed = json.loads(leduc("list", kind, "--format", "json").stdout)
        assert [entry["name"] for entry in listed if not entry["fault"]] == names
        assert all(setting["text"] for entry in listed for setting in entry["settings"])


def test_when_it_is_uninstalled_each_command_says_what_is_missing(arena: Arena, site: Path, tmp_path: Path) -> None:
    own = tmp_path / "site"
    shutil.copytree(site, own)
    arena.environment["PYTHONPATH"] = str(own)
    path = config(arena, SWISS, size=4)
    arena.run(path)
    (match, *_) = export(arena)
    shutil.rmtree(own)
    wrong = {
        "game": 'game.name: there is no game "leduc"',
        "format": 'tournament.format: there is no format "swiss"',
        "rating": 'rating.method: there is no rating "score_share"',
    }
    for arguments in (
        ["validate", path],
        ["run", path, "--output", arena.results],
        ["match", "0 steady", "1 caller", "--config", path],
        ["check", "--config", path, "0 steady"],
    ):
        said = refusal(arena, *arguments)
        assert all(words in said for words in wrong.values()), said
    assert "there is no game 'leduc' (available: tacocat)" in refusal(arena, "check", "--game", "leduc", "true")
    for arguments in (["export", arena.results], ["replay", arena.results, match["match"]], ["verify", arena.results]):
        said = refusal(arena, *arguments)
        assert "there is no game 'leduc' (available: tacocat); if it belongs to another package, install that" in said
    said = refusal(arena, "leaderboard", arena.results)
    assert "there is no rating 'score_share' (available: bradley_terry)" in said
    assert "tacocat" in arena("list", "games").stdout


def refusal(arena: Arena, *arguments: object) -> str:
    """What a command says that refuses to do anything."""
    done = arena(*arguments, code=2)
    assert done.stdout == ""
    assert "bug" not in done.stderr
    return done.stderr


def test_a_rating_that_is_gone_can_be_replaced_by_another(arena: Arena, site: Path) -> None:
    """No match is played again for it."""
    arena.environment["PYTHONPATH"] = str(site)
    path = config(arena, ROUND_ROBIN, size=4)
    arena.run(path)
    before = meetings(export(arena))
    done = arena.run(config(arena, ROUND_ROBIN, size=4, rating={"method": "bradley_terry"}))
    assert "This tournament is complete" in done.stderr
    assert done.stdout.split()[:3] == ["#", "bot", "Elo"]
    assert meetings(export(arena)) == before
