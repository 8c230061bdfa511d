"""`arena list`: what there is, with its settings."""

import json
from inspect import getdoc
from typing import Any

import click
from tabulate import tabulate

from arena.config.settings import describe
from arena.registry import KINDS, load, names

__all__ = ["command"]


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS))
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to write it."
)
def command(kind: str, form: str) -> int:
    """List games, formats, ratings, launchers or executors.

    \b
    arena list games

    Each with the keys of its block in a config, their types, defaults and meaning.
    """
    found = {name: load(kind, name) for name in names(kind)}
    if form == "json":
        click.echo(json.dumps([_entry(name, cls) for name, cls in found.items()], ensure_ascii=False, indent=2))
        return 0
    for number, (name, cls) in enumerate(found.items()):
        click.echo(("\n" if number else "") + f"{name}: {_summary(cls)}")
        settings = describe(cls)
        if settings:
            rows = [(setting.key, setting.type, setting.default, setting.text) for setting in settings]
            text = tabulate(rows, headers=["key", "holds", "default", "meaning"], maxcolwidths=[24, 20, 24, 44])
            click.echo("\n".join("  " + line for line in text.splitlines()))
    return 0


def _summary(cls: type[Any]) -> str:
    return (getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")


def _entry(name: str, cls: type[Any]) -> dict[str, Any]:
    return {"name": name, "summary": _summary(cls), "settings": [setting._asdict() for setting in describe(cls)]}
