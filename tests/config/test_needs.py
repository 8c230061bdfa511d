"""What a bot needs: how it is written, who is asked for it, and what is said when it is missing."""

from pathlib import Path

import pytest

from arena.config.needs import Need, in_words, missing, parse
from tests.commands import executable


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(folder: Path, name: str, script: str) -> None:
    executable(folder / name).write_text("#!/bin/sh\n" + script)


def lacking(*needs: str, **environment: str) -> list[str]:
    return [str(need) for need in missing(needs, environment)]


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("make", Need("program", "make")),
        ("g++-12", Need("program", "g++-12")),
        ("cargo>=1.85", Need("program", "cargo", "1.85")),
        ("pkg-config", Need("program", "pkg-config")),
        ("pkg-config:libzmq", Need("pkg-config", "libzmq")),
        ("pkg-config:gtk+-3.0>=3.24.1", Need("pkg-config", "gtk+-3.0", "3.24.1")),
        ("header:json-c/json.h", Need("header", "json-c/json.h")),
    ],
)
def test_a_need_names_a_program_a_library_or_a_header(text, need):
    assert parse(text) == need


@pytest.mark.parametrize(
    "text",
    ["", "a/b", "/bin/sh", "a b", "make>4", "make>=new", "make>=", "pkgconfig:libzmq", "pkg-config:", "header:a.h>=2"],
)
def test_what_is_no_need_is_refused_with_all_that_is_one(text):
    with pytest.raises(ValueError, match=r"a program on the PATH, pkg-config:NAME .* or header:NAME .* >=VERSION"):
        parse(text)


def test_a_program_is_found_on_the_path_of_the_bot(machine):
    program(machine, "tool", "")
    program(machine / "other", "other", "")
    assert lacking("tool", "other", "none") == ["other", "none"]
    assert lacking("other", "tool", PATH=str(machine / "other")) == ["tool"]


def test_there_is_always_a_python_the_arenas_own(machine):
    assert lacking("python", "python3", "python>=3.11", "python>=99") == ["python 99 or newer"]


@pytest.mark.parametrize(
    ("says", "least", "is_enough"),
    [
        ("cargo 1.85.0 (d73d2caf9 2024-12-31)", "1.85", True),
        ("cargo 1.85.0 (d73d2caf9 2024-12-31)", "1.9", True),
        ("cargo 1.85.0 (d73d2caf9 2024-12-31)", "1.86", False),
        ("v18.20.4", "20", False),
        ("openjdk 17 2021-09-14", "17", True),
        ("jq-1.6", "1.6.1", False),
        ("no number at all", "0", False),
    ],
)
def test_a_version_is_what_the_program_says(machine, says, least, is_enough):
    program(machine, "tool", f"[ $1 = --version ] && echo '{says}'")
    assert lacking(f"tool>={least}") == ([] if is_enough else [f"tool {least} or newer"])


def test_a_version_may_be_a_command_instead_of_an_option_and_may_go_to_stderr(machine):
    program(machine, "go", "[ $1 = version ] && echo go version go1.22.3 linux/amd64 >&2")
    assert lacking("go>=1.22") == []
    assert lacking("go>=1.23") == ["go 1.23 or newer"]


def test_a_program_that_cannot_be_asked_has_no_version(machine):
    program(machine, "fails", "echo 7; exit 1")
    executable(machine / "broken").write_bytes(b"\x00\x01")
    assert lacking("fails>=1", "broken>=1") == ["fails 1 or newer", "broken 1 or newer"]
    assert lacking("fails", "broken") == []


def library(folder: Path, name: str, version: str) -> None:
    text = f"Name: {name}\nDescription: of a test\nVersion: {version}\nRequires: {name}-base\n"
    (folder / f"{name}.pc").write_text(text)
    (folder / f"{name}-base.pc").write_text(text.split("Requires")[0])


@pytest.mark.skipif(bool(missing(["pkg-config"], {})), reason="needs pkg-config")
def test_a_library_is_known_to_pkg_config_with_all_that_it_requires(tmp_path, monkeypatch):
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    needs = ["pkg-config:libtest", "pkg-config:libtest>=1.2", "pkg-config:libtest>=1.10"]
    assert lacking(*needs) == ["libtest", "libtest 1.2 or newer", "libtest 1.10 or newer"]
    library(tmp_path, "libtest", "1.2.3")
    assert lacking(*needs) == ["libtest 1.10 or newer"]
    (tmp_path / "other").mkdir()
    assert lacking(needs[0], PKG_CONFIG_LIBDIR=str(tmp_path / "other")) == ["libtest"], "the bot's own variables"
    (tmp_path / "libtest-base.pc").unlink()
    assert lacking(needs[0]) == ["libtest"]


@pytest.mark.skipif(bool(missing(["cc"], {})), reason="needs a C compiler")
def test_a_header_is_known_to_the_compiler(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "test.hpp").write_text("#error it is looked for, not read")
    assert lacking("header:deep/test.hpp", "header:test.hpp", CPATH=str(tmp_path)) == ["test.hpp"]
    assert lacking("header:stdio.h") == []


@pytest.mark.usefixtures("machine")
def test_what_nobody_can_be_asked_for_is_missing():
    assert lacking("pkg-config:libzmq", "header:zmq.h") == ["libzmq", "zmq.h"]


def test_what_is_missing_is_said_in_words():
    assert in_words([parse("make")]) == "make, which is not on the PATH"
    several = ["header:zmq.hpp", "make", "pkg-config:libzmq>=4.2", "cargo>=1.85"]
    assert in_words(list(map(parse, several))) == (
        "make and cargo 1.85 or newer, which are not on the PATH; "
        "libzmq 4.2 or newer, which is not known to pkg-config; zmq.hpp, which is not known to cc"
    )
