"""A bot that breaks on demand: an asset for tests, and a way to see what the arena says of each fault.

    faulty.py KIND [--at N]      plays its first legal action until the N-th request of a match (3), then breaks
    faulty.py --list             what KIND may be

It speaks the protocol with its own hands, over ZeroMQ or by lines as it is asked to, because the client in
`protocol.bot` would not let it misbehave.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol

import msgpack
import zmq


class Wire(Protocol):
    """A connection with the arena."""

    def say(self, message: dict[str, Any]) -> None:
        """Send a message as it should be sent."""

    def raw(self, *parts: bytes) -> None:
        """Send bytes: frames of one message, or text between line breaks."""

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the arena says."""


Fault = Callable[[Wire, dict[str, Any]], None]


def answer(wire: Wire, request: dict[str, Any], /, **changes: Any) -> None:
    """The first legal action, or what `changes` make of it."""
    legal = request.get("legal_actions")
    action = {"type": "action", "match": request["match"], "request": request["request"]}
    wire.say({**action, "action": legal[0] if legal else [], **changes})


# --- faults in a match: called in place of an answer --------------------------------------------------------------


def illegal(wire: Wire, request: dict[str, Any]) -> None:
    """Answers with cards that it does not hold."""
    answer(wire, request, action=[13, 13])


def garbage(wire: Wire, _request: dict[str, Any]) -> None:
    """Sends bytes that are no MessagePack."""
    wire.raw(b"\xc1 this is not a message")


def oversize(wire: Wire, request: dict[str, Any]) -> None:
    """Sends a frame of more than 64 KiB."""
    answer(wire, request, padding="x" * 70_000)


def huge(wire: Wire, request: dict[str, Any]) -> None:
    """Sends a frame of 2 MiB; over ZeroMQ that closes the link."""
    answer(wire, request, padding="x" * (2 << 20))
    sleep_for_ever()


def frames(wire: Wire, _request: dict[str, Any]) -> None:
    """Sends one message of three frames (by lines: three lines)."""
    wire.raw(b"one", b"two", b"three")


def stall(_wire: Wire, _request: dict[str, Any]) -> None:
    """Never answers."""
    sleep_for_ever()


def spin(_wire: Wire, _request: dict[str, Any]) -> None:
    """Computes for ever."""
    while True:
        pass


def late(wire: Wire, request: dict[str, Any]) -> None:
    """Answers half a second after its time was up."""
    time.sleep(request["time_ms"] / 1000 + 0.5)
    answer(wire, request)


def crash(_wire: Wire, _request: dict[str, Any]) -> None:
    """Is killed by a signal."""
    os.abort()


def exit_(_wire: Wire, _request: dict[str, Any]) -> None:
    """Exits with status 3."""
    leave(3)


def exit0(_wire: Wire, _request: dict[str, Any]) -> None:
    """Exits with status 0."""
    leave(0)


def wrong_id(wire: Wire, request: dict[str, Any]) -> None:
    """Answers another request than the one that is open, and then nothing."""
    answer(wire, request, request=request["request"] + 1000)


def wrong_match(wire: Wire, request: dict[str, Any]) -> None:
    """Answers in a match that is not open, and then nothing."""
    answer(wire, request, match="no such match")


def twice(wire: Wire, request: dict[str, Any]) -> None:
    """Answers twice; harmless."""
    answer(wire, request)
    answer(wire, request)


def flood(wire: Wire, request: dict[str, Any]) -> None:
    """Sends thousands of answers that nobody asked for."""
    for _ in range(5000):
        answer(wire, request, request=0)
    sleep_for_ever()


def unflushed(wire: Wire, request: dict[str, Any]) -> None:
    """Keeps an answer in a buffer until it exits (over ZeroMQ, which has none: for ever)."""
    for _message in wire.messages():
        pass
    answer(wire, request)
    sys.exit(0)


def chatter(wire: Wire, _request: dict[str, Any]) -> None:
    """Says what it thinks where only messages belong."""
    wire.raw(b"let me see ...")


def noise(wire: Wire, request: dict[str, Any]) -> None:
    """Writes megabytes to its log, then answers; harmless."""
    for stream in (sys.stderr,) if isinstance(wire, Lines) else (sys.stdout, sys.stderr):
        stream.write(("noise " * 20 + "\n") * 10_000)
        stream.flush()
    answer(wire, request)


def daemon(_wire: Wire, _request: dict[str, Any]) -> None:
    """Leaves a process in a session of its own behind, whose parent is gone already, and exits."""
    detach = "import os, time; os.setsid(); os.fork() and os._exit(0); time.sleep(600)"
    subprocess.run([sys.executable, "-c", detach], check=True)
    leave(4)


