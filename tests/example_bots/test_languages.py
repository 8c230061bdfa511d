"""The example bots of all languages: each builds, passes its own tests and `arena check`, and plays as the others do.

What is missing on this machine is skipped with a word; where the environment says CI, it fails.
"""

import os
import random
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from arena.check.conversation import Heard
from arena.check.host import Host
from arena.check.steps import check_bot
from arena.config.builds import ready
from arena.config.entrants import missing_programs, not_on_the_path, read_entry
from arena.config.examples import ENTRY, languages
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, TimeControl
from protocol.messages import MatchStart, Request
from tests.e2e.place import Arena
from tests.example_bots.test_python_bots import BOTS, GAME, UNUSUAL, positions

ROOT = Path(__file__).parents[2]
LANGUAGES = languages()
PATIENCE_MS = 20_000


def require(language: str) -> None:
    """Skip (in CI: fail) a test whose language is not here."""
    lacks = missing_programs(read_entry(LANGUAGES[language] / ENTRY)[1])
    if lacks:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing(f"{language} needs {not_on_the_path(lacks)}")


@cache
def built(language: str) -> BotSpec:
    return ready(language, [str(LANGUAGES[language])], ROOT)


@pytest.fixture(params=LANGUAGES)
def bot(request: pytest.FixtureRequest) -> BotSpec:
    """An example bot, built."""
    require(request.param)
    return built(request.param)


def own_tests(language: str) -> list[str]:
    """The command of its README that runs its own tests."""
    text = (LANGUAGES[language] / "README.md").read_text("utf-8")
    found = re.search(r"^(.+?) +# its own tests$", text, re.MULTILINE)
    assert found is not None, "the README says how"
    return shlex.split(found[1])


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {"python"}))
def test_its_own_tests_pass(language: str) -> None:
    """Golden vectors through its own libraries, and its strategy. (Those of Python are in this project's suite.)"""
    require(language)
    built(language)
    command = own_tests(language)
    done = subprocess.run(command, cwd=LANGUAGES[language], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"


def answers(bot: BotSpec, questions: list[Request], directory: Path) -> Iterator[Any]:
    """What a process of the bot answers, one question after another."""
    with Host(bot, directory, launcher=Unconfined(), limits=Limits()) as host:
        process = host.start()
        assert host.wait(lambda: process.hello is not None, host.clock() + PATIENCE_MS), process.refusal
        host.send(process, MatchStart("m", "tacocat", 0, ["it", "other"], GAME.public_rules(), {}))
        for question in questions:
            host.send(process, question)
            assert host.wait(lambda: process.has_news, host.clock() + PATIENCE_MS), question
            happening = process.take()
            assert isinstance(happening, Heard), (question, happening, process.process.describe_output())
            assert happening.action.request == question.request
            yield happening.action.action
        assert host.end(process), "it leaves at bye"


@pytest.mark.timeout(1500)
def test_it_plays_as_the_thoughtful_one(bot: BotSpec, tmp_path: Path) -> None:
    """The same answer to every request, under the usual rules and under strange ones."""
    chance = random.Random(bot.name)
    limit = 2**53 - 1 if bot.protocol == "stdio" else 2**63
    asked = [question for game, count in ((GAME, 1200), (UNUSUAL, 400)) for _, _, question in positions(game, count)]
    asked = [replace(question, match="m", request=chance.randint(-limit, limit)) for question in asked]
    thoughtful = BOTS["thoughtful"].choose
    for question, answer in zip(asked, answers(bot, asked, tmp_path), strict=True):
        assert sorted(answer) == sorted(thoughtful(question)), question


@pytest.mark.timeout(1500)
def test_it_is_fit_to_enter(bot: BotSpec) -> None:
    clocks = TimeControl(move_ms=5000, startup_ms=20_000)  # the machine of a test may be busy with others
    terms = MatchTerms(GAME, "tacocat", clocks)
    report = check_bot(bot, terms, lambda _: None, launcher=Unconfined(), limits=Limits(), quick=True)
    assert report.failure is None, report.failure


@pytest.mark.timeout(1500)
def test_all_of_them_play_in_one_tournament(arena: Arena) -> None:
    """Alike as they are, each wins exactly one match of every pair."""
    here = [language for language in LANGUAGES if not missing_programs(read_entry(LANGUAGES[language] / ENTRY)[1])]
    for language in LANGUAGES.keys() - here:
        if os.environ.get("CI"):
            require(language)
    document = yaml.safe_load((ROOT / "configs" / "languages.yaml").read_text())
    document["bots"] = [str((ROOT / "configs" / path).resolve()) for path in document["bots"]]
    document["tournament"]["pairs"] = 1
    document["time"] = {"move_ms": 10_000, "startup_ms": 60_000}
    config = arena.directory / "languages.yaml"
    config.write_text(yaml.safe_dump(document))
    done = arena("run", config, "--output", arena.results, timeout_s=1200)
    board = arena.board()
    assert board["faults"] == {}
    assert board["reasons"] == {"goal": len(here) * (len(here) - 1)}
    assert {row["bot"]: row["score"] for row in board["leaderboard"]} == dict.fromkeys(here, 50.0)
    for language in LANGUAGES.keys() - here:
        assert f"{language} is left out" in done.stderr
