"""What workers do in tests of executors, instead of playing matches. A module apart, which workers import quickly."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from arena.model import MatchResult, MatchSpec, Outcome


def echo(spec: MatchSpec, worker: int) -> MatchResult:
    """A result that says who played: worker, process, session."""
    return MatchResult(spec, Outcome(0, "echo", f"{worker} {os.getpid()} {os.getsid(0)}"))


@dataclass(frozen=True)
class Batches:
    """Answers only when it holds exactly `size` matches, all of them then."""

    size: int

    def __call__(self, connection: Any, worker: int) -> None:
        held = []
        while (spec := connection.recv()) is not None:
            held.append(spec)
            assert len(held) <= self.size, "too many matches at once"
            if len(held) == self.size:
                for each in held:
                    connection.send(echo(each, worker))
                held.clear()


@dataclass(frozen=True)
class Echo:
    """Answers at once; never on what worker `mute` gets after its first match."""

    mute: int | None = None

    def __call__(self, connection: Any, worker: int) -> None:
        answered = 0
        try:
            while (spec := connection.recv()) is not None:
                if worker != self.mute or not answered:
                    connection.send(echo(spec, worker))
                answered += 1
        except EOFError:
            return


class Stranding:
    """Starts a bot (a process that has a token) in a session of its own, says its number, and leaves it behind."""

    def __call__(self, connection: Any, worker: int) -> None:
        spec = connection.recv()
        if spec is None:
            return
        environment = {**os.environ, "ARENA_TOKEN": "secret"}
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        bot = subprocess.Popen(sleep, env=environment, start_new_session=True)
        connection.send(MatchResult(spec, Outcome(0, "echo", str(bot.pid))))
        connection.recv()  # the end, or a second match: either way it goes without a word to its bot
        os._exit(0)


class Stubborn:
    """Says its number and never ends."""

    def __call__(self, connection: Any, worker: int) -> None:
        connection.send(echo(connection.recv(), worker))
        time.sleep(600)


class Broken:
    """Cannot even begin."""

    def __call__(self, connection: Any, worker: int) -> None:
        os._exit(3)
