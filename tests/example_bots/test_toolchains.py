"""Where a toolchain, a library or a network is missing nothing fails: what cannot be done is left out, in words."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.config.entrants import read_entry
from arena.config.examples import ENTRY
from arena.config.needs import parse
from tests.e2e.place import Arena
from tests.example_bots.toolchains import LANGUAGES, is_for_want_of_a_network

ROOT = Path(__file__).parents[2]


def needs(language: str) -> list[str]:
    return [parse(need).kind for need in read_entry(LANGUAGES[language] / ENTRY)[1].needs]


def own_tests(**environment: str) -> "subprocess.CompletedProcess[str]":
    """The tests of the bots' own tests, in a test run of its own that is not CI's if that is not said."""
    file = Path(__file__).with_name("test_languages.py")
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-k", "own_tests", str(file)]
    variables = {**os.environ, "CI": "", **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)


def test_without_any_toolchain_each_language_is_skipped_in_a_line(tmp_path: Path) -> None:
    done = own_tests(PATH=str(tmp_path))
    assert done.returncode == 0, done.stdout
    skipped = re.findall(r"^SKIPPED .*: (\w+) needs .*, which (?:is|are) not on the PATH", done.stdout, re.MULTILINE)
    assert sorted(skipped) == sorted(LANGUAGES.keys() - {"python"})


def test_in_ci_each_language_must_be_there(tmp_path: Path) -> None:
    done = own_tests(PATH=str(tmp_path), CI="true")
    assert done.returncode == 1, done.stdout
    failed = re.findall(r"^FAILED .* - Failed: (\w+) needs ", done.stdout, re.MULTILINE)
    assert sorted(failed) == sorted(LANGUAGES.keys() - {"python"})


def test_without_libraries_bots_that_need_one_are_left_out(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their compilers may be there: it is not tried."""
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    monkeypatch.delenv("PKG_CONFIG_PATH", raising=False)
    said = arena("validate", ROOT / "configs" / "languages.yaml").stderr
    bots = {language for language in LANGUAGES if "pkg-config" in needs(language)}
    assert bots == {"c", "cpp", "go"}
    for line in bots:
        assert re.search(rf"^{line} is left out: it needs .*, which is not known to pkg-config", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            'main.go:10:2: Get "https://x/y.zip": dial tcp: lookup x on 10.0.0.1:53: connect: network is unreachable',
            True,
        ),
        ('Get "https://x/y.zip": dial tcp: lookup x: no such host', True),
        ("[6] Could not resolve hostname (Could not resolve host: index.crates.io)", True),
        ("npm error code EAI_AGAIN\nnpm error syscall getaddrinfo", True),
        ("transfer failed for https://x/y.pom: Unknown host x: Temporary failure in name resolution", True),
        ("error[E0425]: cannot find value `network` in this scope", False),
        ("src/main.c:10:10: fatal error: zmq.h: No such file or directory", False),
        ("[ERROR] Could not find artifact org.msgpack:msgpack-core:jar:99 in central (https://x)", False),
    ],
)
def test_what_could_not_be_fetched_is_told_from_what_does_not_compile(output: str, expected: bool) -> None:
    assert is_for_want_of_a_network(output) == expected
