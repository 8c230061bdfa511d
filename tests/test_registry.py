"""Implementations are found by their place in the tree, or by an entry point; what is wrong is said at once."""

import importlib
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import arena.formats
import arena.registry
from arena.formats.round_robin import RoundRobin
from arena.registry import KINDS, load, names

SOURCE = Path(arena.__file__).parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """One more folder of formats."""
    monkeypatch.setattr(arena.formats, "__path__", [*arena.formats.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("arena.formats.test_")]:
        del sys.modules[name]


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_of_a_folder_is_found_and_is_an_implementation(kind):
    files = {path.stem for path in (SOURCE / kind).iterdir() if not path.name.startswith("_")}
    assert names(kind) == tuple(sorted(files))
    for name in names(kind):
        implementation = load(kind, name)
        assert isinstance(implementation, type)
        assert implementation.__module__.startswith(f"arena.{kind}.{name}")
        implementation()  # every key has a default


def test_one_new_file_is_enough(folder):
    (folder / "test_ladder.py").write_text("__all__ = ['Ladder']\nclass Ladder: pass\nclass Rung: pass\n")
    assert "test_ladder" in names("formats")
    assert load("formats", "test_ladder").__name__ == "Ladder"


def test_a_private_module_is_none(folder):
    (folder / "_test_shared.py").write_text("raise SystemExit('imported')\n")
    assert "_test_shared" not in names("formats")


def test_names_import_nothing(folder):
    (folder / "test_costly.py").write_text("raise SystemExit('imported')\n")
    assert "test_costly" in names("formats")


@pytest.mark.parametrize(
    ("text", "shown"), [("class Ladder: pass", r"\[\]"), ("__all__ = ['A', 'B']\nA = B = int", r"\['A', 'B'\]")]
)
def test_a_module_that_does_not_say_what_it_implements_fails_loudly(folder, text, shown):
    (folder / "test_vague.py").write_text(text)
    with pytest.raises(AssertionError, match=f"arena.formats.test_vague: __all__ must hold the one class .*{shown}"):
        load("formats", "test_vague")


@pytest.mark.parametrize("name", ["nothing", "", "_private", "round_robin.RoundRobin", "../config"])
def test_an_unknown_name_comes_with_the_known_ones(name):
    with pytest.raises(LookupError, match=r"among the formats: .*round_robin"):
        load("formats", name)


@pytest.fixture
def _nothing_remembered() -> Iterator[None]:
    """Packages are looked through once in the life of a process: not those of a test."""
    arena.registry._installed.cache_clear()
    yield
    arena.registry._installed.cache_clear()


@pytest.mark.usefixtures("_nothing_remembered")
def test_an_installed_package_may_add_to_a_kind(monkeypatch):
    point = EntryPoint("swiss_system", "arena.formats.round_robin:RoundRobin", "arena.formats")

    def entry_points(group: str) -> EntryPoints:
        return EntryPoints([point] if group == point.group else [])

    monkeypatch.setattr(arena.registry, "entry_points", entry_points)
    assert "swiss_system" in names("formats")
    assert "swiss_system" not in names("ratings")
    assert load("formats", "swiss_system") is RoundRobin
