"""Referee processes on this machine, for any executor: start them, give them matches, collect results, end them surely.

Theory of operation
-------------------
Each worker is a fresh Python process, connected by a socket pair over which `MatchSpec`s go and `MatchResult`s come
back. It has a session of its own, so a terminal's Ctrl-C reaches only the run, which then ends its workers in order;
and when the run is killed, a worker sees the end of its connection and ends its bots and itself. When a worker is
lost, its matches come back aborted, its orphaned bots are killed, and another worker takes its place.

Which match begins next is decided by `Pace` for all workers together; it goes to the one that has the least to do.
"""

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from multiprocessing import connection
from pathlib import Path
from typing import Any, TypeAlias

import psutil

import arena
from arena.contracts import Place, Play
from arena.errors import HostError
from arena.executors._pace import Pace
from arena.model import ABORTED, MatchResult, MatchSpec, Outcome
from arena.processes import describe_status, kill_descendants

__all__ = ["Link", "Referees", "serve"]

_WORKER = "arena.executors.local"  # the program of a worker, whichever executor starts it
_LOST_MAX = 10
_STOP_PATIENCE_S = 5.0

_Connection: TypeAlias = "connection.Connection[Any, Any]"


@dataclass(eq=False)
class _Worker:
    number: int
    popen: subprocess.Popen[bytes]
    connection: _Connection
    in_flight: dict[str, MatchSpec] = field(default_factory=dict)


class Referees:
    """The workers of one run, as processes of this machine; the caller has become their subreaper."""

    def __init__(self, play: Play, place: Place, pace: Pace) -> None:
        self._play = play
        self._place = place
        self._pace = pace
        self._workers: list[_Worker] = []
        self._lost = 0

    def start(self, workers: int) -> None:
        """Start so many workers."""
        for number in range(workers):
            self._workers.append(self._start_worker(number))

    def _start_worker(self, number: int) -> _Worker:
        ours, theirs = socket.socketpair()
        source = str(Path(arena.__file__).parent.parent)
        path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
        environment = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}  # no worker is a bot
        with theirs:
            popen = subprocess.Popen(
                [sys.executable, "-m", _WORKER, str(theirs.fileno())],
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
        """Play all `specs`; see `arena.contracts.Executor.run`. Raises `HostError` when workers are lost again and
        again."""
        while True:
            self._hand_out(specs)
            if not any(worker.in_flight for worker in self._workers):
                return
            ready = connection.wait([worker.connection for worker in self._workers])
            for worker in [worker for worker in self._workers if worker.connection in ready]:
                yield from self._receive(worker)

    def _hand_out(self, specs: Iterator[MatchSpec | None]) -> None:
        """Give matches to the least busy worker while there is room and something to play."""
        while (spec := self._pace.next(specs, self._in_flight())) is not None:
            worker = min(self._workers, key=lambda worker: sum(map(self._pace.part, worker.in_flight.values())))
            worker.in_flight[spec.id] = spec
            with contextlib.suppress(OSError):  # a lost worker; `_receive` finds out
                worker.connection.send(spec)

    def _in_flight(self) -> Iterator[MatchSpec]:
        return chain.from_iterable(worker.in_flight.values() for worker in self._workers)

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


def serve(descriptor: int) -> None:
    """The life of a worker: take the play, then serve it."""
    ours: _Connection = connection.Connection(descriptor)
    with contextlib.suppress(EOFError):  # the run ended before it had begun
        play, place = ours.recv()
        link = Link(ours)
        play(link, link.report, place)
