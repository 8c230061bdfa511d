"""A place for whole tournaments with real processes. Every bot that a test starts carries a mark in its environment."""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml
from click.testing import CliRunner

from arena.cli import group

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "example_bots" / "python"
_MARK = "ARENA_TEST_MARK"


@dataclass
class Arena:
    """A place for one test's tournaments."""

    directory: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    environment: dict[str, str] = field(default_factory=dict)
    """What commands find in their environment, beside what this process has."""

    @property
    def results(self) -> Path:
        return self.directory / "results"

    def bot(self, name: str, script: str | Path, *arguments: str, **keys: Any) -> dict[str, Any]:
        """An entry of a config's bots: a script of the example bots, or of a test's own."""
        path = BOTS / script if (BOTS / script).exists() else self.directory / script
        environment = {**keys.pop("environment", {}), _MARK: self.mark}
        return {"name": name, "command": ["python", str(path), *arguments], "environment": environment, **keys}

    def script(self, name: str, text: str) -> str:
        """Write a bot's program; returns its name for `bot`."""
        (self.directory / name).write_text(text)
        return name

    def config(self, bots: Sequence[Mapping[str, Any]], *, pairs: int = 2, name: str = "test", **blocks: Any) -> Path:
        """Write a config; `blocks` are merged over a small default."""
        document: dict[str, Any] = {
            "name": name,
            "bots": list(bots),
            "tournament": {"format": "round_robin", "pairs": pairs, "seed": "a test"},
            "time": {"move_ms": 30_000, "startup_ms": 60_000},  # however busy the machine is
            **blocks,
        }
        path = self.directory / f"{name}.yaml"
        path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
        return path

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "arena", *map(str, arguments)]

    def __call__(self, *arguments: object, code: int = 0, timeout_s: float = 500) -> "subprocess.CompletedProcess[str]":
        """Run a command of the arena to its end; it must exit with `code`."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.directory,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "\nTraceback" not in "\n" + done.stderr, "bots' own ones are indented"
        return done

    def run(self, config: Path, *options: object, code: int = 0) -> "subprocess.CompletedProcess[str]":
        """`arena run` into this place's results."""
        return self("run", config, "--output", self.results, *options, code=code)

    def start(self, config: Path, *options: object) -> "subprocess.Popen[str]":
        """`arena run`, without waiting for its end; a session of its own, as a terminal would give it."""
        return subprocess.Popen(
            self.command("run", config, "--output", self.results, *options),
            cwd=self.directory,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def here(self, *arguments: object) -> str:
        """What a quick command prints, without a process of its own."""
        done = CliRunner().invoke(group, [str(argument) for argument in arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    def export(self) -> list[dict[str, Any]]:
        """Every stored match."""
        return [json.loads(line) for line in self.here("export", self.results).splitlines()]

    def board(self) -> dict[str, Any]:
        """The ladder as JSON."""
        board: dict[str, Any] = json.loads(self.here("leaderboard", self.results, "--format", "json"))
        return board

    def standings(self) -> dict[str, Any]:
        """The ladder without what differs from run to run, which is time."""
        board = self.board()
        for row in board["leaderboard"]:
            del row["median_ms"]
        return board

    def bots_alive(self) -> list[psutil.Process]:
        """Every process that carries this test's mark."""
        return [process for process in psutil.process_iter() if self._is_ours(process)]

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            return process.environ().get(_MARK) == self.mark
        except psutil.Error:
            return False


def wait_until(condition: Callable[[], object], what: str, seconds: float = 50) -> None:
    """Poll until a condition holds; fails with `what` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not in {seconds} s: {what}"
        time.sleep(0.02)


def matches_of(export: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What of an export must be the same in every run: all but the time that bots took."""
    return {
        match["match"]: {
            **{key: value for key, value in match.items() if key != "decisions"},
            "decisions": [{**each, "elapsed_ms": 0} for each in match["decisions"]],
        }
        for match in export
    }
