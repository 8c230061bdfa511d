"""What a bot needs beside its own files: programs, libraries and headers, as a machine has them or lacks them.

A need is a line of text: the name of a program, `pkg-config:NAME` for a library, or `header:NAME` for a header of C or
C++ whose library pkg-config does not know everywhere. `>=VERSION` may follow the first two. Whoever knows is asked: the
PATH, the program itself, pkg-config, the compiler. An answer that cannot be had counts as no.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from arena.config.document import brief

__all__ = ["Need", "in_words", "missing", "parse"]

Kind: TypeAlias = Literal["program", "pkg-config", "header"]

_NEED = re.compile(
    r"""(?:(?P<program>[^/:<>=\s]+) | pkg-config:(?P<library>[\w.+-]+))(?:>=(?P<version>\d+(?:\.\d+)*))?
    | header:(?P<header>[\w./+-]+)""",
    re.VERBOSE,
)
_PYTHON = ("python", "python3")
_WHY = {"program": "not on the PATH", "pkg-config": "not known to pkg-config", "header": "not known to cc"}
_PATIENCE_S = 20.0
"""Seconds for an answer. Even a compiler that starts for the first time after a boot needs a fraction."""


class Need(NamedTuple):
    """A need, taken apart. version: the least one that will do; empty = any."""

    kind: Kind
    name: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version} or newer" if self.version else self.name


def parse(text: str) -> Need:
    """A need as it is written. Raises ValueError with words for whoever wrote it."""
    match = _NEED.fullmatch(text)
    if match is None:
        raise ValueError(
            "must be the name of a program on the PATH, pkg-config:NAME of a library, or header:NAME of a C header;"
            " >=VERSION may follow the first two"
        )
    version = match["version"] or ""
    if match["program"]:
        return Need("program", match["program"], version)
    return Need("pkg-config", match["library"], version) if match["library"] else Need("header", match["header"])


def missing(needs: Sequence[str], environment: Mapping[str, str]) -> tuple[Need, ...]:
    """Which of a bot's needs are not here, in their order. There is always a Python: the arena's own.

    environment: the bot's variables, beside the user's own. Raises ValueError as `parse` does.
    """
    variables = {**os.environ, **environment}
    return tuple(need for need in map(parse, needs) if not _is_here(need, variables))


def in_words(lacks: Sequence[Need]) -> str:
    """What is missing and who does not know it, as the object of a sentence."""
    groups = []
    for kind, alike in groupby(sorted(lacks, key=lambda need: list(_WHY).index(need.kind)), key=lambda need: need.kind):
        *most, last = (brief(str(need)) for need in alike)
        names = f"{', '.join(most)} and {last}, which are" if most else f"{last}, which is"
        groups.append(f"{names} {_WHY[kind]}")
    return "; ".join(groups)


def _is_here(need: Need, variables: Mapping[str, str]) -> bool:
    if need.kind == "pkg-config":
        wanted = f"{need.name} >= {need.version}" if need.version else need.name
        return _ask(["pkg-config", "--exists", wanted], variables) is not None
    if need.kind == "header":
        question = f"#if !__has_include(<{need.name}>)\n#error\n#endif\n"
        return _ask(["cc", "-E", "-x", "c", "-"], variables, question) is not None
    if need.name in _PYTHON:
        return list(sys.version_info[:3]) >= _numbers(need.version or "0")
    if not need.version:
        return shutil.which(need.name, path=variables.get("PATH")) is not None
    return _version(need.name, variables) >= _numbers(need.version)


def _version(program: str, variables: Mapping[str, str]) -> list[int]:
    """The first number that a program says when it is asked for its version; empty when it says none."""
    said = _ask([program, "--version"], variables) or _ask([program, "version"], variables) or ""
    first = re.search(r"\d+(\.\d+)*", said)
    return _numbers(first[0]) if first else []


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _ask(command: Sequence[str], variables: Mapping[str, str], question: str = "") -> str | None:
    """What a command that succeeds writes; None when it fails or is not there."""
    program = shutil.which(command[0], path=variables.get("PATH"))
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            env=variables,
            input=question.encode(),
            capture_output=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return (done.stdout + done.stderr).decode("utf-8", "replace")
