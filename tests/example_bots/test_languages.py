"""The example bots of all languages: each builds, passes its own tests and `arena check`, and plays as the others do.

What is missing on this machine is skipped with a word; where the environment says CI, it fails.
"""

import os
import random
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from arena.check.conversation import Heard
from arena.check.host import Host
from arena.check.steps import check_bot
from arena.launchers.none import Unconfined
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, TimeControl
from protocol.messages import MatchStart, Request
from tests.e2e.place import Arena
from tests.example_bots.test_python_bots import BOTS, GAME, UNUSUAL, positions
from tests.example_bots.toolchains import LANGUAGES, absent, held, is_for_want_of_a_network, lack, require, unfetched

ROOT = Path(__file__).parents[2]
PATIENCE_MS = 20_000


def each(*names: str) -> list[Any]:
    """Languages as parameters; the tests of one are for one process, as they wait for each other."""
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in names]


@pytest.fixture(params=each(*LANGUAGES))
def bot(request: pytest.FixtureRequest) -> Iterator[BotSpec]:
    """An example bot, built."""
    require(request.param)
    with held(request.param) as bot:
        yield bot


def own_tests(language: str) -> list[str]:
    """The command of its README that runs its own tests."""
    text = (LANGUAGES[language] / "README.md").read_text("utf-8")
    found = re.search(r"^(.+?) +# its own tests$", text, re.MULTILINE)
    assert found is not None, "the README says how"
    return shlex.split(found[1])


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("language", each(*sorted(LANGUAGES.keys() - {"python"})))
def test_its_own_tests_pass(language: str) -> None:
    """Golden vectors through its own libraries, and its strategy. (Those of Python are in this project's suite.)"""
    require(language)
    command = own_tests(language)
    if not shutil.which(command[0]):
        absent(f"{language}'s own tests need {command[0]}, which is not on the PATH")
    with held(language) as bot:
        done = subprocess.run(command, cwd=bot.directory, capture_output=True, text=True, check=False)
    said = f"{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
    if done.returncode and is_for_want_of_a_network(said):
        absent(f"{language}'s own tests cannot be run without a network: their libraries have not been fetched yet")
    assert done.returncode == 0, f"{shlex.join(command)}\n{said}"
    untested = re.search(r"The messages are not tested: .*", said)
    if untested:
        absent(f"{language}'s own tests pass as far as they go. {untested[0]}")


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


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("pairs", [1, pytest.param(20, marks=pytest.mark.soak)])
def test_all_of_them_play_in_one_tournament(arena: Arena, pairs: int) -> None:
    """Alike as they are, each wins exactly one match of every pair."""
    away = [language for language in LANGUAGES if lack(language)]
    unbuilt = [language for language in LANGUAGES if language not in away and unfetched(language)]
    if os.environ.get("CI"):
        assert not away + unbuilt, "all of them can play in CI"
    here = [language for language in LANGUAGES if language not in away + unbuilt]
    document = yaml.safe_load((ROOT / "configs" / "languages.yaml").read_text())
    document["tournament"]["pairs"] = pairs
    document["time"] = {"move_ms": 10_000, "startup_ms": 60_000}
    config = arena.directory / "languages.yaml"
    with ExitStack() as stack:
        folders = [stack.enter_context(held(language)).directory for language in here]
        document["bots"] = folders + [str(LANGUAGES[language]) for language in away]
        config.write_text(yaml.safe_dump(document))
        done = arena("run", config, "--output", arena.results, timeout_s=3600)
    board = arena.board()
    assert board["faults"] == {}
    assert board["reasons"] == {"goal": pairs * len(here) * (len(here) - 1)}
    assert {row["bot"]: row["score"] for row in board["leaderboard"]} == dict.fromkeys(here, 50.0)
    for language in away:
        assert f"{language} is left out" in done.stderr
