"""Every seam of the arena on one screen. An implementation is one file in the folder of its kind.

An implementation is a frozen dataclass whose fields are the keys of its YAML block: names, types and defaults are the
whole declaration, `__post_init__` raises `SettingsError` for values that cannot work. It is the only name in its
module's `__all__`, and its module's name is what a config calls it (`arena.registry`); one class of a folder says
`is_default = True` and is taken where a config names none. Packages add their own by entry points. The checks of
`arena.testing` say what each contract means beyond its types, docs/extending.md explains them with an example.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

from arena.model import (
    BotSpec,
    DealScore,
    Event,
    Limits,
    MatchResult,
    MatchSpec,
    Outcome,
    Pairing,
    Picture,
    Rating,
    Score,
    Seat,
    Tally,
)

__all__ = [
    "Action",
    "Chance",
    "Confined",
    "Executor",
    "Format",
    "Game",
    "Launcher",
    "Orders",
    "Place",
    "Play",
    "Progress",
    "ProvidesExamples",
    "ProvidesVariants",
    "RatingMethod",
    "Ratings",
    "Results",
    "SamplesActions",
    "Site",
    "State",
    "Step",
]

State: TypeAlias = Any
"""A position; opaque to everybody but its game, never changed in place."""

Action: TypeAlias = Any
"""A legal move in the game's own normal form; packs to MessagePack and JSON."""

Chance: TypeAlias = Random
"""Where a random choice comes from: always an argument."""

Step: TypeAlias = tuple[State, tuple[Event, ...]]
"""A new position and the public events that led to it."""


# --- games --------------------------------------------------------------------------------------------------------


class Game(Protocol):
    """Rules: pure, for two seats, any number of positions at once."""

    def public_rules(self) -> dict[str, Any]:
        """The rules in force, JSON-like; sent in match_start, stored in replays, part of a match's identity."""

    @classmethod
    def from_public_rules(cls, rules: Mapping[str, Any]) -> Self:
        """The game with these `public_rules`, also after their trip through JSON: a replay says all that it takes."""

    def initial_state(self, seed: bytes) -> Step:
        """The start of a match; `seed` (32 bytes) is all its randomness."""

    def seats_to_move(self, state: State) -> tuple[Seat, ...]:
        """Who decides now, ascending; both for a simultaneous decision; empty exactly when the match is over."""

    def phase(self, state: State) -> str:
        """What kind of decision is due."""

    def observation(self, state: State, seat: Seat) -> dict[str, Any]:
        """All that `seat` may know, complete in itself; built from a white list."""

    def legal_actions(self, state: State, seat: Seat) -> list[Action] | None:
        """All legal actions, ascending; None where the observation describes them more briefly than a list."""

    def forced_action(self, state: State, seat: Seat) -> Action | None:
        """The legal action when there is only one, else None."""

    def check_action(self, state: State, seat: Seat, raw: object) -> Action:
        """What a bot answered, in normal form; raises `IllegalAction` with the reason, for any `raw` whatever."""

    def apply(self, state: State, actions: Mapping[Seat, Action]) -> Step:
        """One step: `actions` holds a checked action for each of `seats_to_move`."""

    def outcome(self, state: State) -> Outcome | None:
        """How the match ended by the rules, None while it goes on."""

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """One event in words, for people; `names` by seat."""

    def draw(self, state: State) -> str:
        """What a spectator sees of a position at a glance, in a few characters of text."""

    def picture(self, state: State) -> Picture:
        """All that a viewer may show of a position, sorted by who may see it; JSON-like."""


@runtime_checkable
class SamplesActions(Protocol):
    """A game whose `legal_actions` may be None says here how to find one of them."""

    def random_action(self, state: State, seat: Seat, chance: Chance) -> Action:
        """Any legal action, each with some probability; all chance comes from `chance`."""


@runtime_checkable
class ProvidesVariants(Protocol):
    """A game that can be played by other rules than the usual ones."""

    def variants(self) -> Sequence["Game"]:
        """Rules that are hard on a bot: long lists of actions, many events, extreme values. `arena check` plays by
        them."""


@runtime_checkable
class ProvidesExamples(Protocol):
    """A game that comes with bots to read and to start from."""

    @classmethod
    def example_bots(cls) -> Sequence[Path]:
        """Where they may be: the first of these folders that exists has a folder with a `bot.yaml` for each."""


# --- formats ------------------------------------------------------------------------------------------------------


class Results(Protocol):
    """The results that count. No answer depends on the order in which they came."""

    def tallies(self) -> Sequence[Tally]:
        """All results, by pairs of bots, sorted."""

    def in_order(self) -> Iterator[Score]:
        """All results, one by one, by deal, bots and lane: the order of a schedule whose deals count upwards."""

    def deals(self) -> Iterator[DealScore]:
        """All results by deals, in the same order."""

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        """Which of the two matches of a pairing have a result, by lane."""


class Progress(Results, Protocol):
    """How far a tournament has come: the results so far, and what else decides what is still to be played."""

    @property
    def out(self) -> frozenset[str]:
        """Entrants that play no further match: a bot is suspended when it cannot be started."""

    def is_over(self, pairing: Pairing) -> tuple[bool, bool]:
        """Which of them have a result or will never have one: a bot is out, or the arena has given the match up."""


