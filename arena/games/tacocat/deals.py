"""The shuffle, exactly reproducible in any language; it depends on the match's seed and the round alone."""

from collections.abc import Iterator
from hashlib import shake_256
from itertools import chain

__all__ = ["shuffle"]

_LIMITS = (0, *(256 - 256 % candidates for candidates in range(1, 257)))
"""By the number of candidates, up to the largest deck: the first byte that chooses none of them."""


def shuffle(cards: tuple[int, ...], seed: bytes, deal: int) -> list[int]:
    """The order of `cards` (ascending, 2 to 256) in a deal, counted from 0; the front is index 0.

    Fisher and Yates' shuffle from the last card down. Each swap takes the stream's next byte below the largest multiple
    of the number of candidates, so that every order is equally likely.
    """
    order = list(cards)
    candidates = len(order)
    for byte in chain.from_iterable(_stream(seed + deal.to_bytes(4, "big"))):
        if byte < _LIMITS[candidates]:
            chosen = byte % candidates
            candidates -= 1
            order[candidates], order[chosen] = order[chosen], order[candidates]
            if candidates == 1:
                break
    return order


def _stream(message: bytes) -> Iterator[bytes]:
    """SHAKE-256's output without end, in pieces: a longer digest continues a shorter one."""
    source = shake_256(message)
    start, end = 0, 64
    while True:
        yield source.digest(end)[start:]
        start, end = end, 2 * end
