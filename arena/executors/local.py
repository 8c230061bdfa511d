"""Referee processes on this machine.

Theory of operation
-------------------
Each worker is a fresh Python process, connected by a socket pair over which `MatchSpec`s go and `MatchResult`s come
back. It has a session of its own, so a terminal's Ctrl-C reaches only the run, which then ends its workers in order;
and when the run is killed, a worker sees the end of its connection and ends its bots and itself. When a worker is
lost, its matches come back aborted, its orphaned bots are killed, and another worker takes its place.
"""

import contextlib
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import connection
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Literal, TypeAlias

import psutil

import arena
from arena.contracts import Place, Play
from arena.errors import HostError, SettingsError
from arena.model import ABORTED, MatchResult, MatchSpec, Outcome
from arena.processes import become_subreaper, describe_status, kill_descendants

__all__ = ["Local"]

_WAITING_MS = 1.0
"""What a decision takes besides the bot's computing, in transport and in queues. So with bots that compute for c ms, a
core is kept busy by 1 + 1/c matches at once."""
_MATCHES_MAX = 8  # at once on one worker: with more, so many processes share the caches that all become slower
_JUDGED_MATCHES = 20  # the newest results, from which the bots' speed is judged
_LOST_MAX = 10
_STOP_PATIENCE_S = 5.0

_Connection: TypeAlias = "connection.Connection[Any, Any]"


@dataclass(eq=False)
class _Worker:
    number: int
    popen: subprocess.Popen[bytes]
    connection: _Connection
    in_flight: dict[str, MatchSpec] = field(default_factory=dict)


