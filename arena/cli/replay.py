"""`arena replay`: a stored match in words, or for programs."""

import json
from pathlib import Path

import click

from arena.contracts import Game
from arena.errors import StoreError
from arena.ladder.replays import describe_end, replay_object, retell
from arena.ladder.standings import game_of, identity_of
from arena.model import StoredMatch
from arena.store import Store

__all__ = ["command"]


@click.command(name="replay")
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("match")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to tell it."
)
def command(directory: Path, match: str, form: str) -> int:
    """Tell a stored match in words.

    \b
    arena replay results/quickstart 5b0c

    MATCH is the beginning of a match's id, as `arena export` shows it.
    """
    with Store.open(directory) as store:
        found = store.match(match)
        if not found:
            raise StoreError(
                f"{directory}: no match whose id begins with {match!r}; `arena export {directory}` has them all"
            )
        if len(found) > 1:
            ids = ", ".join(each.id for each in found[:5])
            raise StoreError(f"{directory}: several matches begin with {match!r} ({ids} ...); give more of the id")
        name, game = game_of(store)
        seed = identity_of(store).deal_seed(found[0].pairing)
    if form == "json":
        click.echo(json.dumps(replay_object(found[0], name, game.public_rules(), seed), ensure_ascii=False, indent=2))
    else:
        _tell(found[0], seed, game)
    return 0


def _tell(match: StoredMatch, seed: bytes, game: Game) -> None:
    click.echo(
        f"Match {match.id}, deal {match.pairing.deal}: {match.bots[0]} (seat 0) against {match.bots[1]} (seat 1)"
    )
    for line in retell(match, seed, game):
        click.echo(line)
    click.echo(f"{describe_end(match.outcome, match.bots)}")
