"""Everything about the game that a config may change, and what makes such a change impossible."""

import re
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from arena.errors import SettingsError

__all__ = ["Arrow", "RuleSet"]

Arrow: TypeAlias = int | Literal["both"]
"""Who replaces first on a space: a seat, or both at the same time."""

RANK_MAX = 99
CARDS_MAX = 256
"""The shuffle takes one byte of its stream a swap, so it can choose among at most 256 cards."""
HAND_MIN = 2
"""A duel costs a card, and a card must be left for the showdown."""
HAND_MAX = 12
"""The list of all legal answers must fit into one message of 64 KiB."""
SPACES_MIN, SPACES_MAX = 3, 99
"""A centre and a side for each player; and a board that every message can describe."""
ROUNDS_MAX = 10_000
"""Keeps the record of one match to a reasonable size."""


def _default_deck() -> dict[int, int]:
    return {rank: 4 if rank in (6, 7) else 3 for rank in range(1, 13)}


@dataclass(frozen=True)
class RuleSet:
    """The choices that the printed rules leave open; the defaults are the game of the reference configs.

    Lists become tuples and ranks may be strings of digits, so that ``RuleSet(**tacocat.public_rules())`` gives an equal
    value back, also after a trip through JSON.

    deck: how many copies of each rank (1-99) there are; a rank that is left out is not in the deck.
    board: cards dealt to each player, by space; an odd number of spaces, the Tacocat starts in the centre.
    arrows: who replaces first, by space; 0 or 1 for a seat, both for both at the same time.
    round_tie: redeal plays a tied round again, arrow gives it to the player the space's arrow points at.
    max_rounds: deals in a match, tied rounds included; after the last one it is a draw.
    """

    deck: Mapping[int, int] = field(default_factory=_default_deck, hash=False)
    board: tuple[int, ...] = (4, 6, 9, 7, 9, 6, 4)
    arrows: tuple[Arrow, ...] = (1, 1, 1, "both", 0, 0, 0)
    round_tie: Literal["redeal", "arrow"] = "redeal"
    max_rounds: int = 100

    def __post_init__(self) -> None:
        deck, deck_problems = _read_deck(self.deck)
        board_problems = _board_problems(self.board)
        problems = [("deck", text) for text in deck_problems] + [("board", text) for text in board_problems]
        if not problems:
            problems += [("deck", text) for text in _shortage(sum(deck.values()), max(self.board))]
        problems += [("arrows", text) for text in _arrow_problems(self.arrows, self.board)]
        if self.round_tie not in ("redeal", "arrow"):
            problems.append(("round_tie", f"must be redeal or arrow, not {reprlib.repr(self.round_tie)}"))
        if not _is_whole(self.max_rounds, 1, ROUNDS_MAX):
            text = f"must be a whole number from 1 to {ROUNDS_MAX}, not {reprlib.repr(self.max_rounds)}"
            problems.append(("max_rounds", text))
        if problems:
            raise SettingsError(problems)
        object.__setattr__(self, "deck", deck)
        object.__setattr__(self, "board", tuple(self.board))
        object.__setattr__(self, "arrows", tuple(self.arrows))

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The whole deck, ascending: what every shuffle starts from."""
        return tuple(rank for rank, copies in self.deck.items() for _ in range(copies))

    @property
    def start(self) -> int:
        """The space in the centre of the board."""
        return (len(self.board) + 1) // 2

    @property
    def far_goal(self) -> int:
        """Where seat 1 pulls the Tacocat, one beyond the last space; seat 0's goal is 0."""
        return len(self.board) + 1


def _is_whole(value: object, low: int, high: int) -> bool:
    """Whether a value is a number of the range; True and False are not."""
    return type(value) is int and low <= value <= high


def _read_deck(deck: object) -> tuple[dict[int, int], list[str]]:
    """The deck by rank, ascending, ranks without copies left out; and what is wrong with it."""
    if not isinstance(deck, Mapping):
        return {}, [f"must map each rank to its number of copies, like {{1: 3, 2: 3}}, not {reprlib.repr(deck)}"]
    problems = []
    copies_by_rank: dict[int, int] = {}
    for key, copies in deck.items():
        rank = int(key) if isinstance(key, str) and re.fullmatch("[1-9][0-9]?", key) else key
        if not _is_whole(rank, 1, RANK_MAX):
            problems.append(f"a rank must be a whole number from 1 to {RANK_MAX}, not {reprlib.repr(key)}")
        elif rank in copies_by_rank:
            problems.append(f"rank {rank} is there twice, as a number and as text: give it once")
        elif not _is_whole(copies, 0, CARDS_MAX):
            problems.append(
                f"the copies of rank {rank} must be a whole number from 0 to {CARDS_MAX}, not {reprlib.repr(copies)}"
            )
        else:
            copies_by_rank[rank] = copies
    total = sum(copies_by_rank.values())
    if total > CARDS_MAX:
        problems.append(f"has {total} cards, but at most {CARDS_MAX} can be shuffled: take {total - CARDS_MAX} out")
    return {rank: copies_by_rank[rank] for rank in sorted(copies_by_rank) if copies_by_rank[rank]}, problems


def _board_problems(board: object) -> list[str]:
    if not isinstance(board, list | tuple):
        return [f"must be a list of hand sizes, like [4, 6, 9, 7, 9, 6, 4], not {reprlib.repr(board)}"]
    problems = []
    if not SPACES_MIN <= len(board) <= SPACES_MAX or len(board) % 2 == 0:
        problems.append(
            f"the number of spaces must be odd, from {SPACES_MIN} to {SPACES_MAX}, "
            f"so that there is a centre and a side for each player; here it is {len(board)}"
        )
    problems += [
        f"space {space} deals {reprlib.repr(size)} cards; a hand must be a whole number from {HAND_MIN} to {HAND_MAX}"
        for space, size in enumerate(board, start=1)
        if not _is_whole(size, HAND_MIN, HAND_MAX)
    ]
    return problems


def _shortage(cards: int, hand: int) -> list[str]:
    """Both players may replace everything: each may need two whole hands of the deck."""
    if 4 * hand <= cards:
        return []
    lower = f", or deal at most {cards // 4} cards on a space" if cards // 4 >= HAND_MIN else ""
    return [
        f"has {cards} cards, but a hand of {hand} needs {4 * hand}, as both players may replace all they hold "
        f"(4 x {hand}): add {4 * hand - cards} more{lower}"
    ]


def _arrow_problems(arrows: object, board: object) -> list[str]:
    if not isinstance(arrows, list | tuple):
        return [f"must be a list with 0, 1 or both for each space, not {reprlib.repr(arrows)}"]
    problems = []
    if isinstance(board, list | tuple) and len(arrows) != len(board):
        problems.append(f"has {len(arrows)} entries for a board of {len(board)} spaces: give one for each space")
    problems += [
        f"space {space} has {reprlib.repr(arrow)}; an arrow must be 0, 1 or both"
        for space, arrow in enumerate(arrows, start=1)
        if arrow != "both" and not _is_whole(arrow, 0, 1)
    ]
    return problems
