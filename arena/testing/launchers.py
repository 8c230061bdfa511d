"""What a launcher must satisfy."""

import contextlib
import json
import os
import select
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from arena.contracts import Confined, Launcher, Site
from arena.model import BotSpec, Limits
from arena.referee.pipes import Pipes

__all__ = ["check_launcher"]

_PATIENCE_S = 30.0
_PAUSE_S = 0.002


def check_launcher(launcher: Launcher) -> None:
    """A launcher runs a bot's command as it is, where it is, within reach of the referee, and hides no end of it.

    One that cannot work on this machine must say why, and is not tried.
    """
    reason = launcher.unavailable()
    assert isinstance(reason, str), f"unavailable() must be a text, not {reason!r}"
    if reason:
        assert " " in reason, f"{reason!r} does not tell a person why"
        return
    with tempfile.TemporaryDirectory() as path:
        for program in (_check_launched_surroundings, _check_launched_status, _check_launched_kill):
            program(launcher, Path(path))


@contextlib.contextmanager
def _launched(launcher: Launcher, path: Path, script: str, *arguments: str) -> Iterator[tuple[Confined, IO[bytes]]]:
    """A Python script, started as the pool starts a bot: the confined process and its output."""
    (path / "a bot").mkdir(exist_ok=True)
    (path / "referee").mkdir(exist_ok=True)
    (path / "a bot" / "script.py").write_text(script)
    bot = BotSpec("checked", (sys.executable, "script.py", *arguments), str(path / "a bot"))
    environment = {"PATH": os.environ.get("PATH", os.defpath), "CHECKED": "ä $HOME"}
    with Pipes(by_lines=False) as pipes:
        confined = launcher.start(bot, Limits(), Site(path / "referee", environment, "", *pipes.theirs))
        output, _ = pipes.keep()
    with output:
        try:
            yield confined, output
        finally:
            confined.kill()
            wait_for_end(confined)
            confined.close()


def wait_for_end(confined: Confined) -> None:
    """Wait until a process is collected, however long that takes: whoever calls this has a limit of its own."""
    while not confined.collect():
        if confined.exit_watch is None:
            time.sleep(_PAUSE_S)
        else:
            select.select([confined.exit_watch], [], [])


def _check_launched_surroundings(launcher: Launcher, path: Path) -> None:
    """Arguments, environment, working directory and the referee's socket."""
    arguments = ("two words", "", "$HOME", "*", "'\"\\", "ü")
    script = (
        "import json, os, socket, sys\n"
        "link = socket.socket(socket.AF_UNIX)\n"
        "link.connect(sys.argv[1])\n"
        "link.send(json.dumps([sys.argv[2:], os.environ.get('CHECKED'), os.path.basename(os.getcwd())]).encode())\n"
    )
    with socket.socket(socket.AF_UNIX) as listener:
        (path / "referee").mkdir()
        address = str(path / "referee" / "socket")
        listener.bind(address)
        listener.listen()
        listener.settimeout(_PATIENCE_S)
        with _launched(launcher, path, script, address, *arguments) as (process, output):
            try:
                link, _ = listener.accept()
            except TimeoutError:
                process.kill()
                said = output.read().decode(errors="replace")
                raise AssertionError(f"the bot cannot reach the referee's socket; it wrote: {said}") from None
            with link:
                found = json.loads(link.recv(4096))
    assert found == [list(arguments), "ä $HOME", "a bot"], f"the bot was started with something else: {found}"


def _check_launched_status(launcher: Launcher, path: Path) -> None:
    for script, words in (
        ("raise SystemExit(0)", "status 0"),
        ("raise SystemExit(7)", "status 7"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "SIGTERM"),
    ):
        with _launched(launcher, path, script) as (process, _):
            wait_for_end(process)
            said = process.explain_exit()
        assert words in said, f"{script}: explained as {said!r}, without {words!r}"


def _check_launched_kill(launcher: Launcher, path: Path) -> None:
    """A kill ends the bot: its end of the pipe is closed."""
    script = f"import time; print('up', flush=True); time.sleep({2 * _PATIENCE_S})"
    with _launched(launcher, path, script) as (process, output):
        assert select.select([output], [], [], _PATIENCE_S)[0], "the bot's output does not arrive"
        assert output.readline() == b"up\n", "the bot's output is not its own"
        process.kill()
        assert select.select([output], [], [], _PATIENCE_S)[0], "the bot outlives its kill"
