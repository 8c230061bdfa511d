"""`arena verify`: deal and play every stored match again."""

import sys
from pathlib import Path

import click

from arena.ladder.replays import Recount, differences
from arena.ladder.standings import game_of, identity_of
from arena.plan import commitment
from arena.store import Store

__all__ = ["command"]

_SHOWN_MAX = 20


@click.command(name="verify")
@click.argument("directory", type=click.Path(path_type=Path))
def command(directory: Path) -> int:
    """Deal and play every stored match again, and compare.

    \b
    arena verify results/quickstart

    Ids and deals are computed from the seed, matches from deals and decisions, the ladder from the matches. Says
    "identical", or what differs (exit code 1).
    """
    with Store.open(directory) as store:
        _, game = game_of(store)
        identity, recount, found = identity_of(store), Recount(), []
        for match in store.matches():
            recount.add(match)
            name = f"{match.id} ({match.bots[0]} - {match.bots[1]}, deal {match.pairing.deal})"
            found += [f"{name}: {difference}" for difference in differences(match, game, identity)]
        found += recount.differences(store.tallies(), store.standings())
        seed = store.meta("seed") or ""
    for line in found[:_SHOWN_MAX]:
        click.echo(line)
    if found:
        click.echo(f"{len(found)} differences in {recount.matches:,} matches.")
        return 1
    click.echo(f"identical: {recount.matches:,} matches dealt and played again, and what the ladder is made of.")
    sys.stderr.write(f"seed {seed}, SHA-256 {commitment(seed)}\n")
    return 0
