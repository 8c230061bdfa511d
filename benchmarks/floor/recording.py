"""What is said in real matches, step by step, so that it can be said again without a referee."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from arena.contracts import Launcher, Place
from arena.match import MatchTerms
from arena.model import BotSpec, Limits, MatchResult, MatchSpec, Seat, StoredMatch, TimeControl
from arena.referee.job import RefereeJob
from arena.registry import load
from benchmarks.measure import ROOT
from protocol.messages import Message, to_json_object

__all__ = ["GAME", "Recording", "Step", "decisions_of", "first_legal", "job", "match_spec", "place", "record"]

GAME = "tacocat"
_FIRST_LEGAL = ROOT / "benchmarks" / "floor" / "first_legal.py"
_NAMES = ("a", "b")
_PATIENT = TimeControl(move_ms=60_000, startup_ms=60_000)


class Step(NamedTuple):
    """One step of a match: a message to a seat, or (None) an answer that has to come from it."""

    seat: Seat
    message: dict[str, Any] | None


@dataclass(frozen=True)
class Recording:
    """Some matches of a bot against itself. Match number n of a measurement is played like number n of these, modulo
    how many there are."""

    bot: BotSpec
    time: TimeControl
    scripts: Sequence[Sequence[Step]]
    results: Sequence[MatchResult]

    def decisions(self, matches: int) -> int:
        """How many decisions the first `matches` have."""
        return sum(decisions_of(self.results[number % len(self.results)]) for number in range(matches))


def first_legal(python: str, *options: str, protocol: str = "zeromq") -> BotSpec:
    """The bot of `first_legal`, run by an interpreter."""
    command = (python, str(_FIRST_LEGAL), *options)
    return BotSpec("bot", command, str(ROOT), {"PYTHONPATH": str(ROOT)}, protocol)


def decisions_of(result: MatchResult | StoredMatch) -> int:
    """How many decisions a match's bots were asked for: forced ones are not."""
    return sum(not decision.forced for decision in result.decisions)


def match_spec(number: int, recorded: int) -> MatchSpec:
    """Match `number` of a bot ("a") against itself ("b"), on the deal of one of `recorded` matches. All are of one
    lane, so that the same processes play them all."""
    return MatchSpec(f"{number:020x}", _NAMES, number, 0, (number % recorded).to_bytes(32, "big"))


def job(bot: BotSpec, *, time: TimeControl = _PATIENT, launcher: Launcher | None = None) -> RefereeJob:
    """A referee's job: a bot under two names."""
    terms = MatchTerms(load("games", GAME)(), GAME, time)
    unconfined: Launcher = load("launchers", "none")()
    return RefereeJob(terms, dict.fromkeys(_NAMES, bot.fingerprint), launcher or unconfined, Limits())


def place(bot: BotSpec, logs: Path) -> Place:
    """Where it is done: `logs` is a directory for what the bot writes."""
    return Place({name: replace(bot, name=name) for name in _NAMES}, logs)


def record(bot: BotSpec, matches: int, logs: Path, *, time: TimeControl = _PATIENT) -> Recording:
    """Play some matches and keep what was said. `logs`: a directory for what the bot writes."""
    scripts, results = [], []
    for number in range(matches):
        script: list[Step] = []

        def keep(_ms: float, way: str, seat: Seat, message: Message, script: list[Step] = script) -> None:
            script.append(Step(seat, to_json_object(message) if way == "sent" else None))

        result = job(bot, time=time).play_one(match_spec(number, matches), place(bot, logs), keep)
        if result.outcome.faults or result.outcome.is_aborted:
            raise RuntimeError(f"the match to be recorded went wrong: {result.outcome.detail}")
        scripts.append(script)
        results.append(result)
    return Recording(bot, time, scripts, results)
