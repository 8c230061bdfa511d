"""Every seam of the arena on one screen. An implementation is one file in the folder of its kind.

An implementation is a frozen dataclass whose fields are the keys of its YAML block: names, types and defaults are the
whole declaration, `__post_init__` raises `SettingsError` for values that cannot work. It is the only name in its
module's `__all__`, and its module's name is what a config calls it (`arena.registry`). The checks of `arena.testing`
say what each contract means beyond its types.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, TypeAlias

from arena.model import BotSpec, Event, Limits, MatchResult, MatchSpec, Outcome, Pairing, Rating, Seat, Tally

__all__ = ["Action", "Executor", "Format", "Game", "Launcher", "Play", "RatingMethod", "Ratings", "State", "Step"]

State: TypeAlias = Any
"""A position; opaque to everybody but its game, never changed in place."""

Action: TypeAlias = Any
"""A legal move in the game's own normal form; packs to MessagePack and JSON."""

Step: TypeAlias = tuple[State, tuple[Event, ...]]
"""A new position and the public events that led to it."""


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


class Results(Protocol):
    """What a format may ask of the results so far."""

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        """Which of the two matches of a pairing have a result, by lane."""

    def tallies(self) -> Sequence[Tally]:
        """All results, by pairs of bots."""


class Format(Protocol):
    """Who meets whom, how often."""

    def pairings(self, entrants: Sequence[str], results: Results) -> Iterator[Pairing]:
        """What is still to be played, lazily, in schedule order; nothing when the tournament is complete.

        The same call starts and resumes: a pairing of which both matches are finished is not returned.
        """

    def matches_planned(self, entrants: int) -> int:
        """How many matches the whole tournament has, as far as it is known now."""


class Ratings(Protocol):
    """What a rating method found."""

    @property
    def ratings(self) -> Mapping[str, Rating]: ...

    @property
    def groups(self) -> Sequence[Sequence[str]]:
        """Bots that are connected by results; more than one group: ratings cannot be compared between them."""

    def chance_above(self, bot_a: str, bot_b: str) -> float | None:
        """Probability that `bot_a` is the stronger one; None when nothing connects them."""


class RatingMethod(Protocol):
    """Results to ratings; the order of entrants and of tallies must not matter."""

    def rate(
        self, entrants: Sequence[str], tallies: Sequence[Tally], *, anchor: tuple[str, float] | None, confidence: float
    ) -> Ratings:
        """Rate all `entrants`, also those without a result; `anchor` (bot, elo) fixes the scale."""


class Launcher(Protocol):
    """How a bot's process is confined."""

    def unavailable(self) -> str:
        """Why this launcher cannot work on this machine, for people; empty when it can."""

    def command(self, bot: BotSpec, limits: Limits, socket_directory: Path) -> Sequence[str]:
        """The argument list that runs `bot.command` confined; it keeps the process id and passes signals and exit
        status on."""


class Play(Protocol):
    """What an executor needs to know to play matches; it can be pickled and sent to another process.

    A call serves one worker: it plays the specs that `connection` brings until told to stop, and returns when all is
    cleaned up. `arena.referee.loop.RefereeJob` is the one of real matches.
    """

    def __call__(self, connection: Any, worker: int) -> None: ...


class Executor(Protocol):
    """Runs many matches at once, in any order."""

    def run(self, specs: Iterator[MatchSpec | None], play: Play) -> Generator[MatchResult, None, None]:
        """Play all `specs`, pulled as there is room; yield results as they arrive.

        `specs` may yield None: nothing can be started before another result is in. A lost worker's matches come back
        aborted. Closing the generator stops everything and leaves no process.
        """
