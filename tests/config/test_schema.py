"""The JSON Schema of configs: the file is up to date, good configs pass, and it sees what it can of the broken ones."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft7Validator, ValidationError

from arena.cli import group
from arena.config import schema as under_test
from arena.config.schema import schema
from arena.config.tournament import CHOICES, Choice, load_config
from arena.errors import ConfigError, Problem

ROOT = Path(__file__).parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
BROKEN = sorted((Path(__file__).parent / "broken_configs").glob("*.yaml"))

SHAPE = re.compile(
    r"unknown key|is missing|there is no (game|format|rating|executor) |at least two bots, not"
    r"|must be (a |text|true|null|\")(?!whole number from)"
)
"""Complaints of the shape of a config, which a schema can have as well."""

AS_WRITTEN = {
    ("bad_numbers", "time.margin_ms"),  # 1:30 is 90 to YAML
    ("bad_numbers", "limits.memory_mb"),  # 512.0 is a whole number to JSON Schema
    ("bad_numbers", "rating.anchor.elo"),  # 010 is 8 to YAML
    ("bad_rules", "game.rules.deck.03"),  # 03 is 3 to YAML
    ("missing_space_in_a_list", "bots[0]"),  # "name:greedy" could be a folder
}
"""What a schema cannot know: it sees values, not how they were written."""


def plain(path: Path) -> Any:
    """A config as an editor gives it to a schema: keys are text."""
    return json.loads(json.dumps(yaml.safe_load(path.read_bytes()), default=str))


def refused(document: Any) -> set[str]:
    """The paths, as the arena writes them, at which a schema refuses something."""
    found = set()

    def walk(errors: Iterator[ValidationError]) -> None:
        for error in errors:
            steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path]
            found.add("".join(steps).removeprefix("."))
            walk(iter(error.context or ()))

    walk(Draft7Validator(schema()).iter_errors(document))
    return found


def test_it_is_a_schema_and_its_defaults_are_good_values() -> None:
    Draft7Validator.check_schema(schema())

    def walk(part: Any) -> int:
        if isinstance(part, list):
            return sum(map(walk, part))
        if not isinstance(part, dict):
            return 0
        checked = 0
        for key in part.get("properties", {}).values():
            assert key.get("description"), key
            if "default" in key and not (key["default"] is None and "anyOf" not in key):
                without_const = {name: value for name, value in key.items() if name != "enum" or len(value) > 1}
                assert Draft7Validator(without_const).is_valid(key["default"]), key
                checked += 1
        return checked + sum(map(walk, part.values()))

    assert walk(schema()) > 30


def test_the_file_is_what_the_command_prints() -> None:
    printed = CliRunner().invoke(group, ["validate", "--schema"])
    assert printed.exit_code == 0
    assert json.loads(printed.output) == schema()
    assert (ROOT / "configs" / "schema.json").read_text("utf-8") == printed.output, (
        "write it again: arena validate --schema > configs/schema.json"
    )


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_good_configs_pass_and_name_it_to_editors(path: Path) -> None:
    assert refused(plain(path)) == set()
    assert path.read_text("utf-8").startswith("# yaml-language-server: $schema=schema.json\n")


def problems_of(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as error:
        load_config(path)
    return tuple(error.value.problems)


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_it_refuses_what_is_broken_in_shape(path: Path) -> None:
    try:
        document = plain(path)
    except (yaml.YAMLError, ValueError, RecursionError):
        return  # no schema is asked about what is not YAML
    places = [problem.path for problem in problems_of(path) if SHAPE.search(problem.message)]
    found = refused(document)
    for place in places:
        above = re.sub(r"(^|\.)[^.\[]+$|\[\d+\]$", "", place)
        assert {place, above} & found or (path.stem, place) in AS_WRITTEN, place


def test_the_broken_ones_are_broken_in_many_shapes() -> None:
    """So that the test above cannot become empty."""
    seen = sum(bool(SHAPE.search(problem.message)) for path in BROKEN for problem in problems_of(path))
    assert seen > 50


GOOD_BOTS: list[Any] = ["a/folder", {"name": "b", "command": "python b.py"}]


@pytest.mark.parametrize(
    "more",
    [
        {"game": "tacocat"},
        {"game": {"rules": {"round_tie": "arrow"}}},
        {"game": None, "time": None, "rating": None},
        {"tournament": {"seed": 7, "pairs": 3}},
        {"tournament": {"seed": "seven"}},
        {"rating": {"anchor": {"bot": "b"}}},
        {"run": {"workers": 2, "matches_at_once": "auto"}},
        {"bots": [{"name": 7, "command": ["x", 1], "version": 1.1, "environment": {"DEPTH": 3}}, "c"]},
    ],
)
def test_other_ways_to_write_the_same(more: dict[str, Any]) -> None:
    assert refused({"bots": GOOD_BOTS} | more) == set()


def test_every_implementation_brings_its_keys_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Other:
        """Another rating.

        speed: how fast.
        """

        speed: int

    @dataclass(frozen=True)
    class Keys:
        """Which.

        method: which rating.
        """

        method: str = "auto"

    monkeypatch.setitem(CHOICES, "rating", Choice("ratings", "method", Keys))
    monkeypatch.setattr(under_test, "names", lambda kind: ("missing", "other"))

    def load(kind: str, name: str) -> type[Any]:
        if kind == "ratings" and name == "other":
            return Other
        raise LookupError(name)

    monkeypatch.setattr(under_test, "load", load)
    good: list[Any] = ["auto", "missing", {}, {"method": "auto"}, {"method": "other", "speed": 3}]
    for rating in good:
        assert refused({"bots": GOOD_BOTS, "rating": rating}) == set()
    bad: list[Any] = ["other", "nothing", {"speed": 3}, {"method": "other"}, {"method": "auto", "speed": 3}]
    for rating in bad:
        assert "rating" in refused({"bots": GOOD_BOTS, "rating": rating})
