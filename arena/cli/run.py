"""`arena run`: play a tournament, or what is still missing of it."""

import shlex
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from arena.cli import interrupted_by_signals
from arena.cli.forms import format_option
from arena.cli.progress import View, watch
from arena.config.builds import build
from arena.config.tournament import TournamentConfig, leave_out, load_config
from arena.errors import ConfigError, Problem
from arena.ladder.rendering import render
from arena.ladder.standings import ladder
from arena.tournament import Run, move_aside, prepare

__all__ = ["command"]


@click.command(name="run")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="Where results are kept [results/<name>].")
@click.option("--workers", type=click.IntRange(min=1), help="Referee processes, instead of the config's number.")
@click.option("--fresh", is_flag=True, help="Begin again; older results are moved aside, never deleted.")
@click.option("--retry", multiple=True, metavar="BOT", help="Give a suspended bot another chance; may be repeated.")
@click.option(
    "--without", multiple=True, metavar="BOT", help="Leave a bot out, such as one that does not build; may be repeated."
)
@format_option
def command(
    config: Path,
    output: Path | None,
    workers: int | None,
    fresh: bool,
    retry: tuple[str, ...],
    without: tuple[str, ...],
    form: str,
) -> int:
    """Play a tournament, or what is still missing of it.

    \b
    arena run tournament.yaml

    Bots that have a build are built first. Every finished match is saved at once. Stop with Ctrl-C whenever you like;
    the same command goes on from there, and shows the ladder when the tournament is complete.
    """
    settings = leave_out(load_config(config, built=()), without)
    for remark in settings.left_out.values():
        _say(remark)
    with interrupted_by_signals():
        settings = leave_out(build(settings), without)
    if workers is not None:
        settings = _with_workers(settings, workers)
    directory = output if output is not None else Path("results") / settings.name
    if fresh and (aside := move_aside(directory)) is not None:
        _say(f"Older results were moved to {aside}.")
    with prepare(settings, directory, retry=retry) as run:
        for remark in run.remarks:
            _say(remark)
        try:
            _play(run)
        except KeyboardInterrupt:
            _say(f"\nStopped after {_count(run)}; every finished match is saved. Go on with:")
            _say(f"  {_resume_command(config, output, workers, without, form)}")
            return 130
        click.echo(render(ladder(run.store), form), nl=False)
        _say(f"Seed: {run.store.meta('seed')}. Results: {directory}. Check them with: arena verify {directory}")
        for result in run.schedule.given_up:
            _say(f"The arena failed at a match of {' and '.join(result.spec.bots)}: {result.outcome.detail}")
        if not run.is_complete:
            _say("The tournament is not complete. Run the same command again to go on.")
        return 0 if run.is_complete else 3


def _play(run: Run) -> None:
    suspended = set(run.schedule.suspended)
    for bot in sorted(suspended):
        _say(f"{bot} is suspended: it failed to start. When that is repaired: --retry {shlex.quote(bot)}")
    if run.first is None:
        _say(f"This tournament is complete: {_count(run)} have been played.")
        return
    if run.played:
        _say(f"{_count(run)} have been played; the others follow.")
    before, begun = run.played, time.monotonic()
    with interrupted_by_signals(), watch(run.played, run.planned, lambda: ladder(run.store)) as view:
        for result in run.results():
            view.advance(run.played)
            for bot in set(run.schedule.suspended) - suspended:
                suspended.add(bot)
                _announce(view, bot, result.outcome.detail)
    seconds = time.monotonic() - begun
    at_once = run.progress_s / seconds
    _say(f"Played {run.played - before:,} matches in {seconds:,.0f} s, {at_once:.1f} at once on average.")


def _count(run: Run) -> str:
    """How many matches have a result, of how many, in words."""
    if run.planned is None:
        return f"{run.played:,} matches"
    if run.played == run.planned:
        return f"all {run.planned:,} matches"
    return f"{run.played:,} of {run.planned:,} matches"


def _announce(view: View, bot: str, detail: str) -> None:
    view.say(f"{bot} failed to start three times in a row and is suspended; the others play on. The last time:")
    for line in detail.splitlines():
        view.say(f"  {line}")


def _with_workers(settings: TournamentConfig, workers: int) -> TournamentConfig:
    executor: Any = settings.executor
    if "workers" not in {field.name for field in fields(executor)}:
        problem = Problem(f"the executor {settings.executor_name} has no workers to choose", "--workers")
        raise ConfigError(str(settings.source), [problem])
    return replace(settings, executor=replace(executor, workers=workers))


def _resume_command(config: Path, output: Path | None, workers: int | None, without: tuple[str, ...], form: str) -> str:
    words = ["arena", "run", str(config)]
    words += ["--output", str(output)] if output is not None else []
    words += ["--workers", str(workers)] if workers is not None else []
    words += [word for bot in without for word in ("--without", bot)]
    words += ["--format", form] if form != "table" else []
    return shlex.join(words)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
