"""`arena export`: every match as JSON Lines."""

from pathlib import Path

import click
import msgspec

from arena.ladder.replays import replay_object
from arena.ladder.standings import game_of, identity_of
from arena.store import Store

__all__ = ["command"]


@click.command(name="export")
@click.argument("directory", type=click.Path(path_type=Path))
def command(directory: Path) -> int:
    """Write every match as JSON Lines.

    \b
    arena export results/quickstart > matches.jsonl

    One object a line, in the format arena-replay/1: rules, seed, events, decisions, outcome.
    """
    with Store.open(directory) as store:
        name, game = game_of(store)
        identity, rules = identity_of(store), game.public_rules()
        for match in store.matches():
            replay = replay_object(match, name, rules, identity.deal_seed(match.pairing))
            click.echo(msgspec.json.encode(replay))
    return 0
