"""A bare loop in the place of a referee: it packs and sends what was recorded, takes and unpacks what comes back.

It knows no rules, no clocks, no faults; what is left is what the messages and the bots themselves cost.
"""

import json
import os
import secrets
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import msgpack
import zmq

from arena.contracts import Launcher, Site
from arena.model import BotSpec, Limits
from benchmarks.floor.recording import Recording, Step
from protocol.messages import MAX_MESSAGE, PROTOCOL_VERSION, Welcome, to_json_object

__all__ = ["Pipes", "Replay", "Router"]

_PAUSE_S = 0.001
_PATIENCE_MS = 60_000  # a bot that says nothing for so long is broken
_WELCOME = to_json_object(Welcome(PROTOCOL_VERSION, "floor", "bot", MAX_MESSAGE))

_Peer = TypeVar("_Peer")


class _Wire(Protocol[_Peer]):
    """Bots, and the way to talk to them; entering it starts them and takes their hellos."""

    @property
    def peers(self) -> Sequence[_Peer]: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def send(self, peer: _Peer, message: Any) -> None: ...
    def answers(self) -> Iterator[tuple[_Peer, Any]]: ...


class Router(AbstractContextManager["Router"]):
    """Bots that speak MessagePack over ZeroMQ, at one ROUTER.

    launcher: what starts a bot; None starts its own command.
    """

    def __init__(self, bot: BotSpec, processes: int, launcher: Launcher | None = None) -> None:
        self._bot = bot
        self._launcher = launcher
        self._processes = processes

    def __enter__(self) -> Self:
        self._directory = tempfile.TemporaryDirectory(prefix="floor-")
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.rcvtimeo = _PATIENCE_MS
        endpoint = f"ipc://{self._directory.name}/referee"
        self._router.bind(endpoint)
        self._bots = ExitStack()
        for _ in range(self._processes):
            if self._launcher is None:
                self._bots.callback(_end, [_start(self._bot, endpoint)])
            else:
                self._bots.enter_context(_confined(self._bot, self._launcher, Path(self._directory.name), endpoint))
        self.peers: list[bytes] = []
        for _ in range(self._processes):
            self.peers.append(self._router.recv())
            self._router.recv()
            self.send(self.peers[-1], _WELCOME)
        return self

    def __exit__(self, *_: object) -> None:
        self._bots.close()
        self._router.close(linger=0)
        self._context.term()
        self._directory.cleanup()

    def send(self, peer: bytes, message: Any) -> None:
        self._router.send(peer, zmq.SNDMORE)
        self._router.send(msgpack.packb(message))

    def answers(self) -> Iterator[tuple[bytes, Any]]:
        while True:
            peer = self._router.recv()
            frame = self._router.recv(copy=False)
            assert not frame.more, "an honest bot sends one frame"
            yield peer, msgpack.unpackb(frame.bytes)


