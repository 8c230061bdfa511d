"""Nothing that a seat must not know reaches it: two matches that differ only in that are the same to it, byte for byte.

A *twin* match is dealt like the other one, but for one card of the opponent's hand that has changed places with one of
the draw pile. The seat that watches cannot know which of the two it plays, so every message to it must be the same,
until something that it may see differs. The opponent plays so that this takes as long as possible.
"""

import dataclasses
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import astuple, replace

from arena.games.tacocat import Tacocat
from arena.games.tacocat.state import State
from arena.ladder.replays import frames, seat_view
from arena.match import ActionReceived, Instruction, Match, Send
from arena.model import Event, MatchSpec, Outcome, Pairing, Seat, StoredMatch
from protocol.messages import Request, encode
from tests.match_play import Play


@dataclass(frozen=True)
class Twin(Tacocat):
    """Tacocat in which a card of `hand_of` and one of the draw pile change places when round `swap_round` is dealt.

    swap: places in the hand and in the pile, counted from its end; None leaves the deal as it is. reached: every
    position and the events that led to it.
    """

    hand_of: Seat = 0
    swap_round: int = 1
    swap: tuple[int, int] | None = None
    reached: list[tuple[State, Sequence[Event]]] = field(default_factory=list, compare=False)

    def initial_state(self, seed: bytes) -> tuple[State, tuple[Event, ...]]:
        return self.dealt(*super().initial_state(seed))

    def apply(self, state: State, actions: Mapping[Seat, Any]) -> tuple[State, tuple[Event, ...]]:
        return self.dealt(*super().apply(state, actions))

    def dealt(self, state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
        if self.swap is not None and any(
            event["event"] == "deal" and event["round"] == self.swap_round for event in events
        ):
            hand, pile = list(state.hands[self.hand_of]), list(state.pile)
            place, depth = self.swap[0] % len(hand), len(pile) - 1 - self.swap[1] % len(pile)
            hand[place], pile[depth] = pile[depth], hand[place]
            hands = (
                (tuple(sorted(hand)), state.hands[1]) if self.hand_of == 0 else (state.hands[0], tuple(sorted(hand)))
            )
            state = replace(state, hands=hands, pile=tuple(pile))
        self.reached.append((state, events))
        return state, events


class ShowsHands(Twin):
    def observation(self, state, seat):
        return {**super().observation(state, seat), "opponent_hand": list(state.hands[1 - seat])}


class ShowsThePile(Twin):
    def observation(self, state, seat):
        return {**super().observation(state, seat), "draw_pile": sum(state.pile)}


class ShowsAHint(Twin):
    """A leak of one bit, in the order of what is legal."""

    def legal_actions(self, state, seat):
        legal = super().legal_actions(state, seat)
        return legal if legal is None or sum(state.hands[1 - seat]) % 2 else legal[::-1]


class TellsWhatWasDrawn(Twin):
    def apply(self, state, actions):
        after, events = super().apply(state, actions)
        return after, tuple(
            {**event, "now": after.hands[event["seat"]]} if event["event"] == "replaced" else event for event in events
        )


class PicturesHandsForAll(Twin):
    def picture(self, state):
        shown = super().picture(state)
        return {**shown, "public": {**shown["public"], "sum": sum(map(sum, state.hands))}}


class PicturesThePileForSeats(Twin):
    def picture(self, state):
        shown = super().picture(state)
        return {**shown, "seats": [{**part, "pile": [*state.pile]} for part in shown["seats"]]}


class PicturesHandsTheWrongWay(Twin):
    def picture(self, state):
        shown = super().picture(state)
        return {**shown, "seats": shown["seats"][::-1]}


class NumbersAllRequests(Match):
    """A common count tells how often the opponent was asked, and so whether it had a choice."""

    def _ask(self, seat):
        self._requests[seat] = max(self._requests)
        super()._ask(seat)


def visible(state: State, events: Sequence[Event], seat: Seat) -> tuple[Any, ...]:
    """What `seat` may know of a step, once more and literally: all but the opponent's cards and the pile's."""
    phase, to_move, hands, pile, *open_to_all, place = astuple(state)
    return phase, to_move, hands[seat], len(hands[1 - seat]), len(pile), open_to_all, astuple(place)[1:], list(events)


class Table:
    """One of the two matches."""

    def __init__(self, game: Twin, kind: type[Match], seed: bytes) -> None:
        self.game = game
        self.play = Play(game, spec=MatchSpec("twin", ("ann", "bob"), 0, 0, seed), kind=kind)
        self.seed = seed
        self.open: dict[Seat, Request] = {}
        self.note(self.play.instructions)

    def note(self, instructions: Sequence[Instruction]) -> None:
        for each in instructions:
            if isinstance(each, Send) and isinstance(each.message, Request):
                self.open[each.seat] = each.message

    def answer(self, seat: Seat, action: Any) -> None:
        self.note(self.play.tell(ActionReceived(seat, self.open.pop(seat).request, action, 1.0)))

    def state(self, place: int = -1) -> State:
        return self.game.reached[place][0]

    def views(self, seat: Seat) -> list[str]:
        """What a viewer shows, position by position, to somebody who may see what a seat sees."""
        decisions = tuple(self.play.match._decisions)
        match = StoredMatch("twin", Pairing("ann", "bob", 0), 0, Outcome(None, "open"), (), decisions)
        game = dataclasses.replace(self.game, reached=[])
        return [json.dumps([seat_view(shown, seat), told]) for shown, told in frames(match, self.seed, game)]

    def possible(self, seat: Seat) -> set[tuple[int, ...]]:
        """What a seat may answer; of all replacements at most one card is enough here."""
        legal = self.game.legal_actions(self.state(), seat)
        return set(legal) if legal is not None else {(), *((card,) for card in self.state().hands[seat])}


class Twins:
    """Two matches side by side that differ in what `watcher` must not know."""

    def __init__(self, kind: type[Twin], match: type[Match], watcher: Seat, seed: int) -> None:
        self.watcher = watcher
        self.chance = random.Random(seed)
        deal, swap_round = self.chance.randbytes(32), self.chance.randint(1, 3)
        swap = self.chance.randrange(9), self.chance.randrange(9)
        games = [kind(hand_of=1 - watcher, swap_round=swap_round, swap=each) for each in (None, swap)]
        self.tables = [Table(game, match, deal) for game in games]
        self.steps = self.alike = 0
        self.before = self.compared = 0

    def play_on(self) -> bool:
        """One answer in both; False when nothing is left that both can answer."""
        first, second = self.tables
        seats = [seat for seat in (0, 1) if seat in first.open and seat in second.open]
        if not seats:
            return False
        seat = self.chance.choice(seats)
        common = sorted(first.possible(seat) & second.possible(seat))
        if not common:
            return False
        action = self.chance.choice(common)
        for table in self.tables:
            table.answer(seat, list(action))
        return self.catch_up()

    def catch_up(self) -> bool:
        """Where the opponent has a choice in one match only, it answers there what it was forced to in the other."""
        opponent = 1 - self.watcher
        while (opponent in self.tables[0].open) != (opponent in self.tables[1].open):
            free, bound = self.tables if opponent in self.tables[0].open else reversed(self.tables)
            place = len(free.game.reached) - 1
            action = bound.game.forced_action(bound.state(place), opponent)
            if action not in free.possible(opponent):
                return False
            free.answer(opponent, list(action))
        return True

    def may_be_told_apart(self) -> bool:
        """Whether any step so far looks different to the watcher, as it may."""
        ways = [
            [visible(state, events, self.watcher) for state, events in table.game.reached[self.steps :]]
            for table in self.tables
        ]
        self.steps += len(ways[0])
        if ways[0] == ways[1]:
            self.alike = self.steps
        return ways[0] != ways[1]

    def compare(self) -> None:
        sent = [[encode(message) for message in table.play.sent(self.watcher)] for table in self.tables]
        assert sent[0] == sent[1], f"seat {self.watcher} can tell the twins apart"
        if self.tables[0].state() != self.tables[1].state():
            self.compared += len(sent[0]) - self.before
        self.before = len(sent[0])

    def compare_views(self) -> int:
        """Of all positions so far; how many of them differ in what the watcher must not know."""
        first, second = (table.views(self.watcher)[: self.alike] for table in self.tables)
        assert first == second, f"a viewer for seat {self.watcher} can tell the twins apart"
        assert len(first) == self.alike, "not all positions have a picture"
        return sum(self.tables[0].state(place) != self.tables[1].state(place) for place in range(self.alike))


def compare(kind: type[Twin], match: type[Match], watcher: Seat) -> tuple[int, int]:
    """How many messages to `watcher`, and views of positions, were compared while the twins differed; AssertionError
    when one differs too."""
    compared = viewed = 0
    for seed in range(80):
        twins = Twins(kind, match, watcher, seed)
        goes_on = twins.catch_up()
        while goes_on and not twins.may_be_told_apart():
            twins.compare()
            goes_on = twins.play_on()
        compared += twins.compared
        viewed += twins.compare_views()
    return compared, viewed


@pytest.mark.parametrize("watcher", [0, 1])
def test_a_seat_cannot_tell_twin_matches_apart(watcher):
    assert min(compare(Twin, Match, watcher)) > 300, "the twins did not differ long enough to prove anything"


@pytest.mark.parametrize("watcher", [0, 1])
@pytest.mark.parametrize(
    ("kind", "match"),
    [
        (ShowsHands, Match),
        (ShowsThePile, Match),
        (ShowsAHint, Match),
        (TellsWhatWasDrawn, Match),
        (Twin, NumbersAllRequests),
        (PicturesHandsForAll, Match),
        (PicturesThePileForSeats, Match),
        (PicturesHandsTheWrongWay, Match),
    ],
    ids=lambda each: each.__name__,
)
def test_a_leak_is_found(kind, match, watcher):
    with pytest.raises(AssertionError, match="can tell the twins apart"):
        compare(kind, match, watcher)
