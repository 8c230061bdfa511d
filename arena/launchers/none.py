"""No confinement: faults are contained, malice is not. For bots that you trust."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.model import BotSpec, Limits

__all__ = ["Unconfined"]


@dataclass(frozen=True)
class Unconfined:
    """Runs a bot's command as it is: a process group, a clean environment, a bounded log, nothing else."""

    def unavailable(self) -> str:
        """Works everywhere."""
        return ""

    def command(self, bot: BotSpec, limits: Limits, socket_directory: Path) -> Sequence[str]:
        """The bot's own command; `limits` on memory and processes are not enforced at this level."""
        return bot.command
