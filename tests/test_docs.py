"""What the documents show is true: commands run, code plays, links lead somewhere."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import COMMANDS
from arena.config.examples import languages
from arena.config.tournament import load_config
from arena.errors import ConfigError
from arena.registry import load, names
from tests.e2e.place import Arena
from tests.second_game.arena_leduc.game import Leduc
from tests.second_game.site import SOURCE, installed

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [
    path for path in [*ROOT.glob("*.md"), *ROOT.glob("*/*.md"), *ROOT.glob("*/*/*.md")] if ".venv" not in path.parts
]


def blocks(kind: str) -> list[str]:
    """The fenced blocks of the README of one kind."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in fenced if name == kind]


def test_the_dozen_lines_play(arena: Arena) -> None:
    (code,) = blocks("python")
    assert len(code.splitlines()) <= 14
    arena.script("my_bot.py", code)
    command = next(line for block in blocks("") for line in block.splitlines() if "arena match" in line)
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/arena"
    arguments[arguments.index("configs/quickstart.yaml")] = str(ROOT / "configs" / "quickstart.yaml")
    shown = arena(*arguments).stdout
    assert "python my_bot.py (seat 0) against greedy (seat 1)" in shown
    assert "(goal)" in shown.splitlines()[-1]


def test_a_bot_of_ones_own_is_made_and_fit_to_enter(arena: Arena) -> None:
    commands = [line for block in blocks("") for line in block.splitlines() if "my_bot" in line and ".py" not in line]
    assert [shlex.split(line)[1] for line in commands] == ["new", "check"]
    for line in commands:
        program, *arguments = shlex.split(line)
        assert program == ".venv/bin/arena"
        done = arena(*arguments)
    assert "fit to enter" in done.stdout
    (named,) = re.findall(r"complete bot; (.*?) are available", README, re.DOTALL)
    assert {*re.findall(r"`(\w+)`", named), "javascript"} == set(languages())


def test_every_language_is_in_its_tables() -> None:
    text = (ROOT / "docs" / "languages.md").read_text()
    costs, libraries = (re.findall(pattern, text, re.MULTILINE) for pattern in (r"^\| (\w+) \|", r"bots/(\w+)/README"))
    assert sorted(set(costs) - {"needs", "language"}) == sorted(set(libraries)) == sorted(languages())


def test_the_quickstart_prints_what_the_readme_shows(arena: Arena) -> None:
    """With fewer deals: the same bots, columns and order at the ends of the ladder."""
    text = (ROOT / "configs" / "quickstart.yaml").read_text().replace("../example_bots", str(ROOT / "example_bots"))
    config = arena.directory / "quickstart.yaml"
    config.write_text(re.sub(r"pairs: \d+", "pairs: 3", text))
    table = arena.run(config).stdout.splitlines()
    shown = next(block for block in blocks("") if block.startswith("#")).splitlines()
    assert table[0].split() == shown[0].split()
    assert {line.split()[1] for line in table[2:7]} == {line.split()[1] for line in shown[2:7]}
    assert table[6].split()[1] == shown[6].split()[1] == "random"
    assert max(map(len, shown)) <= 80


def test_the_readme_names_commands_that_exist() -> None:
    named = set(re.findall(r"^\| `arena (\w+)", README, re.MULTILINE))
    assert named == set(COMMANDS)
    targets = subprocess.run(["make", "-n", "run", "test"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert targets.returncode == 0, targets.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text()):
        assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_dependency_is_explained() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    names = re.findall(r'^    "([A-Za-z-]+)[>"\[]', project.split("dependencies = [")[1].split("]")[0], re.MULTILINE)
    explained = (ROOT / "docs" / "dependencies.md").read_text()
    assert len(names) >= 9
    for name in names:
        assert f"| {name} |" in explained


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_are_whole(document: Path) -> None:
    """A row that stands apart from its table is shown as text: each block of rows begins with headers and a rule."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    for rows in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lines = rows.splitlines()
        assert re.fullmatch(r"\|( ?:?-+:? ?\|)+", "".join(lines[1:2])), f"{document.name}: {lines[0]}"


# --- the page on extensions: its code is that of a package of the tests ----------------------------------------------

EXTENDING = ROOT / "docs" / "extending.md"


def excerpts() -> list[tuple[str, str]]:
    """The name of a file of the package, and what the page shows of it."""
    text = EXTENDING.read_text(encoding="utf-8")
    return re.findall(r"^```(?:python|toml|yaml) (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("file", "code"), excerpts(), ids=lambda text: text.split("\n")[0])
def test_code_on_the_page_is_that_of_the_package(file: str, code: str) -> None:
    assert code in (SOURCE / file).read_text(encoding="utf-8")


def test_the_page_shows_something_of_every_part() -> None:
    shown = {file for file, _ in excerpts()}
    assert {"pyproject.toml", "leduc.yaml", *(f"arena_leduc/{name}.py" for name in ("game", "swiss", "share"))} <= shown
    fences = re.findall(r"^```(.+)$", EXTENDING.read_text(encoding="utf-8"), re.MULTILINE)
    assert all(fence == "sh" or len(fence.split()) == 2 for fence in fences), "each block is run or compared"


@pytest.mark.timeout(400)
def test_commands_on_the_page_work(arena: Arena, tmp_path: Path) -> None:
    shutil.copytree(SOURCE, arena.directory, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    text = EXTENDING.read_text(encoding="utf-8")
    lines = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
    assert len(lines) >= 9
    said = {}
    for line in lines:
        program, *arguments = shlex.split(line)
        if program == "pip":
            assert arguments == ["install", "."]
            arena.environment = installed(tmp_path / "site")
        elif program == "python":
            environment = {**os.environ, **arena.environment}
            subprocess.run([sys.executable, *arguments], cwd=arena.directory, env=environment, check=True, timeout=300)
        else:
            assert program == "arena"
            said[arguments[0]] = arena(*arguments).stdout
    assert "swiss: Bots with like scores meet" in said["list"]
    assert "fit to enter" in said["check"]
    assert said["run"].split()[:4] == ["#", "bot", "score", "%"]
    assert "identical: 20 matches" in said["verify"]


def test_the_message_on_the_page_is_what_a_user_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (message,) = re.findall(r"then reads: `(.*)`", EXTENDING.read_text(encoding="utf-8"))
    monkeypatch.setattr("arena.config.tournament.names", lambda kind: (*names(kind), "leduc"))
    monkeypatch.setattr(
        "arena.config.tournament.load", lambda kind, name: Leduc if name == "leduc" else load(kind, name)
    )
    bots = [{"name": name, "command": ["python", "-c", "pass"]} for name in ("ann", "bob")]
    config = tmp_path / "test.yaml"
    config.write_text(f"game: {{name: leduc, hands: 0}}\nbots: {json.dumps(bots)}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(config)
    assert [str(problem) for problem in caught.value.problems] == [message]
