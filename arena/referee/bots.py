"""The bot processes of one referee: start, hand out, replace, end surely.

Theory of operation
-------------------
A process belongs to one bot and one *lane*. The two matches of a pair are in different lanes, so no process ever
meets a deal twice, however long it lives. Within its lane a process plays match after match, as many at once as its
hello declared; when all are busy, another one is started. A process is replaced after a fault (nobody knows what a
bot does after a verdict it did not expect), after `instances_matches` matches, or after every match when the bot asks
for it.

A process runs in its own session and process group, with a short clean environment and no inherited descriptor but its
output, which goes to a bounded log; of one that speaks over stdin and stdout that is only stderr. It is ended by `bye`,
some grace, then SIGKILL to the group. The group is killed while its leader is still unreaped, so that the number cannot
belong to anybody else by then.

The pool itself never waits. The referee calls `read_output`, `collect` and `enforce` when there is something to read,
when a process has ended, and as time passes.
"""

import contextlib
import errno
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

import psutil

from arena.clock import Clock
from arena.contracts import Confined, Launcher, Site
from arena.errors import HostError
from arena.model import BotSpec, Limits
from arena.referee.bot_log import BoundedLog
from arena.referee.pipes import LinePipe, Pipes
from protocol.lines import decode_line
from protocol.messages import BadFrame, type_name
from protocol.refusals import shown
from protocol.session import Session

__all__ = ["BotPool", "BotProcess", "Link", "SpawnFailed"]

_BYE_GRACE_MS = 1000.0
_FAULT_GRACE_MS = 200.0  # a bot that has lost by a fault gets this long to read why
_TAIL_BYTES = 4096
_TAIL_LINES = 12
_READ_BYTES = 65536
_KILL_POLL_S = 0.001

_IDLE_MAX = 512
_MEMORY_FULL_PERCENT = 80.0
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR")
_HOST_ERRNOS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class Link(Protocol):
    """A connection with a process."""

    def send(self, frame: bytes) -> bool:
        """Queue a message, never waiting; False when the other end is gone or takes nothing any more."""


class SpawnFailed(Exception):
    """The operating system could not run a bot's command: the bot's fault, the text says why."""


