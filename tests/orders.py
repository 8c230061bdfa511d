"""Orders that come from this process, for whatever plays matches in it."""

from contextlib import suppress
from queue import Empty, SimpleQueue

from arena.model import MatchSpec

__all__ = ["Queue"]


class Queue:
    """Matches that are put into it, and None for the end; without a descriptor, so that a worker has to ask."""

    watch: int | None = None

    def __init__(self, *specs: MatchSpec) -> None:
        self._orders: SimpleQueue[MatchSpec | None] = SimpleQueue()
        self.put = self._orders.put
        for spec in specs:
            self.put(spec)

    def take(self) -> list[MatchSpec] | None:
        specs = []
        with suppress(Empty):
            while (order := self._orders.get_nowait()) is not None:
                specs.append(order)
            return None
        return specs
