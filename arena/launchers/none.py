"""No confinement: faults are contained, malice is not. For bots that you trust."""

import subprocess
from dataclasses import dataclass
from typing import ClassVar

from arena.contracts import Confined, Site
from arena.model import BotSpec, Limits
from arena.processes import Session

__all__ = ["Unconfined"]


@dataclass(frozen=True)
class Unconfined:
    """Runs a bot's command as it is: a session of its own, a clean environment, a bounded log, nothing else."""

    strictness: ClassVar[int] = 0

    def unavailable(self) -> str:
        """Works everywhere."""
        return ""

    def start(self, bot: BotSpec, limits: Limits, site: Site) -> Confined:
        """The bot's own command; `limits` on memory and processes are not enforced at this level."""
        popen = subprocess.Popen(
            bot.command,
            cwd=bot.directory,
            env=site.environment,
            stdin=site.stdin,
            stdout=site.stdout,
            stderr=site.stderr,
            start_new_session=True,
        )
        return Session(popen)