@dataclass(eq=False)
class BotProcess:
    """One running program.

    output: our end of what goes to its log. stdio: our ends of its stdin and stdout, when it speaks through these.
    stalled_before_ms: how long the referee had stood still in all when it was started.
    has_exited: whether it has ended and been collected, ended_ms: when. output_bytes: that it has written to its log.
    matches: ids of those it is playing, or will when it has said
    hello. link: over which it has said hello; pipe: over `stdio`. late: the beginning of what came through the pipe
    after it was dismissed. tail: the end of its log. answers: given since `cpu_ms`, its CPU time, was looked up.
    """

    spec: BotSpec
    lane: int
    number: int
    token: str
    confined: Confined
    output: IO[bytes]
    stdio: tuple[IO[bytes], IO[bytes]] | None
    started_ms: float
    stalled_before_ms: float = 0.0
    has_exited: bool = False
    ended_ms: float = 0.0
    output_bytes: int = 0
    session: Session = field(default_factory=lambda: Session("referee"))
    link: Link | None = None
    pipe: LinePipe | None = None
    late: bytes = b""
    matches: set[str] = field(default_factory=set)
    played: int = 0
    ignored: int = 0
    is_retiring: bool = False
    is_leaving: bool = False
    kill_at_ms: float = 0.0
    read_since_tick: int = 0
    tail: bytes = b""
    answers: int = 0
    cpu_ms: float = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether it has said a valid hello."""
        return self.link is not None

    def describe_exit(self) -> str:
        """How it ended, for a verdict."""
        if self.has_exited:
            return self.confined.explain_exit()
        return "it closed its link to the arena" if self.pipe is None else "it closed its stdout"

    def measure_answers(self) -> float | None:
        """Milliseconds of CPU time for each answer since this was last asked; None when there was none, or nobody can
        tell any more."""
        before_ms, answers = self.cpu_ms, self.answers
        seconds = self.confined.cpu_seconds()
        if seconds is None:
            return None
        self.cpu_ms, self.answers = 1000 * seconds, 0
        return (self.cpu_ms - before_ms) / answers if answers else None

    @property
    def may_flush(self) -> bool:
        """Whether it is on its way out and may yet write what it kept in a buffer: it sees the end of its input."""
        return self.pipe is not None and self.is_leaving and not self.has_exited

    def describe_output(self) -> str:
        """What it wrote, as evidence: why nothing of it was heard, if that is plain, and the end of its log."""
        said = _printable(self.tail)
        where = "" if self.pipe is None else " to stderr"
        log = f"{self.spec.name} last wrote{where}:\n{said}" if said else f"{self.spec.name} wrote nothing{where}"
        unheard = [] if self.pipe is None else describe_unheard(self.late, self.pipe.unfinished)
        return "\n".join([*unheard, log])


def describe_unheard(late: bytes, unfinished: bytes) -> list[str]:
    """Why lines were not heard in time: `late` came when the input had ended, `unfinished` has no line break."""
    with contextlib.suppress(BadFrame):
        written = decode_line(late.partition(b"\n")[0])
        return [
            f"its {type_name(type(written))} was written, but kept in a buffer until its input ended: "
            "flush stdout after every line"
        ]
    if unfinished:
        return [f"it wrote {shown(unfinished)} without a line break: end every message with one"]
    return []


def _printable(text: bytes) -> str:
    """The last lines of a log, safe to print."""
    lines = text.decode("utf-8", "replace").splitlines()[-_TAIL_LINES:]
    return "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines if line.strip())


class BotPool:
    """All bot processes of one referee. `started` and `dismissed` are called for each process at those moments."""

    def __init__(
        self,
        bots: Mapping[str, BotSpec],
        *,
        launcher: Launcher,
        limits: Limits,
        endpoint: str,
        directory: Path,
        log: Callable[[str], BoundedLog],
        clock: Clock,
        started: Callable[[BotProcess], None],
        dismissed: Callable[[BotProcess], None],
    ) -> None:
        self._bots = bots
        self._launcher = launcher
        self._limits = limits
        self._endpoint = endpoint
        self._directory = directory
        self._open_log = log
        self._logs: dict[str, BoundedLog] = {}
        self._clock = clock
        self._started = started
        self._dismissed = dismissed
        self._count = 0
        self._concurrency: dict[str, int] = {}  # matches at once of a process, by bot, as last heard
        self._playing: dict[BotProcess, None] = {}  # in order of their start
        self._lanes: dict[tuple[str, int], list[BotProcess]] = {}
        self._idle: OrderedDict[BotProcess, None] = OrderedDict()  # least recently used first
        self._leaving: set[BotProcess] = set()

    def __iter__(self) -> Iterator[BotProcess]:
        """Every process that has not been collected and judged, those on their way out included."""
        return iter([*self._playing, *self._leaving])

    @property
    def starting(self) -> list[BotProcess]:
        """Processes that have not said hello yet."""
        return [process for process in self._playing if not process.is_ready]

    def acquire(self, bot: str, lane: int, match: str) -> BotProcess:
        """A process that will play `match`: one with room, or a new one, which is not ready yet.

        Raises `SpawnFailed` when the command cannot be run, `HostError` when this machine has no room for a process.
        """
        process = next((each for each in self._lanes.get((bot, lane), ()) if self._has_room(each)), None)
        if process is None:
            self._make_room()
            process = self._start(self._bots[bot], lane)
        process.matches.add(match)
        self._idle.pop(process, None)
        return process

    def release(self, process: BotProcess, match: str, *, replace: bool) -> None:
        """`match` is over for this process; `replace` it when it must not play another one."""
        process.matches.discard(match)
        process.played += 1
        limit = process.spec.instances_matches
        worn = process.spec.restart == "match" or (limit is not None and process.played >= limit)
        process.is_retiring = process.is_retiring or replace or worn
        if process.is_leaving or process.matches:
            return
        if process.is_retiring:
            self.dismiss(process, grace_ms=_FAULT_GRACE_MS if replace else _BYE_GRACE_MS)
        else:
            self._idle[process] = None

    def dismiss(self, process: BotProcess, *, grace_ms: float = _BYE_GRACE_MS) -> None:
        """Play nothing on a process any more, and end it if it runs: `enforce` and `collect` complete that."""
        if not process.is_leaving:
            process.is_leaving = process.is_retiring = True
            can_hear = process.is_ready or process.pipe is not None
            process.kill_at_ms = self._clock() + (grace_ms if can_hear else 0.0)
            del self._playing[process]
            self._lanes[process.spec.name, process.lane].remove(process)
            self._idle.pop(process, None)
            self._leaving.add(process)
            self._dismissed(process)
        if process.has_exited:
            self._leaving.discard(process)

    def enforce(self, now_ms: float) -> None:
        """Kill every process whose grace is over."""
        for process in self._leaving:
            if now_ms >= process.kill_at_ms:
                process.confined.kill()
                process.kill_at_ms = now_ms + _BYE_GRACE_MS

    def collect(self, process: BotProcess) -> bool:
        """Collect a process that has ended, and the rest of its output; False while it still runs. It gets no further
        match; `dismiss` it when its end has been judged."""
        if not process.confined.collect():
            return False
        process.has_exited = process.is_retiring = True
        while process.pipe is not None and process.pipe.read():
            pass
        while self.read_output(process) == _READ_BYTES:
            pass
        return True

    def read_output(self, process: BotProcess) -> int | None:
        """Move a piece of a process's output to its log; return its length: 0 when there is none now, None at the
        end."""
        if process.output.closed:
            return None
        try:
            text = os.read(process.output.fileno(), _READ_BYTES)
        except BlockingIOError:
            return 0
        if not text:
            return None
        process.output_bytes += len(text)
        process.tail = (process.tail + text)[-_TAIL_BYTES:]
        self._log_of(process).write(text, process.number)
        return len(text)

    def close(self) -> None:
        """Kill whatever is left, at once, and close the logs."""
        for process in self:
            process.confined.kill()
            while not process.confined.collect():
                time.sleep(_KILL_POLL_S)
            process.confined.close()
            process.output.close()
            if process.pipe is not None:
                process.pipe.close()
        for log in self._logs.values():
            log.close()

    def _has_room(self, process: BotProcess) -> bool:
        """Whether it may be given another match. What a process that has not said hello will offer is not known, but
        processes of one bot offer the same."""
        if process.is_ready:
            self._concurrency[process.spec.name] = process.session.concurrency
        return not process.is_retiring and len(process.matches) < self._concurrency.get(process.spec.name, 1)

    def _make_room(self) -> None:
        """Idle processes are kept while memory is plentiful; before a new one starts, the longest idle may have to
        go."""
        if self._idle and (len(self._idle) >= _IDLE_MAX or psutil.virtual_memory().percent > _MEMORY_FULL_PERCENT):
            self.dismiss(next(iter(self._idle)))

    def _start(self, spec: BotSpec, lane: int) -> BotProcess:
        self._count += 1
        token = secrets.token_hex(16)
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        environment.setdefault("LANG", "C.UTF-8")
        environment |= spec.environment
        by_lines = spec.protocol == "stdio"
        endpoint = "stdio" if by_lines else self._endpoint
        environment |= {"ARENA_ENDPOINT": endpoint, "ARENA_TOKEN": token}
        started_ms = self._clock()
        try:
            with Pipes(by_lines=by_lines) as pipes:
                site = Site(self._directory, environment, endpoint, *pipes.theirs)
                confined = self._launcher.start(spec, self._limits, site)
                output, stdio = pipes.keep()
        except OSError as error:
            if error.errno in _HOST_ERRNOS:
                raise HostError(f"this machine cannot start another process: {error.strerror}") from error
            raise SpawnFailed(f"its command cannot be run: {error}") from error
        process = BotProcess(spec, lane, self._count, token, confined, output, stdio, started_ms)
        os.set_blocking(process.output.fileno(), False)
        self._playing[process] = None
        self._lanes.setdefault((spec.name, lane), []).append(process)
        self._log_of(process).write(f"--- process {process.number} (pid {confined.pid}) started\n".encode(), 0)
        self._started(process)
        return process

    def _log_of(self, process: BotProcess) -> BoundedLog:
        name = process.spec.name
        if name not in self._logs:
            self._logs[name] = self._open_log(name)
        return self._logs[name]
