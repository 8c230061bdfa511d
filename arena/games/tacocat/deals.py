"""The shuffle, exactly reproducible in any language; it depends on the match's seed and the round alone."""

from collections.abc import Iterator
from hashlib import shake_256

__all__ = ["shuffle"]

_SWAPS = tuple((last, last + 1, 256 - 256 % (last + 1)) for last in range(255, 0, -1))
"""For each swap of the largest deck: the index to fill, how many candidates there are, the first byte not to use."""


def shuffle(cards: tuple[int, ...], seed: bytes, deal: int) -> list[int]:
    """The order of `cards` (ascending, 2 to 256) in a deal, counted from 0; the front is index 0.

    Fisher and Yates' shuffle from the last card down. Each swap takes the stream's next byte below the largest multiple
    of the number of candidates, so that every order is equally likely.
    """
    order = list(cards)
    stream = _stream(seed + deal.to_bytes(4, "big"))
    for last, candidates, limit in _SWAPS[-len(cards) + 1 :]:
        byte = next(stream)
        while byte >= limit:
            byte = next(stream)
        chosen = byte % candidates
        order[last], order[chosen] = order[chosen], order[last]
    return order


def _stream(message: bytes) -> Iterator[int]:
    """SHAKE-256's output without end, a byte at a time: a longer digest continues a shorter one."""
    source = shake_256(message)
    start, end = 0, 64
    while True:
        yield from source.digest(end)[start:]
        start, end = end, 2 * end
