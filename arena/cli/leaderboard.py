"""`arena leaderboard`: the ladder of stored results."""

from pathlib import Path

import click

from arena.cli.forms import format_option
from arena.ladder.rendering import render
from arena.ladder.standings import ladder
from arena.store import Store

__all__ = ["command"]


@click.command(name="leaderboard")
@click.argument("directory", type=click.Path(path_type=Path))
@format_option
def command(directory: Path, form: str) -> int:
    """Show the ladder of stored results.

    \b
    arena leaderboard results/quickstart --format markdown

    Works while the tournament is running, too.
    """
    with Store.open(directory) as store:
        click.echo(render(ladder(store), form), nl=False)
    return 0
