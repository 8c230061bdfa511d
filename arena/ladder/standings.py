"""What stored results say by themselves: their ladder, their game, the identities of their matches.

From the directory of a tournament alone, finished or running; nothing that plays matches is imported for it.
"""

import json
from collections.abc import Mapping
from typing import Any

from arena.contracts import Game, RatingMethod
from arena.errors import SettingsError, StoreError
from arena.ladder.leaderboard import Leaderboard, build
from arena.plan import Identity
from arena.registry import load
from arena.schedule import STARTS_MAX
from arena.store import Store

__all__ = ["game_of", "identity_of", "ladder"]


def ladder(store: Store) -> Leaderboard:
    """The ladder of what is stored: computed from the results each time, never kept."""
    note = json.loads(store.meta("rating") or "null")
    if note is None:
        raise StoreError(f"{store.directory}: this tournament has not begun")
    method = _method(store, note["method"], note["settings"])
    anchor = None if note["anchor"] is None else (note["anchor"][0], float(note["anchor"][1]))
    ratings = method.rate(store.entrants, store, anchor=anchor, confidence=note["confidence"])
    return build(
        store.standings(),
        ratings,
        store.totals(),
        confidence=note["confidence"],
        planned=json.loads(store.meta("planned") or "0"),
        suspended=[bot for bot, failures in store.startup_failures(STARTS_MAX).items() if failures >= STARTS_MAX],
    )


def _method(store: Store, name: str, settings: Mapping[str, Any]) -> RatingMethod:
    try:
        method: RatingMethod = load("ratings", name)(**settings)
    except (LookupError, SettingsError, TypeError) as error:  # TypeError: of another version, with other settings
        raise StoreError(
            f"{store.directory}: the ladder cannot be computed: {error}.\n"
            "Or choose another rating in the config, and run that again: no match is played again for it."
        ) from error
    return method


def game_of(store: Store) -> tuple[str, Game]:
    """The game that the stored matches were played by, and its name."""
    conditions = json.loads(store.meta("conditions") or "null")
    if conditions is None:
        raise StoreError(f"{store.directory}: this tournament has not begun")
    noted = conditions["game"]
    try:
        game: Game = load("games", noted["name"]).from_public_rules(noted["rules"])
    except (LookupError, SettingsError, TypeError) as error:  # TypeError: of another version, with other rules
        raise StoreError(f"{store.directory}: the rules of these matches are not known here: {error}") from error
    return noted["name"], game


def identity_of(store: Store) -> Identity:
    """Ids and seeds of the stored matches."""
    name, game = game_of(store)
    return Identity(store.meta("seed") or "", name, game.public_rules())
