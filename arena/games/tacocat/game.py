"""Tacocat Spelled Backwards behind the contract of a game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Self

from arena.contracts import Chance
from arena.errors import SettingsError
from arena.games.tacocat.answers import read_ranks, refusal
from arena.games.tacocat.legality import Cards, is_held, legal_answers, legal_attacks, single_cards
from arena.games.tacocat.narration import draw_board, narrate
from arena.games.tacocat.rules import RuleSet
from arena.games.tacocat.state import Round, State, wins_needed
from arena.games.tacocat.transitions import TRANSITIONS, Step, deal
from arena.games.tacocat.variants import VARIANTS
from arena.model import Event, Outcome, Picture, Seat

__all__ = ["Tacocat"]


@dataclass(frozen=True)
class Tacocat:
    """A card duel for a token on a board; the lower last card wins a round, four rounds win the match.

    The normal form of an action is an ascending tuple of ranks, also for one card and for none: it cannot be changed by
    whoever receives it, and packs to the same array as a list.

    rules: what the printed rules leave open, and the size of the game.
    """

    rules: RuleSet = field(default_factory=RuleSet)
    is_default: ClassVar[bool] = True

    def public_rules(self) -> dict[str, Any]:
        """The rules in force; ``RuleSet(**public_rules())`` is equal to them."""
        return {
            "deck": {str(rank): copies for rank, copies in self.rules.deck.items()},
            "board": list(self.rules.board),
            "arrows": list(self.rules.arrows),
            "round_tie": self.rules.round_tie,
            "max_rounds": self.rules.max_rounds,
        }

    @classmethod
    def from_public_rules(cls, rules: Mapping[str, Any]) -> Self:
        """The inverse of `public_rules`; raises `SettingsError` for rules that cannot work, or are not known here."""
        unknown = sorted(set(rules) - {known.name for known in fields(RuleSet)})
        if unknown:
            raise SettingsError([(name, "unknown rule") for name in unknown])
        return cls(RuleSet(**rules))

    def initial_state(self, seed: bytes) -> Step:
        """The first deal."""
        assert len(seed) == 32, f"a seed has 32 bytes, not {len(seed)}"
        start = self.rules.start
        return deal(self.rules, Round(seed, 1, start, (), wins_needed(len(self.rules.board), start, ())))

    def seats_to_move(self, state: State) -> tuple[Seat, ...]:
        """Both seats in a duel and in a replacement on two arrows."""
        return state.to_move

    def phase(self, state: State) -> str:
        """``replace``, ``duel``, ``attack`` or ``defend``; ``over`` after the match."""
        return state.phase

    def observation(self, state: State, seat: Seat) -> dict[str, Any]:
        """What the wire specification lists, nothing else. In ``defend`` the attacking cards stand under ``attack``,
        not in anybody's hand and not yet under ``discarded``."""
        place = state.round
        seen = {
            "phase": state.phase,
            "round": place.number,
            "space": place.space,
            "covered": [*place.covered],
            "wins_needed": [*place.wins_needed],
            "hand": [*state.hands[seat]],
            "opponent_cards": len(state.hands[1 - seat]),
            "discarded": [*state.discarded],
            "draw_pile": len(state.pile),
        }
        if state.phase == "replace":
            seen["max_replace"] = state.max_replace
        elif state.phase == "defend":
            seen["attack"] = [*state.attack]
        return seen

    def legal_actions(self, state: State, seat: Seat) -> list[Cards] | None:
        """None in ``replace``, where any cards of the hand will do, up to ``max_replace`` of them."""
        return None if state.phase == "replace" else [*_listed(state, seat)]

    def forced_action(self, state: State, seat: Seat) -> Cards | None:
        """In ``replace`` the empty tuple, when nothing may be replaced: false as a condition, but not None."""
        if state.phase == "replace":
            return () if state.max_replace == 0 else None
        actions = _listed(state, seat)
        return actions[0] if len(actions) == 1 else None

    def check_action(self, state: State, seat: Seat, raw: object) -> Cards:
        """The ranks ascending, in whatever order they came."""
        hand = state.hands[seat]
        cards = read_ranks(raw, hand)
        if state.phase == "replace":
            if len(cards) <= state.max_replace and is_held(cards, hand):
                return cards
        elif cards in _listed(state, seat):
            return cards
        raise refusal(cards, state, seat)

    def apply(self, state: State, actions: Mapping[Seat, Cards]) -> Step:
        """On two arrows seat 0 draws first."""
        assert len(actions) == len(state.to_move), f"{state.to_move} are to move, but {sorted(actions)} did"
        return TRANSITIONS[state.phase](self.rules, state, actions)

    def outcome(self, state: State) -> Outcome | None:
        """Reasons: ``goal``, ``max_rounds``."""
        if state.to_move:
            return None
        place = state.round
        if place.space in (0, self.rules.far_goal):
            winner = 0 if place.space == 0 else 1
            return Outcome(winner, "goal", f"The Tacocat reached the goal of seat {winner} in round {place.number}.")
        return Outcome(None, "max_rounds", f"Nobody had reached a goal after {place.number} rounds, the most allowed.")

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        """A plain sentence."""
        return narrate(event, names, self.rules.far_goal)

    def draw(self, state: State) -> str:
        """The board: see `draw_board`."""
        return draw_board(state.round.space, state.round.covered, self.rules.board)

    def picture(self, state: State) -> Picture:
        """The board, the counts and what lies face up; the hands; the draw pile, its front first."""
        place = state.round
        public = {
            "phase": state.phase,
            "round": place.number,
            "board": [*self.rules.board],
            "arrows": [*self.rules.arrows],
            "space": place.space,
            "covered": [*place.covered],
            "wins_needed": [*place.wins_needed],
            "to_move": [*state.to_move],
            "cards": [len(hand) for hand in state.hands],
            "discarded": [*state.discarded],
            "attack": [*state.attack],
            "draw_pile": len(state.pile),
        }
        return {
            "public": public,
            "seats": [{"hand": [*hand]} for hand in state.hands],
            "hidden": {"draws": [*state.pile]},
        }

    def random_action(self, state: State, seat: Seat, chance: Chance) -> Cards:
        """Where cards are replaced: any number of them, any cards."""
        if state.phase == "replace":
            return tuple(sorted(chance.sample(state.hands[seat], chance.randint(0, state.max_replace))))
        return chance.choice(_listed(state, seat))

    def variants(self) -> Sequence["Tacocat"]:
        """Long hands; and decks of one rank, of which nearly every decision is forced."""
        return [type(self)(rules) for rules in VARIANTS]


def _listed(state: State, seat: Seat) -> tuple[Cards, ...]:
    """The legal actions of a phase other than ``replace``, ascending."""
    if state.phase == "attack":
        return legal_attacks(state.hands[seat])
    if state.phase == "defend":
        return legal_answers(state.hands[seat], state.attack)
    return single_cards(state.hands[seat])
