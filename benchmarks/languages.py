"""The example bot of each language: from its start to its hello, and its decisions."""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from arena.config.examples import languages
from arena.config.roster import named
from arena.errors import ConfigError
from arena.model import BotSpec
from benchmarks.measure import Line, Scale, in_turns

__all__ = ["measure"]

_QUICK = ("c", "python")


def measure(scale: Scale) -> Iterator[Line | str]:
    """As `arena check` sees them; the languages are each other's peers. What is not built is not measured, because a
    build would write into the sources."""
    for language, folder in languages().items():
        if language not in scale.choose(_QUICK, tuple(languages())):
            continue
        try:
            entry = named(language, [str(folder)], scale.directory, is_built=True)
        except ConfigError as error:
            yield f"{language} is left out, because it is not built: {error}"
            continue
        if entry.lacks:
            yield entry.why_left_out
            continue
        (checks,) = in_turns(scale.choose(1, 3), partial(_check, entry.spec))
        for figure, key in (("start to hello", "start_ms"), ("decision", "median_ms"), ("99 % within", "p99_ms")):
            yield Line(language, figure, "ms", [check[key] for check in checks])


def _check(bot: BotSpec) -> dict[str, Any]:
    """The costs of a bot, by a check of its own."""
    command = [sys.executable, "-m", "arena", "check", "--quick", "--format", "json", "--protocol", bot.protocol]
    done = subprocess.run(
        [*command, "--", *bot.command], cwd=bot.directory, capture_output=True, text=True, check=False
    )
    report = json.loads(done.stdout)
    if done.returncode:
        raise RuntimeError(f"{bot.name} fails its check: {report['failure']}")
    costs: dict[str, Any] = report["costs"]
    return costs
