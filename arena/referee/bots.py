"""The bot processes of one referee: start, hand out, replace, end surely.

Theory of operation
-------------------
A process belongs to one bot and one *lane*. The two matches of a pair are in different lanes, so no process ever
meets a deal twice, however long it lives. Within its lane a process plays match after match, as many at once as its
hello declared; when all are busy, another one is started as soon as that is worth it (see `_is_worth_a_start`). A
process is replaced after a fault (nobody knows what a bot does after a verdict it did not expect), after
`instances_matches` matches, or after every match when the bot asks for it.

A process runs in its own session and process group, with a short clean environment and no inherited descriptor but its
output, which goes to a bounded log; of one that speaks over stdin and stdout that is only stderr. It is ended by `bye`,
some grace, then SIGKILL to the group. The group is killed while its leader is still unreaped, so that the number cannot
belong to anybody else by then.

The pool itself never waits. The referee calls `read_output`, `collect` and `enforce` when there is something to read,
when a process has ended, and as time passes.
"""

import errno
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil

from arena.clock import Clock
from arena.contracts import Launcher, Site
from arena.errors import HostError
from arena.model import BotSpec, Limits
from arena.referee.bot_log import BoundedLog
from arena.referee.bot_process import TAIL_BYTES, BotProcess
from arena.referee.costs import Costs, Meter
from arena.referee.pipes import Pipes

__all__ = ["BotPool", "SpawnFailed"]

_BYE_GRACE_MS = 1000.0
_FAULT_GRACE_MS = 200.0  # a bot that has lost by a fault gets this long to read why
_READ_BYTES = 65536
_KILL_POLL_S = 0.001

_IDLE_MAX = 512
_MEMORY_FULL_PERCENT = 80.0
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR")
_HOST_ERRNOS = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class SpawnFailed(Exception):
    """The operating system could not run a bot's command: the bot's fault, the text says why."""


class BotPool:
    """All bot processes of one referee. `started` and `dismissed` are called for each process at those moments.
    costs: what the bots cost."""

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
        self.costs = Costs(len(bots), clock)
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
        self._rents_ms: dict[tuple[str, int], float] = {}

    def __iter__(self) -> Iterator[BotProcess]:
        """Every process that has not been collected and judged, those on their way out included."""
        return iter([*self._playing, *self._leaving])

    @property
    def starting(self) -> list[BotProcess]:
        """Processes that have not said hello yet."""
        return [process for process in self._playing if not process.is_ready]

    @property
    def loading(self) -> int:
        """How many processes that have not said hello yet are computing."""
        now_ms = self._clock()
        return sum(process.meter.is_loading(now_ms) for process in self._playing if not process.is_ready)

    def acquire(self, bot: str, lane: int, match: str, waited_ms: float = 0.0) -> BotProcess | None:
        """A process that will play `match`: one with room, or a new one, which is not ready yet. None: ask again soon,
        and say how long the match has waited since it asked before.

        Raises `SpawnFailed` when the command cannot be run, `HostError` when this machine has no room for a process.
        """
        process = next((each for each in self._lanes.get((bot, lane), ()) if self._has_room(each)), None)
        if process is None:
            if not self._is_worth_a_start(bot, lane, waited_ms):
                return None
            self._make_room()
            process = self._start(self._bots[bot], lane)
        process.matches.add(match)
        self._idle.pop(process, None)
        return process

    def _is_worth_a_start(self, bot: str, lane: int, waited_ms: float) -> bool:
        """Whether a match that finds all processes of a bot and a lane busy should have a new one, or wait for one of
        them. Nobody knows how long the others will play; whoever rents until the rents add up to the price, and buys
        then, never pays more than twice of what was necessary (the ski rental problem). The price is the time that a
        start takes, the rents are the times that matches have waited since the last one."""
        present = [process for process in self._lanes.get((bot, lane), ()) if process.plays_on]
        if not present:
            return True
        if all(process.is_ready for process in present):  # one that is starting may be enough for all
            self._rents_ms[bot, lane] += waited_ms
        return self._rents_ms[bot, lane] > self.costs.start_ms(bot)

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
        process.tail = (process.tail + text)[-TAIL_BYTES:]
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
        process = BotProcess(
            spec, lane, self._count, token, confined, output, stdio, started_ms, Meter(confined, started_ms)
        )
        os.set_blocking(process.output.fileno(), False)
        self._playing[process] = None
        self._lanes.setdefault((spec.name, lane), []).append(process)
        self._rents_ms[spec.name, lane] = 0.0
        self._log_of(process).write(f"--- process {process.number} (pid {confined.pid}) started\n".encode(), 0)
        self._started(process)
        return process

    def _log_of(self, process: BotProcess) -> BoundedLog:
        name = process.spec.name
        if name not in self._logs:
            self._logs[name] = self._open_log(name)
        return self._logs[name]
