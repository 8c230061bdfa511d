"""Leduc poker: six cards, one private card each, one board card, two rounds of bets.

The rules are those of Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (2005). The deck has two jacks, two
queens and two kings. Each player pays 1 chip and gets a card. After a first round of bets a card is laid on the board,
and a second round follows. A raise is 2 chips in the first round and 4 in the second; a round has at most two raises.
At the end a card of the board's rank wins, else the higher card; equal cards share what was paid.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any, Self

from arena.contracts import Chance
from arena.errors import IllegalAction, SettingsError
from arena.model import Event, Outcome, Picture, Seat

__all__ = ["Leduc"]

RANKS = "JQK"
DEALS = tuple(permutations(RANKS * 2, 3))
"""Each way to deal: the card of seat 0, that of seat 1, that of the board."""
RAISE = (2, 4)
"""Chips of a raise, by round."""
RAISES_MAX = 2
HANDS_MAX = 1000


@dataclass(frozen=True)
class Position:
    """A position in a hand.

    deal: see `DEALS`. stage: the round of bets, 0 or 1. paid: chips of this hand, by seat. won: chips of the hands
    before, by seat. raises, answers: how many raises and how many decisions the round has had.
    """

    seed: bytes
    hand: int
    deal: tuple[str, ...]
    won: tuple[int, int]
    mover: Seat
    stage: int = 0
    paid: tuple[int, int] = (1, 1)
    raises: int = 0
    answers: int = 0
    is_over: bool = False


Step = tuple[Position, tuple[Event, ...]]


@dataclass(frozen=True)
class Leduc:
    """Poker with six cards; the player who has won more chips after the last hand wins the match.

    hands: hands in a match; seat 0 is the first to bet in the first one, seat 1 in the second, and so on.
    """

    hands: int = 10

    def __post_init__(self) -> None:
        if not 1 <= self.hands <= HANDS_MAX:
            raise SettingsError([("hands", f"must be from 1 to {HANDS_MAX}, not {self.hands}")])

    def public_rules(self) -> dict[str, Any]:
        return {"hands": self.hands}

    @classmethod
    def from_public_rules(cls, rules: Mapping[str, Any]) -> Self:
        return cls(**rules)

    # --- the course of a match ------------------------------------------------------------------------------------

    def initial_state(self, seed: bytes) -> Step:
        return _deal(seed, 1, (0, 0))

    def seats_to_move(self, state: Position) -> tuple[Seat, ...]:
        return () if state.is_over else (state.mover,)

    def phase(self, state: Position) -> str:
        """``private`` before the card on the board is shown, ``board`` after it."""
        return "over" if state.is_over else ("private", "board")[state.stage]

    def legal_actions(self, state: Position, seat: Seat) -> list[str]:
        """To call is also to check, when there is nothing to pay."""
        may_fold = state.paid[0] != state.paid[1]
        may_raise = state.raises < RAISES_MAX
        return ["call", *["fold"] * may_fold, *["raise"] * may_raise]

    def forced_action(self, state: Position, seat: Seat) -> None:
        """There are always two actions or more: who may not raise has something to pay, and may fold."""

    def check_action(self, state: Position, seat: Seat, raw: object) -> str:
        legal = self.legal_actions(state, seat)
        if isinstance(raw, str) and raw in legal:
            return raw
        raise IllegalAction(f"an action must be one of these texts: {', '.join(legal)}")

    def apply(self, state: Position, actions: Mapping[Seat, str]) -> Step:
        ((seat, action),) = actions.items()
        told: Event = {"event": action, "seat": seat}
        after = replace(state, mover=1 - seat, answers=state.answers + 1)
        if action == "fold":
            return self._settle(after, 1 - seat, (told,))
        to_pay = state.paid[1 - seat] + (RAISE[state.stage] if action == "raise" else 0)
        after = replace(after, paid=(to_pay, state.paid[1]) if seat == 0 else (state.paid[0], to_pay))
        if action == "raise":
            return replace(after, raises=state.raises + 1), (told,)
        if state.answers == 0:
            return after, (told,)
        if state.stage == 0:
            board: Event = {"event": "board", "card": state.deal[2]}
            return replace(after, stage=1, mover=_first(state.hand), raises=0, answers=0), (told, board)
        return self._settle(after, _better(state.deal), (told, {"event": "showdown", "cards": [*state.deal[:2]]}))

    def _settle(self, state: Position, winner: Seat | None, told: tuple[Event, ...]) -> Step:
        """The end of a hand, and the deal of the next."""
        chips = 0 if winner is None else state.paid[1 - winner]
        gain = chips if winner == 0 else -chips
        won = (state.won[0] + gain, state.won[1] - gain)
        told += ({"event": "won", "seat": winner, "chips": chips},)
        if state.hand == self.hands:
            return replace(state, won=won, is_over=True), told
        dealt, events = _deal(state.seed, state.hand + 1, won)
        return dealt, told + events

    def outcome(self, state: Position) -> Outcome | None:
        if not state.is_over:
            return None
        lead = state.won[0]
        winner = None if lead == 0 else 0 if lead > 0 else 1
        return Outcome(winner, "chips", f"After {self.hands} hands seat 0 has won {lead:+} chips.")

    # --- what is shown --------------------------------------------------------------------------------------------

    def observation(self, state: Position, seat: Seat) -> dict[str, Any]:
        return {**_public(state), "card": state.deal[seat]}

    def picture(self, state: Position) -> Picture:
        """The card of the board is hidden until it is laid there."""
        return {
            "public": {**_public(state), "hands": self.hands, "to_move": [*self.seats_to_move(state)]},
            "seats": [{"card": card} for card in state.deal[:2]],
            "hidden": {"board": state.deal[2]} if state.stage == 0 else {},
        }

    def draw(self, state: Position) -> str:
        board = state.deal[2] if state.stage else "-"
        return f"{state.deal[0]} {board} {state.deal[1]}  paid {state.paid[0]}:{state.paid[1]}  won {state.won[0]:+}"

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        match event["event"]:
            case "hand":
                return f"Hand {event['number']}: both pay 1 chip, {names[event['first']]} is the first to bet."
            case "board":
                return f"The card on the board: {event['card']}."
            case "showdown":
                return f"{names[0]} shows {event['cards'][0]}, {names[1]} shows {event['cards'][1]}."
            case "won" if event["seat"] is None:
                return "Equal cards: nobody wins a chip."
            case "won":
                return f"{names[event['seat']]} wins {event['chips']} chips."
            case action:
                return f"{names[event['seat']]}: {action}."

    # --- more that a game may offer -------------------------------------------------------------------------------

    def random_action(self, state: Position, seat: Seat, chance: Chance) -> str:
        return chance.choice(self.legal_actions(state, seat))

    def variants(self) -> Sequence["Leduc"]:
        """The shortest match, and one with many hands."""
        return [Leduc(1), Leduc(100)]

    @classmethod
    def example_bots(cls) -> Sequence[Path]:
        return [Path(__file__).parent / "bots"]


def _deal(seed: bytes, number: int, won: tuple[int, int]) -> Step:
    """A hand of a match: each of `DEALS` with the same chance, from the seed and the hand's number alone."""
    digest = hashlib.shake_256(seed + number.to_bytes(4, "big")).digest(16)
    deal = DEALS[int.from_bytes(digest, "big") % len(DEALS)]
    first = _first(number)
    return Position(seed, number, deal, won, first), ({"event": "hand", "number": number, "first": first},)


def _first(hand: int) -> Seat:
    return (hand - 1) % 2


def _better(deal: Sequence[str]) -> Seat | None:
    """Who wins when cards are shown; None when they are equal."""
    values = [len(RANKS) if card == deal[2] else RANKS.index(card) for card in deal[:2]]
    return None if values[0] == values[1] else values.index(max(values))


def _public(state: Position) -> dict[str, Any]:
    return {
        "phase": "over" if state.is_over else ("private", "board")[state.stage],
        "hand": state.hand,
        "board": state.deal[2] if state.stage else None,
        "paid": [*state.paid],
        "raises": state.raises,
        "won": [*state.won],
    }
