"""Who plays: the entries of `bots` in a config, and bots that are named on a command line.

An entry is a block of keys, or the path of a folder whose `bot.yaml` is that block: so a bot can be handed in as one
folder that says itself how it is built and started. Problems in such a file are reported at the entry that names it.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.config.document import Part, brief, did_you_mean, printable, read, shown, siblings
from arena.config.entrants import (
    BotKeys,
    CommandKeys,
    Located,
    Talks,
    enter,
    locate,
    normalised,
    read_entry,
)
from arena.config.examples import ENTRY
from arena.config.needs import Need, in_words
from arena.config.settings import fill
from arena.errors import ConfigError, Problem, SettingsError
from arena.model import BotSpec

__all__ = ["Build", "Entry", "entries", "named"]


class Build(NamedTuple):
    """What makes a bot's program: the argument list, where it runs, and variables beside the user's own."""

    bot: str
    command: tuple[str, ...]
    directory: str
    environment: Mapping[str, str]


class Entry(NamedTuple):
    """A bot that was entered: what starts it, what builds it, and what it needs that is not here."""

    spec: BotSpec
    build: Build | None
    lacks: tuple[Need, ...]

    @property
    def why_left_out(self) -> str:
        """A sentence; empty when nothing is missing."""
        return f"{self.spec.name} is left out: it needs {in_words(self.lacks)}" if self.lacks else ""


class _Written(NamedTuple):
    """An entry as it is written: where the config has it, its block, and the folder in which its paths start."""

    place: Part
    block: Part
    base: Path

    @property
    def name(self) -> Part:
        """Where a complaint about the name belongs."""
        return self.place if self.block is not self.place else self.block.find("name")


def entries(root: Part, base: Path, homes: Mapping[str, str], built: Collection[str] | None) -> list[Entry]:
    """The bots of a config that can be read; what is wrong with the others, or with their names, is reported.

    root: the config; base: its folder. homes: where each key belongs, for those who write it elsewhere. built: the
    bots whose build has been run, so that what it makes must be there; None = those of all bots.
    """
    block = root.find("bots")
    places = list(block.items().values()) if block.is_list else []
    if block.is_list and len(places) < 2:
        block.report(f"a tournament needs at least two bots, not {len(places)}")
    written = [each for place in places if (each := _written(place, base))]
    names = _check_names(written)
    anchor = root.find("rating.anchor.bot")
    if written and anchor.text is not None and normalised(anchor.text) not in names:
        anchor.report(f"there is no bot {shown(anchor.node)}", did_you_mean(anchor.text, names, "name one of the bots"))
    found = [entry for each in written if (entry := _entry(each, homes, built))]
    reasons = [entry.why_left_out for entry in found if entry.lacks]
    if len(places) - len(reasons) < 2 <= len(places):
        block.report(f"a tournament needs at least two bots, but {'; '.join(reasons)}", "install what they need")
    return found


def named(name: str, words: Sequence[str], directory: Path, *, protocol: Talks = "zeromq", is_built: bool) -> Entry:
    """A bot that no config names: a command, or a single word that is a folder with a `bot.yaml`.

    name: what a command is to be called; a folder's bot has its own name. words: paths in them start at `directory`.
    protocol: how a command talks; a folder's bot says that itself. Raises ConfigError.
    """
    folder = directory / words[0] if len(words) == 1 else None
    if folder is not None and (folder / ENTRY).is_file():
        source, base = printable(folder / ENTRY), folder
        keys, command = read_entry(folder / ENTRY)
    else:
        source, base = name, directory
        try:
            keys, command = BotKeys(name, protocol=protocol), CommandKeys(tuple(words))
        except SettingsError as error:
            raise ConfigError(name, [Problem(message, path) for path, message in error.problems]) from None
    try:
        return _entered(keys, command, locate(command, base, is_built=is_built))
    except ConfigError as error:
        raise ConfigError(source, error.problems) from None


def _written(place: Part, base: Path) -> _Written | None:
    """Where an entry's block is: here, or in the folder that stands here instead."""
    if place.text is None or re.match(r"\w+:", place.text):  # a key without the space after it
        return _Written(place, place, base)
    folder, name = base / place.text.removesuffix(f"/{ENTRY}"), brief(place.text)
    if not folder.is_dir():
        advice = f"an entry is a block of keys, or a folder with a {ENTRY}"
        place.report(f'there is no folder "{name}"', did_you_mean(folder.name, siblings(folder), advice))
    elif not (folder / ENTRY).is_file():
        place.report(f'the folder "{name}" has no {ENTRY}', "write one, with the keys of an entry, or the keys here")
    else:
        try:
            return _Written(place, read(folder / ENTRY), folder)
        except ConfigError as error:
            _pass_on(place, error.problems)
    return None


def _check_names(written: Sequence[_Written]) -> dict[str, int | None]:
    """The names and their lines; two that are alike are reported."""
    lines: dict[str, int | None] = {}
    for each in written:
        name = normalised(each.block.find("name").text or "")
        if name in lines:
            message = f"two bots are called {brief(name)}, on lines {lines[name]} and {each.name.line}"
            each.name.report(message, "give one another name")
        elif name:
            lines[name] = each.name.line
    return lines


def _entry(written: _Written, homes: Mapping[str, str], built: Collection[str] | None) -> Entry | None:
    block, located = written.block, None
    keys, command = fill(block, BotKeys, CommandKeys, elsewhere=homes)
    is_built = built is None or bool(keys and normalised(keys.name) in built)
    try:
        located = locate(command, written.base, is_built=is_built) if command else None
    except ConfigError as error:
        for problem in error.problems:
            block.find(problem.path).report(problem.message, problem.suggestion)
    if block is not written.place:
        _pass_on(written.place, block.problems)
    return _entered(keys, command, located) if keys and located else None


def _entered(keys: BotKeys, command: CommandKeys, located: Located) -> Entry:
    spec = enter(keys, command, located)
    build = Build(spec.name, located.build, located.directory, spec.environment) if located.build else None
    return Entry(spec, build, located.lacks)


def _pass_on(place: Part, problems: Sequence[Problem]) -> None:
    """Problems of a folder's file, at the place that names the folder."""
    for problem in problems:
        line = f" line {problem.line}" if problem.line is not None else ""
        key = f", {problem.path}" if problem.path else ""
        place.report(f"in {ENTRY}{line}{key}: {problem.message}", problem.suggestion)
