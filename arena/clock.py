"""Time as an argument: who needs the time is given a `Clock`, so that tests never sleep."""

import time
from typing import Protocol

__all__ = ["Clock", "monotonic_ms"]


class Clock(Protocol):
    """A monotonic time in milliseconds; only differences mean anything."""

    def __call__(self) -> float: ...


def monotonic_ms() -> float:
    """The clock of real runs: never set back, not affected by changes of the calendar time."""
    return time.perf_counter() * 1000.0
