"""What a game must satisfy."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from math import inf, nan

import msgpack

from arena.contracts import Action, Game, ProvidesVariants, SamplesActions, State
from arena.errors import IllegalAction
from arena.model import (
    ABORTED,
    Event,
    Fault,
    Outcome,
    Seat,
)

__all__ = ["check_game"]

_STEPS_MAX = 10_000
"""More than any match may take, so that a game without an end is found out."""
_DRAWS = 40
"""Random actions in each position: they are all the same by chance once in a trillion times where there are two."""
_REASON_MAX = 300
"""Characters of a refusal: it goes to the bot and into the verdict, however large the refused answer was."""


def check_game(game: Game, seeds: Sequence[bytes]) -> None:
    """Play a random match from each of `seeds` (32 bytes) and check all that a game promises, in every position.

    A game that offers more is checked in that, too: random actions (needed where `legal_actions` may be None), and
    variants, of each of which a match is played in the same way.

    Whatever is refused must be refused properly. That is tried with garbage and with the pieces of the observation: its
    values, and for each list in it its items one by one and random selections.
    """
    _check_matches(game, seeds)
    if isinstance(game, ProvidesVariants):
        rules = [game.public_rules()]
        for variant in game.variants():
            assert type(variant) is type(game), f"a variant is the same game by other rules, not a {type(variant)}"
            assert variant.public_rules() not in rules, f"two variants have the same rules: {variant.public_rules()}"
            rules.append(variant.public_rules())
            _check_matches(variant, seeds[:1])


def _check_matches(game: Game, seeds: Sequence[bytes]) -> None:
    rules = game.public_rules()
    _check_packs("public_rules", rules)
    _check_public_start(game, seeds)
    garbage = _garbage()
    for seed in seeds:
        decisions, events = _play(game, seed, garbage)
        again = type(game).from_public_rules(json.loads(json.dumps(rules)))
        assert again.public_rules() == rules, "from_public_rules does not give the same rules back"
        assert _play_again(again, seed, decisions) == events, f"seed {seed.hex()}: the same actions gave other events"


def _play(game: Game, seed: bytes, garbage: Sequence[object]) -> tuple[list[dict[Seat, Action]], list[Event]]:
    """A checked match: what was played at each step, and what was told."""
    chance = random.Random(seed)
    decisions: list[dict[Seat, Action]] = []
    state, events = game.initial_state(seed)
    told = [*events]
    while seats := game.seats_to_move(state):
        assert seats in ((0,), (1,), (0, 1)), f"seats_to_move must be ascending seats, not {seats!r}"
        assert game.outcome(state) is None, f"seats {seats} are to move, but there is an outcome"
        assert len(decisions) < _STEPS_MAX, f"seed {seed.hex()}: no end after {_STEPS_MAX} steps"
        _check_sights(game, state)
        actions = {seat: _check_decision(game, state, seat, chance, garbage) for seat in seats}
        before = _shown(game, state)
        after, events = game.apply(state, actions)
        assert _shown(game, state) == before, f"apply({actions}) changed the position it was given"
        repeated, repeated_events = game.apply(state, actions)
        assert events == repeated_events, f"apply({actions}) told {events}, and the second time {repeated_events}"
        assert _shown(game, after) == _shown(game, repeated), f"apply({actions}) does not always lead to the same"
        decisions.append(actions)
        told += events
        state = after
    _check_sights(game, state)
    _check_outcome(game.outcome(state))
    for event in told:
        _check_event(game, event)
    return decisions, told


def _check_public_start(game: Game, seeds: Iterable[bytes]) -> None:
    """Before anything was told, what everybody sees cannot depend on the seed: it would show what is hidden."""
    shown: dict[str, str] = {}
    for seed in seeds:
        state, events = game.initial_state(seed)
        public = json.dumps(game.picture(state)["public"], sort_keys=True)
        before = shown.setdefault(json.dumps(events), public)
        assert public == before, f"the public part of a picture shows what no event has told: {before}, {public}"


def _check_sights(game: Game, state: State) -> None:
    """What spectators are shown of a position."""
    drawn, picture = game.draw(state), game.picture(state)
    assert drawn == game.draw(state), f"a position is drawn as {drawn!r}, and then as {game.draw(state)!r}"
    assert len(drawn.splitlines()) == 1, f"a position must be drawn in one line: {drawn!r}"
    assert picture == game.picture(state), "the same position has two pictures"
    _check_packs("picture", picture)
    assert set(picture) == {"public", "seats", "hidden"}, (
        f"a picture has public, seats and hidden, not {sorted(picture)}"
    )
    assert len(picture["seats"]) == 2, f"a picture has a part for each of two seats, not {picture['seats']!r}"
    for seat in game.seats_to_move(state):
        observation = game.observation(state, seat)
        for key, value in picture["seats"][seat].items():
            assert key in observation, f"the view of seat {seat} shows {key!r}, which its observation has not"
            assert observation[key] == value, (
                f"the view of seat {seat} shows {key!r}: {value!r}, not {observation[key]!r}"
            )


def _play_again(game: Game, seed: bytes, decisions: Sequence[dict[Seat, Action]]) -> list[Event]:
    state, events = game.initial_state(seed)
    told = [*events]
    for actions in decisions:
        state, events = game.apply(state, actions)
        told += events
    return told


def _shown(game: Game, state: State) -> object:
    """Everything that a game shows of a position; a copy, since a game might give out the lists that it keeps."""
    seats = game.seats_to_move(state)
    decisions = [
        (game.observation(state, seat), game.legal_actions(state, seat), game.forced_action(state, seat))
        for seat in seats
    ]
    return deepcopy((seats, game.phase(state), decisions, game.outcome(state)))


def _check_decision(game: Game, state: State, seat: Seat, chance: random.Random, garbage: Sequence[object]) -> Action:
    """Check what a seat is shown and what is accepted of it; gives one of its legal actions, chosen at random."""
    phase, observation = game.phase(state), game.observation(state, seat)
    assert isinstance(phase, str), f"a phase must be a word, not {phase!r}"
    assert phase, "a phase must have a name"
    _check_packs(f"the observation in {phase}", observation)
    legal, forced = game.legal_actions(state, seat), game.forced_action(state, seat)
    if legal is not None:
        assert legal, f"{phase}: seat {seat} is to move, but has no legal action"
        ascending = all(before < after for before, after in pairwise(legal))
        assert ascending, f"{phase}: legal_actions must be ascending, each once: {legal}"
        assert forced == (legal[0] if len(legal) == 1 else None), f"{phase}: forced {forced!r}, but legal {legal}"
    guesses = [observation, *_pieces(observation, chance)]
    found = [_check_answer(game, state, seat, raw, legal) for raw in (*guesses, *garbage)]
    accepted = [action for action, is_accepted in found if is_accepted]
    if legal is None:
        assert forced is None or all(action == forced for action in accepted), f"{phase}: {forced} is not the only one"
    for action in [forced] if legal is None and forced is not None else legal or ():
        for raw in (action, msgpack.unpackb(msgpack.packb(action)), json.loads(json.dumps(action))):
            assert _check_answer(game, state, seat, raw, legal) == (action, True), f"{phase}: {raw!r} is not accepted"
    _check_unshared(game, state, seat)
    if isinstance(game, SamplesActions):
        return _check_random_action(game, state, seat, chance, legal, forced)
    assert legal is not None, f"{phase}: legal_actions gives no list, and the game has no random_action"
    return chance.choice(legal)


def _check_random_action(
    game: Game, state: State, seat: Seat, chance: random.Random, legal: list[Action] | None, forced: Action | None
) -> Action:
    """Random actions are legal, in normal form, and come from the chance that is given; gives the last one."""
    assert isinstance(game, SamplesActions)
    before = _shown(game, state)
    seed = chance.random()
    drawn, again = ([game.random_action(state, seat, one) for _ in range(_DRAWS)] for one in _twins(seed))
    assert drawn == again, "random_action has other chance than what it is given"
    assert _shown(game, state) == before, "random_action changed the position it was given"
    for action in drawn:
        assert _check_answer(game, state, seat, action, legal) == (action, True), f"random_action gives {action!r}"
    assert forced is not None or any(action != drawn[0] for action in drawn), f"random_action only gives {drawn[0]!r}"
    return drawn[-1]


def _twins(seed: float) -> tuple[random.Random, random.Random]:
    return random.Random(seed), random.Random(seed)


def _check_answer(
    game: Game, state: State, seat: Seat, raw: object, legal: list[Action] | None
) -> tuple[Action | None, bool]:
    """What becomes of an answer: the action and True, or None and False when it is properly refused."""
    kind = type(raw).__name__
    try:
        action = game.check_action(state, seat, raw)
    except IllegalAction as refusal:
        reason = str(refusal)
        assert reason, f"check_action refuses a {kind} without a reason"
        assert len(reason) <= _REASON_MAX, f"check_action needs {len(reason)} characters to refuse a {kind}"
        return None, False
    except Exception as error:
        raise AssertionError(f"check_action raises {type(error).__name__} for a {kind}, not IllegalAction") from error
    assert legal is None or action in legal, f"check_action accepts {action!r}, but legal_actions does not list it"
    return action, True


def _check_unshared(game: Game, state: State, seat: Seat) -> None:
    """Whoever gets an observation or a list of actions may do with it as he likes."""
    before = _shown(game, state)
    _wreck(game.observation(state, seat))
    legal = game.legal_actions(state, seat)
    if legal is not None:
        for action in legal:
            _wreck(action)
        legal.clear()
    assert _shown(game, state) == before, "what a game gives out must not be part of a position"


def _check_event(game: Game, event: Event) -> None:
    assert next(iter(event), None) == "event", f"an event must begin with its name, under 'event': {event}"
    _check_packs(f"the event {event['event']}", event)
    line = game.narrate(event, ("Ann", "Bob"))
    assert len(line.splitlines()) == 1, f"an event must be told in one line: {line!r}"


def _check_outcome(outcome: Outcome | None) -> None:
    assert outcome is not None, "nobody is to move, but there is no outcome"
    assert outcome.winner in (None, 0, 1), f"the winner must be a seat or nobody, not {outcome.winner!r}"
    words = [outcome.reason, outcome.detail]
    assert all(words), f"an outcome must have a reason and a sentence of detail: {outcome}"
    assert not outcome.faults, f"the rules never end a match by a fault: {outcome}"
    assert outcome.reason not in (ABORTED, *Fault), f"the reason must be one of the rules, not {outcome.reason}"


def _check_packs(what: str, value: object) -> None:
    """Plain maps, lists, texts and numbers are the same after they were sent or stored; tuples, say, are not."""
    assert msgpack.unpackb(msgpack.packb(value)) == value, f"{what} is not the same after MessagePack: {value!r}"
    assert json.loads(json.dumps(value)) == value, f"{what} is not the same after JSON: {value!r}"


def _pieces(value: object, chance: random.Random) -> Iterator[object]:
    """What an action might be made of: see `check_game`."""
    if isinstance(value, dict):
        for part in value.values():
            yield part
            yield from _pieces(part, chance)
    elif isinstance(value, list):
        yield []
        for item in value:
            yield [item]
            yield from _pieces(item, chance)
        for _ in range(8):
            yield chance.sample(value, chance.randint(0, len(value)))


def _wreck(value: object) -> None:
    """Empty every list and map in `value`."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _wreck(part)
        value.clear()


class _Hostile(list[object]):
    """A list that must not be trusted with anything, not even its length."""

    def __len__(self) -> int:
        raise RuntimeError

    def __iter__(self) -> Iterator[object]:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


def _garbage() -> list[object]:
    """Values that a careless check would fall over: wrong kinds, wrong sizes, wrong depths, and lists of each."""
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(20_000):
        deep = [deep]
    numbers = [True, -1, 2**63, 2**64, -(10**5000), 0.5, nan, inf, 1e308, 1j]
    texts = ["", "0", "x" * 100_000, "\ud800", b"", b"\xff" * 70_000]
    others = [None, {}, {"action": [1]}, {1: 2}, set(), range(3), object(), len, list, _Hostile(), endless, deep]
    scalars: list[object] = [*numbers, *texts, *others]
    return [*scalars, *([value] for value in scalars), list(range(100_000)), [None] * 3, [[0], [1]], (b"",)]
