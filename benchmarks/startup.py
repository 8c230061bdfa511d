"""Commands that should be instant, beside an interpreter that imports click, or nothing."""

import sys
from collections.abc import Iterator

from benchmarks.floor.recording import first_legal, record
from benchmarks.floor.stored import fill, write_config
from benchmarks.measure import Line, Run, Scale, Target, in_turns, run

__all__ = ["measure"]

_MATCHES = 100


def measure(scale: Scale) -> Iterator[Line | str]:
    """The ladder is that of a small store."""
    bot, results = first_legal(sys.executable), scale.directory / "startup"
    config = write_config(scale.directory / "startup.yaml", bot, 5, 5)
    played = record(bot, 2, scale.directory).results
    for store, chunk in fill(config, results, _MATCHES, played):
        for result in chunk:
            store.append(result)

    def python(*words: str) -> Run:
        return run([sys.executable, *words])

    empty, click, help_, ladder = in_turns(
        scale.choose(3, 15),
        lambda: python("-c", "pass"),
        lambda: python("-c", "import click"),
        lambda: python("-m", "arena", "--help"),
        lambda: python("-m", "arena", "leaderboard", str(results)),
    )
    for subject, ours, beside, floor in (
        ("arena --help", help_, "import click", click),
        (f"arena leaderboard, {_MATCHES} matches", ladder, "import click", click),
        ("import click", click, "python -c pass", empty),
    ):
        target = Target("relation", "at most", 1.5) if ours is help_ else None
        for figure, of in (("wall", "wall_s"), ("CPU", "cpu_s")):
            ms = [[1000 * getattr(each, of) for each in side] for side in (ours, floor)]
            yield Line(subject, figure, "ms", ms[0], beside, ms[1], target=target)
