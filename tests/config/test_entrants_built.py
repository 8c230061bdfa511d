"""Bots that are built, or need what is not here: read before their builds and after, left out where they must be."""

import re
import sys
from pathlib import Path

import pytest
import yaml

from arena.config.entrants import BotKeys, CommandKeys, fingerprint, locate, read_entry
from arena.config.examples import languages
from arena.config.needs import Need
from arena.config.roster import Build
from arena.config.tournament import TournamentConfig, load_config
from arena.errors import ConfigError, SettingsError
from arena.formats.round_robin import RoundRobin
from tests.commands import executable, problems

CONFIGS = Path(__file__).parents[2] / "configs"
BOTS = """bots:
  - {name: greedy, command: python bots/greedy.py}
  - {name: random, command: python bots/random_bot.py}
"""


@pytest.fixture
def base(tmp_path):
    """A folder of bots: bots/greedy.py, bots/random_bot.py, and bots/run, which can be executed."""
    folder = tmp_path / "config"
    executable(folder / "bots" / "run")
    for name in ("greedy.py", "random_bot.py"):
        (folder / "bots" / name).write_text("")
    return folder


@pytest.fixture
def load(base):
    """The config of a text."""

    def load_it(text: str) -> TournamentConfig:
        (base / "test.yaml").write_text(text)
        return load_config(base / "test.yaml")

    return load_it


def test_what_a_build_makes_is_looked_for_once_it_has_been_run(base):
    keys = CommandKeys("./made --fast", build="python -m make_it")
    located = locate(keys, base, is_built=False)
    assert located.command == (str(base / "made"), "--fast")
    assert located.build == (sys.executable, "-m", "make_it")
    (said,) = problems(keys, base)
    assert said.startswith('command: the build made no file "./made"')
    before = located.fingerprint
    executable(base / "made")
    assert locate(keys, base).command == (str(base / "made"), "--fast")
    assert locate(keys, base).fingerprint != before, "it sees what the build has made"


def test_a_script_that_a_build_makes_is_looked_for_alike(base):
    keys = CommandKeys(("python", "out/bot.py"), build=("bots/run",))
    locate(keys, base, is_built=False)
    (said,) = problems(keys, base)
    assert said.startswith('command[1]: the build made no file "out/bot.py"')


def test_a_build_is_located_like_a_command_and_checked_before_it_runs(base):
    own = executable(base / "bots" / ".venv" / "bin" / "python")
    keys = CommandKeys("python greedy.py", directory="bots", build="python3 -m build bot.js")
    assert locate(keys, base, is_built=False).build == (str(own), "-m", "build", "bot.js")
    missing: list[tuple[str | tuple[str, ...], str]] = [
        ("bots/runn", 'build: there is no file "bots/runn" (did you mean run?)'),
        (("pyhton",), 'build[0]: there is no program "pyhton" on the PATH (did you mean python?)'),
    ]
    for build, problem in missing:
        with pytest.raises(ConfigError) as caught:
            locate(CommandKeys("./made", build=build), base, is_built=False)
        assert [str(each) for each in caught.value.problems] == [problem]


def test_files_that_a_build_names_may_be_those_that_it_makes(base):
    locate(CommandKeys("./made", build="bots/run --out bundle.js"), base, is_built=False)


@pytest.mark.parametrize(
    ("build", "fault"), [((), "must name a program"), ("", "must name a program"), ("x 'y", "has a quote or backslash")]
)
def test_a_build_that_names_nothing_is_refused(build, fault):
    with pytest.raises(SettingsError) as caught:
        CommandKeys("x", build=build)
    ((path, message),) = caught.value.problems
    assert path == "build"
    assert message.startswith(fault)


def test_of_a_bot_that_lacks_something_only_the_rest_is_checked(base):
    needs = ("no-such-program>=2",)
    lacks = (Need("program", "no-such-program", "2"),)
    assert locate(CommandKeys("no-such-program bots/greedy.py", needs=needs), base).lacks == lacks
    assert locate(CommandKeys("./made", needs=needs, build="no-such-program x"), base).lacks == lacks
    assert locate(CommandKeys("bots/run", needs=("sh",)), base).lacks == ()
    assert len(problems(CommandKeys("no-such-program bots/gredy.py", needs=needs), base)) == 1
    assert len(problems(CommandKeys("pyhton bots/greedy.py", needs=needs), base)) == 1
    assert len(problems(CommandKeys("./made", needs=needs, build="nor-this-one x"), base)) == 1
    assert len(problems(CommandKeys("no-such-program", needs=needs, directory="nowhere"), base)) == 1


