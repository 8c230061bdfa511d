"""The architecture as its page tells it: who may import what, who alone may do what, and the tree itself."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
SOURCES = sorted(path for folder in ("arena", "protocol", "example_bots") for path in (ROOT / folder).rglob("*.py"))

IMPORTERS = {
    "asyncio": "",
    "filelock": "arena/store/store.py",
    "importlib": "arena/__init__.py arena/registry.py arena/cli/__init__.py",
    "multiprocessing": "arena/executors/_referees.py",
    "sqlite3": "arena/store/counts.py arena/store/store.py arena/store/tables.py",
    "subprocess": "arena/config/builds.py arena/config/needs.py arena/executors/_referees.py arena/launchers/none.py"
    " arena/processes.py",
    "threading": "",
    "time": "arena/config/builds.py arena/clock.py arena/processes.py arena/referee/bots.py arena/cli/progress.py"
    " arena/cli/run.py arena/testing/executors.py arena/testing/launchers.py",
    "yaml": "arena/config/tournament.py arena/config/document.py arena/config/settings.py",
    "zmq": "arena/referee/transport.py protocol/bot.py",
}
"""What only these files of the package may import, anywhere in them."""


@cache
def imported(path: Path) -> tuple[str, ...]:
    """The full names of all modules that a file imports, inside functions too."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide what is imported"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_contracts_of_the_build_are_kept(capfd):
    broken = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert broken == 0, capfd.readouterr().out


@pytest.mark.parametrize("module", IMPORTERS)
def test_each_dangerous_thing_has_its_importers(module):
    found = {
        place(path)
        for path in SOURCES
        if not place(path).startswith("example_bots/") and any(name.split(".")[0] == module for name in imported(path))
    }
    assert found <= set(IMPORTERS[module].split())


def test_what_a_bot_author_gets_knows_nothing_of_the_arena():
    for path in SOURCES:
        if not place(path).startswith("arena/"):
            assert not any(name.split(".")[0] == "arena" for name in imported(path)), place(path)


def test_nothing_in_the_arena_knows_a_game_by_name():
    games = [path.stem for path in (ROOT / "arena" / "games").iterdir() if not path.name.startswith("_")]
    for path in SOURCES:
        if place(path).startswith("arena/") and not place(path).startswith("arena/games/"):
            text = path.read_text(encoding="utf-8").lower()
            assert not [game for game in games if game in text], place(path)


def test_nothing_is_imported_for_its_private_parts():
    for path in SOURCES:
        for name in imported(path):
            parts = name.split(".")
            package = path.relative_to(ROOT).parent.parts
            is_neighbour = tuple(parts[: len(package)]) == package
            foreign = parts[len(package) + 1 :] if is_neighbour else parts
            is_own = parts[0] in ("arena", "protocol")
            assert not (is_own and any(re.fullmatch("_[^_].*", part) for part in foreign)), f"{place(path)}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=place)
def test_every_module_says_what_it_is(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


# --- the page ------------------------------------------------------------------------------------------------------


def tree_of_the_page() -> list[str]:
    """The paths of the page's tree, in its order, folders with a slash at the end."""
    block = PAGE.read_text(encoding="utf-8").split("## The tree")[1].split("```")[1]
    paths, folders = [], [""]
    for line in filter(str.strip, block.splitlines()):
        name = line.split()[0]
        depth = (len(line) - len(line.lstrip())) // 2
        del folders[depth + 1 :]
        paths.append(folders[depth] + name)
        folders.append(paths[-1])
    return paths


def test_everything_in_the_tree_of_the_page_is_there():
    for path in tree_of_the_page():
        assert (ROOT / path).exists(), path
        assert path.endswith("/") == (ROOT / path).is_dir(), path


@pytest.mark.parametrize("folder", ["arena", "protocol"])
def test_everything_that_is_there_is_in_the_tree_of_the_page(folder):
    there = {
        f"{folder}/{path.name}" + "/" * path.is_dir()
        for path in (ROOT / folder).iterdir()
        if not path.name.startswith((".", "_"))
    }
    assert there <= set(tree_of_the_page())


def test_imports_run_downwards_in_the_tree_of_the_page():
    """And the test kit is used by nothing but itself."""
    order = [path.removesuffix("/").removesuffix(".py").replace("/", ".") for path in tree_of_the_page()]
    rank = {name: number for number, name in enumerate(order) if name.startswith("arena.")}

    def part(name: str) -> int | None:
        return rank.get(".".join(name.split(".")[:2]))

    upwards = set()
    for path in SOURCES:
        above = part(place(path).removesuffix(".py").replace("/", "."))
        for name in imported(path) if above is not None else ():
            below = part(name)
            if below is not None and above is not None and below < above:
                upwards.add(f"{place(path)} imports {name}, which is above it on the page")
            if name.startswith("arena.testing") and not place(path).startswith("arena/testing/"):
                upwards.add(f"{place(path)} imports the test kit")
    assert not upwards, "\n".join(sorted(upwards))
