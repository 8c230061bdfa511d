"""Every game keeps its contract; and the check of the contract finds games that do not."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

import arena.testing.games
from arena import registry
from arena.contracts import Game
from arena.errors import IllegalAction
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.model import Outcome
from arena.testing import check_game
from tests.second_game.arena_leduc.game import Leduc

SEEDS = [bytes(31) + bytes([number]) for number in range(6)]


@pytest.mark.parametrize("name", registry.names("games"))
def test_game_keeps_its_contract(name):
    check_game(registry.load("games", name)(), SEEDS)


def test_another_game_keeps_it():
    check_game(Leduc(), SEEDS)


class Forgetful(Tacocat):
    def legal_actions(self, state, seat):
        listed = super().legal_actions(state, seat)
        return listed if listed is None or len(listed) < 2 else listed[:-1]


class Generous(Tacocat):
    def legal_actions(self, state, seat):
        listed = super().legal_actions(state, seat)
        return None if listed is None else [*listed, (100,)]


class Unordered(Tacocat):
    def legal_actions(self, state, seat):
        listed = super().legal_actions(state, seat)
        return None if listed is None else listed[::-1]


class Stuck(Tacocat):
    def legal_actions(self, state, seat):
        return [] if state.phase == "attack" else super().legal_actions(state, seat)


class Unforced(Tacocat):
    def forced_action(self, state, seat):
        return None


class Bossy(Tacocat):
    def forced_action(self, state, seat):
        return () if state.phase == "replace" else super().forced_action(state, seat)


class Picky(Tacocat):
    def check_action(self, state, seat, raw):
        if type(raw) is list:
            raise IllegalAction("only tuples")
        return super().check_action(state, seat, raw)


class Fragile(Tacocat):
    def check_action(self, state, seat, raw):
        return super().check_action(state, seat, sorted(raw))


class Talkative(Tacocat):
    def check_action(self, state, seat, raw):
        try:
            return super().check_action(state, seat, raw)
        except IllegalAction as refusal:
            raise IllegalAction(str(refusal) + (raw if type(raw) is str else "")) from None


class Silent(Tacocat):
    def check_action(self, state, seat, raw):
        try:
            return super().check_action(state, seat, raw)
        except IllegalAction:
            raise IllegalAction from None


class Unpackable(Tacocat):
    def observation(self, state, seat):
        return super().observation(state, seat) | {"covered": state.round.covered}


class Nameless(Tacocat):
    def apply(self, state, actions):
        after, events = super().apply(state, actions)
        return after, tuple({"n": 1, **event} for event in events)


class Mumbling(Tacocat):
    def narrate(self, event, names):
        return super().narrate(event, names) + "\nand so on"


class Endless(Tacocat):
    def outcome(self, state):
        return None


class Hasty(Tacocat):
    def outcome(self, state):
        return Outcome(0, "goal", "Already.")


class Blaming(Tacocat):
    def outcome(self, state):
        found = super().outcome(state)
        return None if found is None else Outcome(found.winner, "timeout", found.detail)


class Amnesic(Tacocat):
    @classmethod
    def from_public_rules(cls, rules):
        return cls(RuleSet(max_rounds=1))


class Moody(Tacocat):
    """Deals something else each time."""

    deals: Iterator[int] = iter(range(10**9))

    def apply(self, state, actions):
        place = replace(state.round, seed=next(self.deals).to_bytes(32, "big"))
        return super().apply(replace(state, round=place), actions)


class Changeable(Tacocat):
    """Keeps one position and changes it in place."""

    def apply(self, state, actions):
        after, events = super().apply(state[0], actions)
        state[0] = after
        return state, events

    def initial_state(self, seed):
        state, events = super().initial_state(seed)
        return [state], events


def in_box(name: str) -> Callable[..., Any]:
    return lambda self, state, *rest: getattr(Tacocat, name)(self, state[0], *rest)


for method in (
    *("seats_to_move", "phase", "observation", "legal_actions", "forced_action", "check_action", "outcome"),
    *("picture", "draw", "random_action"),
):
    setattr(Changeable, method, in_box(method))


class Pictured(Tacocat):
    """Spoils pictures."""

    spoil: Callable[[Any, Any], None]

    def picture(self, state):
        shown = super().picture(state)
        self.spoil(shown, state)
        return shown


class Packed(Pictured):
    def spoil(self, shown, state):
        shown["public"]["covered"] = state.round.covered


class Unsorted(Pictured):
    def spoil(self, shown, state):
        shown["secret"] = shown.pop("hidden")


class OneEyed(Pictured):
    def spoil(self, shown, state):
        shown["seats"].pop()


class Leaky(Pictured):
    """Shows everybody what will be drawn."""

    def spoil(self, shown, state):
        shown["public"]["draws"] = shown["hidden"]["draws"]


class Peeping(Pictured):
    """Shows each seat the hand of the other."""

    def spoil(self, shown, state):
        shown["seats"].reverse()


class Telling(Pictured):
    """Shows a seat what it is not told."""

    def spoil(self, shown, state):
        shown["seats"][0]["draws"] = shown["hidden"]["draws"]


class Restless(Pictured):
    turns: Iterator[int] = iter(range(10**9))

    def spoil(self, shown, state):
        shown["hidden"]["turn"] = next(self.turns)


class Painting(Tacocat):
    def draw(self, state):
        return "\n".join(super().draw(state))


class Listless(Tacocat):
    random_action: Any = None


class Reckless(Tacocat):
    def random_action(self, state, seat, chance):
        return chance.choice(((100,), super().random_action(state, seat, chance)))


class Predictable(Tacocat):
    def random_action(self, state, seat, chance):
        return super().random_action(state, seat, random.Random(1))


class SelfWilled(Tacocat):
    chance = random.Random(1)

    def random_action(self, state, seat, chance):
        return super().random_action(state, seat, self.chance)


class Unvaried(Tacocat):
    def variants(self):
        return [self]


class Adopting(Tacocat):
    def variants(self):
        return [Tacocat(RuleSet(max_rounds=3))]


class Rigid(Tacocat):
    """Only knows its usual rules again."""

    @classmethod
    def from_public_rules(cls, rules):
        return cls()


class Sharing(Tacocat):
    """Gives out the list that it keeps."""

    kept: dict[Any, Any] = {}  # noqa: RUF012

    def legal_actions(self, state, seat):
        return self.kept.setdefault((state, seat), super().legal_actions(state, seat))


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (Forgetful(), "does not list it"),
        (Generous(), "is not accepted"),
        (Unordered(), "ascending"),
        (Stuck(), "has no legal action"),
        (Unforced(), "forced None, but legal"),
        (Bossy(), "is not the only one"),
        (Picky(), "is not accepted"),
        (Fragile(), "raises TypeError for a"),
        (Talkative(), "needs 100.* characters to refuse a str"),
        (Silent(), "without a reason"),
        (Unpackable(), "is not the same after MessagePack"),
        (Nameless(), "must begin with its name"),
        (Mumbling(), "one line"),
        (Endless(), "there is no outcome"),
        (Hasty(), "there is an outcome"),
        (Blaming(), "must be one of the rules"),
        (Amnesic(), "does not give the same rules back"),
        (Moody(), "the second time|does not always lead to the same"),
        (Changeable(), "changed the position"),
        (Sharing(), "must not be part of a position"),
        (Packed(), "picture is not the same after MessagePack"),
        (Unsorted(), "has public, seats and hidden, not"),
        (OneEyed(), "a part for each of two seats"),
        (Leaky(), "shows what no event has told"),
        (Peeping(), "the view of seat . shows 'hand'"),
        (Telling(), "the view of seat 0 shows 'draws', which its observation has not"),
        (Restless(), "two pictures"),
        (Painting(), "drawn in one line"),
        (Listless(), "the game has no random_action"),
        (Reckless(), r"random_action gives \(100,\)"),
        (Predictable(), "random_action only gives"),
        (SelfWilled(), "other chance than what it is given"),
        (Unvaried(), "two variants have the same rules"),
        (Adopting(), "the same game by other rules"),
        (Rigid(), "does not give the same rules back"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Tacocat) else "",
)
def test_check_finds_what_is_wrong(game: Game, complaint: str):
    with pytest.raises(AssertionError, match=complaint):
        check_game(game, SEEDS[:2])


def test_check_finds_matches_without_end(monkeypatch):
    monkeypatch.setattr(arena.testing.games, "_STEPS_MAX", 20)
    with pytest.raises(AssertionError, match="no end after 20 steps"):
        check_game(Tacocat(), SEEDS[:1])
