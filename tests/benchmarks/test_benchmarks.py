"""The command that measures: that it measures something and shows it. How long anything takes is not tested."""

import ast
import json
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from benchmarks.__main__ import SECTIONS
from benchmarks.measure import Line, Scale, Spread, Target, in_turns
from benchmarks.report import render

ROOT = Path(__file__).parents[2]
SHARED = {"__init__", "__main__", "measure", "report"}


def run(*arguments: object) -> str:
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_every_module_is_a_section_and_says_what_the_list_says():
    modules = {path.stem: path for path in (ROOT / "benchmarks").glob("*.py") if path.stem not in SHARED}
    assert {name: ast.get_docstring(ast.parse(path.read_text())) for name, path in modules.items()} == SECTIONS
    assert [line.split()[0] for line in run("--list").splitlines()] == list(SECTIONS)


def test_a_run_writes_its_figures_and_another_one_compares_with_them(tmp_path):
    file = tmp_path / "figures.json"
    first = run("--quick", "engine", "startup", "--json", file)
    assert "change" not in first
    document = json.loads(file.read_text())
    assert document["size"] == "quick"
    assert list(document["sections"]) == ["engine", "startup"]
    for line in [line for lines in document["sections"].values() for line in lines]:
        for side in {"ours", "floor"} & set(line):
            assert 0 < line[side]["low"] <= line[side]["median"] <= line[side]["high"], line
    second = run("--quick", "engine", "--compare", file)
    assert "change" in second
    assert second.count(" %") == len(document["sections"]["engine"])


def test_a_broken_section_is_told_and_the_others_go_on():
    wrong = "import benchmarks.engine as e, benchmarks.__main__ as m; e.measure = lambda _: 1 / 0; "
    command = wrong + "import sys; sys.exit(m.main(['--quick', 'engine', 'startup']))"
    done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert "arena --help" in done.stdout


def test_an_unknown_section_is_refused():
    with pytest.raises(subprocess.CalledProcessError):
        run("--quick", "engin")


def test_what_is_measured_in_turns_is_kept_apart():
    calls = count()
    assert in_turns(2, lambda: next(calls), lambda: next(calls)) == [[0, 2], [1, 3]]


def test_a_figure_is_related_turn_by_turn():
    ratio = Line("subject", "wall", "us", [10, 40, 30], "floor", [10, 20, 10])
    assert ratio.related == Spread(2, 1, 3)
    assert Line("subject", "wall", "us", [10, 40], "floor", [10, 20], "difference").related == Spread(10, 0, 20)
    assert Line("subject", "wall", "us", [10]).related is None


def test_a_table_names_missed_targets_and_changes():
    line = Line("subject", "wall", "us", [10, 40, 30], "floor", [10, 20, 10], target=Target("relation", "at most", 1.5))
    table = render([line], "text", {("subject", "wall"): 20.0})
    assert "30.0 [10.0 - 40.0]" in table
    assert "<= 1.5 missed" in table
    assert "+50 %" in table


def test_markdown_has_subjects_down_and_figures_across():
    lines = [Line(name, figure, "ms", [2.0]) for name in ("c", "go") for figure in ("start", "decision")]
    header, _, *rows = render(lines, "markdown", {}).splitlines()
    assert "start, ms" in header
    assert [row.split()[1] for row in rows] == ["c", "go"]


def test_sizes_without_a_full_value_stay_as_usual():
    assert [Scale(size, ROOT).choose(1, 2) for size in ("quick", "usual", "full")] == [1, 2, 2]
    assert Scale("full", ROOT).choose(1, 2, 3) == 3
