"""`arena new`: a new bot, copied from an example; or all examples."""

import shlex
from pathlib import Path

import click

from arena.config.document import did_you_mean, printable
from arena.config.entrants import name_fault, normalised, read_entry
from arena.config.examples import ENTRY, as_yaml, bots_in, languages, make, make_all
from arena.config.needs import in_words, missing
from arena.contracts import ProvidesExamples
from arena.registry import default, load

__all__ = ["command"]


@click.command(name="new")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--language", help="Which language's example to begin with.")
@click.option("--game", help="The game that it plays [the arena's own].")
@click.option("--examples", is_flag=True, help="Copy all configs and example bots instead.")
def command(directory: Path, language: str | None, game: str | None, examples: bool) -> int:
    """Make a new bot, from an example in a language of your choice.

    \b
    arena new my_bot --language python
    arena new first --examples

    DIRECTORY must not exist, or be empty; its name becomes the bot's. Without a language, says which there are.
    """
    if examples:
        return _copy_examples(directory, language)
    example = _example(language, game)
    name = normalised(directory.resolve().name)
    fault = name_fault(name)
    if fault:
        raise click.BadParameter(f"its name is to be the bot's, which {fault}", param_hint="DIRECTORY")
    made = make(example, directory, name)
    click.echo(f"Made {directory}, a bot in {example.name}: {len(made)} file{'s' * (len(made) != 1)}.")
    click.echo(_next_steps(directory))
    return 0


def _copy_examples(directory: Path, language: str | None) -> int:
    if language is not None:
        raise click.UsageError("Choose --language for a bot, or --examples for all configs and example bots.")
    made = make_all(directory)
    place = shlex.quote(str(directory))
    click.echo(f"Made {directory} with all configs and example bots: {len(made)} files. Then, for example:")
    click.echo(f"\n  arena run {place}/configs/quickstart.yaml    a tournament of five bots, and its ladder\n")
    click.echo(f"{directory / 'configs' / 'reference.yaml'} explains every key of a config.")
    return 0


def _examples(game: str | None) -> dict[str, Path]:
    """The folders of a game's example bots, by language."""
    if game is None or game == default("games"):
        return languages()
    try:
        implementation = load("games", game)
    except LookupError as error:
        raise click.BadParameter(str(error), param_hint="--game") from None
    found = bots_in(implementation.example_bots()) if issubclass(implementation, ProvidesExamples) else {}
    if not found:
        raise click.BadParameter(f"the game {game} comes without example bots", param_hint="--game")
    return found


def _example(language: str | None, game: str | None) -> Path:
    """The folder of the example to copy."""
    found = _examples(game)
    if language in found:
        return found[language]
    there_is = f"available: {', '.join(found)}"
    if language is None:
        raise click.UsageError(f"Choose a language with --language; {there_is}.")
    near = did_you_mean(language, found)
    hint = f" ({near})" if near else ""
    raise click.BadParameter(f"there is no example in {language!r}{hint}; {there_is}.", param_hint="--language")


def _next_steps(directory: Path) -> str:
    """What to do with a new bot."""
    _, bot = read_entry(directory / ENTRY)
    lacks = missing(bot.needs, bot.environment)
    place = shlex.quote(str(directory))
    lines = [
        *([f"You will need {in_words(lacks)}."] if lacks else []),
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
