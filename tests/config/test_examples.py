"""Example bots and configs as starting points: which files belong to them, and that they are copied whole."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from arena.config.entrants import read_entry
from arena.config.examples import ENTRY, as_yaml, copy, files, languages, make, make_all
from arena.config.roster import named
from arena.config.tournament import load_config
from arena.errors import ConfigError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """An example with what its build leaves: a tree of files, some of them ignored."""
    folder = tmp_path / "examples" / "fortran"
    for name, text in {
        ENTRY: "# An entry.\nname: fortran\nbuild: [make]\ncommand: [./bot, 'name: x']\n",
        ".gitignore": "# built\n/target/\n*.o\n\nsrc/made.f\nnode_modules/\n*.log\n!kept.log\n",
        "src/bot.f": "bot",
        "src/made.f": "ignored by its path",
        "src/target/here": "only the target at the top is ignored",
        "src/node_modules/x": "ignored anywhere",
        "src/bot.o": "ignored by its ending",
        "target/release/bot": "ignored as a whole",
        "tests/node_modules": "a file, and only folders of that name are ignored",
        "made.f": "not the path that is ignored",
        "kept.log": "an exception",
        "lost.log": "none",
        "cache/.gitignore": "*\n",
        "cache/x": "ignored by a .gitignore of its own folder",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "vectors.json").write_text("vectors")
    (folder / "vectors.json").symlink_to("../../vectors.json")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    return folder


KEPT = [".gitignore", ENTRY, "kept.log", "made.f", "run.sh", "src/bot.f", "src/target/here", "tests/node_modules"]
KEPT += ["vectors.json"]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_built_is_not_part_of_an_example(example):
    assert [str(path) for path in files(example)] == KEPT


def test_git_sees_it_alike(example):
    subprocess.run(["git", "init", "--quiet", str(example)], check=True)
    command = ["git", "-C", str(example), "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert sorted(listed) == [str(path) for path in files(example) if path.parts[0] != ".git"]


def test_a_copy_has_files_where_the_example_has_links(example, tmp_path):
    target = tmp_path / "new" / "deep"
    assert [str(path) for path in copy(example, target)] == KEPT
    assert tree(target) == {name: (example / name).read_bytes() for name in KEPT}
    assert not (target / "vectors.json").is_symlink()
    assert os.access(target / "run.sh", os.X_OK)
    assert not os.access(target / "made.f", os.X_OK)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("my_bot", "my_bot"),
        ("rust-2", "rust-2"),
        ("null", '"null"'),
        ("1.10", '"1.10"'),
        ("a: b # c", '"a: b # c"'),
        ('say "hi" \\1', '"say \\"hi\\" \\\\1"'),
        ("böt 🦊", '"böt 🦊"'),
        ("no", "no"),
    ],
)
def test_a_new_bot_has_its_own_name(example, tmp_path, name, written):
    make(example, tmp_path / "new", name)
    text = (tmp_path / "new" / ENTRY).read_text("utf-8")
    assert text == (example / ENTRY).read_text().replace("name: fortran", f"name: {written}")
    assert read_entry(tmp_path / "new" / ENTRY)[0].name == name


def test_paths_are_plain_where_they_can_be():
    assert as_yaml("/home/ann/my-bot.2") == "/home/ann/my-bot.2"
    assert as_yaml("/home/ann/my bot") == '"/home/ann/my bot"'


def test_nothing_that_is_there_is_overwritten(example, tmp_path):
    (tmp_path / "empty").mkdir()
    make(example, tmp_path / "empty", "x")
    before = tree(tmp_path)
    (tmp_path / "file").touch()
    for name, reason in [("empty", "is there already"), ("file", "is there already"), ("file/x", "cannot be written")]:
        with pytest.raises(ConfigError, match=reason):
            make(example, tmp_path / name, "x")
        with pytest.raises(ConfigError, match=reason):
            make_all(tmp_path / name)
    assert tree(tmp_path) == before | {"file": b""}


# --- the examples that there are -----------------------------------------------------------------------------------


def test_the_examples_of_a_checkout_are_found():
    assert languages()["python"] == ROOT / "example_bots" / "python"
    assert all(path.name == name for name, path in languages().items())


def test_all_examples_are_copied_with_their_configs(tmp_path):
    made = make_all(tmp_path / "all")
    assert tree(tmp_path / "all") == {str(path): (ROOT / path).read_bytes() for path in made}
    configs = sorted((ROOT / "configs").glob("*.yaml"))
    assert [ROOT / path for path in made if path.suffix == ".yaml" and path.parts[0] == "configs"] == configs
    bots = {path for path in made if path.parts[0] == "example_bots"}
    assert bots == {Path("example_bots", name, path) for name, folder in languages().items() for path in files(folder)}
    for config in configs:  # the bots that they name are there
        ours, theirs = load_config(config, built=()), load_config(tmp_path / "all" / "configs" / config.name, built=())
        assert [bot.fingerprint for bot in theirs.bots] == [bot.fingerprint for bot in ours.bots]


@pytest.mark.parametrize("language", languages())
def test_an_example_is_complete_in_itself(language, tmp_path):
    """Copied anywhere, it has an entry with its name, and every file that its commands name before it is built."""
    folder = languages()[language]
    made = make(folder, tmp_path / "new", "new")
    assert Path("README.md") in made
    keys, command = read_entry(tmp_path / "new" / ENTRY)
    assert read_entry(folder / ENTRY) == (replace(keys, name=language), command)
    if not command.build_words:
        assert named("x", ["new"], tmp_path, is_built=True).spec.name == "new"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a git checkout")
@pytest.mark.parametrize("language", languages())
def test_the_gitignore_of_an_example_is_understood(language):
    folder = languages()[language]
    command = ["git", "-C", str(folder), "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    there = sorted(path for path in listed if (folder / path).exists())
    assert [str(path) for path in files(folder)] == there
