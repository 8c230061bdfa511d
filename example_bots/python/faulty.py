"""A bot that breaks on demand: an asset for tests, and a way to see what the arena says of each fault.

    faulty.py KIND [--at N]      plays its first legal action until the N-th request of a match (3), then breaks
    faulty.py --list             what KIND may be

It speaks the protocol with its own hands, because the client in `protocol.bot` would not let it misbehave.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import msgpack
import zmq

Send = Callable[..., None]
Fault = Callable[[Send, dict[str, Any]], None]


def answer(send: Send, request: dict[str, Any], /, **changes: Any) -> None:
    """The first legal action, or what `changes` make of it."""
    legal = request.get("legal_actions")
    action = {"type": "action", "match": request["match"], "request": request["request"]}
    send(msgpack.packb({**action, "action": legal[0] if legal else [], **changes}))


# --- faults in a match: called in place of an answer --------------------------------------------------------------


def illegal(send: Send, request: dict[str, Any]) -> None:
    """Answers with cards that it does not hold."""
    answer(send, request, action=[13, 13])


def garbage(send: Send, _request: dict[str, Any]) -> None:
    """Sends bytes that are no MessagePack."""
    send(b"\xc1 this is not a message")


def oversize(send: Send, request: dict[str, Any]) -> None:
    """Sends a frame of more than 64 KiB."""
    answer(send, request, padding="x" * 70_000)


def huge(send: Send, request: dict[str, Any]) -> None:
    """Sends a frame of 2 MiB; the transport closes the link."""
    answer(send, request, padding="x" * (2 << 20))
    sleep_for_ever()


def frames(send: Send, _request: dict[str, Any]) -> None:
    """Sends one message of three frames."""
    send(b"one", b"two", b"three")


def stall(_send: Send, _request: dict[str, Any]) -> None:
    """Never answers."""
    sleep_for_ever()


def spin(_send: Send, _request: dict[str, Any]) -> None:
    """Computes for ever."""
    while True:
        pass


def late(send: Send, request: dict[str, Any]) -> None:
    """Answers half a second after its time was up."""
    time.sleep(request["time_ms"] / 1000 + 0.5)
    answer(send, request)


def crash(_send: Send, _request: dict[str, Any]) -> None:
    """Is killed by a signal."""
    os.abort()


def exit_(_send: Send, _request: dict[str, Any]) -> None:
    """Exits with status 3."""
    sys.exit(3)


def exit0(_send: Send, _request: dict[str, Any]) -> None:
    """Exits with status 0."""
    sys.exit(0)


def wrong_id(send: Send, request: dict[str, Any]) -> None:
    """Answers another request than the one that is open, and then nothing."""
    answer(send, request, request=request["request"] + 1000)


def wrong_match(send: Send, request: dict[str, Any]) -> None:
    """Answers in a match that is not open, and then nothing."""
    answer(send, request, match="no such match")


def twice(send: Send, request: dict[str, Any]) -> None:
    """Answers twice; harmless."""
    answer(send, request)
    answer(send, request)


def flood(send: Send, request: dict[str, Any]) -> None:
    """Sends thousands of answers that nobody asked for."""
    for _ in range(5000):
        answer(send, request, request=0)
    sleep_for_ever()


def noise(send: Send, request: dict[str, Any]) -> None:
    """Writes megabytes to stdout and stderr, then answers; harmless."""
    for stream in (sys.stdout, sys.stderr):
        stream.write(("noise " * 20 + "\n") * 10_000)
        stream.flush()
    answer(send, request)


def daemon(_send: Send, _request: dict[str, Any]) -> None:
    """Leaves a process in a session of its own behind, whose parent is gone already, and exits."""
    detach = "import os, time; os.setsid(); os.fork() and os._exit(0); time.sleep(600)"
    subprocess.run([sys.executable, "-c", detach], check=True)
    sys.exit(4)


def fork(_send: Send, _request: dict[str, Any]) -> None:
    """Leaves a process of its own group behind, and exits."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    sys.exit(5)


# --- faults at the start: called before, or in place of, hello -----------------------------------------------------


def silent_start(_send: Send, _hello: dict[str, Any]) -> None:
    """Never says hello."""
    sleep_for_ever()


def crash_start(_send: Send, _hello: dict[str, Any]) -> None:
    """Raises an exception before hello."""
    raise RuntimeError("I cannot start")


def exit0_start(_send: Send, _hello: dict[str, Any]) -> None:
    """Exits with status 0 before hello."""
    sys.exit(0)


def bad_hello(send: Send, _hello: dict[str, Any]) -> None:
    """Begins with bytes that are no MessagePack."""
    send(b"\xc1 good morning")


def wrong_token(send: Send, hello: dict[str, Any]) -> None:
    """Says hello with somebody else's token."""
    send(msgpack.packb({**hello, "token": "0" * 32}))


def wrong_version(send: Send, hello: dict[str, Any]) -> None:
    """Says hello in version 99 of the protocol."""
    send(msgpack.packb({**hello, "protocol": 99}))


def hello_twice(send: Send, hello: dict[str, Any]) -> None:
    """Says hello, and hello again."""
    send(msgpack.packb(hello))
    time.sleep(0.3)
    send(msgpack.packb(hello))


def none(send: Send, request: dict[str, Any]) -> None:
    """Plays on; harmless."""
    answer(send, request)


def deaf(send: Send, request: dict[str, Any]) -> None:
    """Plays on, but ignores `bye` and every signal that can be ignored; harmless."""
    answer(send, request)


IN_A_MATCH: dict[str, Fault] = {
    fault.__name__.rstrip("_"): fault
    for fault in (
        *(illegal, garbage, oversize, huge, frames, stall, spin, late, crash, exit_, exit0, wrong_id, wrong_match),
        *(twice, flood, noise, daemon, fork, none, deaf),
    )
}
AT_THE_START: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (silent_start, crash_start, exit0_start, bad_hello, wrong_token, wrong_version, hello_twice)
}


def sleep_for_ever() -> None:
    while True:
        time.sleep(60)


def log(text: str) -> None:
    """One line on stderr, which the arena keeps."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def play(kind: str, at: int) -> None:
    """Hello, then answers until it is time to break."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.connect(os.environ["ARENA_ENDPOINT"])

        def send(*parts: bytes) -> None:
            socket.send_multipart(parts)

        hello = {"type": "hello", "protocol": 1, "token": os.environ["ARENA_TOKEN"], "name": f"faulty ({kind})"}
        if kind in AT_THE_START:
            log(f"now: {kind}")
            AT_THE_START[kind](send, hello)
        else:
            send(msgpack.packb(hello))
        requests: dict[str, int] = {}
        while True:
            message = msgpack.unpackb(socket.recv())
            if message["type"] == "bye" and kind != "deaf":
                return
            if message["type"] != "request":
                continue
            count = requests[message["match"]] = requests.get(message["match"], 0) + 1
            if count == at and kind in IN_A_MATCH:
                log(f"now: {kind}")
                IN_A_MATCH[kind](send, message)
            else:
                answer(send, message)


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
