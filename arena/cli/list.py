"""`arena list`: what there is, with its settings."""

import json
from collections.abc import Sequence
from inspect import getdoc
from typing import NamedTuple

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

    Each with the keys of its block in a config, their types, defaults and meaning; or why it cannot be used.
    """
    entries = [_entry(kind, name) for name in names(kind)]
    click.echo({"table": _text, "markdown": _markdown, "csv": _csv, "json": _json}[form](entries), nl=False)
    return 0


class _Entry(NamedTuple):
    """One implementation. fault: why it cannot be used, empty when it can."""

    name: str
    summary: str
    settings: Sequence[Setting]
    fault: str = ""


def _entry(kind: str, name: str) -> _Entry:
    try:
        cls = load(kind, name)
    except LookupError as error:
        return _Entry(name, "", (), str(error))
    return _Entry(name, (getdoc(cls) or "").split("\n\n")[0].replace("\n", " "), describe(cls))


def _text(entries: Sequence[_Entry]) -> str:
    sections = []
    for entry in entries:
        lines = as_text(_HEADERS, entry.settings, _ALIGN, wrap=_WRAP).splitlines() if entry.settings else []
        sections.append("\n".join([f"{entry.name}: {entry.fault or entry.summary}", *(f"  {line}" for line in lines)]))
    return "\n\n".join(sections) + "\n"


def _markdown(entries: Sequence[_Entry]) -> str:
    parts = []
    for entry in entries:
        table = [as_markdown(_HEADERS, entry.settings, _ALIGN)] if entry.settings else []
        parts += [f"**{entry.name}**: {entry.fault or entry.summary}", *table]
    return "\n\n".join(parts) + "\n"


def _csv(entries: Sequence[_Entry]) -> str:
    """A line for each setting; what has none has a line without one."""
    rows = [
        (entry.name, entry.fault or entry.summary, *setting)
        for entry in entries
        for setting in entry.settings or [Setting("", "", "", "")]
    ]
    return as_csv(["name", "summary", *Setting._fields], rows)


def _json(entries: Sequence[_Entry]) -> str:
    documents = [
        {**entry._asdict(), "settings": [setting._asdict() for setting in entry.settings]} for entry in entries
    ]
    return json.dumps(documents, ensure_ascii=False, indent=2) + "\n"
