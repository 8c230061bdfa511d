"""When a referee and its bots let each other finish: the batch scheduling policy of Linux.

While answers come quickly, neither the referee nor a bot interrupts another process when it wakes up: each waits for
its turn, finds more to do when it has it, and does it while the processor's caches still hold what it needs. When bots
think for long, a waking process is better served at once. The number of answers in a tick says which it is.
"""

import os
from collections.abc import Iterable

from arena.processes import wait_for_turns

__all__ = ["Turns"]

_QUICK = 20  # answers in a tick: one every millisecond


class Turns:
    """Chooses the scheduling policy of this process and of its bots."""

    def __init__(self) -> None:
        self.is_batch = False

    def judge(self, answers: int, bots: Iterable[int]) -> None:
        """Called every tick, with the answers since the last one and the bots' process ids. To go back takes fewer
        answers than half of what it took to begin, since a change concerns every process."""
        self.choose(bots, is_batch=answers >= (_QUICK // 2 if self.is_batch else _QUICK))

    def choose(self, bots: Iterable[int], *, is_batch: bool) -> None:
        """Set the policy, unless it is in force already."""
        if is_batch == self.is_batch:
            return
        self.is_batch = is_batch
        for pid in (os.getpid(), *bots):
            wait_for_turns(pid, patiently=is_batch)
