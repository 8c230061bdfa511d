"""`arena new`: what it makes, and what it says to do next."""

import shlex
from pathlib import Path

import click.testing
import pytest
import yaml

from arena.cli import group
from arena.config.examples import languages
from arena.config.tournament import load_config


def new(*arguments: object, code: int = 0) -> click.testing.Result:
    done = click.testing.CliRunner().invoke(group, ["new", *map(str, arguments)], standalone_mode=False)
    is_refused = isinstance(done.exception, click.ClickException)
    assert (2 if is_refused else done.return_value) == code, done.output
    return done


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only example there is: it needs something that is not here, and is built."""
    folder = tmp_path / "example_bots" / "fortran"
    folder.mkdir(parents=True)
    (folder / "bot.yaml").write_text(
        "# An entry.\n\nname: fortran\nprotocol: stdio\nneeds: [sh, no-such-compiler]\n"
        "build: no-such-compiler 'my bot.f'\ncommand: [sh, -c, './a b']\n"
    )
    monkeypatch.setattr("arena.cli.new.languages", lambda: {"fortran": folder})
    return folder


@pytest.mark.usefixtures("example")
def test_it_says_what_to_do_next(tmp_path: Path) -> None:
    said = new(tmp_path / "deep" / "my bot", "--language", "fortran").output
    assert said.splitlines() == [
        f"Made {tmp_path}/deep/my bot, a bot in fortran: 1 file.",
        "You will need no-such-compiler, which is not on the PATH.",
        "",
        f"{tmp_path}/deep/my bot/README.md says which file to edit. Then:",
        "",
        f"  arena check '{tmp_path}/deep/my bot'    does it keep to the protocol, can it be shaken?",
        f"  arena match '{tmp_path}/deep/my bot' '{tmp_path}/deep/my bot'    one match against itself, move by move",
        "",
        "To enter it in a tournament, add its folder to the bots of a config:",
        "",
        f'  - "{tmp_path}/deep/my bot"',
    ]


@pytest.mark.parametrize("language", languages())
def test_the_entry_can_be_pasted_into_a_config(tmp_path: Path, language: str) -> None:
    said = new(tmp_path / "mine", "--language", language).output
    entry = said.split("to the bots of a config:\n")[1]
    (tmp_path / "other.py").touch()
    bots = "bots:\n" + entry + "".join(f"  - {{name: {name}, command: [python, other.py]}}\n" for name in "ab")
    (tmp_path / "test.yaml").write_text(bots)
    config = load_config(tmp_path / "test.yaml", built=())
    assert "mine" in {bot.name for bot in config.bots} | set(config.left_out)


@pytest.mark.usefixtures("example")
def test_the_name_of_the_folder_is_the_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ann").mkdir()
    monkeypatch.chdir(tmp_path / "ann")
    new(".", "--language", "fortran")
    assert yaml.safe_load((tmp_path / "ann" / "bot.yaml").read_text())["name"] == "ann"


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x"], ["Choose a language", "available: fortran"]),
        (["x", "--language", "fortan"], ["'fortan'", "did you mean fortran?", "available: fortran"]),
        (["x", "--language", "c"], ["'c'", "available: fortran"]),
        (["a\nb", "--language", "fortran"], ["must not contain U+000A"]),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = new(*arguments, code=2).exception
    assert isinstance(refused, click.ClickException)
    assert all(word in refused.format_message() for word in words), refused.format_message()
    assert [path.name for path in tmp_path.iterdir()] == ["example_bots"]


def test_all_examples_can_be_had(tmp_path: Path) -> None:
    said = new(tmp_path / "my first", "--examples").output.splitlines()
    count = sum(path.is_file() for path in (tmp_path / "my first").rglob("*"))
    assert said[0] == f"Made {tmp_path}/my first with all configs and example bots: {count} files. Then, for example:"
    program, command, config = shlex.split(said[2])[:3]
    assert (program, command) == ("arena", "run")
    assert len(load_config(Path(config)).bots) == 5
    assert Path(said[-1].split(" explains")[0]).is_file()
    refused = new(tmp_path / "other", "--examples", "--language", "python", code=2).exception
    assert isinstance(refused, click.ClickException)
    assert "--examples" in refused.format_message()
    assert not (tmp_path / "other").exists()
