"""One process of a bot, and what is known of it."""

import contextlib
from dataclasses import dataclass, field
from typing import IO, Protocol

from arena.contracts import Confined
from arena.model import BotSpec
from arena.referee.costs import Meter
from arena.referee.pipes import LinePipe
from protocol.lines import decode_line
from protocol.messages import BadFrame, type_name
from protocol.refusals import shown
from protocol.session import Session

__all__ = ["TAIL_BYTES", "BotProcess", "Link"]

TAIL_BYTES = 4096
"""Of the end of a log that are kept as evidence."""

_TAIL_LINES = 12


class Link(Protocol):
    """A connection with a process."""

    def send(self, frame: bytes) -> bool:
        """Queue a message, never waiting; False when the other end is gone or takes nothing any more."""


@dataclass(eq=False)
class BotProcess:
    """One running program.

    output: our end of what goes to its log. stdio: our ends of its stdin and stdout, when it speaks through these.
    stalled_before_ms: how long the referee had stood still in all when it was started. has_exited: whether it has ended
    and been collected, ended_ms: when. output_bytes: that it has written to its log. matches: ids of those it is
    playing, or will when it has said hello. link: over which it has said hello; pipe: over `stdio`. late: the beginning
    of what came through the pipe after it was dismissed. tail: the end of its log.
    """

    spec: BotSpec
    lane: int
    number: int
    token: str
    confined: Confined
    output: IO[bytes]
    stdio: tuple[IO[bytes], IO[bytes]] | None
    started_ms: float
    meter: Meter
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

    @property
    def is_ready(self) -> bool:
        """Whether it has said a valid hello."""
        return self.link is not None

    def describe_exit(self) -> str:
        """How it ended, for a verdict."""
        if self.has_exited:
            return self.confined.explain_exit()
        return "it closed its link to the arena" if self.pipe is None else "it closed its stdout"

    @property
    def plays_on(self) -> bool:
        """Whether it will take further matches when those that it plays are over."""
        if self.is_retiring or self.spec.restart == "match":
            return False
        limit = self.spec.instances_matches
        return limit is None or self.played + len(self.matches) < limit

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
