"""Which matches of a block of deals have a result: what a schedule asks for every match that is planned. Pure."""

from collections.abc import Iterable

from arena.model import Pairing

__all__ = ["Played"]

_BLOCK = 1 << 16  # bytes; a deal of very many bots is more
_LANES = ((False, False), (True, False), (False, True), (True, True))  # by what was marked


class Played:
    """A byte for every deal, `bot_a` and `bot_b`: the same few however many results there are.

    As many deals as there is room for belong to a block, so that reading a store needs few statements when two bots
    play many deals, and little memory when many bots play one.

    bots: all that may have results. deals: those of the block, which `deal` is one of.
    """

    def __init__(self, bots: Iterable[str], deal: int) -> None:
        self._places = {bot: place for place, bot in enumerate(bots, 1)}  # 0 is the place of all others, never marked
        self._size = len(self._places) + 1
        count = max(1, _BLOCK // self._size**2)
        first = deal - deal % count
        self.deals = range(first, first + count)
        self._marks = bytearray(count * self._size**2)

    def mark(self, bot_a: str, bot_b: str, deal: int, lanes: int) -> None:
        """There are results of this pairing; lanes: 1 for lane 0, 2 for lane 1, 3 for both."""
        self._marks[self._index(bot_a, bot_b, deal)] |= lanes

    def lanes(self, pairing: Pairing) -> tuple[bool, bool]:
        """Which of the two matches of a pairing have a result; its deal must be one of the block."""
        return _LANES[self._marks[self._index(*pairing)]]

    def _index(self, bot_a: str, bot_b: str, deal: int) -> int:
        place = self._places.get
        return ((deal - self.deals.start) * self._size + place(bot_a, 0)) * self._size + place(bot_b, 0)