@dataclass(frozen=True)
class Local:
    """Matches run in referee processes on this machine.

    workers: referee processes; auto = one for every two cores.
    matches_at_once: matches in progress in each worker; auto = as many as its share of the cores for bots that think,
    up to 8 for bots that turn out to answer quickly.
    """

    workers: int | Literal["auto"] = "auto"
    matches_at_once: int | Literal["auto"] = "auto"
    is_default: ClassVar[bool] = True

    def __post_init__(self) -> None:
        problems = [
            (name, f'must be at least 1, or "auto", not {value}')
            for name in ("workers", "matches_at_once")
            if isinstance(value := getattr(self, name), int) and value < 1
        ]
        if problems:
            raise SettingsError(problems)

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        """See `arena.contracts.Executor.run`. Raises `HostError` when workers are lost again and again."""
        become_subreaper()
        workers = max(1, _cores() // 2) if self.workers == "auto" else self.workers
        run = _Run(play, place, _Pace(self.matches_at_once, max(1, _cores() // workers)))
        try:
            run.start(workers)
            yield from run.results(specs)
        finally:
            run.stop()


class _Pace:
    """How many matches a worker may have in progress: a fixed number, or judged from what bots compute.

    Computing is measured as CPU time, because an answer takes longer the more matches there are. Bots that compute for
    long get a core each, so that none thinks on another one's time; those that answer at once, or wait for something
    else, share.
    """

    def __init__(self, fixed: int | Literal["auto"], share_of_cores: int) -> None:
        self._fixed = fixed
        self._share = share_of_cores
        self._computed_ms: deque[float] = deque(maxlen=_JUDGED_MATCHES)

    def observe(self, result: MatchResult) -> None:
        known = [cpu_ms for cpu_ms in result.cpu_ms if cpu_ms is not None]
        if known:
            self._computed_ms.append(fmean(known))

    @property
    def matches_at_once(self) -> int:
        if self._fixed != "auto":
            return self._fixed
        if len(self._computed_ms) < _JUDGED_MATCHES:
            return self._share
        computed_ms = max(fmean(self._computed_ms), _WAITING_MS / _MATCHES_MAX)
        return max(self._share, min(_MATCHES_MAX, round(self._share * (1 + _WAITING_MS / computed_ms))))


class _Run:
    """The workers of one run."""

    def __init__(self, play: Play, place: Place, pace: _Pace) -> None:
        self._play = play
        self._place = place
        self._pace = pace
        self._workers: list[_Worker] = []
        self._lost = 0

    def start(self, workers: int) -> None:
        for number in range(workers):
            self._workers.append(self._start_worker(number))

    def _start_worker(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        source = str(Path(arena.__file__).parent.parent)
        path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
        environment = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}  # no worker is a bot
        with theirs:
            popen = subprocess.Popen(
                [sys.executable, "-m", "arena.executors.local", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**environment, "PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        worker = _Worker(number, popen, connection.Connection(ours.detach()))
        with contextlib.suppress(OSError):  # lost already; `_receive` finds out
            worker.connection.send((self._play, replace(self._place, worker=number)))
        return worker

    def results(self, specs: Iterator[MatchSpec | None]) -> Iterator[MatchResult]:
        while True:
            self._hand_out(specs)
            if not any(worker.in_flight for worker in self._workers):
                return
            ready = connection.wait([worker.connection for worker in self._workers])
            for worker in [worker for worker in self._workers if worker.connection in ready]:
                yield from self._receive(worker)

    def _hand_out(self, specs: Iterator[MatchSpec | None]) -> None:
        """Give matches to the least busy worker while there is room and something to play."""
        while True:
            worker = min(self._workers, key=lambda worker: len(worker.in_flight))
            if len(worker.in_flight) >= self._pace.matches_at_once:
                return
            spec = next(specs, None)
            if spec is None:
                return
            worker.in_flight[spec.id] = spec
            with contextlib.suppress(OSError):  # a lost worker; `_receive` finds out
                worker.connection.send(spec)

    def _receive(self, worker: _Worker) -> Iterator[MatchResult]:
        try:
            result: MatchResult = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._replace(worker)
            return
        del worker.in_flight[result.spec.id]
        self._pace.observe(result)
        yield result

    def _replace(self, worker: _Worker) -> Iterator[MatchResult]:
        """A worker is lost: nobody knows what became of its matches, so they have no result."""
        worker.connection.close()
        worker.popen.kill()
        how = describe_status(worker.popen.wait())
        kill_descendants(_is_orphaned_bot)
        self._lost += 1
        if self._lost > _LOST_MAX:
            self._workers.remove(worker)
            raise HostError(f"{self._lost} referee processes were lost, so the run ends here; of the last one: {how}")
        self._workers[self._workers.index(worker)] = self._start_worker(worker.number)
        for spec in worker.in_flight.values():
            yield MatchResult(spec, Outcome(None, ABORTED, f"referee process {worker.number} was lost: {how}"))

    def stop(self) -> None:
        """End all workers, and with them their bots; a second interrupt ends them the hard way."""
        try:
            for worker in self._workers:
                with contextlib.suppress(OSError):
                    worker.connection.send(None)
                worker.connection.close()
            for worker in self._workers:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    worker.popen.wait(_STOP_PATIENCE_S)
        finally:
            for worker in self._workers:
                if worker.popen.poll() is None:
                    worker.popen.kill()
                    worker.popen.wait()
            kill_descendants(_is_orphaned_bot)


def _is_orphaned_bot(process: psutil.Process) -> bool:
    """Whether this is a bot (or a child of one) whose referee is gone: it is our own child then, by
    `become_subreaper`."""
    with contextlib.suppress(psutil.Error):
        return process.ppid() == os.getpid() and "ARENA_TOKEN" in process.environ()
    return False


def _cores() -> int:
    """Cores that this process may use, which in a container or under taskset is less than what the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Link:
    """A worker's end of the connection with the run: its `arena.contracts.Orders`, and where results go."""

    def __init__(self, link: _Connection) -> None:
        self._link = link
        self.watch: int | None = link.fileno()

    def take(self) -> list[MatchSpec] | None:
        """None also when the run is gone."""
        specs: list[MatchSpec] = []
        with contextlib.suppress(EOFError, OSError):
            while self._link.poll():
                order: MatchSpec | None = self._link.recv()
                if order is None:
                    return None
                specs.append(order)
            return specs
        return None

    def report(self, result: MatchResult) -> None:
        """The run may be gone: the next look for orders finds that out."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._link.send(result)


def _serve(descriptor: int) -> None:
    """The life of a worker: take the play, then serve it."""
    ours: _Connection = connection.Connection(descriptor)
    with contextlib.suppress(EOFError):  # the run ended before it had begun
        play, place = ours.recv()
        link = Link(ours)
        play(link, link.report, place)


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
