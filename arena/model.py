"""The frozen values that travel between the parts. No behaviour beyond what a value knows of itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias, TypedDict

import msgspec

from arena.errors import SettingsError

__all__ = [
    "ABORTED",
    "BotSpec",
    "DealScore",
    "Decision",
    "Event",
    "Fault",
    "FaultRecord",
    "Limits",
    "MatchResult",
    "MatchSpec",
    "Outcome",
    "Pairing",
    "Picture",
    "Rating",
    "Score",
    "Seat",
    "Standing",
    "StoredMatch",
    "Tally",
    "TimeControl",
    "Totals",
    "by_deals",
]

Seat: TypeAlias = int
"""A position in one match: 0 or 1."""

Event: TypeAlias = dict[str, Any]
"""One public event of a match, as it goes over the wire and into the replay: ``{"event": name, ...}``."""


class Picture(TypedDict):
    """A position for viewers, sorted by who may see it; plain maps, lists, texts and numbers.

    public: what both seats and every spectator know. seats: for each seat what it alone sees, under the names and with
    the values that its observation has. hidden: what no seat knows.
    """

    public: dict[str, Any]
    seats: list[dict[str, Any]]
    hidden: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The clocks of a match.

    move_ms: limit for each decision; null = no such limit.
    bank_ms: time for all decisions of a bot in one match; null = no bank.
    increment_ms: added to the bank after each answer.
    startup_ms: from the start of a bot's process to its valid hello.
    margin_ms: lateness that is forgiven, for transport; never charged to the bank.
    """

    move_ms: int | None = 1000
    bank_ms: int | None = None
    increment_ms: int = 0
    startup_ms: int = 10_000
    margin_ms: int = 50

    def __post_init__(self) -> None:
        problems = []
        if self.move_ms is None and self.bank_ms is None:
            problems.append(("move_ms", "a match needs a clock: give move_ms, bank_ms or both"))
        for name in ("move_ms", "bank_ms", "startup_ms"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                problems.append((name, f"must be above 0, not {value}"))
        problems += [
            (name, f"must not be negative, not {getattr(self, name)}")
            for name in ("increment_ms", "margin_ms")
            if getattr(self, name) < 0
        ]
        if self.increment_ms > 0 and self.bank_ms is None:
            problems.append(("increment_ms", "is added to a bank, but there is no bank_ms"))
        if problems:
            raise SettingsError(problems)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot process may use. How far each is enforced depends on the launcher (`sandbox`).

    memory_mb: address space of a process.
    processes: processes and threads at once.
    output_mb: kept of a bot's log; what goes beyond it displaces the oldest.
    """

    memory_mb: int = 512
    processes: int = 32
    output_mb: int = 10

    def __post_init__(self) -> None:
        problems = [
            (name, f"must be above 0, not {getattr(self, name)}")
            for name in ("memory_mb", "processes", "output_mb")
            if getattr(self, name) <= 0
        ]
        if problems:
            raise SettingsError(problems)


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot as it is entered: everything needed to start it, on this machine.

    command: argument list, resolved (no shell ever sees it). directory: where it runs.
    protocol: how it talks: "zeromq", or "stdio" for lines of JSON on stdin and stdout.
    restart: "never" keeps a process for many matches, "match" starts a fresh one for each.
    instances_matches: matches after which a process is replaced (None = never for that reason).
    fingerprint: hash of the argument list, environment, version and the files that the command names.
    """

    name: str
    command: tuple[str, ...]
    directory: str
    environment: Mapping[str, str] = field(default_factory=dict)
    protocol: str = "zeromq"
    restart: str = "never"
    instances_matches: int | None = None
    fingerprint: str = ""


class Pairing(NamedTuple):
    """Two bots on one deal: the *pair* of matches with seats swapped. `bot_a` < `bot_b` by name, so that the identity
    of a match does not depend on the order in which a config lists its bots."""

    bot_a: str
    bot_b: str
    deal: int


class Score(NamedTuple):
    """One result as a rating method needs it. points_a: what `bot_a` of the pairing got: 1 a win, 1/2 a draw, 0 a loss.
    In lane 0 `bot_a` has seat 0, in lane 1 it has seat 1."""

    pairing: Pairing
    lane: int
    points_a: float


class DealScore(NamedTuple):
    """The results of one deal. points_a: what `bot_a` got, by lane; None where there is no result."""

    pairing: Pairing
    points_a: tuple[float | None, float | None]


def by_deals(scores: Iterable[Score]) -> Iterator[DealScore]:
    """Results that come in order, put together by deals."""
    for pairing, results in groupby(scores, key=attrgetter("pairing")):
        points: list[float | None] = [None, None]
        for result in results:
            points[result.lane] = result.points_a
        yield DealScore(pairing, (points[0], points[1]))


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """One match to be played; plain values only, so that any executor can send it anywhere.

    bots: names by seat. deal: index of the deal within the pairing. lane: 0 when the first bot of the pairing has seat
    0, 1 when seats are swapped; also the half of a bot's processes that may play it (see docs/fairness.md).
    seed: 32 bytes, all the randomness of the match. attempt: 0, or how often the arena failed at it before.
    """

    id: str
    bots: tuple[str, str]
    deal: int
    lane: int
    seed: bytes
    attempt: int = 0


class Fault(StrEnum):
    """What a bot did wrong. Each is a lost match for it; the words are those of the wire and of the store."""

    STARTUP_FAILURE = "startup_failure"
    """No valid hello within startup_ms."""
    TIMEOUT = "timeout"
    """No answer by the deadline."""
    PROTOCOL_ERROR = "protocol_error"
    """A frame that is no message of the protocol, or too many messages that nobody asked for."""
    ILLEGAL_ACTION = "illegal_action"
    """A well-formed answer that the rules do not allow."""
    CRASH = "crash"
    """The process exited or its link closed during a match."""


ABORTED = "aborted"
"""The reason of a match that the arena failed at: no result, never rated, played again."""


class FaultRecord(NamedTuple):
    """Who did what wrong."""

    seat: Seat
    fault: Fault


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended.

    winner: seat, or None for a draw (or no result, when aborted).
    reason: the game's own (``goal``, ``max_rounds``), a fault's, ``aborted``; two simultaneous faults give both reasons
    joined by "+", seat 0's first. detail: one sentence (or a few lines) of evidence for people.
    """

    winner: Seat | None
    reason: str
    detail: str = ""
    faults: tuple[FaultRecord, ...] = ()

    @property
    def is_aborted(self) -> bool:
        return self.reason == ABORTED

    @property
    def fault_seat(self) -> Seat | None:
        """The seat that lost by its own fault; None when nobody did, or both."""
        return self.faults[0].seat if len(self.faults) == 1 else None


class Decision(msgspec.Struct, frozen=True, array_like=True):
    """One decision of a match, as applied. `elapsed_ms` is how long the answer took, the part within the margin
    included; 0 for a forced one, which was not asked for."""

    seat: Seat
    phase: str
    action: Any
    elapsed_ms: float
    forced: bool


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What is known of a finished (or aborted) match.

    It is pickled as MessagePack, which takes a third of the work that one value after the other would: every worker
    sends one for each match. What was a tuple in an action or an event is a list then.

    ignored: by seat, how many answers came for requests that were closed already, and were ignored. cpu_ms: by seat,
    what an answer costs the bot in CPU time, on average; None when nobody has measured it since the last result of
    this bot that had it. cores: by seat, its CPU time in relation to the time that its answers took: above 1 when it
    computes on several cores, or while the other bot is asked. wall_ms: from the order to the end.
    """

    spec: MatchSpec
    outcome: Outcome
    events: tuple[Event, ...] = ()
    decisions: tuple[Decision, ...] = ()
    ignored: tuple[int, int] = (0, 0)
    cpu_ms: tuple[float | None, float | None] = (None, None)
    cores: tuple[float | None, float | None] = (None, None)
    wall_ms: float = 0.0

    def __reduce__(self) -> tuple[Callable[[bytes], "MatchResult"], tuple[bytes]]:
        return _read_result, (_write_result(self),)


_write_result = msgspec.msgpack.Encoder().encode
_result_decoder = msgspec.msgpack.Decoder(MatchResult)


def _read_result(packed: bytes) -> MatchResult:
    """What unpickling calls: it finds functions by their names, but no methods of decoders."""
    return _result_decoder.decode(packed)


class Tally(msgspec.Struct, frozen=True):
    """All results between two bots, `bot_a` < `bot_b`, as a rating needs them.

    pairs: how many complete pairs gave `bot_a` 0, 1/2, 1, 3/2, 2 points of 2. singles: how many matches without their
    counterpart gave it 0, 1/2, 1 points.
    """

    bot_a: str
    bot_b: str
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    singles: tuple[int, int, int] = (0, 0, 0)

    @property
    def matches(self) -> int:
        return 2 * sum(self.pairs) + sum(self.singles)

    @property
    def score_a(self) -> float:
        """Points of `bot_a`: a win is 1, a draw 1/2."""
        in_pairs = sum(points * count for points, count in zip((0.0, 0.5, 1.0, 1.5, 2.0), self.pairs, strict=True))
        return in_pairs + 0.5 * self.singles[1] + self.singles[2]


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's rating, on the scale of its method; `error` is the half-width of its confidence interval, None when
    unknown."""

    elo: float
    error: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the results say of one bot, apart from its rating.

    faults: how often it lost by what. median_ms: of its decisions; None when it made none.
    """

    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    median_ms: float | None = None

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Totals:
    """What the results say as a whole.

    seat_0_points: a win is 1, a draw 1/2. reasons: how matches ended. set_aside: results that no longer count, by
    reason. of_others: results of bots that are not entered any more. aborted: matches that the arena gave up, as (id,
    bots, why).
    """

    matches: int
    pairs: int
    seat_0_points: float
    reasons: Mapping[str, int]
    set_aside: Mapping[str, int]
    of_others: int
    aborted: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A result as it is kept."""

    id: str
    pairing: Pairing
    lane: int
    outcome: Outcome
    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]

    @property
    def bots(self) -> tuple[str, str]:
        """By seat."""
        bot_a, bot_b, _ = self.pairing
        return (bot_a, bot_b) if self.lane == 0 else (bot_b, bot_a)
