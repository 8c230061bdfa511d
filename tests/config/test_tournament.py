"""Config files into tournaments: what is read, and exactly what is said of broken ones."""

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import registry
from arena.config.entrants import BotKeys, CommandKeys
from arena.config.settings import Setting, describe
from arena.config.tournament import CHOICES, Document, TournamentConfig, load_config
from arena.errors import ConfigError
from arena.executors.local import Local
from arena.formats.round_robin import RoundRobin
from arena.games.tacocat import Tacocat
from arena.launchers.none import Unconfined
from arena.model import Limits, TimeControl
from arena.ratings.bradley_terry import BradleyTerry
from arena.testing import ResultsInMemory

BROKEN = Path(__file__).parent / "broken_configs"
CONFIGS = Path(__file__).parents[2] / "configs"
BOTS = """bots:
  - {name: greedy, command: python bots/greedy.py}
  - {name: random, command: python bots/random_bot.py}
"""


@pytest.fixture
def folder(tmp_path):
    """A folder of two bots for configs to name."""
    (tmp_path / "bots").mkdir()
    for name in ("greedy.py", "random_bot.py"):
        (tmp_path / "bots" / name).write_text("")
    return tmp_path


@pytest.fixture
def load(folder):
    """The config of a text."""

    def load_it(text: str, name: str = "test.yaml") -> TournamentConfig:
        (folder / name).write_text(text)
        return load_config(folder / name)

    return load_it


@pytest.fixture
def problems(load):
    """Everything that is wrong with the config of a text."""

    def problems_of(text: str, name: str = "test.yaml") -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text, name)
        return [str(problem) for problem in caught.value.problems]

    return problems_of


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_broken_config_gets_exactly_its_report(path):
    """The report stands beside the config; with UPDATE_GOLDEN=1 in the environment it is written anew, to be read."""
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    report = str(caught.value).replace(str(path), path.name) + "\n"
    golden = path.with_suffix(".txt")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(report)
    assert report == golden.read_text()


def test_every_report_has_its_config():
    assert {path.stem for path in BROKEN.glob("*.txt")} == {path.stem for path in BROKEN.glob("*.yaml")}


def test_two_bots_are_enough_for_a_tournament(load, folder):
    config = load(BOTS, "spring 2026.yaml")
    assert config.name == "spring 2026"
    assert config.source == folder / "spring 2026.yaml"
    assert [bot.name for bot in config.bots] == ["greedy", "random"]
    assert config.bots[0].command[1:] == ("bots/greedy.py",)
    assert (config.game_name, config.game) == ("tacocat", Tacocat())
    assert (config.format_name, config.format) == ("round_robin", RoundRobin())
    assert (config.rating_name, config.rating) == ("bradley_terry", BradleyTerry())
    assert (config.executor_name, config.executor) == ("local", Local())
    assert (config.time, config.limits) == (TimeControl(), Limits())
    assert (config.launcher_name, config.launcher) == ("auto", None)
    assert (config.seed, config.ask_forced, config.anchor, config.confidence) == (None, False, None, 0.95)


def test_every_block_is_read(load):
    config = load(
        BOTS + "name: mine\n"
        "game: {name: tacocat, rules: {round_tie: arrow, max_rounds: 7}}\n"
        "tournament: {format: round_robin, pairs: 3, seed: 007, ask_forced: true}\n"
        "time: {move_ms: null, bank_ms: 5000, increment_ms: 10}\n"
        "limits: {memory_mb: 64}\n"
        "sandbox: none\n"
        "rating: {method: bradley_terry, prior: 2, anchor: {bot: random, elo: -100}, confidence: 0.9}\n"
        "run: {executor: local, workers: 3}\n"
    )
    assert config.name == "mine"
    assert config.game.public_rules()["round_tie"] == "arrow"
    assert config.game.public_rules()["max_rounds"] == 7
    assert (config.format, config.seed, config.ask_forced) == (RoundRobin(3), "007", True)
    assert (config.time, config.limits) == (TimeControl(None, 5000, 10), Limits(64))
    assert (config.launcher_name, config.launcher, config.executor) == ("none", Unconfined(), Local(3))
    assert (config.rating, config.anchor, config.confidence) == (BradleyTerry(2.0), ("random", -100.0), 0.9)


@pytest.mark.parametrize("text", ["game: tacocat\n", "game:\n  name: tacocat\n", "game:\n", "rating: bradley_terry\n"])
def test_a_block_may_be_just_the_name_or_empty(load, text):
    assert load(BOTS + text).game == Tacocat()


@pytest.mark.parametrize(
    ("written", "seed"),
    [
        ("20261130", "20261130"),
        ("2026-11-30", "2026-11-30"),
        ("0x10", "0x10"),
        ("1e3", "1e3"),
        ("yes", "yes"),
        ("'null'", "null"),
        ("null", None),
        ("", None),
        ("🌱 any text", "🌱 any text"),
    ],
)
def test_a_seed_is_text_as_it_was_written(load, written, seed):
    assert load(BOTS + f"tournament: {{seed: {written}}}\n").seed == seed


