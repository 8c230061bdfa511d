"""`arena validate`: every problem of a config at once."""

from pathlib import Path

import click

from arena.config.tournament import load_config
from arena.plan import NoResults, TournamentProgress
from arena.tournament import conditions

__all__ = ["command"]


@click.command(name="validate")
@click.argument("config", type=click.Path(path_type=Path))
def command(config: Path) -> int:
    """Show every problem of a config at once.

    \b
    arena validate tournament.yaml

    Starts nothing, builds nothing. Exit code 2 when there is a problem.
    """
    settings = load_config(config, built=())
    for remark in settings.left_out.values():
        click.echo(remark, err=True)
    launcher = conditions(settings).launcher_name
    matches = settings.format.planned([bot.name for bot in settings.bots], TournamentProgress(NoResults()))
    number = "an unknown number of" if matches is None else f"{matches:,}"
    click.echo(
        f"{config}: good. {len(settings.bots)} bots, {settings.format_name} of {settings.game_name},"
        f" {number} matches, sandbox {launcher}."
    )
    if settings.builds:
        click.echo(f"Built before it is played: {', '.join(each.bot for each in settings.builds)}.")
    return 0
