"""The option `--format` of every command that prints a table."""

import click

from arena.text_tables import FORMATS

__all__ = ["format_option"]

format_option = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="How to write it."
)
