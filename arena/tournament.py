"""One tournament: the only place that joins config, schedule, executor, store and ladder.

`prepare` opens (or creates) the results and says in words what it found there; `Run.results` plays what is missing, and
every result is committed before it is yielded.
"""

import contextlib
import itertools
import json
import secrets
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from arena.config.tournament import TournamentConfig
from arena.contracts import Launcher, Place
from arena.errors import ConfigError, Problem, StoreError
from arena.match import MatchTerms
from arena.model import Limits, MatchResult, MatchSpec
from arena.plan import Identity, commitment
from arena.referee.job import RefereeJob
from arena.registry import default, load, names
from arena.schedule import STARTS_MAX, Schedule
from arena.store import Store

__all__ = ["Conditions", "Run", "conditions", "move_aside", "prepare"]


class Conditions(NamedTuple):
    """How matches are played: by which game and clocks, how confined, within which limits. launcher_name: as a config
    calls it."""

    terms: MatchTerms
    launcher_name: str
    launcher: Launcher
    limits: Limits


def conditions(config: TournamentConfig | None, game: str | None = None) -> Conditions:
    """Those of a config; without one those of a game by its usual rules, None for the arena's own game.

    Raises ConfigError when there is no such game, or a launcher that is asked for cannot work here.
    """
    if config is not None:
        terms = MatchTerms(config.game, config.game_name, config.time, config.ask_forced)
        named = None if config.launcher is None else (config.launcher_name, config.launcher)
        return Conditions(terms, *_usable_launcher(named, str(config.source)), config.limits)
    name = game or default("games")
    try:
        implementation = load("games", name)()
    except LookupError as error:
        raise ConfigError("--game", [Problem(str(error))]) from None
    return Conditions(MatchTerms(implementation, name), *_usable_launcher(None, "--game"), Limits())


