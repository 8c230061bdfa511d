"""Bots of a config and of a command line: blocks of keys, folders that say themselves what they are, commands."""

import re
from pathlib import Path

import pytest

from arena.config.roster import Entry, named
from arena.config.tournament import load_config
from arena.errors import ConfigError

ENTRY = """# A student's bot.
name: anna
command: [python, bot.py, --fast]
protocol: stdio
environment: {LEVEL: high}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Two bots that were handed in as folders, and a folder for configs beside them."""
    for name, entry in {"anna": ENTRY, "ben": "{name: ben, command: python bot.py}"}.items():
        folder = tmp_path / "students" / name
        folder.mkdir(parents=True)
        (folder / "bot.yaml").write_text(entry)
        (folder / "bot.py").write_text(f"# {name}")
    (tmp_path / "configs").mkdir()
    return tmp_path


def config(place: Path, *entries: str) -> Path:
    path = place / "configs" / "class.yaml"
    path.write_text("bots:\n" + "".join(f"  - {entry}\n" for entry in entries))
    return path


def bots(place: Path, *entries: str) -> list[Entry]:
    """The bots of a config with these entries."""
    return [Entry(bot, None, ()) for bot in load_config(config(place, *entries)).bots]


def problems(place: Path, *entries: str) -> list[str]:
    """What is wrong with a config with these entries."""
    with pytest.raises(ConfigError) as caught:
        load_config(config(place, *entries))
    return [str(problem) for problem in caught.value.problems]


def test_a_folder_is_an_entry_by_its_own_file(place):
    anna, ben = bots(place, "../students/anna", "../students/ben")
    assert anna.spec.name == "anna"
    assert anna.spec.command[1:] == ("bot.py", "--fast")
    assert anna.spec.directory == str(place / "students" / "anna")
    assert (anna.spec.protocol, anna.spec.environment) == ("stdio", {"LEVEL": "high"})
    assert ben.spec.directory == str(place / "students" / "ben")


def test_the_file_may_be_named_as_well(place):
    assert bots(place, "../students/anna/bot.yaml", "../students/ben/bot.yaml") == bots(
        place, "../students/anna", "../students/ben"
    )


def test_it_is_the_same_bot_as_when_its_keys_stood_in_the_config(place):
    keys = "{name: anna, command: [python, bot.py, --fast], protocol: stdio, environment: {LEVEL: high}"
    folder, _ = bots(place, "../students/anna", "../students/ben")
    block, _ = bots(place, keys + ", directory: ../students/anna}", "../students/ben")
    assert folder == block


def test_a_folder_with_a_python_of_its_own_uses_it(place):
    python = place / "students" / "ben" / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(mode=0o755)
    _, ben = bots(place, "../students/anna", "../students/ben")
    assert ben.spec.command[0] == str(python)


@pytest.mark.parametrize(
    ("entry", "report"),
    [
        ("../students/ana", 'line 3: bots[1]: there is no folder "../students/ana" (did you mean anna?)'),
        ("bot.yaml", 'line 3: bots[1]: there is no folder "bot.yaml" (an entry is a block of keys, or a folder with'),
        ("../students", 'line 3: bots[1]: the folder "../students" has no bot.yaml (write one'),
        ("../students/ben", "line 3: bots[1]: two bots are called ben, on lines 2 and 3 (give one another name)"),
    ],
)
def test_a_folder_that_is_no_bot_is_reported_where_it_is_named(place, entry, report):
    (problem,) = problems(place, "../students/ben", entry)
    assert str(problem).startswith(report)


@pytest.mark.parametrize(
    ("entry", "reports"),
    [
        ("name: x\ncommand: [python, bott.py]\n", ["in bot.yaml line 2, command[1]: there is no file"]),
        ("name: x\ncomand: [python, bot.py]\n", ["in bot.yaml line 2, comand: unknown key (did you mean command?)"]),
        ("command: [python, bot.py]\n", ["in bot.yaml, name: is missing"]),
        ("name: x\ncommand: [python, bot.py\n", ["in bot.yaml line 3: "]),
        ("", ["in bot.yaml: is empty"]),
    ],
)
def test_what_is_wrong_inside_is_reported_with_its_line_there(place, entry, reports):
    (place / "students" / "ben" / "bot.yaml").write_text(entry)
    found = problems(place, "../students/anna", "../students/ben")
    assert len(found) == len(reports), found
    for report, problem in zip(reports, found, strict=True):
        assert str(problem).startswith(f"line 3: bots[1]: {report}")


def test_a_bot_can_come_from_a_command_line(place):
    keys = "{name: mine, command: [python, ../students/ben/bot.py]}"
    mine, _ = bots(place, keys, "../students/anna")
    assert named("mine", ["python", "../students/ben/bot.py"], place / "configs", is_built=True) == mine
    spoken = named("mine", ["python", "../students/ben/bot.py"], place / "configs", protocol="stdio", is_built=True)
    assert spoken.spec.protocol == "stdio"


def test_a_folder_can_be_named_on_a_command_line(place):
    anna, _ = bots(place, "../students/anna", "../students/ben")
    assert named("whatever", ["students/anna"], place, is_built=True) == anna


@pytest.mark.parametrize(
    ("name", "words", "report"),
    [
        ("mine", ["python", "students/ben/bott.py"], "command[1]: there is no file"),
        ("mine", ["pyhton", "students/ben/bot.py"], "(did you mean python?)"),
        ("mine", [], "command: must name a program"),
        (" ", ["python", "students/ben/bot.py"], "name: must not be empty"),
        ("mine", ["students"], 'there is no program "students" on the PATH'),
        ("mine", ["./students"], '"./students" is a directory, not a program'),
    ],
)
def test_a_bot_from_a_command_line_is_checked_alike(place, name, words, report):
    with pytest.raises(ConfigError, match=re.escape(report)):
        named(name, words, place, is_built=True)


def test_problems_of_a_folder_on_a_command_line_name_its_file(place):
    (place / "students" / "ben" / "bot.yaml").write_text("{name: ben, command: [python, gone.py]}")
    with pytest.raises(ConfigError, match=r"students/ben/bot\.yaml: 1 problem\n.*gone\.py"):
        named("whatever", ["students/ben"], place, is_built=True)
