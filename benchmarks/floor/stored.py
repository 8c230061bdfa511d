"""Configs of many bots, and stores that are filled without playing."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from arena.config.tournament import load_config
from arena.ladder.standings import identity_of
from arena.model import BotSpec, MatchResult
from arena.plan import TournamentProgress
from arena.store import Store
from arena.tournament import prepare

__all__ = ["fill", "write_config"]

_CHUNKS_MIN = 10
_CHUNK_MAX = 10_000


def write_config(path: Path, bot: BotSpec, bots: int, pairs: int) -> Path:
    """Write a config in which one bot plays a round robin under many names; JSON is YAML."""
    entry = {"command": bot.command, "directory": bot.directory, "environment": bot.environment}
    document = {
        "bots": [{"name": f"bot {number:04}", **entry} for number in range(bots)],
        "tournament": {"format": "round_robin", "pairs": pairs, "seed": "a benchmark"},
        "time": {"move_ms": 60_000, "startup_ms": 60_000},
        "sandbox": "none",
        "run": {"workers": 1},
    }
    path.write_text(json.dumps(document))
    return path


def fill(
    config: Path, directory: Path, matches: int, results: Sequence[MatchResult]
) -> Iterator[tuple[Store, list[MatchResult]]]:
    """The first `matches` of a config's plan with the outcomes of other ones, chunk by chunk: whoever takes one appends
    it to the store."""
    settings = load_config(config)
    with prepare(settings, directory) as run:
        pairings = settings.format.pairings([bot.name for bot in settings.bots], TournamentProgress(run.store))
        identity = identity_of(run.store)
        specs = (spec for pairing in pairings for spec in identity.specs(pairing))
        size = min(_CHUNK_MAX, -(-matches // _CHUNKS_MIN))
        for first in range(0, matches, size):
            chunk = islice(specs, min(size, matches - first))
            yield run.store, [replace(results[number % len(results)], spec=spec) for number, spec in enumerate(chunk)]
