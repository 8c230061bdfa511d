"""`arena check`: is a bot fit to enter?"""

import json
from pathlib import Path
from typing import get_args

import click

from arena.check.report import Report, Step, as_json, failure_text, step_line, summary
from arena.check.steps import check_bot
from arena.cli import interrupted_by_signals
from arena.config.builds import load_for, ready
from arena.config.entrants import Talks, name_fault
from arena.config.examples import ENTRY
from arena.config.tournament import TournamentConfig
from arena.model import BotSpec
from arena.processes import become_subreaper, kill_descendants
from arena.tournament import conditions

__all__ = ["command"]

_ANY_BOT = ("bot", "main", "index")


@click.command(name="check", context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option("--protocol", type=click.Choice(get_args(Talks)), default="zeromq", help="How the bot talks [zeromq].")
@click.option("--config", type=click.Path(path_type=Path), help="A config, whose game, clocks and sandbox are used.")
@click.option("--game", help="What is played, by its usual rules; a config says that itself.")
@click.option("--quick", is_flag=True, help="Play fewer matches, measure less.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to tell [text].")
def command(
    words: tuple[str, ...], protocol: Talks, config: Path | None, game: str | None, quick: bool, form: str
) -> int:
    """Say whether a bot is fit to enter, and what to repair.

    \b
    arena check -- python my_bot.py
    arena check --protocol stdio --quick -- ./my_bot --level 3
    arena check my_bot

    COMMAND may be a folder with a bot.yaml, which is built first, or with --config the name of a bot in it. The bot is
    started as a tournament would do it, and first everything happens to it that happens in one, then rare and hostile
    messages. Paths start in this directory. Stops at the first thing that is wrong (exit code 1).
    """
    name = _name(words)
    with interrupted_by_signals():
        settings = load_for(config, game, words if len(words) == 1 else ())
        spec = _entered(settings, words) or ready(name, words, Path.cwd(), protocol)
    terms, _, launcher, limits = conditions(settings, game)
    tell = _tell if form == "text" else _keep_quiet
    become_subreaper()
    try:
        with interrupted_by_signals():
            report = check_bot(spec, terms, tell, launcher=launcher, limits=limits, quick=quick)
    finally:
        kill_descendants()
    if form == "json":
        click.echo(as_json(report))
    else:
        entry = "" if _entered(settings, words) else _entry(name, words, protocol)
        click.echo("\n" + _conclusion(report, entry))
    return 0 if report.failure is None else 1


def _entered(settings: TournamentConfig | None, words: tuple[str, ...]) -> BotSpec | None:
    """The bot of a config that is named by a single word."""
    bots = settings.bots if settings is not None and len(words) == 1 else ()
    return next((bot for bot in bots if bot.name == words[0]), None)


def _tell(step: Step) -> None:
    line = step_line(step)
    click.echo(click.style(line[:4], fg="green" if step.ok else "red", bold=not step.ok) + line[4:])


def _keep_quiet(_: Step) -> None:
    """For programs the whole report comes at once."""


def _conclusion(report: Report, entry: str) -> str:
    return summary(report, entry) if report.failure is None else failure_text(report.failure)


def _name(words: tuple[str, ...]) -> str:
    """What to call a bot: after its script or program, or after this directory where that says nothing."""
    script = next((word for word in words[1:] if Path(word).is_file()), words[0])
    names = [name for name in (Path(script).stem, Path.cwd().name) if name.lower() not in _ANY_BOT]
    return next((name for name in names if not name_fault(name)), "bot")


def _entry(name: str, words: tuple[str, ...], protocol: str) -> str:
    """The bot in a config. JSON is YAML."""
    if len(words) == 1 and (Path(words[0]) / ENTRY).is_file():
        return f"  - {json.dumps(str(Path(words[0]).resolve()), ensure_ascii=False)}"
    lines = [
        f"  - name: {json.dumps(name, ensure_ascii=False)}",
        f"    command: {json.dumps(words, ensure_ascii=False)}",
    ]
    return "\n".join([*lines, *([f"    protocol: {protocol}"] if protocol != "zeromq" else [])])
