"""The command line: one file a command, imported when it is used. Arguments in, exit code out, no logic.

Exit codes: 0 done (bots' faults included), 1 a check failed, 2 the input is wrong, 3 the arena itself failed, 130
interrupted and resumable.
"""

import importlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click

from arena import __version__

__all__ = ["COMMANDS", "group", "interrupted_by_signals", "main"]

COMMANDS = {
    "run": "Play a tournament, or what is still missing of it.",
    "validate": "Show every problem of a config at once.",
    "leaderboard": "Show the ladder of stored results.",
    "match": "Play one match between two bots, move by move.",
    "check": "Say whether a bot is fit to enter, and what to repair.",
    "replay": "Tell a stored match in words.",
    "export": "Write every match as JSON Lines.",
    "verify": "Deal and play every stored match again, and compare.",
    "new": "Make a new bot, from an example in a language of your choice.",
    "list": "List games, formats, ratings, launchers or executors.",
}
"""Every command and its first sentence, so that `arena --help` need not import them (a test compares)."""


class _Commands(click.Group):
    """A group whose commands are imported when they are called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"arena.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="arena")
def group() -> None:
    """A tournament platform for bots that play a game for two.

    \b
    arena new first --examples                 configs and example bots to begin with
    arena run first/configs/quickstart.yaml    plays a tournament and prints its ladder
    """


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP stop what is done here as Ctrl-C does: with all that was started ended."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def main(arguments: list[str] | None = None) -> None:
    """The program `arena`: runs one command and exits with its code."""
    # ratings are small; threads of numpy's would only take the cores that bots play on
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    from arena.errors import ArenaError, HostError

    try:
        code: Any = group.main(arguments, prog_name="arena", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return 130
    except ArenaError as error:
        click.echo(f"arena: {error}", err=True)
        return 3 if isinstance(error, HostError) else 2
    except BrokenPipeError:
        # who read our output has gone (`arena export | head`); keep the interpreter from complaining at its end
        sys.stdout = None
        return 0
    except Exception as error:
        bug = "this is a fault in the arena itself. Please report it with this file: "
        click.echo(f"arena: {_unfit_protocol(error) or bug + _crash_report()}", err=True)
        return 3


def _unfit_protocol(error: Exception) -> str:
    """What to do when the name `protocol`, which others may use too, does not lead to our package; empty otherwise."""
    if not isinstance(error, ImportError) or (error.name or "").split(".")[0] != "protocol":
        return ""
    own = Path(__file__).resolve().parents[2] / "protocol"
    found = getattr(sys.modules.get("protocol"), "__file__", None)
    if found and not Path(found).resolve().is_relative_to(own):
        return (
            f"another module called protocol hides the arena's package of that name: {found}. Rename it, start the "
            f"arena in another directory, or remove that directory from PYTHONPATH. ({error})"
        )
    return f"the package protocol in {own} is missing or another's. Install the arena again. ({error})"


def _crash_report() -> str:
    """Everything that a report of a bug needs, in a file; called while the exception is being handled."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="arena-crash-", suffix=".txt", delete=False) as report:
        report.write(f"arena {__version__}, Python {sys.version}\n{' '.join(sys.argv)}\n\n")
        traceback.print_exc(file=report)
    return report.name
