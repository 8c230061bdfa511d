"""The steps in their order, and one run through them."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import TypeAlias

from arena.check.attacks import ATTACKS, STDIO_ATTACKS
from arena.check.bench import Bench, Failed
from arena.check.hints import hint_for
from arena.check.host import Host
from arena.check.polite import POLITE
from arena.check.report import Costs, Failure, Report, Step, messages
from arena.contracts import Launcher
from arena.match import MatchTerms
from arena.model import BotSpec, Limits

__all__ = ["Run", "check_bot", "steps_for"]

_STARTS = 3
_DECISIONS = 300
_KEPT_MESSAGES = 8
_NOISY_BYTES = 64 << 10
_FAULT_GRACE_MS = 500.0  # to read why, and to write what is still in a buffer
_SLOW = 0.5  # of the time for a move

Run: TypeAlias = Callable[[Bench], str]
"""A step: see `arena.check.polite`."""


def check_bot(
    spec: BotSpec,
    terms: MatchTerms,
    tell: Callable[[Step], None],
    *,
    launcher: Launcher,
    limits: Limits,
    quick: bool = False,
    steps: Sequence[Run] | None = None,
) -> Report:
    """Go through `steps` (None: all that there are) until one fails; `tell` hears of each when it is done. No process
    of the bot is left, but for those that have left its session.

    terms: the game that is played, its rules and clocks. Raises HostError when this machine cannot start a process, or
    stands still.
    """
    passed: list[Step] = []
    with (
        tempfile.TemporaryDirectory(prefix="arena-") as directory,
        Host(spec, Path(directory), launcher=launcher, limits=limits) as host,
    ):
        bench = Bench(host, terms, quick=quick)
        planned = steps or steps_for(spec.protocol)
        for number, run in enumerate(planned, 1):
            name = _name(run)
            try:
                step = Step(number, name, True, run(bench))
            except Failed as failed:
                step = Step(number, name, False, failed.happened)
                tell(step)
                failure = _explain(bench, number, run, failed)
                return Report(spec.name, spec.protocol, len(planned), (*passed, step), None, (), failure)
            tell(step)
            passed.append(step)
        costs = _measure(bench)
    return Report(spec.name, spec.protocol, len(planned), tuple(passed), costs, _remarks(bench, costs), None)


def steps_for(protocol: str) -> tuple[Run, ...]:
    """What is checked of a bot that speaks so, in order."""
    return (*POLITE, *ATTACKS, *(STDIO_ATTACKS if protocol == "stdio" else ()))


def _name(run: Run) -> str:
    assert run.__doc__ is not None, "a step has a name"
    return run.__doc__.splitlines()[0]


def _explain(bench: Bench, number: int, run: Run, failed: Failed) -> Failure:
    """All that helps to find the mistake. The process is ended, since what it writes then may be evidence."""
    said: tuple[str, ...] = ()
    output: list[str] = []
    conversation = failed.conversation
    if conversation is not None:
        entries = list(conversation.entries)[-_KEPT_MESSAGES:]
        said = messages(entries, conversation.process.spec.protocol)
        bench.host.end(conversation, _FAULT_GRACE_MS)
        output = conversation.process.describe_output().splitlines()
    evidence = "\n".join([failed.expected, failed.happened, *output])
    advice, section = hint_for(run.__name__, failed.code, evidence, bench.host.spec.protocol)
    return Failure(
        number=number,
        name=_name(run),
        code=failed.code,
        expected=failed.expected,
        happened=failed.happened,
        messages=said,
        output=tuple(output),
        hint=advice,
        section=section,
        protocol=bench.host.spec.protocol,
    )


def _measure(bench: Bench) -> Costs:
    """What the bot costs; plays on until there is enough to tell."""
    if not bench.quick:
        while len(bench.starts) < _STARTS:
            bench.fresh()
        seat = 0
        while len(bench.decisions) < _DECISIONS:
            bench.play_one(bench.bot(), seat)
            seat = 1 - seat
    for conversation in bench.host.conversations:
        bench.host.end(conversation)
    times = sorted(bench.decisions)
    output = sum(conversation.process.output_bytes for conversation in bench.host.conversations)
    return Costs(
        start_ms=median(bench.starts),
        decisions=len(times),
        median_ms=median(times),
        p99_ms=quantiles(times, n=100, method="inclusive")[98],
        worst_ms=times[-1],
        output_bytes=output // bench.matches,
    )


def _remarks(bench: Bench, costs: Costs) -> tuple[str, ...]:
    """What is no failure, but worth a thought."""
    found = []
    if costs.output_bytes > _NOISY_BYTES:
        size = f"{costs.output_bytes / 1e6:.1f} MB" if costs.output_bytes > 1e5 else f"{costs.output_bytes // 1000} kB"
        found.append(f"it writes {size} a match to its log; the arena keeps the last {Limits().output_mb} MB")
    limit_ms = bench.time.move_ms
    if limit_ms is not None and costs.worst_ms > _SLOW * limit_ms:
        found.append(
            f"its slowest decision took {costs.worst_ms:.0f} ms of {limit_ms}; machines may be slower than this"
        )
    if costs.start_ms > _SLOW * bench.time.startup_ms:
        found.append(
            f"it takes {costs.start_ms:.0f} ms of {bench.time.startup_ms} to start; machines may be slower than this"
        )
    missing = [
        f"{phase} in seat {seat}" for seat, phase in bench.decisions_of_game.met if (seat, phase) not in bench.met
    ]
    if missing:
        found.append(f"it never met {', '.join(missing)}: play more matches against it")
    return tuple(found)