@dataclass
class Run:
    """A tournament that is ready to go on.

    first: the next match; None when the tournament is complete. remarks: what the user should know before it goes on.
    planned: matches of the whole tournament, None when nobody knows. progress_s: how long the matches of this run were
    in progress, in all.
    """

    config: TournamentConfig
    store: Store
    job: RefereeJob
    place: Place
    schedule: Schedule
    first: MatchSpec | None
    remarks: Sequence[str]
    planned: int | None
    played: int
    progress_s: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all that the format wants has been played, or left out because a bot could not be started."""
        return self.schedule.is_complete

    def results(self) -> Generator[MatchResult, None, None]:
        """Play what is missing; each result is on disk when it is yielded. Close the generator to stop the bots."""
        if self.first is None:
            return
        specs = itertools.chain([self.first], self.schedule)
        with contextlib.closing(self.config.executor.run(specs, self.job, self.place)) as playing:
            for result in playing:
                self.progress_s += result.wall_ms / 1000
                if self.schedule.settle(result):
                    self.store.append(result)
                    self.played += 1
                    yield result
            for result in self.schedule.given_up:
                self.store.give_up(result)
        self.planned = self.config.format.planned([bot.name for bot in self.config.bots], self.schedule.progress)
        self.store.set_meta({"planned": json.dumps(self.planned)})


@contextlib.contextmanager
def prepare(config: TournamentConfig, directory: Path, *, retry: Sequence[str] = ()) -> Iterator[Run]:
    """Open the results in `directory` for writing and find what is still to be played.

    retry: suspended bots that get another chance. Raises `StoreError` when results that are there were played under
    other conditions, `ConfigError` when something that the config wants cannot be had.
    """
    terms, launcher_name, launcher, limits = conditions(config)
    with Store.open_to_write(directory) as store:
        seed = _settle_conditions(config, store, terms, (launcher_name, launcher))
        remarks = [_promise(seed), *_enter(config, store, retry)]
        identity = Identity(seed, config.game_name, terms.public_rules)
        entrants = [bot.name for bot in config.bots]
        schedule = Schedule(config.format, entrants, store, identity, store.startup_failures(STARTS_MAX))
        planned = config.format.planned(entrants, schedule.progress)
        store.set_meta({"planned": json.dumps(planned), "rating": _rating_note(config)})
        logs = directory / "logs"
        logs.mkdir(exist_ok=True)
        job = RefereeJob(terms, {bot.name: bot.fingerprint for bot in config.bots}, launcher, limits)
        place = Place({bot.name: bot for bot in config.bots}, logs)
        first = next(schedule, None)
        yield Run(config, store, job, place, schedule, first, remarks, planned, store.matches_counted)


def _usable_launcher(named: tuple[str, Launcher] | None, source: str) -> tuple[str, Launcher]:
    """A launcher that works here, and its name: the one that a config names, or else the strictest. Raises ConfigError,
    of `source`, when there is none."""
    reasons: list[str] = []
    for name, launcher in [named] if named is not None else _launchers(reasons):
        reason = launcher.unavailable()
        if not reason:
            return name, launcher
        reasons.append(f"{name}: {reason}")
    raise ConfigError(source, [Problem("; ".join(reasons), "sandbox")])


def _launchers(reasons: list[str]) -> list[tuple[str, Launcher]]:
    """All launchers with their usual settings, the strictest first; `reasons` gets those why one cannot be loaded."""
    found: list[tuple[str, Launcher]] = []
    for name in names("launchers"):
        try:
            found.append((name, load("launchers", name)()))
        except LookupError as error:
            reasons.append(str(error))
    return sorted(found, key=lambda each: (-each[1].strictness, each[0]))


def _settle_conditions(
    config: TournamentConfig, store: Store, terms: MatchTerms, launcher: tuple[str, Launcher]
) -> str:
    """What must be the same for all results of a tournament: note it, or compare it with what was noted. Returns the
    tournament's seed, drawn now if nobody has chosen one."""
    conditions: dict[str, Any] = {
        "game": {"name": terms.game_name, "rules": terms.public_rules},
        "time": asdict(config.time),
        "tournament": {"ask_forced": config.ask_forced},
        "sandbox": launcher[0],
        "sandbox settings": asdict(launcher[1]),  # type: ignore[call-overload]  # implementations are dataclasses
    }
    noted = store.meta("conditions")
    if noted is None:
        seed = config.seed if config.seed is not None else secrets.token_hex(16)
        store.set_meta({"name": config.name, "seed": seed, "conditions": json.dumps(conditions)})
        return seed
    before, now = _flat(json.loads(noted)), _flat(json.loads(json.dumps(conditions)))
    seed = store.meta("seed") or ""
    if config.seed is not None:
        before["tournament.seed"], now["tournament.seed"] = seed, config.seed
    changes = [f"{key} was {before.get(key)!r}, is {now.get(key)!r}" for key in now if now[key] != before.get(key)]
    if changes:
        raise StoreError(
            f"{store.directory}: these results were played under other conditions ({'; '.join(changes)}).\n"
            "Undo the change, or keep both: --fresh moves the old results aside, --output DIR writes elsewhere."
        )
    return seed


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A tree of settings by dotted path."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _promise(seed: str) -> str:
    return f"All deals follow from a seed that is shown at the end; its SHA-256 is {commitment(seed)}."


def _enter(config: TournamentConfig, store: Store, retry: Sequence[str]) -> list[str]:
    """Enter the bots; what that did to older results, in words."""
    known = {bot.name for bot in config.bots}
    for bot in retry:
        if bot not in known:
            raise ConfigError(str(config.source), [Problem(f'there is no bot "{bot}" to retry', "bots")])
    aside = store.enter(config.bots)
    remarks = [
        f"{bot} has changed since {count} of its results were played: they are kept, but not counted any more, and its"
        " matches are played again."
        for bot, count in aside.items()
    ]
    remarks += [
        f"{bot} gets another chance; {count} failures to start are not counted any more."
        for bot in retry
        if (count := store.set_aside_startup_failures(bot))
    ]
    return remarks


def _rating_note(config: TournamentConfig) -> str:
    """All that the ladder needs to be computed again from the directory alone."""
    note = {
        "method": config.rating_name,
        "settings": asdict(config.rating),  # type: ignore[call-overload]  # implementations are dataclasses
        "anchor": config.anchor,
        "confidence": config.confidence,
    }
    return json.dumps(note)


def move_aside(directory: Path) -> Path | None:
    """Rename a directory of results to the first free ``<name>.old-<n>``; returns it, None when there was nothing."""
    if not directory.exists():
        return None
    number = 1
    while (aside := directory.with_name(f"{directory.name}.old-{number}")).exists():
        number += 1
    return directory.rename(aside)
