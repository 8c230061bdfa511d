"""`arena match`: one match between two bots, shown move by move."""

import json
import secrets
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from arena.cli import interrupted_by_signals
from arena.config.builds import load_for, ready
from arena.config.entrants import Talks
from arena.config.tournament import TournamentConfig
from arena.contracts import Game, Place
from arena.ladder.replays import describe_end
from arena.model import BotSpec, MatchSpec, Seat
from arena.processes import become_subreaper, kill_descendants
from arena.referee.job import RefereeJob
from arena.tournament import conditions
from protocol.messages import MatchEnd, Message, Request, to_json_object

__all__ = ["command"]


@click.command(name="match")
@click.argument("bots", nargs=2, metavar="BOT BOT")
@click.option("--config", type=click.Path(path_type=Path), help="A config; a BOT may then be a name in it.")
@click.option("--game", help="What is played, by its usual rules; a config says that itself.")
@click.option("--protocol", type=click.Choice(get_args(Talks)), default="zeromq", help="How commands talk [zeromq].")
@click.option("--seed", help="The deal's seed: 64 hexadecimal digits [a random one, shown].")
@click.option("--trace", is_flag=True, help="Show every message that is sent and received.")
def command(
    bots: tuple[str, str], config: Path | None, game: str | None, protocol: Talks, seed: str | None, trace: bool
) -> int:
    """Play one match between two bots, move by move.

    \b
    arena match "python my_bot.py" "python other_bot.py"
    arena match my_bot other_bot
    arena match greedy random --config tournament.yaml

    A BOT is a command, a folder with a bot.yaml, or with --config a name in it. The first has seat 0. The same seed
    deals the same cards again.
    """
    deal = _read_seed(seed)
    with interrupted_by_signals():
        settings = load_for(config, game, bots)
    entered = _enter(bots, settings, protocol)
    spec = MatchSpec("match", (entered[0].name, entered[1].name), 0, 0, deal)
    become_subreaper()
    with tempfile.TemporaryDirectory(prefix="arena-logs-") as logs:
        terms, _, launcher, limits = conditions(settings, game)
        job = RefereeJob(terms, {bot.name: bot.fingerprint for bot in entered}, launcher, limits)
        place = Place({bot.name: bot for bot in entered}, Path(logs))
        show = _Show(job.terms.game, spec.bots, with_messages=trace)
        click.echo(f"{spec.bots[0]} (seat 0) against {spec.bots[1]} (seat 1), seed {deal.hex()}")
        try:
            result = job.play_one(spec, place, show)
        finally:
            kill_descendants()
    click.echo(describe_end(result.outcome, spec.bots))
    return 3 if result.outcome.is_aborted else 0


def _read_seed(text: str | None) -> bytes:
    if text is None:
        return secrets.token_bytes(32)
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise click.BadParameter("must be hexadecimal digits", param_hint="--seed") from None
    if len(seed) != 32:
        raise click.BadParameter(f"must have 64 hexadecimal digits, not {2 * len(seed)}", param_hint="--seed")
    return seed


def _enter(bots: tuple[str, str], settings: TournamentConfig | None, protocol: Talks) -> list[BotSpec]:
    """Both bots; one against itself gets a second name."""
    known = {bot.name: bot for bot in settings.bots} if settings is not None else {}
    entered: list[BotSpec] = []
    for text in bots:
        with interrupted_by_signals():
            spec = known.get(text) or ready(text, shlex.split(text), Path.cwd(), protocol)
        if any(bot.name == spec.name for bot in entered):
            spec = replace(spec, name=f"{spec.name} (2)")
        entered.append(spec)
    return entered


class _Show:
    """Tells a match while it is played, from the messages that pass: an `arena.referee.referee.Trace`."""

    def __init__(self, game: Game, names: tuple[str, str], *, with_messages: bool) -> None:
        self._game = game
        self._names = names
        self._with_messages = with_messages
        self._told = 0
        self._heard = [0, 0]
        self._begun_ms: float | None = None

    def __call__(self, now_ms: float, way: str, seat: Seat, message: Message) -> None:
        if self._begun_ms is None:
            self._begun_ms = now_ms
        if self._with_messages:
            arrow = "->" if way == "sent" else "<-"
            text = json.dumps(to_json_object(message), ensure_ascii=False)
            click.echo(f"{now_ms - self._begun_ms:9.2f} ms {arrow} {self._names[seat]}: {text}")
        if isinstance(message, Request | MatchEnd):
            news = message.events[max(0, self._told - self._heard[seat]) :]
            self._heard[seat] += len(message.events)
            self._told = max(self._told, self._heard[seat])
            for event in news:
                click.echo(self._game.narrate(event, self._names))