def fork(_wire: Wire, _request: dict[str, Any]) -> None:
    """Leaves a process of its own group behind, and exits."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    leave(5)


# --- faults at the start: called before, or in place of, hello -----------------------------------------------------


def silent_start(_wire: Wire, _hello: dict[str, Any]) -> None:
    """Never says hello."""
    sleep_for_ever()


def crash_start(_wire: Wire, _hello: dict[str, Any]) -> None:
    """Raises an exception before hello."""
    raise RuntimeError("I cannot start")


def exit0_start(_wire: Wire, _hello: dict[str, Any]) -> None:
    """Exits with status 0 before hello."""
    sys.exit(0)


def bad_hello(wire: Wire, _hello: dict[str, Any]) -> None:
    """Begins with bytes that are no MessagePack."""
    wire.raw(b"\xc1 good morning")


def wrong_token(wire: Wire, hello: dict[str, Any]) -> None:
    """Says hello with somebody else's token."""
    wire.say({**hello, "token": "0" * 32})


def wrong_version(wire: Wire, hello: dict[str, Any]) -> None:
    """Says hello in version 99 of the protocol."""
    wire.say({**hello, "protocol": 99})


def hello_twice(wire: Wire, hello: dict[str, Any]) -> None:
    """Says hello, and hello again."""
    wire.say(hello)
    time.sleep(0.3)
    wire.say(hello)


def none(wire: Wire, request: dict[str, Any]) -> None:
    """Plays on; harmless."""
    answer(wire, request)


def deaf(wire: Wire, request: dict[str, Any]) -> None:
    """Plays on, but ignores `bye` and every signal that can be ignored; harmless."""
    answer(wire, request)


IN_A_MATCH: dict[str, Fault] = {
    fault.__name__.rstrip("_"): fault
    for fault in (
        *(illegal, garbage, oversize, huge, frames, stall, spin, late, crash, exit_, exit0, wrong_id, wrong_match),
        *(twice, flood, unflushed, chatter, noise, daemon, fork, none, deaf),
    )
}
AT_THE_START: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (silent_start, crash_start, exit0_start, bad_hello, wrong_token, wrong_version, hello_twice)
}


def leave(status: int) -> NoReturn:
    """Exit at once: when Python tidies up before, the link closes earlier, and that may be seen before the status."""
    os._exit(status)


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def log(text: str) -> None:
    """One line on stderr, which the arena keeps."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


class Dealer:
    """Over ZeroMQ."""

    def __init__(self) -> None:
        self.socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.connect(os.environ["ARENA_ENDPOINT"])

    def say(self, message: dict[str, Any]) -> None:
        self.raw(msgpack.packb(message))

    def raw(self, *parts: bytes) -> None:
        self.socket.send_multipart(parts)

    def messages(self) -> Iterator[dict[str, Any]]:
        while True:
            yield msgpack.unpackb(self.socket.recv())


class Lines:
    """Over stdin and stdout."""

    def say(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps(message).encode())

    def raw(self, *parts: bytes) -> None:
        sys.stdout.buffer.write(b"".join(part + b"\n" for part in parts))
        sys.stdout.buffer.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        for line in sys.stdin:
            yield json.loads(line)


def play(kind: str, at: int) -> None:
    """Hello, then answers until it is time to break."""
    wire: Wire = Lines() if os.environ["ARENA_ENDPOINT"] == "stdio" else Dealer()
    hello = {"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"], "name": f"faulty ({kind})"}
    if kind in AT_THE_START:
        log(f"now: {kind}")
        AT_THE_START[kind](wire, hello)
    else:
        wire.say(hello)
    requests: dict[str, int] = {}
    for message in wire.messages():
        if message["type"] == "bye" and kind != "deaf":
            return
        if message["type"] != "request":
            continue
        count = requests[message["match"]] = requests.get(message["match"], 0) + 1
        if count == at and kind in IN_A_MATCH:
            log(f"now: {kind}")
            IN_A_MATCH[kind](wire, message)
        else:
            answer(wire, message)
    if kind == "deaf":
        sleep_for_ever()


def main() -> None:
    parser = argparse.ArgumentParser(description="A bot that breaks on demand.")
    parser.add_argument("kind", nargs="?", default="none", choices=[*IN_A_MATCH, *AT_THE_START])
    parser.add_argument("--at", type=int, default=3, help="the request of a match at which it breaks (3)")
    parser.add_argument("--list", action="store_true", help="say what each kind does")
    arguments = parser.parse_args()
    if arguments.list:
        for kind, fault in {**IN_A_MATCH, **AT_THE_START}.items():
            print(f"{kind:14} {fault.__doc__}")
        return
    if arguments.kind == "deaf":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    play(arguments.kind, arguments.at)


if __name__ == "__main__":
    main()
