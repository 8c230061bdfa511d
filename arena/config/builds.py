"""The builds of a tournament's bots: run before anything is played, each in its own directory.

Theory of operation
-------------------
A config is read twice. The first time nothing is said of programs that are still to be made; the builds run; the second
time everything must be there, and fingerprints are taken of what the builds have made. So builds run before every
tournament, a resumed one too: one that finds nothing to do is quick, and no stale program ever plays.

A build is a session and process group of its own. A terminal's Ctrl-C therefore reaches the arena alone, which kills
the whole group: a compiler's children as well. What a build writes goes to a file, not to a pipe, so that nothing has
to be read meanwhile, and nothing is lost of a build that fails.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from arena.clock import monotonic_ms
from arena.config.entrants import Talks
from arena.config.needs import in_words
from arena.config.roster import Build, named
from arena.config.tournament import TournamentConfig, load_config
from arena.errors import ConfigError, Problem
from arena.model import BotSpec
from arena.processes import collect, describe_status, kill_group

__all__ = ["build", "load_for", "ready"]

_TICK_S = 0.02
_TAIL_BYTES = 1 << 14
_TAIL_LINES = 40


def build(config: TournamentConfig, chosen: Collection[str] | None = None) -> TournamentConfig:
    """Run the builds of a config that was loaded with ``built=()``; returns it as it is with the bots built.

    chosen: build these bots alone; None = all. Progress goes to stderr. Raises ConfigError with every build that failed
    once all have been tried, or with what they did not make.
    """
    builds = [each for each in config.builds if chosen is None or each.bot in chosen]
    if not builds:
        return config
    _run_all(builds, str(config.source))
    return load_config(config.source, built={each.bot for each in builds})


def load_for(path: Path | None, game: str | None, bots: Sequence[str]) -> TournamentConfig | None:
    """The config for a command that is given some bots, with those of them built that it names; None for no `path`.

    game: what the command was told to play. Raises ConfigError, also when a bot is left out of the config, which would
    otherwise be taken for a command.
    """
    if path is None:
        return None
    if game is not None:
        raise ConfigError(str(path), [Problem("says itself what is played: leave out --game, or --config")])
    config = load_config(path, built=())
    left_out = [Problem(config.left_out[name]) for name in dict.fromkeys(bots) if name in config.left_out]
    if left_out:
        raise ConfigError(str(path), left_out)
    return build(config, bots)


def ready(name: str, words: Sequence[str], directory: Path, protocol: Talks = "zeromq") -> BotSpec:
    """A bot that no config names (see `arena.config.roster.named`), built if it needs that. Raises ConfigError."""
    entry = named(name, words, directory, protocol=protocol, is_built=False)
    if entry.lacks:
        raise ConfigError(words[0], [Problem(f"{entry.spec.name} needs {in_words(entry.lacks)}")])
    if entry.build is None:
        return entry.spec
    _run_all([entry.build], words[0])
    return named(name, words, directory, protocol=protocol, is_built=True).spec


def _run_all(builds: Sequence[Build], source: str) -> None:
    console = Console(stderr=True)
    problems = []
    for alike in _grouped(builds):
        names, first = " and ".join(each.bot for each in alike), alike[0]
        begun_ms = monotonic_ms()
        with console.status(Text(f"building {names}: {shlex.join(first.command)}")):
            failure = _run(first)
        seconds = (monotonic_ms() - begun_ms) / 1000
        sys.stderr.write(f"{names}: {'the build failed' if failure else 'built'} after {seconds:.1f} s\n")
        if failure:
            problems.append(Problem(_report(names, first, failure)))
    if problems:
        raise ConfigError(source, problems)


class _Failure(NamedTuple):
    """A build that failed: why, and the file with all that it wrote, None when there is none."""

    reason: str
    output: Path | None


def _grouped(builds: Sequence[Build]) -> list[list[Build]]:
    """Builds that are the same but for the bot stand together: they are run once."""
    groups: dict[object, list[Build]] = {}
    for each in builds:
        key = each.command, each.directory, tuple(sorted(each.environment.items()))
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _run(each: Build) -> _Failure | None:
    """Run a build to its end; its output is kept only if it fails."""
    with tempfile.NamedTemporaryFile(prefix="arena-build-", suffix=".txt", delete=False) as output:
        path = Path(output.name)
        reason: str | None = None
        try:
            popen = subprocess.Popen(
                each.command,
                cwd=each.directory,
                env={**os.environ, **each.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            status = _wait(popen)
            reason = describe_status(status) if status else None
        except OSError as error:
            reason = f"it could not be started: {error.strerror}"
        finally:
            is_kept = reason is not None and path.stat().st_size > 0
            if not is_kept:
                path.unlink()
    return _Failure(reason, path if is_kept else None) if reason is not None else None


def _wait(popen: subprocess.Popen[bytes]) -> int:
    """The exit status of a group's leader; nothing of the group is left then, nor when this is interrupted."""
    try:
        while not collect(popen):
            time.sleep(_TICK_S)
    except BaseException:
        if popen.returncode is None:
            kill_group(popen.pid)
            popen.wait()
        raise
    return popen.returncode


def _report(names: str, each: Build, failure: _Failure) -> str:
    lines = [
        f"{names} cannot be built: {failure.reason}",
        f"command: {shlex.join(each.command)}",
        f"directory: {each.directory}",
        "it wrote nothing" if failure.output is None else f"all that it wrote: {failure.output}, which ends with",
        *(f"  {line}" for line in _last_lines(failure.output)),
    ]
    return "\n      ".join(lines)


def _last_lines(output: Path | None) -> list[str]:
    """The end of what a build wrote, as text that is safe to print."""
    if output is None:
        return []
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").expandtabs().splitlines()[-_TAIL_LINES:]
    return ["".join(character if character.isprintable() else " " for character in line) for line in lines]
