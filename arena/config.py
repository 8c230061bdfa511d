"""A config file into a frozen `TournamentConfig`, or every problem in it at once.

Each block is declared by a dataclass (here, in `arena.entrants`, or the chosen implementation's own) and read by
`arena.settings`; this file says which blocks there are, which implementation a block chooses, and checks what only the
whole can show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from arena.contracts import Executor, Format, Game, RatingMethod
from arena.document import NULL, Part, brief, did_you_mean, printable, read, shown
from arena.entrants import BotKeys, CommandKeys, enter, locate, name_fault, normalised
from arena.errors import ConfigError, Problem, SettingsError
from arena.model import BotSpec, Limits, TimeControl
from arena.registry import load, names
from arena.settings import UNREADABLE, describe, fill

__all__ = ["CHOICES", "Choice", "Document", "TournamentConfig", "bot_from_command", "load_config"]


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """All that a tournament is, ready to run.

    source: the config file. bots: in the config's order. seed: None = draw one. ask_forced: also ask for decisions with
    a single legal action. sandbox: a launcher's name, or "auto" for the strictest that works here. anchor: the bot
    whose Elo is fixed, and at what; None leaves that to the rating method. confidence: of every interval.
    """

    name: str
    source: Path
    game_name: str
    game: Game
    bots: tuple[BotSpec, ...]
    format_name: str
    format: Format
    seed: str | None
    time: TimeControl
    ask_forced: bool
    limits: Limits
    sandbox: str
    rating_name: str
    rating: RatingMethod
    anchor: tuple[str, float] | None
    confidence: float
    executor_name: str
    executor: Executor


@dataclass(frozen=True)
class Document:
    """The blocks of a config.

    name: of the tournament and of its folder of results; null = the config file's name.
    game: what is played.
    bots: who plays, two or more.
    tournament: who meets whom, how often.
    time: the clocks of a match.
    limits: what a bot's process may use.
    sandbox: how a bot's process is confined; auto = as strictly as this machine allows.
    rating: how results become a ladder.
    run: how matches are carried out; never changes a result.
    """

    bots: tuple[Part, ...]
    name: str | None = None
    game: Part | None = None
    tournament: Part | None = None
    time: TimeControl = field(default_factory=TimeControl)
    limits: Limits = field(default_factory=Limits)
    sandbox: str = "auto"
    rating: Part | None = None
    run: Part | None = None


@dataclass(frozen=True)
class GameKeys:
    """The game; the keys of the one that is named stand beside these.

    name: which game.
    """

    name: str = "tacocat"


@dataclass(frozen=True)
class TournamentKeys:
    """The tournament; the keys of its format stand beside these.

    format: who meets whom.
    seed: any text or number, from which all deals follow; null = a random one, shown and stored.
    ask_forced: ask bots also for decisions that have a single legal action.
    """

    format: str = "round_robin"
    seed: str | None = None
    ask_forced: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None and not self.seed.strip():
            raise SettingsError([("seed", "must not be empty; leave it out for a random one")])


@dataclass(frozen=True)
class Anchor:
    """What fixes the Elo scale.

    bot: the bot whose rating is given.
    elo: the rating it has.
    """

    bot: str
    elo: float = 0.0


@dataclass(frozen=True)
class RatingKeys:
    """The ladder; the keys of its method stand beside these.

    method: how results become ratings.
    anchor: the bot whose rating is fixed; null = the method's own choice.
    confidence: of the intervals, above 0 and below 1.
    """

    method: str = "bradley_terry"
    anchor: Anchor | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not (self.confidence > 0 and 0.5 + self.confidence / 2 < 1):  # in floating point: a quantile must exist
            message = f"must be above 0 and below 1 (0.95 is 95 %), not {self.confidence:g}"
            raise SettingsError([("confidence", message)])


@dataclass(frozen=True)
class RunKeys:
    """How it is run; the keys of the executor stand beside these.

    executor: what plays the matches.
    """

    executor: str = "local"


class Choice(NamedTuple):
    """A block that chooses an implementation: of which kind, by which key, and the keys that every choice has."""

    kind: str
    key: str
    keys: type[Any]

    @property
    def default(self) -> str:
        name: str = getattr(self.keys, self.key)
        return name


CHOICES = {
    "game": Choice("games", "name", GameKeys),
    "tournament": Choice("formats", "format", TournamentKeys),
    "rating": Choice("ratings", "method", RatingKeys),
    "run": Choice("executors", "executor", RunKeys),
}


class _Chosen(NamedTuple):
    keys: Any
    name: str
    implementation: Any


NAME_BYTES_MAX = 200
"""Of the name of a folder: file systems allow 255, and what belongs to a tournament may add an ending."""


def load_config(path: Path) -> TournamentConfig:
    """The config in a file; raises ConfigError with every problem in it."""
    root = read(path)
    homes = _homes()
    document = fill(root, Document, elsewhere=homes)[0]
    name = _tournament_name(root, path)
    _check_sandbox(root)
    bots = _bots(root, path.parent, homes)
    game, format_, rating, run = (_chosen(root.find(block), choice, homes) for block, choice in CHOICES.items())
    if root.problems:
        raise ConfigError(printable(path), tuple(dict.fromkeys(root.problems)))
    anchor: Anchor | None = rating.keys.anchor
    return TournamentConfig(
        name=name,
        source=path.absolute(),
        game_name=game.name,
        game=game.implementation,
        bots=bots,
        format_name=format_.name,
        format=format_.implementation,
        seed=format_.keys.seed,
        time=document.time,
        ask_forced=format_.keys.ask_forced,
        limits=document.limits,
        sandbox=document.sandbox,
        rating_name=rating.name,
        rating=rating.implementation,
        anchor=(normalised(anchor.bot), anchor.elo) if anchor else None,
        confidence=rating.keys.confidence,
        executor_name=run.name,
        executor=run.implementation,
    )


def bot_from_command(name: str, words: Sequence[str], directory: Path) -> BotSpec:
    """A bot that no config names: `words` is its command, whose paths start at `directory`. Raises ConfigError."""
    try:
        keys, command = BotKeys(name), CommandKeys(tuple(words))
    except SettingsError as error:
        raise ConfigError(name, [Problem(message, path) for path, message in error.problems]) from None
    return enter(keys, command, locate(command, directory))


def _chosen(part: Part, choice: Choice, homes: Mapping[str, str]) -> _Chosen:
    """What the block of a choice says."""
    if isinstance(part.node, yaml.ScalarNode) and part.node.tag != NULL:  # only the name, as in "game: tacocat"
        key = yaml.ScalarNode("", choice.key, part.node.start_mark, part.node.end_mark)
        part = replace(part, node=yaml.MappingNode("", [(key, part.node)]))
    named = part.find(choice.key)
    written, known = _text(named), names(choice.kind)
    name = choice.default if written is None else written
    if name not in known:
        fix = did_you_mean(name, known, f"there is: {', '.join(known)}")
        named.report(f"there is no {choice.kind[:-1]} {shown(named.node)}", fix)
        return _Chosen(fill(part, choice.keys, strict=False)[0], name, UNREADABLE)
    try:
        implementation = load(choice.kind, name)
    except ImportError as error:
        named.report(f"needs a package that is not installed: {error}")
        return _Chosen(fill(part, choice.keys, strict=False)[0], name, UNREADABLE)
    keys, chosen = fill(part, choice.keys, implementation, elsewhere=homes)
    return _Chosen(keys, name, chosen)


def _bots(root: Part, base: Path, homes: Mapping[str, str]) -> tuple[BotSpec, ...]:
    """The entrants that can be entered; what is wrong with the others, or with their names, is reported."""
    block = root.find("bots")
    parts = list(block.items().values()) if isinstance(block.node, yaml.SequenceNode) else []
    if isinstance(block.node, yaml.SequenceNode) and len(parts) < 2:
        block.report(f"a tournament needs at least two bots, not {len(parts)}")
    lines: dict[str, int | None] = {}
    for part in (part.find("name") for part in parts):
        name = normalised(_text(part) or "")
        if name in lines:
            message = f"two bots are called {brief(name)}, on lines {lines[name]} and {part.line}"
            part.report(message, "give one another name")
        elif name:
            lines[name] = part.line
    anchor = root.find("rating.anchor.bot")
    fixed = _text(anchor)
    if parts and fixed is not None and normalised(fixed) not in lines:
        anchor.report(f"there is no bot {shown(anchor.node)}", did_you_mean(fixed, lines, "name one of the bots"))
    entered = [_entered(part, base, homes) for part in parts]
    return tuple(bot for bot in entered if bot)


def _entered(part: Part, base: Path, homes: Mapping[str, str]) -> BotSpec | None:
    keys, command = fill(part, BotKeys, CommandKeys, elsewhere=homes)
    try:
        located = locate(command, base) if command else None
    except ConfigError as error:
        for problem in error.problems:
            part.find(problem.path).report(problem.message, problem.suggestion)
        return None
    return enter(keys, command, located) if keys and located else None


def _tournament_name(root: Part, path: Path) -> str:
    """The name, which is also that of a folder of results."""
    part = root.find("name")
    written = _text(part)
    name = normalised(path.stem if written is None else written)
    fault = name_fault(name)
    if any(character in name for character in "/\\"):
        fault = "must not contain a slash or backslash"
    elif not name.strip("."):
        fault = "must not be made of dots"
    elif len(name.encode(errors="replace")) > NAME_BYTES_MAX:
        fault = f"must be at most {NAME_BYTES_MAX} bytes long"
    if fault:
        part.report(f"{fault}: the results are kept in a folder of this name")
    return name


def _check_sandbox(root: Part) -> None:
    part, known = root.find("sandbox"), ("auto", *names("launchers"))
    name = _text(part)
    if name is not None and name not in known:
        fix = did_you_mean(name, known, f"there is: {', '.join(known)}")
        part.report(f"there is no sandbox {shown(part.node)}", fix)


def _text(part: Part) -> str | None:
    """A single value as it was written; None when there is none."""
    return str(part.node.value) if isinstance(part.node, yaml.ScalarNode) and part.node.tag != NULL else None


@cache
def _homes() -> dict[str, str]:
    """Where each key belongs, for those who write it elsewhere."""
    blocks = [("bots", BotKeys), ("bots", CommandKeys), ("limits", Limits), ("time", TimeControl)]
    blocks += [(block, choice.keys) for block, choice in CHOICES.items()]
    blocks += [(block, load(choice.kind, choice.default)) for block, choice in CHOICES.items()]
    paths = [f"{block}.{setting.key}".rpartition(".") for block, cls in blocks for setting in describe(cls)]
    return {key: home for home, _, key in paths if key != "name"}
