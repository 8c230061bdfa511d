"""Example bots for tests: built once for all test runs, and what to do about a machine that cannot build them.

A build is kept in the user's cache, in a folder whose name has a digest of all that the build depends on: the bot's own
files, what its tools say of themselves, and variables that compilers read. So a fresh checkout builds nothing that this
machine has built before, and no test writes into the sources.

Whoever holds a language's lock may use its folder: to build, to run its tests, to play. Tests that run side by side, in
this test run or in another one, therefore never see a program that is just being written.

What a machine lacks, or cannot fetch for want of a network, is no fault of the code: such a test is skipped with one
line that says what is missing. Where the environment says CI, everything has to be there, and it fails.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

from arena.config.builds import ready
from arena.config.entrants import CommandKeys, read_entry
from arena.config.examples import ENTRY, copy, files, languages
from arena.config.needs import in_words, missing, parse
from arena.config.roster import named
from arena.errors import ConfigError
from arena.model import BotSpec

__all__ = ["LANGUAGES", "absent", "held", "is_for_want_of_a_network", "lack", "require", "unfetched"]

LANGUAGES = languages()

_VARIABLES = re.compile(
    r"(CC|CXX|C(XX|PP|CONFIG_)?FLAGS|LDFLAGS|CPATH|JAVA_HOME|(CARGO|RUST|GO|CGO|CMAKE|PKG_CONFIG)\w*)"
)
_FINISHED = ".finished"
"""A file that is touched whenever a finished build is used."""
_UNUSED_DAYS = 30
_NO_NETWORK = re.compile(
    "resolve host|name resolution|unknown host|no such host|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT"
    "|ENETUNREACH|EHOSTUNREACH|connection refused|connection timed out|connect timed out|could not connect"
    "|network is unreachable|i/o timeout",
    re.IGNORECASE,
)


def absent(reason: str) -> NoReturn:
    """Skip a test because this machine lacks something; fail it in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def is_for_want_of_a_network(output: str) -> bool:
    """Whether a program failed because it could not fetch something, by what it wrote."""
    return _NO_NETWORK.search(output) is not None


@cache
def lack(language: str) -> str:
    """What a language's bot needs and this machine has not, as a sentence; empty when all is here."""
    keys = _keys(language)
    lacks = missing(keys.needs, keys.environment)
    return f"{language} needs {in_words(lacks)}" if lacks else ""


@cache
def unfetched(language: str) -> str:
    """Why a bot that lacks nothing cannot be built without a network, as a sentence; empty once it has been built."""
    if not _keys(language).build_words:
        return ""
    folder = _folder(language)
    with _lock(language):
        if not (folder / _FINISHED).exists():
            copy(LANGUAGES[language], folder)
            try:
                ready(language, [str(folder)], folder)
            except ConfigError as error:
                if is_for_want_of_a_network(str(error)):
                    return f"{language} cannot be built without a network: its libraries have not been fetched before"
                raise
        (folder / _FINISHED).touch()
        _forget_old_ones(language)
    return ""


def require(language: str) -> None:
    """Skip (in CI: fail) a test whose language is not here."""
    reason = lack(language) or unfetched(language)
    if reason:
        absent(reason)


@contextmanager
def held(language: str) -> Iterator[BotSpec]:
    """The bot of a language that is here, built; meanwhile nobody else uses its folder."""
    folder = _folder(language)
    with _lock(language):
        yield named(language, [str(folder)], folder, is_built=True).spec


def _folder(language: str) -> Path:
    """Where a bot is built and played; one that needs no build is played where its sources are."""
    return _home() / f"{language}-{_digest(language)}" if _keys(language).build_words else LANGUAGES[language]


def _lock(language: str) -> FileLock:
    _home().mkdir(parents=True, exist_ok=True)
    return FileLock(_home() / f"{language}.lock")


def _forget_old_ones(language: str) -> None:
    for finished in _home().glob(f"{language}-*/{_FINISHED}"):
        if time.time() - finished.stat().st_mtime > _UNUSED_DAYS * 86_400:
            shutil.rmtree(finished.parent)


def _home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacocat-arena" / "example_bots"


def _keys(language: str) -> CommandKeys:
    return read_entry(LANGUAGES[language] / ENTRY)[1]


@cache
def _digest(language: str) -> str:
    """Of all that makes a build what it is: the same digest, the same programs."""
    sources = LANGUAGES[language]
    tools = [_of_itself(need) for need in _keys(language).needs]
    variables = sorted(pair for pair in os.environ.items() if _VARIABLES.fullmatch(pair[0]))
    digest = hashlib.sha256(repr((platform.machine(), platform.platform(), tools, variables)).encode())
    for path in files(sources):
        contents = (sources / path).read_bytes()
        digest.update(repr((str(path), os.access(sources / path, os.X_OK), contents)).encode())
    return digest.hexdigest()[:16]


def _of_itself(need: str) -> str:
    """What a program or library says of itself."""
    kind, name, _ = parse(need)
    if kind == "header":
        return need
    questions = (
        [["pkg-config", "--modversion", name]] if kind == "pkg-config" else [[name, "--version"], [name, "version"]]
    )
    for question in questions:
        done = subprocess.run(question, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
    return f"{need} {shutil.which(name)} {done.stdout}"
