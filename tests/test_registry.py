"""Implementations are found by their place in the tree, or by an entry point; what is wrong is said at once."""

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import arena.formats
import arena.registry
from arena.cli import group
from arena.config.tournament import load_config
from arena.errors import ConfigError
from arena.registry import KINDS, default, load, names

SOURCE = Path(arena.__file__).parent
PROPER = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Ladder:
    def pairings(self, entrants, results):
        return iter(())

    def planned(self, entrants, results):
        return 0
"""


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
    (folder / "test_ladder.py").write_text(f"__all__ = ['Ladder']\n{PROPER}\nclass Rung: pass\n")
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
    with pytest.raises(LookupError, match=r"no format '.*' \(available: round_robin\)"):
        load("formats", name)


def test_a_module_that_lacks_a_member_fails_loudly(folder):
    (folder / "test_old.py").write_text(f"__all__ = ['Ladder']\n{PROPER.replace('planned', 'matches_planned')}")
    with pytest.raises(AssertionError, match=r"arena.formats.test_old.Ladder has no planned"):
        load("formats", "test_old")


def test_a_module_that_needs_an_absent_package_says_so(folder):
    (folder / "test_remote.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(LookupError, match=r"format 'test_remote' needs a package .* 'nothing_of_that_name'"):
        load("formats", "test_remote")


def test_one_class_of_a_folder_is_taken_where_nothing_is_said(folder):
    (folder / "test_ladder.py").write_text(f"__all__ = ['Ladder']\n{PROPER}")
    assert default("formats") == "round_robin"
    (folder / "test_usual.py").write_text(f"__all__ = ['Ladder']\n{PROPER}\nLadder.is_default = True\n")
    with pytest.raises(AssertionError, match=r"one class must say is_default = True, .*round_robin.*test_usual"):
        default("formats")


@pytest.mark.parametrize("kind", ["games", "ratings", "executors"])
def test_kinds_that_a_config_may_leave_out_have_a_default(kind):
    assert default(kind) in names(kind)


# --- installed packages --------------------------------------------------------------------------------------------

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes an installed package: what `pip install` leaves, on the path of this process."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(str(site))
    before = set(sys.modules)

    def make(package: str, source: str, points: dict[str, str], kind: str = "formats") -> None:
        site.mkdir(exist_ok=True)
        (site / f"{package}.py").write_text(source)
        notes = site / f"{package}-1.2.dist-info"
        notes.mkdir()
        (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        lines = [f"[arena.{kind}]", *(f"{name} = {package}:{value}" for name, value in points.items())]
        (notes / "entry_points.txt").write_text("\n".join(lines))
        importlib.invalidate_caches()
        arena.registry._installed.cache_clear()

    yield make
    arena.registry._installed.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("test_package"):
            del sys.modules[name]


def test_an_installed_package_may_add_to_a_kind(install: Install) -> None:
    install("test_package", PROPER, {"test_swiss": "Ladder"})
    assert "test_swiss" in names("formats")
    assert "test_swiss" not in names("ratings")
    assert "test_package" not in sys.modules, "names import nothing"
    assert load("formats", "test_swiss").__module__ == "test_package"


def test_a_package_does_not_take_the_place_of_the_arenas_own(install: Install) -> None:
    install("test_package", PROPER, {"round_robin": "Ladder"})
    said = "the name 'round_robin' of a format is taken more than once, by the arena itself and by the package"
    with pytest.raises(LookupError, match=f"{said} test_package 1.2: uninstall"):
        load("formats", "round_robin")


def test_of_two_packages_with_one_name_neither_is_preferred(install: Install) -> None:
    install("test_package_a", PROPER, {"test_swiss": "Ladder"})
    install("test_package_b", PROPER, {"test_swiss": "Ladder"})
    with pytest.raises(LookupError, match=r"by the package test_package_. 1.2 and by the package test_package_. 1.2:"):
        load("formats", "test_swiss")


OLD_RATING = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Ladder:
    def rate(self, entrants, tallies, *, anchor, confidence):
        raise NotImplementedError
"""
MORE_TO_GIVE = PROPER.replace("planned(self, entrants, results", "planned(self, entrants, results, rounds")
BROKEN = {
    "absent module": ("import nothing_of_that_name", "formats", r"cannot be imported \(ModuleNotFoundError: .*name'\)"),
    "absent class": ("", "formats", r"cannot be imported \(AttributeError: .*'Ladder'\)"),
    "raises": ("1 / 0", "formats", r"cannot be imported \(ZeroDivisionError: division by zero\)"),
    "syntax": ("def", "formats", r"cannot be imported \(SyntaxError: .*\)"),
    "function": ("def Ladder(): pass", "formats", "is not a class"),
    "no dataclass": ("class Ladder: pass", "formats", "is not a dataclass"),
    "old format": (PROPER.replace("planned", "matches_planned"), "formats", "has no planned: .* another version"),
    "old rating": (
        OLD_RATING,
        "ratings",
        r"has rate\(entrants, tallies, .*\), not rate\(entrants, results, .*",
    ),
    "needs more": (
        MORE_TO_GIVE,
        "formats",
        r"has planned\(entrants, results, rounds\), not planned\(entrants, results\)",
    ),
    "no method": (PROPER + "    pairings = 3", "formats", r"has pairings\(\), not pairings\(entrants, results\)"),
    "a format as a game": (PROPER, "games", "has no apply, check_action, draw, forced_action, from_public_rules, .*"),
}


