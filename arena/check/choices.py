"""How the other seat plays in a check, for any game: positions are found by playing, edges by looking one step ahead.

A choice is a function of game, position, seat and chance to a legal action.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from arena.contracts import Action, Game, SamplesActions, State
from arena.errors import HostError
from arena.model import Seat

__all__ = ["Choice", "Decisions", "any_action", "decisions", "few_options", "many_options"]

Choice: TypeAlias = Callable[[Game, State, Seat, Random], Action]

_TRIED = 24  # actions that are compared, of those that there are
_AHEAD = 4  # steps
_ANY = 0.03
_EXPLORED = 40  # matches in which the kinds of decisions of a game are met


class Decisions(NamedTuple):
    """What kinds of decisions a game has, as (seat, phase), in the order in which they are met first."""

    met: tuple[tuple[Seat, str], ...]

    @property
    def phases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(phase for _, phase in self.met))


def any_action(game: Game, state: State, seat: Seat, chance: Random) -> Action:
    """Any legal action."""
    legal = game.legal_actions(state, seat)
    if legal is not None:
        return chance.choice(legal)
    if isinstance(game, SamplesActions):
        return game.random_action(state, seat, chance)
    raise HostError(f"the game lists no legal actions in phase {game.phase(state)}, and has no random_action")


def many_options(game: Game, state: State, seat: Seat, chance: Random) -> Action:
    """The action after which the other seat has the most to choose from, as far as a few steps by chance can tell."""
    return max(_tried(game, state, seat, chance), key=lambda action: _most_ahead(game, state, seat, action, chance))


def few_options(game: Game, state: State, seat: Seat, chance: Random) -> Action:
    """The action that leaves the other seat the least to choose from: a forced decision, or none. Now and then any
    action, so that the other seat is asked at last, with all that has happened meanwhile."""
    if chance.random() < _ANY:
        return any_action(game, state, seat, chance)
    if game.seats_to_move(state) != (seat,):
        return any_action(game, state, seat, chance)  # what follows depends on the other seat's action as well
    return min(
        _tried(game, state, seat, chance),
        key=lambda action: _options(game, game.apply(state, {seat: action})[0], 1 - seat),
    )


def decisions(game: Game) -> Decisions:
    """Play by chance, the same each time, and see what has to be decided."""
    chance = Random("the decisions of a game")
    met: dict[tuple[Seat, str], None] = {}
    for _ in range(_EXPLORED):
        state, _ = game.initial_state(chance.randbytes(32))
        while seats := game.seats_to_move(state):
            asked = [seat for seat in seats if game.forced_action(state, seat) is None]
            met |= dict.fromkeys((seat, game.phase(state)) for seat in asked)
            state, _ = game.apply(state, {seat: any_action(game, state, seat, chance) for seat in seats})
    return Decisions(tuple(met))


def _tried(game: Game, state: State, seat: Seat, chance: Random) -> list[Action]:
    """Some of the legal actions; all, where there are few."""
    legal = game.legal_actions(state, seat)
    if legal is None:
        return [any_action(game, state, seat, chance) for _ in range(_TRIED)]
    return legal if len(legal) <= _TRIED else chance.sample(legal, _TRIED)


def _most_ahead(game: Game, state: State, seat: Seat, action: Action, chance: Random) -> int:
    """The most that the other seat has to choose from in some steps by chance after an action."""
    most, other = 0, 1 - seat
    chosen = {seat: action}
    for _ in range(_AHEAD):
        moves = {each: chosen.get(each) for each in game.seats_to_move(state)}
        if not moves:
            break
        for each, move in moves.items():
            if move is None:
                moves[each] = any_action(game, state, each, chance)
        state, _ = game.apply(state, moves)
        most, chosen = max(most, _options(game, state, other)), {}
    return most


def _options(game: Game, state: State, seat: Seat) -> int:
    """How much a seat has to choose from: 0 when it is not to move, 1 when it is not asked."""
    if seat not in game.seats_to_move(state):
        return 0
    legal = game.legal_actions(state, seat)
    if legal is not None:
        return len(legal)
    return 1 if game.forced_action(state, seat) is not None else _TRIED
