"""The ZeroMQ side of a referee: one ROUTER for all its bots, and one place to wait.

Theory of operation
-------------------
One thread, one ROUTER, plain `recv` calls: of all the designs that were measured this costs the least per message. The
calls here avoid what pyzmq makes dear: multipart helpers, socket options and a poll before each read. A peer's
routing id is made by libzmq and stands for one connection; who is behind it is known only from the token in its
hello.

A hostile peer may send more frames than the two of an honest message, so `more` is checked and the rest thrown away.
Frames above `FRAME_MAX` never reach us: libzmq closes the link. Between `MAX_MESSAGE` and that, a frame is delivered
and judged, so that a bot's author reads why. A link that closes is noticed through the socket's monitor, which knows
it by its file descriptor; the descriptor of each message's link comes with the message.

Waiting happens in one call over the ROUTER and a `selectors` selector, into which the referee puts everything else it
must hear of: processes' exits, their output, the orders of the executor. That call, and finding out that nothing is
there, cost more than taking a message. So while messages come and go, a *patient* `receive` waits for the next one at
the socket alone, for a moment; what is in the selector can wait as long.
"""

import contextlib
import selectors
from pathlib import Path

import zmq
from msgspec import Struct
from zmq.utils.monitor import recv_monitor_message

__all__ = ["FRAME_MAX", "PATIENCE_MS", "Envelope", "Transport"]

FRAME_MAX = 1 << 20
"""Bytes. A frame above this closes the link; 16 times what the protocol allows, so that honest mistakes get an
answer."""

# as plain integers: to combine pyzmq's enums for every message would cost as much as sending it
_NOWAIT = int(zmq.NOBLOCK)
_MORE_NOWAIT = int(zmq.SNDMORE | zmq.NOBLOCK)

PATIENCE_MS = 2
"""How long a patient `receive` waits."""

_QUEUE_MAX = 1000  # messages waiting per bot in either direction; a bot has at most a few per match in flight
_HANDSHAKE_MS = 5000


class Envelope(Struct, frozen=True):
    """A message as it came: from which connection, its first frame, and that frame's bytes, or None when there are
    more."""

    peer: bytes
    frame: zmq.Frame
    body: bytes | None

    @property
    def link(self) -> int:
        """The file descriptor of the connection."""
        return int(self.frame.get(zmq.SRCFD))

    @property
    def sender(self) -> int | None:
        """The process id of the other end, as the kernel knows it; None where it does not tell (and over TCP)."""
        with contextlib.suppress(zmq.ZMQError, ValueError):
            return int(str(self.frame.get("Peer-Address")).rsplit(":", 1)[1])  # host:uid:gid:pid
        return None


class Transport:
    """Binds one ROUTER at `endpoint`, an ipc path inside `directory`.

    `selector` joins the wait where the platform's selector can be waited for itself (Linux, BSD, macOS); elsewhere the
    wait is cut into short pieces.
    """

    def __init__(self, directory: Path, selector: selectors.BaseSelector) -> None:
        self.endpoint = f"ipc://{directory / 'referee'}"
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.setsockopt(zmq.LINGER, 0)
        self._router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        self._router.setsockopt(zmq.MAXMSGSIZE, FRAME_MAX)
        self._router.setsockopt(zmq.SNDHWM, _QUEUE_MAX)
        self._router.setsockopt(zmq.RCVHWM, _QUEUE_MAX)
        self._router.setsockopt(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
        self._router.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        self._router.bind(self.endpoint)
        self._send = super(zmq.Socket, self._router).send  # without what that adds for sockets of other kinds
        self._monitor = self._router.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._poller = zmq.Poller()
        self._poller.register(self._router, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        descriptor = getattr(selector, "fileno", None)
        self._piece_ms = 5 if descriptor is None else None
        if descriptor is not None:
            self._poller.register(descriptor(), zmq.POLLIN)

    def receive(self, *, is_patient: bool) -> Envelope | None:
        """The next message that is waiting; None when there is none, or has been none for `PATIENCE_MS`."""
        try:
            peer = self._router.recv(0 if is_patient else _NOWAIT)
        except zmq.Again:
            return None
        frame = self._router.recv(copy=False)
        if not frame.more:
            return Envelope(peer, frame, frame.bytes)
        while self._router.recv(copy=False).more:
            pass
        return Envelope(peer, frame, None)

    def send(self, peer: bytes, frame: bytes) -> bool:
        """Queue a message; False when the peer is gone or takes nothing any more."""
        try:
            self._send(peer, _MORE_NOWAIT)
            self._send(frame, _NOWAIT)
        except zmq.ZMQError as error:
            if error.errno in (zmq.EHOSTUNREACH, zmq.EAGAIN):
                return False
            raise
        return True

    def closed_links(self) -> list[int]:
        """The links that have closed since the last call, by file descriptor."""
        closed = []
        while self._monitor.poll(0):
            event = recv_monitor_message(self._monitor)
            closed.append(int(event["value"]))
        return closed

    def wait(self, timeout_ms: int) -> None:
        """Return when a message, a closed link or something in the selector is waiting, or after `timeout_ms`."""
        self._poller.poll(timeout_ms if self._piece_ms is None else min(timeout_ms, self._piece_ms))

    def close(self) -> None:
        """Close the socket; unsent messages are dropped."""
        self._router.disable_monitor()
        self._monitor.close(linger=0)
        self._router.close(linger=0)
        self._context.term()
