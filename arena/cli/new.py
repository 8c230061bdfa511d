"""`arena new`: a new bot, copied from an example."""

import shlex
from pathlib import Path

import click

from arena.config.document import did_you_mean, printable
from arena.config.entrants import missing_programs, name_fault, normalised, not_on_the_path, read_entry
from arena.config.examples import ENTRY, as_yaml, languages, make

__all__ = ["command"]


@click.command(name="new")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--language", help="Which language's example to begin with.")
def command(directory: Path, language: str | None) -> int:
    """Make a new bot, from an example in a language of your choice.

    \b
    arena new my_bot --language python

    DIRECTORY must not exist, or be empty; its name becomes the bot's. Without a language, says which there are.
    """
    example = _example(language)
    name = normalised(directory.resolve().name)
    fault = name_fault(name)
    if fault:
        raise click.BadParameter(f"its name is to be the bot's, which {fault}", param_hint="DIRECTORY")
    made = make(example, directory, name)
    click.echo(f"Made {directory}, a bot in {example.name}: {len(made)} file{'s' * (len(made) != 1)}.")
    click.echo(_next_steps(directory))
    return 0


def _example(language: str | None) -> Path:
    """The folder of the example to copy."""
    found = languages()
    if language in found:
        return found[language]
    there_is = f"there is: {', '.join(found)}"
    if language is None:
        raise click.UsageError(f"Choose a language with --language; {there_is}.")
    near = did_you_mean(language, found)
    hint = f" ({near})" if near else ""
    raise click.BadParameter(f"there is no example in {language!r}{hint}; {there_is}.", param_hint="--language")


def _next_steps(directory: Path) -> str:
    """What to do with a new bot."""
    lacks = missing_programs(read_entry(directory / ENTRY)[1])
    place = shlex.quote(str(directory))
    lines = [
        *([f"You will need {not_on_the_path(lacks)}."] if lacks else []),
        "",
        f"{directory / 'README.md'} says which file to edit. Then:",
        "",
        f"  arena check {place}    does it keep to the protocol, can it be shaken?",
        f"  arena match {place} {place}    one match against itself, move by move",
        "",
        "To enter it in a tournament, add its folder to the bots of a config:",
        "",
        f"  - {as_yaml(printable(directory.resolve()))}",
    ]
    return "\n".join(lines)