class Format(Protocol):
    """Who meets whom, how often."""

    def pairings(self, entrants: Sequence[str], results: Progress) -> Iterator[Pairing]:
        """What may start now, lazily, in schedule order.

        To start, to go on and to resume are this one call. The run asks again whenever the iterator is at its end and
        a result has come in. Nothing new while matches are in flight means: wait. Nothing new while none is means: the
        tournament is complete. A pairing may be yielded again; only matches that are neither over nor in flight are
        played. An iterator may look at `results` at every step: they are those of that moment. From the same results
        the same pairings follow, whatever happened before.
        """

    def planned(self, entrants: Sequence[str], results: Progress) -> int | None:
        """How many matches the whole tournament has, those played included; None when nobody knows. Shown to people;
        what decides that a tournament is complete is `pairings`."""


# --- ratings ------------------------------------------------------------------------------------------------------


class Ratings(Protocol):
    """What a rating method found. Errors are half-widths of intervals of the confidence that was asked for."""

    @property
    def scale(self) -> str:
        """What the numbers are, for the head of their column: "Elo"."""

    @property
    def ratings(self) -> Mapping[str, Rating]:
        """By bot; the error is that of the number shown."""

    @property
    def groups(self) -> Sequence[Sequence[str]]:
        """Bots that are connected by results; more than one group: ratings cannot be compared between them."""

    @property
    def remarks(self) -> Sequence[str]:
        """What a reader must know of this method or of this fit, a sentence each."""

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        """Probability that `bot_a` is the stronger one; None when nothing connects them."""

    def difference_error(self, bot_a: str, bot_b: str) -> float | None:
        """The error of the difference between two ratings; None when nothing connects them."""


class RatingMethod(Protocol):
    """Results to ratings; the order of entrants and of results' arrival must not matter."""

    def rate(
        self, entrants: Sequence[str], results: Results, *, anchor: tuple[str, float] | None, confidence: float
    ) -> Ratings:
        """Rate all `entrants`, also those without a result; `anchor` (bot, rating) fixes the scale. Results are read as
        a stream: no list of all of them is made."""


# --- launchers ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Site:
    """Where one process of a bot is started.

    directory: the referee's own, with its socket. environment: all variables of the process. endpoint: where it
    connects; "stdio" for its stdin and stdout. stdin, stdout, stderr: descriptors that become the process's own.
    """

    directory: Path
    environment: Mapping[str, str]
    endpoint: str
    stdin: int
    stdout: int
    stderr: int


class Confined(Protocol):
    """A started process of a bot and all that it starts in its turn."""

    pid: int
    """Of the process that the others belong to, as this machine counts."""
    exit_watch: int | None
    """A descriptor that becomes readable when it ends; None where the platform has none: ask `has_ended` each tick."""

    def has_ended(self) -> bool:
        """Whether the process itself has ended; what it started may still run."""

    def collect(self) -> bool:
        """When it has ended, end what it started as well, and wait for it; False while it runs. Afterwards nothing of
        it is left."""

    def owns(self, pid: int) -> bool:
        """Whether a process of this machine belongs to it."""

    def members(self) -> Sequence[int]:
        """The living processes that belong to it; itself first."""

    def kill(self) -> None:
        """End all of it surely, also in its first millisecond; `collect` follows."""

    def freeze(self) -> None:
        """Stop all of it until `thaw`."""

    def thaw(self) -> None:
        """Let it go on."""

    def cpu_seconds(self) -> float | None:
        """CPU time of all of it so far, ended members included where the system tells; None when nobody knows."""

    def explain_exit(self) -> str:
        """How it ended, for its author: status, signal, or which limit it hit. Only after `collect`."""

    def close(self) -> None:
        """Give back what watching it took. Only after `collect`."""


class Launcher(Protocol):
    """How a bot's process is confined. Its settings are the keys of the block `sandbox`."""

    strictness: ClassVar[int]
    """`sandbox: auto` takes the strictest that works on the machine."""

    def unavailable(self) -> str:
        """Why this launcher cannot work on this machine, for people; empty when it can."""

    def start(self, bot: BotSpec, limits: Limits, site: Site) -> Confined:
        """Start `bot.command` in `bot.directory`, confined, as the leader of a session of its own. Raises OSError when
        the system cannot."""


# --- executors ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a worker runs, and what lies where on that machine.

    bots: by name, as they can be started there. logs: the folder for what bots write. worker: its number. cores: how
    many cores of the machine are its share, so how many processes of bots may be starting at once.
    """

    bots: Mapping[str, BotSpec]
    logs: Path
    worker: int = 0
    cores: int = 2


class Orders(Protocol):
    """What a worker is to do, as it comes."""

    watch: int | None
    """A descriptor that becomes readable when something has come; None: ask `take` each tick."""

    def take(self) -> Sequence[MatchSpec] | None:
        """The matches that have been ordered since the last call, perhaps none; None: stop."""


class Play(Protocol):
    """Plays matches; can be pickled and sent to another machine, and holds nothing that only one machine has.

    A call serves one worker: it plays what is ordered until told to stop, and returns when all is cleaned up.
    `arena.referee.job.RefereeJob` is the one of real matches.
    """

    def __call__(self, orders: Orders, report: Callable[[MatchResult], None], place: Place) -> None: ...


class Executor(Protocol):
    """Runs many matches at once, in any order."""

    def run(self, specs: Iterator[MatchSpec | None], play: Play, place: Place) -> Generator[MatchResult, None, None]:
        """Play all `specs`, pulled as there is room; yield results as they arrive.

        `specs` may yield None: nothing can be started before another result is in. A lost worker's matches come back
        aborted. Closing the generator stops everything and leaves no process. `place` is this machine's; an executor
        that uses others makes places of their own there.
        """
