"""`arena list`: what there is, with its settings."""

import json
from collections.abc import Mapping
from inspect import getdoc
from typing import Any

import click

from arena.cli.forms import format_option
from arena.config.settings import Setting, describe
from arena.registry import KINDS, load, names
from arena.text_tables import as_csv, as_markdown, as_text

__all__ = ["command"]

_HEADERS = ("key", "holds", "default", "meaning")
_ALIGN = ("left",) * 4
_WRAP = (24, 20, 24, 44)


@click.command(name="list")
@click.argument("kind", type=click.Choice(KINDS))
@format_option
def command(kind: str, form: str) -> int:
    """List games, formats, ratings, launchers or executors.

    \b
    arena list games

    Each with the keys of its block in a config, their types, defaults and meaning.
    """
    found = {name: load(kind, name) for name in names(kind)}
    click.echo({"table": _text, "markdown": _markdown, "csv": _csv, "json": _json}[form](found), nl=False)
    return 0


def _text(found: Mapping[str, type[Any]]) -> str:
    sections = []
    for name, cls in found.items():
        settings = describe(cls)
        lines = as_text(_HEADERS, settings, _ALIGN, wrap=_WRAP).splitlines() if settings else []
        sections.append("\n".join([f"{name}: {_summary(cls)}", *(f"  {line}" for line in lines)]))
    return "\n\n".join(sections) + "\n"


def _markdown(found: Mapping[str, type[Any]]) -> str:
    parts = []
    for name, cls in found.items():
        settings = describe(cls)
        parts += [f"**{name}**: {_summary(cls)}", *([as_markdown(_HEADERS, settings, _ALIGN)] if settings else [])]
    return "\n\n".join(parts) + "\n"


def _csv(found: Mapping[str, type[Any]]) -> str:
    """A line for each setting; what has none has a line without one."""
    rows = [
        (name, _summary(cls), *setting)
        for name, cls in found.items()
        for setting in describe(cls) or [Setting("", "", "", "")]
    ]
    return as_csv(["name", "summary", *Setting._fields], rows)


def _json(found: Mapping[str, type[Any]]) -> str:
    entries = [
        {"name": name, "summary": _summary(cls), "settings": [setting._asdict() for setting in describe(cls)]}
        for name, cls in found.items()
    ]
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n"


def _summary(cls: type[Any]) -> str:
    return (getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
