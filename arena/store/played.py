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
        places = {bot: place for place, bot in enumerate(bots, 1)}  # 0 is the place of all others, never marked
        size = len(places) + 1
        self._area = size**2
        self._columns = places
        self._rows = {bot: place * size for bot, place in places.items()}
        count = max(1, _BLOCK // self._area)
        first = deal - deal % count
        self.deals = range(first, first + count)
        self._marks = bytearray(count * self._area)

    def mark(self, results: Iterable[tuple[str, str, int, int]]) -> None:
        """There are results of these: `bot_a`, `bot_b`, deal, and 1 for lane 0, 2 for lane 1, 3 for both."""
        marks, rows, columns, area, first = self._marks, self._rows, self._columns, self._area, self.deals.start
        for bot_a, bot_b, deal, lanes in results:
            marks[(deal - first) * area + rows[bot_a] + columns[bot_b]] |= lanes

    def lanes(self, pairing: Pairing) -> tuple[bool, bool]:
        """Which of the two matches of a pairing have a result; its deal must be one of the block."""
        bot_a, bot_b, deal = pairing
        place = self._rows.get(bot_a, 0) + self._columns.get(bot_b, 0)
        return _LANES[self._marks[(deal - self.deals.start) * self._area + place]]