@pytest.mark.parametrize(("source", "kind", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_broken_package_is_named_with_its_fault(install: Install, source: str, kind: str, fault: str) -> None:
    install("test_package", source, {"test_broken": "Ladder"}, kind)
    said = rf"the {kind[:-1]} 'test_broken' of the package test_package 1.2 cannot be used: test_package:Ladder {fault}"
    with pytest.raises(LookupError, match=said):
        load(kind, "test_broken")


@pytest.mark.parametrize(
    "change",
    [
        ("results):\n        return 0", "results, *, rounds=3):\n        return 0"),
        ("planned(self, entrants, results", "planned(self, *each"),
    ],
)
def test_a_method_may_take_more_than_it_must(install: Install, change: tuple[str, str]) -> None:
    install("test_package", PROPER.replace(*change), {"test_swiss": "Ladder"})
    assert load("formats", "test_swiss").__name__ == "Ladder"


def test_a_broken_package_is_listed_with_its_fault_beside_the_others(install: Install) -> None:
    install("test_package", "1 / 0", {"test_broken": "Ladder", "test_other": "Ladder"})
    shown = CliRunner().invoke(group, ["list", "formats"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert "round_robin: Everybody meets everybody." in shown.output
    assert "test_broken: the format 'test_broken' of the package test_package 1.2 cannot be used" in shown.output
    as_json = json.loads(CliRunner().invoke(group, ["list", "formats", "--format", "json"]).output)
    assert [(entry["name"], bool(entry["fault"])) for entry in as_json] == [
        ("round_robin", False),
        ("test_broken", True),
        ("test_other", True),
    ]


CONFIG = """bots:
  - {name: ann, command: python -c pass}
  - {name: bob, command: python -c pass}
"""


@pytest.mark.parametrize(("name", "line"), [("test_broken", 4), ("round_robin", 4)])
def test_a_config_that_chooses_what_cannot_be_used_gets_one_problem(
    install: Install, tmp_path: Path, name: str, line: int
) -> None:
    install("test_package", "1 / 0", {name: "Ladder"})
    path = tmp_path / "test.yaml"
    path.write_text(f"{CONFIG}tournament: {{format: {name}, pairs: 3}}\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.path) == (line, "tournament.format")
    assert "the package test_package 1.2" in problem.message


def test_a_broken_package_troubles_nobody_who_does_not_choose_it(install: Install, tmp_path: Path) -> None:
    for number, kind in enumerate(KINDS):
        install(f"test_package_{number}", "1 / 0", {"test_broken": "Ladder"}, kind)
    path = tmp_path / "test.yaml"
    path.write_text(CONFIG)
    assert load_config(path).format_name == "round_robin"
    done = CliRunner().invoke(group, ["validate", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
