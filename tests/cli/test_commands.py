"""The command line as a whole: every command has its help, help is instant, mistakes are told in words."""

import csv
import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from arena.cli import COMMANDS, group, main
from arena.registry import KINDS, names
from arena.text_tables import FORMATS

FOLDER = Path(__file__).parents[2] / "arena" / "cli"


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "arena", *arguments], capture_output=True, text=True, check=False)


def test_each_file_is_a_command_and_each_command_a_file() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "forms", "progress"} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_help_that_is_promised(name: str) -> None:
    command: click.Command = importlib.import_module(f"arena.cli.{name}").command
    assert command.name == name
    assert command.help is not None
    assert command.help.splitlines()[0] == COMMANDS[name]
    assert f"    arena {name} " in command.help, "an example that can be pasted"
    shown = CliRunner().invoke(group, [name, "--help"])
    assert shown.exit_code == 0
    assert max(map(len, shown.output.splitlines())) <= 100


def test_help_imports_nothing_heavy() -> None:
    """So that it is instant: no package but click, and nothing of ours that needs one."""
    source = "import sys; from arena.cli import group; group(['--help'], standalone_mode=False); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {
        "numpy",
        "zmq",
        "msgpack",
        "yaml",
        "rich",
        "psutil",
        "sqlite3",
        "tabulate",
        "importlib.metadata",
    }


def test_a_mistyped_command_gets_a_hint() -> None:
    done = run("leaderbord", "x")
    assert done.returncode == 2
    assert "Did you mean leaderboard?" in done.stderr


def test_missing_things_are_told_in_words(tmp_path: Path) -> None:
    for arguments, words in [
        (["leaderboard", str(tmp_path)], "no results here"),
        (["validate", str(tmp_path / "none.yaml")], "none.yaml"),
        (["verify", str(tmp_path / "nowhere")], "no results here"),
        (["run"], "Missing argument"),
    ]:
        done = run(*arguments)
        assert done.returncode == 2, done
        assert words in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""


@pytest.mark.parametrize("is_package", [False, True])
def test_another_module_called_protocol_is_named(tmp_path: Path, is_package: bool) -> None:
    """As it lies in the directory where the arena is started, whose modules `python -m` prefers."""
    other = tmp_path / ("protocol/__init__.py" if is_package else "protocol.py")
    other.parent.mkdir(exist_ok=True)
    other.write_text("VERSION = 7\n")
    command = [sys.executable, "-m", "arena", "validate", "x.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"arena: another module called protocol hides the arena's package of that name: {other}.")


def test_a_module_that_is_missing_is_a_bug_as_any(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(group, "main", lambda *_, **__: importlib.import_module("arena.no_such_module"))
    with pytest.raises(SystemExit):
        main(["list", "games"])
    said = capsys.readouterr().err
    assert "this is a fault in the arena itself" in said
    Path(said.rsplit(": ", 1)[1].strip()).unlink()


def test_a_bug_of_ours_leaves_a_file_to_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise AssertionError("cannot be")

    monkeypatch.setattr(group, "main", broken)
    with pytest.raises(SystemExit) as exit_:
        main(["list", "games"])
    assert exit_.value.code == 3
    said = capsys.readouterr().err
    report = Path(said.rsplit(": ", 1)[1].strip())
    assert "this is a fault in the arena itself" in said
    assert "cannot be" in report.read_text()
    report.unlink()


@pytest.mark.parametrize("kind", KINDS)
def test_everything_there_is_can_be_listed(kind: str) -> None:
    shown = CliRunner().invoke(group, ["list", kind])
    assert shown.exit_code == 0
    expected = {"games": "tacocat:", "formats": "round_robin:", "ratings": "bradley_terry:"}
    assert expected.get(kind, "none:" if kind == "launchers" else "local:") in shown.output


def test_every_command_that_prints_a_table_offers_the_same_forms() -> None:
    for name in ("run", "leaderboard", "list"):
        command: click.Command = importlib.import_module(f"arena.cli.{name}").command
        (option,) = (each for each in command.params if each.name == "form")
        assert isinstance(option.type, click.Choice)
        assert tuple(option.type.choices) == FORMATS


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_says_the_same_in_every_form(kind: str) -> None:
    shown = {form: CliRunner().invoke(group, ["list", kind, "--format", form]).output for form in FORMATS}
    listed = json.loads(shown["json"])
    assert [entry["name"] for entry in listed] == list(names(kind))
    rows = list(csv.DictReader(shown["csv"].splitlines()))
    for entry in listed:
        own = [row for row in rows if row["name"] == entry["name"]]
        assert {row["summary"] for row in own} == {entry["summary"]}
        assert [row["key"] for row in own] == [setting["key"] for setting in entry["settings"]] or [""]
        assert f"**{entry['name']}**: {entry['summary']}" in shown["markdown"]
        assert f"{entry['name']}: {entry['summary']}" in shown["table"]
        for setting in entry["settings"]:
            assert re.search(rf"^\| {re.escape(setting['key'])} +\|", shown["markdown"], re.MULTILINE)
            assert re.search(rf"^  {re.escape(setting['key'])}  ", shown["table"], re.MULTILINE)