def test_each_need_that_cannot_be_read_is_reported():
    with pytest.raises(SettingsError) as caught:
        CommandKeys("x", needs=("sh", "a/b", "pkg-config:libzmq", ""))
    assert [path for path, _ in caught.value.problems] == ["needs[1]", "needs[3]"]


def test_how_a_bot_is_built_is_not_part_of_its_fingerprint(base):
    """So results of before there were builds still count."""
    known = "215e32e60cd88a5557083bb3394dd40b4ee4ce6a27d9d9d3ee812bb14161f87e"
    assert fingerprint(CommandKeys("./x -1", environment={"A": "1"}, version="2"), Path("/nowhere")) == known
    plain = locate(CommandKeys("bots/run"), base).fingerprint
    assert locate(CommandKeys("bots/run", build="bots/run", needs=("sh",)), base).fingerprint == plain


def test_an_entry_in_a_file_of_its_own_can_be_read(tmp_path):
    (tmp_path / "bot.yaml").write_text("name: ann\nprotocol: stdio\nneeds: [sh]\nbuild: [sh, x]\ncommand: ./x\n")
    assert read_entry(tmp_path / "bot.yaml") == (
        BotKeys("ann", protocol="stdio"),
        CommandKeys("./x", build=("sh", "x"), needs=("sh",)),
    )
    (tmp_path / "bot.yaml").write_text("name: ann\nneed: [sh]\n")
    with pytest.raises(ConfigError) as caught:
        read_entry(tmp_path / "bot.yaml")
    assert [problem.line for problem in caught.value.problems] == [None, 2]


def test_a_config_is_read_before_its_bots_are_built_and_after(base):
    text = BOTS + (
        "  - {name: ann, build: python -m make_it, command: bots/ann, environment: {A: 1}}\n"
        "  - {name: ben, build: python -m make_it, command: bots/ben, protocol: stdio}\n"
    )
    (base / "test.yaml").write_text(text)
    config = load_config(base / "test.yaml", built=())
    assert [bot.name for bot in config.bots] == ["greedy", "random", "ann", "ben"]
    assert [bot.protocol for bot in config.bots] == ["zeromq"] * 3 + ["stdio"]
    make_it = config.bots[0].command[0], "-m", "make_it"
    assert config.builds == (
        Build("ann", make_it, str(base.resolve()), {"A": "1"}),
        Build("ben", make_it, str(base.resolve()), {}),
    )
    for built, missing in [(None, ["ann", "ben"]), ({"ann", "random"}, ["ann"]), ({"ben"}, ["ben"])]:
        with pytest.raises(ConfigError) as caught:
            load_config(base / "test.yaml", built=built)
        assert [re.findall('made no file .bots/(.*?)"', str(problem)) for problem in caught.value.problems] == [
            [name] for name in missing
        ]


def test_a_bot_whose_needs_are_not_here_is_left_out(load):
    text = BOTS + (
        "  - {name: ann, command: ./ann, build: nope x, needs: [nope]}\n"
        "  - {name: ben, command: nope, needs: [sh, nope, no, none]}\n"
    )
    config = load(text)
    assert [bot.name for bot in config.bots] == ["greedy", "random"]
    assert config.builds == ()
    assert config.left_out == {
        "ann": "ann is left out: it needs nope, which is not on the PATH",
        "ben": "ben is left out: it needs nope, no and none, which are not on the PATH",
    }
    anchored = load(text + "rating: {anchor: {bot: ben, elo: 7}}\n")
    assert anchored.anchor is None
    assert anchored.left_out["ben"].endswith("on the PATH, and ratings have no anchor without it")
    assert anchored.left_out["ann"] == config.left_out["ann"]
    assert load(text + "rating: {anchor: {bot: random, elo: 7}}\n").anchor == ("random", 7.0)


def test_all_languages_meet_in_a_tournament():
    """Each example bot is entered, and nobody else; its name is its folder's."""
    path = CONFIGS / "languages.yaml"
    entered = [(CONFIGS / entry).resolve() for entry in yaml.safe_load(path.read_text())["bots"]]
    assert entered == list(languages().values())
    config = load_config(path, built=())
    assert {bot.name for bot in config.bots} | set(config.left_out) == set(languages())
    assert (config.format, config.seed is not None) == (RoundRobin(20), True)
    assert (config.time.move_ms, config.time.startup_ms) == (1000, 20_000)
