"""A position of the game. msgspec's structs, because one is built for every step of every match: they are by far the
cheapest frozen values to make."""

from functools import lru_cache

from msgspec import Struct

from arena.games.tacocat.legality import Cards
from arena.model import Seat

__all__ = ["BOTH", "Round", "State", "wins_needed"]

BOTH: tuple[Seat, ...] = (0, 1)


class Round(Struct, frozen=True):
    """What does not change between two deals.

    number: of the deal, from 1. space: where the Tacocat is; a goal when the match is over. covered: spaces that the
    Tacocat has left, ascending. wins_needed: by seat, see the function of that name.
    """

    seed: bytes
    number: int
    space: int
    covered: tuple[int, ...]
    wins_needed: tuple[int, int]


class State(Struct, frozen=True):
    """A position; `hands`, `pile`, `discarded` and `attack` together are always the whole deck.

    phase: ``replace``, ``duel``, ``attack``, ``defend``, or ``over``. hands: by seat; an attacking card leaves the hand
    when it is played. pile: the draw pile, its front first. discarded: face up this round, ascending.
    attack: what is to be answered, empty except in ``defend``. max_replace: 0 except in ``replace``.
    """

    phase: str
    to_move: tuple[Seat, ...]
    hands: tuple[Cards, Cards]
    pile: tuple[int, ...]
    discarded: Cards
    attack: Cards
    max_replace: int
    round: Round


@lru_cache(1024)
def wins_needed(spaces: int, space: int, covered: tuple[int, ...]) -> tuple[int, int]:
    """How many rounds each seat has yet to win on a board of so many spaces: one for each uncovered space between the
    Tacocat and the goal, and one to enter it; 0 for the seat whose goal is reached."""
    uncovered = [position for position in range(spaces + 2) if position not in covered]
    return sum(position < space for position in uncovered), sum(position > space for position in uncovered)
