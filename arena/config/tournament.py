"""A config file into a frozen `TournamentConfig`, or every problem in it at once.

Each block is declared by a dataclass (here, in `arena.config.entrants`, or the chosen implementation's own) and read
by `arena.config.settings`; this file says which blocks there are, which implementation a block chooses, and checks what
only the whole can show.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from arena.config.document import NULL, Part, did_you_mean, printable, read, shown
from arena.config.entrants import BotKeys, CommandKeys, name_fault, normalised
from arena.config.roster import Build, entries
from arena.config.settings import UNREADABLE, describe, fill, plain_default
from arena.contracts import Executor, Format, Game, Launcher, RatingMethod
from arena.errors import ConfigError, Problem, SettingsError
from arena.model import BotSpec, Limits, TimeControl
from arena.registry import default, load, names

__all__ = ["AUTO", "CHOICES", "Choice", "Document", "TournamentConfig", "leave_out", "load_config"]

AUTO = "auto"
"""Instead of a launcher's name: the strictest that works on this machine."""


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """All that a tournament is, ready to run.

    source: the config file. bots: in the config's order. builds: of those bots that need one, in that order.
    left_out: by the name of each bot that lacks something that it needs on this machine, a sentence that says so.
    seed: None = draw one. ask_forced: also ask for decisions with a single legal action. launcher: None (its name is
    `AUTO`) for the strictest that works here. anchor: the bot whose Elo is fixed, and at what; None leaves that to the
    rating method. confidence: of every interval.
    """

    name: str
    source: Path
    game_name: str
    game: Game
    bots: tuple[BotSpec, ...]
    builds: tuple[Build, ...]
    left_out: Mapping[str, str]
    format_name: str
    format: Format
    seed: str | None
    time: TimeControl
    ask_forced: bool
    limits: Limits
    launcher_name: str
    launcher: Launcher | None
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
    bots: who plays, two or more: blocks of keys, or folders that have these in a `bot.yaml`.
    tournament: who meets whom, how often.
    time: the clocks of a match.
    limits: what a bot's process may use.
    sandbox: how a bot's process is confined.
    rating: how results become a ladder.
    run: how matches are carried out; never changes a result.
    """

    bots: tuple[Part, ...]
    name: str | None = None
    game: Part | None = None
    tournament: Part | None = None
    time: TimeControl = field(default_factory=TimeControl)
    limits: Limits = field(default_factory=Limits)
    sandbox: Part | None = None
    rating: Part | None = None
    run: Part | None = None


@dataclass(frozen=True)
class GameKeys:
    """The game; the keys of the one that is named stand beside these.

    name: which game.
    """

    name: str = field(default_factory=partial(default, "games"))


@dataclass(frozen=True)
class TournamentKeys:
    """The tournament; the keys of its format stand beside these.

    format: who meets whom.
    seed: any text or number, from which all deals follow; null = a random one, shown and stored.
    ask_forced: ask bots also for decisions that have a single legal action.
    """

    format: str = field(default_factory=partial(default, "formats"))
    seed: str | None = None
    ask_forced: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None and not self.seed.strip():
            raise SettingsError([("seed", "must not be empty; leave it out for a random one")])


@dataclass(frozen=True)
class SandboxKeys:
    """How bots are confined; the keys of the launcher stand beside these.

    launcher: what starts a bot's process and confines it; auto = the strictest that works on this machine.
    """

    launcher: str = AUTO


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

    method: str = field(default_factory=partial(default, "ratings"))
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

    executor: str = field(default_factory=partial(default, "executors"))


class Choice(NamedTuple):
    """A block that chooses an implementation: of which kind, by which key, and the keys that every choice has."""

    kind: str
    key: str
    keys: type[Any]

    @property
    def default(self) -> str:
        """What is chosen where a config names nothing."""
        (chosen,) = (field for field in fields(self.keys) if field.name == self.key)
        return str(plain_default(chosen))


CHOICES = {
    "game": Choice("games", "name", GameKeys),
    "tournament": Choice("formats", "format", TournamentKeys),
    "sandbox": Choice("launchers", "launcher", SandboxKeys),
    "rating": Choice("ratings", "method", RatingKeys),
    "run": Choice("executors", "executor", RunKeys),
}


class _Chosen(NamedTuple):
    keys: Any
    name: str
    implementation: Any


NAME_BYTES_MAX = 200
"""Of the name of a folder: file systems allow 255, and what belongs to a tournament may add an ending."""


def load_config(path: Path, *, built: Collection[str] | None = None) -> TournamentConfig:
    """The config in a file; raises ConfigError with every problem in it.

    built: the bots whose `build` has been run, so that what it makes must be there; None = those of all bots.
    """
    root = read(path)
    homes = _homes()
    document = fill(root, Document, elsewhere=homes)[0]
    name = _tournament_name(root, path)
    entered = entries(root, path.parent, homes, built)
    chosen = {block: _chosen(root.find(block), choice, homes) for block, choice in CHOICES.items()}
    if root.problems:
        raise ConfigError(printable(path), tuple(dict.fromkeys(root.problems)))
    game, format_, sandbox, rating, run = chosen.values()
    left_out = {entry.spec.name: entry.why_left_out for entry in entered if entry.lacks}
    anchor = _anchor(rating.keys.anchor, left_out)
    return TournamentConfig(
        name=name,
        source=path.absolute(),
        game_name=game.name,
        game=game.implementation,
        bots=tuple(entry.spec for entry in entered if not entry.lacks),
        builds=tuple(entry.build for entry in entered if entry.build and not entry.lacks),
        left_out=left_out,
        format_name=format_.name,
        format=format_.implementation,
        seed=format_.keys.seed,
        time=document.time,
        ask_forced=format_.keys.ask_forced,
        limits=document.limits,
        launcher_name=sandbox.name,
        launcher=sandbox.implementation,
        rating_name=rating.name,
        rating=rating.implementation,
        anchor=anchor,
        confidence=rating.keys.confidence,
        executor_name=run.name,
        executor=run.implementation,
    )


def leave_out(config: TournamentConfig, names: Collection[str]) -> TournamentConfig:
    """A config without some of its bots, because somebody wishes so. Raises ConfigError when that cannot be."""
    known = [*(bot.name for bot in config.bots), *config.left_out]
    strangers = [name for name in names if name not in known]
    problems = [
        Problem(f'there is no bot "{name}" to leave out', "bots", suggestion=did_you_mean(name, known))
        for name in strangers
    ]
    bots = tuple(bot for bot in config.bots if bot.name not in names)
    if len(bots) < 2 and not problems:
        problems.append(
            Problem(f"a tournament needs at least two bots; without {', '.join(names)} there are {len(bots)}")
        )
    if problems:
        raise ConfigError(str(config.source), problems)
    anchor = config.anchor if config.anchor is None or config.anchor[0] not in names else None
    remarks = {bot.name: f"{bot.name} is left out, because of --without" for bot in config.bots if bot.name in names}
    builds = tuple(each for each in config.builds if each.bot not in names)
    return replace(config, bots=bots, builds=builds, left_out={**config.left_out, **remarks}, anchor=anchor)


def _chosen(part: Part, choice: Choice, homes: Mapping[str, str]) -> _Chosen:
    """What the block of a choice says."""
    if isinstance(part.node, yaml.ScalarNode) and part.node.tag != NULL:  # only the name, as in "rating: elo"
        key = yaml.ScalarNode("", choice.key, part.node.start_mark, part.node.end_mark)
        part = replace(part, node=yaml.MappingNode("", [(key, part.node)]))
    named = part.find(choice.key)
    written, known = named.text, names(choice.kind)
    name = choice.default if written is None else written
    if choice.kind == "launchers" and name == AUTO:
        return _Chosen(fill(part, choice.keys, elsewhere=homes)[0], AUTO, None)
    if name not in known:
        fix = did_you_mean(name, known, f"available: {', '.join(known)}")
        named.report(f"there is no {choice.kind[:-1]} {shown(named.node)}", fix)
        return _Chosen(fill(part, choice.keys, strict=False)[0], name, UNREADABLE)
    try:
        implementation = load(choice.kind, name)
    except LookupError as error:
        named.report(str(error))
        return _Chosen(fill(part, choice.keys, strict=False)[0], name, UNREADABLE)
    keys, chosen = fill(part, choice.keys, implementation, elsewhere=homes)
    return _Chosen(keys, name, chosen)


def _anchor(anchor: Anchor | None, left_out: dict[str, str]) -> tuple[str, float] | None:
    """What fixes the Elo scale; a bot that is left out cannot, and that is said with the rest about it."""
    if anchor is None:
        return None
    name = normalised(anchor.bot)
    if name in left_out:
        left_out[name] += ", and ratings have no anchor without it"
        return None
    return name, anchor.elo


def _tournament_name(root: Part, path: Path) -> str:
    """The name, which is also that of a folder of results."""
    part = root.find("name")
    written = part.text
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


@cache
def _homes() -> dict[str, str]:
    """Where each key belongs, for those who write it elsewhere."""
    blocks = [("bots", BotKeys), ("bots", CommandKeys), ("limits", Limits), ("time", TimeControl)]
    blocks += [(block, choice.keys) for block, choice in CHOICES.items()]
    for block, choice in CHOICES.items():
        with suppress(LookupError):  # said where it is chosen
            blocks.append((block, load(choice.kind, choice.default)))
    paths = [f"{block}.{setting.key}".rpartition(".") for block, cls in blocks for setting in describe(cls)]
    return {key: home for home, _, key in paths if key != "name"}