@pytest.mark.parametrize("text", ["tournament: {format: ''}", "game: ''", "sandbox: ''", "rating: {anchor: {bot: ''}}"])
def test_an_empty_name_is_not_the_default(problems, text):
    (problem,) = problems(BOTS + text + "\n")
    assert "there is no" in problem


def test_an_empty_seed_is_refused(problems):
    assert len(problems(BOTS + "tournament: {seed: ' '}\n")) == 1


def test_names_are_compared_and_kept_in_one_form(load):
    text = BOTS.replace("greedy,", '"cafe\\u0301",') + 'rating: {anchor: {bot: "cafe\\u0301 "}}\n'
    config = load(text)
    assert config.bots[0].name == "caf\u00e9"
    assert config.anchor == ("caf\u00e9", 0.0)


@pytest.mark.parametrize(
    "name", ["two words", "it's", '"', "🦊", "קוף", "שלום עולם", "- a: b #c", "{x}", "null", "1.10", "a\\b"]
)
def test_names_of_any_kind_come_through(load, name):
    text = yaml.safe_dump(
        {
            "bots": [
                {"name": name, "command": ["python", "bots/greedy.py"]},
                {"name": "x", "command": "python bots/greedy.py"},
            ]
        },
        allow_unicode=name != "קוף",
    )
    assert load(text).bots[0].name == name


def test_bots_can_share_what_is_alike_by_anchor_and_merge(load):
    config = load(
        "bots:\n"
        "  - &base {name: a, command: python bots/greedy.py, restart: match, environment: &env {DEPTH: 1}}\n"
        "  - {<<: *base, name: b, environment: {<<: *env, LEVEL: high}}\n"
    )
    assert [(bot.name, bot.restart) for bot in config.bots] == [("a", "match"), ("b", "match")]
    assert config.bots[1].environment == {"DEPTH": "1", "LEVEL": "high"}


def test_paths_start_at_the_config_wherever_the_arena_is_started(load, folder, monkeypatch):
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    (folder / "test.yaml").write_text(BOTS)
    config = load_config(Path("../test.yaml"))
    assert config.source.is_absolute()
    assert config.bots == load(BOTS).bots
    assert config.bots[0].directory == str(folder.resolve())


@pytest.mark.parametrize(
    "name", ["a/b", "a\\b", ".", "..", "''", "'  '", '"a\\tb"', "x" * 101, "🦊" * 90, '"\\u202Ea"']
)
def test_a_tournament_is_called_what_a_folder_can_be_called(problems, name):
    (problem,) = problems(f"name: {name}\n{BOTS}")
    assert problem.startswith("line 1: name: ")


def test_a_config_whose_file_name_is_no_name_must_give_one(problems, load):
    (problem,) = problems(BOTS, "...yaml")
    assert problem.startswith("name: must")
    assert load("name: ok\n" + BOTS, "...yaml").name == "ok"


def test_an_implementation_that_lacks_a_package_is_a_problem(problems, monkeypatch):
    real = registry.load

    def without_package(kind: str, name: str) -> type[Any]:
        if kind == "ratings" and name == "none":
            raise LookupError("the rating 'none' needs a package that is not installed: No module named 'nothing'")
        return real(kind, name)

    monkeypatch.setattr("arena.config.tournament.load", without_package)
    monkeypatch.setattr("arena.config.tournament.names", lambda kind: (*registry.names(kind), "none"))
    (problem,) = problems(BOTS + "rating: {method: none, whatever: 3}\n")
    said = "the rating 'none' needs a package that is not installed: No module named 'nothing'"
    assert problem == f"line 4: rating.method: {said}"


def test_confidence_has_a_quantile(problems, load):
    for text in ("0", "1", "-0.5", "95", "0.9999999999999999", "0.9999999999999999999"):
        assert len(problems(BOTS + f"rating: {{confidence: {text}}}\n")) == 1
    for text in ("0.9999", "1e-9", "0.9999999999999"):
        load(BOTS + f"rating: {{confidence: {text}}}\n")


def test_the_quickstart_is_a_thousand_matches_of_five_bots():
    config = load_config(CONFIGS / "quickstart.yaml")
    assert config.name == "quickstart"
    assert len(config.bots) == 5
    assert config.format.planned([bot.name for bot in config.bots], ResultsInMemory()) == 1000
    assert config.seed is not None
    assert config.anchor == ("random", 0.0)


