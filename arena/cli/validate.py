"""`arena validate`: every problem of a config at once."""

import json
from pathlib import Path

import click

from arena.config.schema import schema
from arena.config.tournament import load_config
from arena.plan import NoResults, TournamentProgress
from arena.tournament import conditions

__all__ = ["command"]


def _print_schema(context: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
        context.exit()


@click.command(name="validate")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print a JSON Schema of configs, for editors, and exit.",
)
def command(config: Path) -> int:
    """Show every problem of a config at once.

    \b
    arena validate tournament.yaml

    Starts nothing, builds nothing. Exit code 2 when there is a problem.

    \b
    arena validate --schema > schema.json

    An editor with the YAML language server completes keys and shows their meaning in a config that begins with the line
    "# yaml-language-server: $schema=schema.json". Games, formats and ratings of installed packages are in it, too.
    """
    settings = load_config(config, built=())
    for remark in settings.left_out.values():
        click.echo(remark, err=True)
    launcher = conditions(settings).launcher_name
    matches = settings.format.planned([bot.name for bot in settings.bots], TournamentProgress(NoResults()))
    number = "an unknown number of" if matches is None else f"{matches:,}"
    click.echo(
        f"{config}: no problems. {len(settings.bots)} bots, {settings.format_name} of {settings.game_name},"
        f" {number} matches, sandbox {launcher}."
    )
    if settings.builds:
        click.echo(f"Built before it is played: {', '.join(each.bot for each in settings.builds)}.")
    return 0