class Pipes(AbstractContextManager["Pipes"]):
    """Bots that speak lines of JSON, at a pipe in either direction."""

    def __init__(self, bot: BotSpec, processes: int) -> None:
        self._bot = bot
        self._processes = processes

    def __enter__(self) -> Self:
        self._bots = [_start(self._bot, "stdio") for _ in range(self._processes)]
        self._epoll = select.epoll()
        self._inputs: dict[int, int] = {}
        for bot in self._bots:
            assert bot.stdin is not None, "started with pipes"
            assert bot.stdout is not None, "started with pipes"
            self._inputs[bot.stdout.fileno()] = bot.stdin.fileno()
            self._epoll.register(bot.stdout.fileno(), select.EPOLLIN)
        self.peers = list(self._inputs)
        greetings = self.answers()
        for _ in self.peers:
            next(greetings)
        for peer in self.peers:
            self.send(peer, _WELCOME)
        return self

    def __exit__(self, *_: object) -> None:
        _end(self._bots)
        self._epoll.close()

    def send(self, peer: int, message: Any) -> None:
        os.write(self._inputs[peer], json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def answers(self) -> Iterator[tuple[int, Any]]:
        unfinished = dict.fromkeys(self._inputs, b"")
        while True:
            for descriptor, _ in self._epoll.poll():
                *lines, unfinished[descriptor] = (unfinished[descriptor] + os.read(descriptor, 65536)).split(b"\n")
                for line in lines:
                    yield descriptor, json.loads(line)


def _environment(bot: BotSpec, endpoint: str) -> dict[str, str]:
    return {**os.environ, **bot.environment, "ARENA_ENDPOINT": endpoint, "ARENA_TOKEN": secrets.token_hex(16)}


@contextmanager
def _confined(bot: BotSpec, launcher: Launcher, directory: Path, endpoint: str) -> Iterator[None]:
    """A bot behind a launcher, until the end of the context."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        site = Site(directory, _environment(bot, endpoint), endpoint, nowhere, nowhere, nowhere)
        process = launcher.start(bot, Limits(), site)
    finally:
        os.close(nowhere)
    try:
        yield
    finally:
        process.kill()
        while not process.collect():
            time.sleep(_PAUSE_S)
        process.close()


def _start(bot: BotSpec, endpoint: str) -> "subprocess.Popen[bytes]":
    by_lines = endpoint == "stdio"
    return subprocess.Popen(
        bot.command,
        cwd=bot.directory,
        env=_environment(bot, endpoint),
        stdin=subprocess.PIPE if by_lines else subprocess.DEVNULL,
        stdout=subprocess.PIPE if by_lines else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _end(bots: Sequence["subprocess.Popen[bytes]"]) -> None:
    for bot in bots:
        bot.kill()
    for bot in bots:
        with bot:
            pass


@dataclass
class _Table(Generic[_Peer]):
    """One match that is being said again. place: which of those in progress; peers: by seat."""

    match: str
    place: int
    script: Sequence[Step]
    peers: tuple[_Peer, _Peer]
    position: int = 0
    arrived: list[int] = field(default_factory=lambda: [0, 0])

    def go_on(self, wire: _Wire[_Peer]) -> bool:
        """Send what comes next, as far as no answer is missing; whether the match is over."""
        script = self.script
        while self.position < len(script):
            seat, message = script[self.position]
            if message is not None:
                message["match"] = self.match
                wire.send(self.peers[seat], message)
            elif self.arrived[seat]:
                self.arrived[seat] -= 1
            else:
                return False
            self.position += 1
        return True


@dataclass(frozen=True)
class Replay:
    """What stands in for a referee; like it, it is called with a connection in a process of its own.

    From the connection come numbers of matches, then None; each is answered when so many have been said again, from the
    recording's first one on, `at_once` in progress. concurrency: how many of them a bot's process plays.
    """

    recording: Recording
    at_once: int
    concurrency: int = 1

    def __call__(self, connection: Connection) -> None:
        bot, processes = self.recording.bot, 2 * -(-self.at_once // self.concurrency)
        if bot.protocol == "stdio":
            self._serve(Pipes(bot, processes), connection)
        else:
            self._serve(Router(bot, processes), connection)

    def _serve(self, unready: _Wire[_Peer], connection: Connection) -> None:
        with unready as wire:
            while (matches := connection.recv()) is not None:
                self._play(wire, matches)
                connection.send(matches)

    def _play(self, wire: _Wire[_Peer], matches: int) -> None:
        scripts, peers = self.recording.scripts, wire.peers
        numbers = iter(range(matches))
        tables: dict[str, _Table[_Peer]] = {}

        def begin(place: int) -> None:
            number = next(numbers, None)
            if number is not None:
                first = 2 * (place // self.concurrency)
                match, seated = f"{number:020x}", (peers[first], peers[first + 1])
                tables[match] = _Table(match, place, scripts[number % len(scripts)], seated)
                tables[match].go_on(wire)

        for place in range(self.at_once):
            begin(place)
        answers = wire.answers()
        while tables:
            peer, answer = next(answers)
            table = tables[answer["match"]]
            table.arrived[peer != table.peers[0]] += 1
            if table.go_on(wire):
                del tables[table.match]
                begin(table.place)