def _all_settings() -> list[Setting]:
    """Every key that a config can have, by its path."""
    described = [setting for setting in describe(Document) if setting.key not in (*CHOICES, "bots")]
    described += [
        setting._replace(key=f"bots.{setting.key}") for cls in (BotKeys, CommandKeys) for setting in describe(cls)
    ]
    for block, choice in CHOICES.items():
        classes = [choice.keys, *(registry.load(choice.kind, name) for name in registry.names(choice.kind))]
        described += [setting._replace(key=f"{block}.{setting.key}") for cls in classes for setting in describe(cls)]
    return described


@pytest.mark.parametrize("setting", _all_settings(), ids=lambda setting: setting.key)
def test_the_reference_shows_every_key_with_its_default(setting):
    text = (CONFIGS / "reference.yaml").read_text()
    value = yaml.safe_load(text)
    *blocks, key = setting.key.split(".")
    try:
        for step in blocks:
            value = value[step][0] if step == "bots" else value[step]
        shown = value[key]
    except (KeyError, TypeError):
        assert re.search(rf"^ *# +{key}:( |$)", text, re.MULTILINE), f"{setting.key} is not in the reference"
        return
    if setting.default and setting.key != "name":
        assert shown == yaml.safe_load(setting.default)


def test_the_reference_is_the_default_config():
    config = load_config(CONFIGS / "reference.yaml")
    assert config.name == config.source.stem
    assert (config.game, config.format, config.rating) == (Tacocat(), RoundRobin(), BradleyTerry())
    assert (config.time, config.limits, config.executor) == (TimeControl(), Limits(), Local())


def test_every_line_of_the_reference_is_explained():
    for line in (CONFIGS / "reference.yaml").read_text().splitlines():
        assert "#" in line or not line.strip() or line.strip() in EXPLAINED_BELOW, line


EXPLAINED_BELOW = {"name: tacocat", "command: [python, ../example_bots/python/greedy.py]"} | {
    "rules:",
    "- name: second",
    "command: [python, ../example_bots/python/random_bot.py]",
}


def test_what_stands_in_comments_of_the_reference_can_be_written(folder):
    """Every alternative, put in the place of the line above it, makes a valid config."""
    lines = (CONFIGS / "reference.yaml").read_text().splitlines()
    alternatives = [index for index, line in enumerate(lines) if re.match(r" *# [a-z_]+: ", line)]
    assert len(alternatives) >= 8
    for index in alternatives:
        indent, key, rest = re.match(r"( *)# ([a-z_]+):(.*)", lines[index]).groups()  # type: ignore[union-attr]
        above = max(line for line in range(index) if re.match(rf"{indent}(- )?{key}:", lines[line]))
        changed = [*lines[:above], f"{indent}{key}:{rest}", *lines[above + 1 : index], *lines[index + 1 :]]
        path = CONFIGS.parent / "configs" / "reference.yaml"
        target = folder / "configs" / "reference.yaml"
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(changed).replace("../example_bots", str(path.parent.parent / "example_bots")))
        load_config(target)


_KEYS = [setting.key.split(".")[-1] for setting in _all_settings()] + [
    *CHOICES,
    "bots",
    "time",
    "limits",
    "rules",
    "<<",
    "x",
]
_SCALARS = st.sampled_from(
    [*"01-", "", "a", "both", "greedy", "tacocat", "round_robin", "python bots/greedy.py", "2.5", "1e9"]
) | (st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates() | st.binary(max_size=3))
_VALUES = st.recursive(
    _SCALARS,
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(_KEYS) | _SCALARS, inside, max_size=5)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=6), st.booleans())
def test_any_document_is_a_config_or_a_list_of_problems(tmp_path_factory, document, has_bots):
    folder = tmp_path_factory.mktemp("any")
    bots = [{"name": name, "command": "python -m bot"} for name in ("a", "b")]
    document |= {"bots": bots} if has_bots else {}
    text = yaml.safe_dump(document, allow_unicode=True)
    _config_or_problems(folder, text.encode(errors="surrogatepass"))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32))
def test_any_damage_to_a_config_is_a_config_or_a_list_of_problems(tmp_path_factory, seed):
    """The reference with a few bytes changed, left out, or put in."""
    chance = random.Random(seed)
    content = bytearray((CONFIGS / "reference.yaml").read_bytes())
    for _ in range(chance.randrange(1, 5)):
        place = chance.randrange(len(content))
        content[place : place + chance.randrange(4)] = chance.choice(
            [b"", b"\xff", b"[", b": ", b"\n", b"\t", b"'", b"&a ", b"99"]
        )
    _config_or_problems(tmp_path_factory.mktemp("damaged"), bytes(content))


def _config_or_problems(folder: Path, content: bytes) -> None:
    path = folder / "config.yaml"
    path.write_bytes(content)
    try:
        config = load_config(path)
    except ConfigError as error:
        report = str(error)
    else:
        report = ""
        assert len({bot.name for bot in config.bots}) == len(config.bots) >= 2
    report.encode()
    assert "\x1b" not in report
