"""What people install: the arena, and its client alone. Built here, and installed into new environments.

Nothing is downloaded: dependencies are borrowed from the environment that runs the tests.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from importlib.metadata import distribution
from pathlib import Path

import pytest

from arena import __version__
from arena.config.examples import files, languages
from tests.e2e.place import BOTS, Arena

ROOT = Path(__file__).parents[1]
SOURCES = {"arena": ROOT, "client": ROOT / "protocol"}


def build(source: Path, kind: str, target: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(target)]
    subprocess.run(command, cwd=source, capture_output=True, check=True)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of both distributions."""
    return {name: build(source, "wheel", tmp_path_factory.mktemp(name)) for name, source in SOURCES.items()}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def client_in(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {path: archive.read(path) for path in archive.namelist() if path.startswith("protocol/")}


def environment(place: Path, *wheels: Path) -> Path:
    """The site-packages of a new environment with nothing but these wheels."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    for wheel in wheels:
        pip(place, "install", "--no-deps", "--no-index", str(wheel))
    (packages,) = place.glob("lib/python*/site-packages")
    return packages


def pip(place: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), *arguments]
    subprocess.run(command, capture_output=True, check=True)


def names(packages: Path) -> set[str]:
    return {path.name.split("-")[0] for path in packages.iterdir()}


def borrow_all(packages: Path) -> None:
    """Dependencies of ours for an environment, all of them."""
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")


def borrow_what_is_required(packages: Path, wheel: Path) -> None:
    """Exactly the packages that a wheel says it needs."""
    for requirement in metadata(wheel).get_all("Requires-Dist", []):
        found = distribution(re.split("[^A-Za-z0-9_-]", requirement)[0])
        tops = {path.parts[0] for path in found.files or () if path.parts[0] != ".."}
        for top in tops:
            (packages / top).symlink_to(Path(str(found.locate_file(top))))


def say(program: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run an installed arena, outside the source tree."""
    place = program.parents[2]
    done = subprocess.run(
        [program, *map(str, arguments)], cwd=place, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOURCES)
def test_the_licence_is_in_it(name, wheels, tmp_path):
    text = (ROOT / "LICENSE").read_bytes()
    assert text.startswith(b"MIT License\n\nCopyright (c) 2026 the Arena authors\n")
    keys = metadata(wheels[name])
    assert (keys["License-Expression"], keys["License-File"]) == ("MIT", "LICENSE")
    with zipfile.ZipFile(wheels[name]) as archive:
        (path,) = [path for path in archive.namelist() if path.endswith("LICENSE")]
        assert archive.read(path) == text
    with tarfile.open(build(SOURCES[name], "sdist", tmp_path)) as archive:
        member = archive.extractfile(f"{keys['Name'].replace('-', '_')}-{keys['Version']}/LICENSE")
        assert member is not None
        assert member.read() == text


@pytest.mark.parametrize("name", SOURCES)
def test_a_wheel_is_the_same_when_it_is_built_from_a_source_distribution(name, wheels, tmp_path):
    with tarfile.open(build(SOURCES[name], "sdist", tmp_path / "sdist")) as archive:
        assert not [member.name for member in archive if not (member.isfile() or member.isdir())], "only real files"
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    with zipfile.ZipFile(wheels[name]) as first, zipfile.ZipFile(build(source, "wheel", tmp_path / "wheel")) as second:
        assert first.namelist() == second.namelist()
        assert [path for path in first.namelist() if first.read(path) != second.read(path)] == []


def test_both_have_the_same_client(wheels):
    assert {metadata(wheel)["Version"] for wheel in wheels.values()} == {__version__}
    of_arena, of_client = (client_in(wheels[name]) for name in SOURCES)
    assert of_arena == of_client
    assert {"protocol/bot.py", "protocol/README.md", "protocol/schema/hello.json"} < set(of_client)
    assert "protocol/pyproject.toml" not in of_client


# --- the arena -------------------------------------------------------------------------------------------------------


def test_an_installed_arena_makes_the_same_bots_and_plays_the_quickstart(wheels, tmp_path):
    packages = environment(tmp_path / "venv", wheels["arena"])
    assert names(packages) == {"arena", "protocol", "tacocat_arena"}, "nothing else gets into people's site-packages"
    borrow_all(packages)
    arena = tmp_path / "venv" / "bin" / "arena"
    for language, folder in languages().items():
        place = tmp_path / "new" / language
        say(arena, "new", place, "--language", language)
        assert tree(place) == {str(path): (folder / path).read_bytes() for path in files(folder)}
        for path in files(folder):
            assert os.access(place / path, os.X_OK) == os.access(folder / path, os.X_OK), path
    where = say(arena.with_name("python"), "-c", "import arena; print(arena.__file__)").stdout
    assert where.startswith(str(tmp_path / "venv")), "it was the wheel, not the source tree"

    for config in ("quickstart", "reference"):
        say(arena, "validate", packages / "arena" / "configs" / f"{config}.yaml")
    said = say(arena, "new", "first", "--examples").stdout
    quickstart = tmp_path / "first" / "configs" / "quickstart.yaml"
    assert f"arena run {quickstart.relative_to(tmp_path)} " in said
    quickstart.write_text(re.sub(r"pairs: \d+", "pairs: 1", quickstart.read_text()))
    done = say(arena, "run", quickstart)
    assert "20 matches of 20, 10 complete pairs" in done.stdout
    assert (tmp_path / "results" / "quickstart" / "results.sqlite").exists()


def test_when_the_client_is_removed_beside_it_the_arena_says_what_to_do(wheels, tmp_path):
    """Two distributions with the same files: pip takes those of both away when one is uninstalled."""
    borrow_all(environment(tmp_path / "venv", wheels["arena"], wheels["client"]))
    arena = tmp_path / "venv" / "bin" / "arena"
    say(arena, "new", "first", "--examples")
    say(arena, "validate", "first/configs/quickstart.yaml")
    pip(tmp_path / "venv", "uninstall", "--yes", metadata(wheels["client"])["Name"])
    told = say(arena, "validate", "first/configs/quickstart.yaml", code=3).stderr
    assert "Install the arena again" in told
    assert len(told.splitlines()) == 1
    pip(tmp_path / "venv", "install", "--no-deps", "--no-index", "--force-reinstall", str(wheels["arena"]))
    say(arena, "validate", "first/configs/quickstart.yaml")


# --- the client ------------------------------------------------------------------------------------------------------

BOT = """
import sys
from importlib.util import find_spec
from protocol import bot
from protocol.bot import serve

assert bot.__file__.startswith(sys.prefix), bot.__file__
there = [name for name in ("arena", "numpy", "click", "yaml") if find_spec(name)]
assert not there, there
serve(lambda request: request.legal_actions[0] if request.legal_actions else [])
"""


def test_a_bot_needs_nothing_but_the_client_in_its_environment(wheels, arena: Arena):
    """Over ZeroMQ and by lines, against a bot of the arena's own environment."""
    place = arena.directory / "mine"
    place.mkdir()
    packages = environment(place / ".venv", wheels["client"])
    assert names(packages) == {"protocol", "tacocat_arena_protocol"}
    borrow_what_is_required(packages, wheels["client"])
    (place / "my_bot.py").write_text(BOT)
    bots = [
        arena.bot("by ZeroMQ", "mine/my_bot.py"),
        arena.bot("by lines", "mine/my_bot.py", protocol="stdio"),
        arena.bot("theirs", BOTS / "greedy.py"),
    ]
    arena.run(arena.config(bots, pairs=1))
    ends = [match["outcome"]["reason"] for match in arena.export()]
    assert ends == ["goal"] * 6
