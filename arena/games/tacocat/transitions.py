"""How one position follows from another: one function for each phase, found by its name in `TRANSITIONS`.

Events hold lists of their own, never a part of a position, so that whoever receives one may do with it as he likes.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec.structs import replace

from arena.games.tacocat.deals import shuffle
from arena.games.tacocat.legality import Cards, is_defended, without
from arena.games.tacocat.rules import RuleSet
from arena.games.tacocat.state import BOTH, Round, State, wins_needed
from arena.model import Event, Seat

__all__ = ["TRANSITIONS", "Step", "deal"]

Step: TypeAlias = tuple[State, tuple[Event, ...]]


def deal(rules: RuleSet, new_round: Round) -> Step:
    """Shuffle the whole deck and give each player as many cards as the Tacocat's space says."""
    space = new_round.space
    size = rules.board[space - 1]
    order = shuffle(rules.cards, new_round.seed, new_round.number - 1)
    hands = (tuple(sorted(order[:size])), tuple(sorted(order[size : 2 * size])))
    arrow = rules.arrows[space - 1]
    first: tuple[Seat, ...] = BOTH if arrow == "both" else (arrow,)
    state = State("replace", first, hands, tuple(order[2 * size :]), (), (), size, new_round)
    return state, ({"event": "deal", "round": new_round.number, "space": space, "cards": size},)


def _replace(rules: RuleSet, state: State, actions: Mapping[Seat, Cards]) -> Step:
    hands, pile, discarded = list(state.hands), state.pile, state.discarded
    events: list[Event] = []
    for seat in state.to_move:
        cards = actions[seat]
        drawn, pile = pile[: len(cards)], pile[len(cards) :]
        hands[seat] = tuple(sorted(without(hands[seat], cards) + drawn))
        discarded += cards
        events.append({"event": "replaced", "seat": seat, "cards": list(cards)})
    phase, to_move, max_replace = "duel", BOTH, 0
    first = rules.arrows[state.round.space - 1]
    if first == state.to_move[0]:
        phase, to_move, max_replace = "replace", (1 - first,), len(discarded)
    after = State(phase, to_move, (hands[0], hands[1]), pile, tuple(sorted(discarded)), (), max_replace, state.round)
    return after, tuple(events)


def _duel(rules: RuleSet, state: State, actions: Mapping[Seat, Cards]) -> Step:
    first, second = actions[0], actions[1]
    hands = (without(state.hands[0], first), without(state.hands[1], second))
    attacker = None if first == second else 0 if first > second else 1
    event: Event = {"event": "duel", "cards": [first[0], second[0]]}
    return _go_on(rules, state, hands, first + second, attacker, event)


def _attack(_: RuleSet, state: State, actions: Mapping[Seat, Cards]) -> Step:
    attacker = state.to_move[0]
    cards = actions[attacker]
    left = without(state.hands[attacker], cards)
    hands = (left, state.hands[1]) if attacker == 0 else (state.hands[0], left)
    return State("defend", (1 - attacker,), hands, state.pile, state.discarded, cards, 0, state.round), ()


def _defend(rules: RuleSet, state: State, actions: Mapping[Seat, Cards]) -> Step:
    defender = state.to_move[0]
    attacker = 1 - defender
    attack, answer = state.attack, actions[defender]
    defended = is_defended(attack, answer)
    left = without(state.hands[defender], answer)
    hands = (left, state.hands[1]) if defender == 0 else (state.hands[0], left)
    event: Event = {
        "event": "trick",
        "attacker": attacker,
        "attack": list(attack),
        "answer": list(answer),
        "defended": defended,
    }
    return _go_on(rules, state, hands, attack + answer, defender if defended else attacker, event)


def _go_on(
    rules: RuleSet, state: State, hands: tuple[Cards, Cards], played: Cards, attacker: Seat | None, event: Event
) -> Step:
    """The hands are equal again: to the next attack, to another duel when nobody may attack, or to the showdown."""
    discarded = tuple(sorted(state.discarded + played))
    if len(hands[0]) == 1:
        over = State("over", (), hands, state.pile, discarded, (), 0, state.round)
        return _showdown(rules, over, event)
    phase, to_move = ("duel", BOTH) if attacker is None else ("attack", (attacker,))
    return State(phase, to_move, hands, state.pile, discarded, (), 0, state.round), (event,)


def _showdown(rules: RuleSet, over: State, event: Event) -> Step:
    """The end of a round, `over`, and the beginning of the next one if there is one."""
    cards = [over.hands[0][0], over.hands[1][0]]
    winner = _round_winner(rules, over.round.space, cards)
    events: tuple[Event, ...] = (event, {"event": "showdown", "cards": cards, "winner": winner})
    place = over.round
    space, covered, needed = place.space, place.covered, place.wins_needed
    if winner is not None:
        covered = tuple(sorted((*covered, space)))
        to = _next_space(space, covered, winner)
        events += ({"event": "moved", "from": space, "to": to},)
        space, needed = to, wins_needed(len(rules.board), to, covered)
    if 0 < space < rules.far_goal and place.number < rules.max_rounds:
        state, dealt = deal(rules, Round(place.seed, place.number + 1, space, covered, needed))
        return state, events + dealt
    return replace(over, round=Round(place.seed, place.number, space, covered, needed)), events


def _round_winner(rules: RuleSet, space: int, cards: list[int]) -> Seat | None:
    if cards[0] != cards[1]:
        return 0 if cards[0] < cards[1] else 1
    arrow = rules.arrows[space - 1]
    return None if rules.round_tie == "redeal" or arrow == "both" else arrow


def _next_space(space: int, covered: tuple[int, ...], winner: Seat) -> int:
    """The nearest uncovered space in the direction of the winner's goal, or the goal: goals are never covered."""
    step = -1 if winner == 0 else 1
    space += step
    while space in covered:
        space += step
    return space


TRANSITIONS: Mapping[str, Callable[[RuleSet, State, Mapping[Seat, Cards]], Step]] = {
    "replace": _replace,
    "duel": _duel,
    "attack": _attack,
    "defend": _defend,
}
