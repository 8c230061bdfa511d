"""The rules alone: random legal play in one process, beside the packing of the same requests."""

import random
import sys
from collections.abc import Iterator, Sequence

import msgpack

from arena.contracts import Game
from arena.registry import load
from benchmarks.floor.recording import GAME, first_legal, record
from benchmarks.measure import Line, Scale, Target, cpu_in_turns

__all__ = ["measure"]

_BESIDE = "msgpack of its request, answer"


def measure(scale: Scale) -> Iterator[Line | str]:
    """Whole matches at random, and the same ones again without what only a request needs."""
    yield "A decision is one that a bot would be asked for; forced ones are played, but not counted."
    game: Game = load("games", GAME)()
    matches = range(scale.choose(40, 2000))
    answers = [_play(game, match) for match in matches]
    asked = sum(map(len, answers))
    requests = _requests(scale)

    def play_all() -> None:
        for match in matches:
            _play(game, match)

    def follow_all() -> None:
        for match in matches:
            _follow(game, match, answers[match])

    def pack_all() -> None:
        for number in range(asked):
            msgpack.unpackb(msgpack.packb(requests[number % len(requests)]))

    asking, following, packing = cpu_in_turns(scale.rounds, play_all, follow_all, pack_all)
    packing_us = [1e6 * seconds / asked for seconds in packing]
    for name, found in (("with requests", asking), ("rules alone", following)):
        rate = [len(matches) / seconds for seconds in found]
        yield Line(name, "matches a CPU second", "1/s", rate, target=Target("figure", "at least", 1500))
        us = [1e6 * seconds / asked for seconds in found]
        yield Line(name, "CPU, decision", "us", us, "msgpack, there and back", packing_us)


def _play(game: Game, match: int) -> list[object]:
    """Play a match at random, with everything that requests tell; returns the answers."""
    chance = random.Random(match)
    answers: list[object] = []
    state, _ = game.initial_state(match.to_bytes(32, "big"))
    while seats := game.seats_to_move(state):
        actions = {}
        for seat in seats:
            actions[seat] = game.forced_action(state, seat)
            if actions[seat] is None:
                game.observation(state, seat)
                legal = game.legal_actions(state, seat)
                answers.append([] if legal is None else [*legal[int(chance.random() * len(legal))]])
                actions[seat] = game.check_action(state, seat, answers[-1])
        state, _ = game.apply(state, actions)
    return answers


def _follow(game: Game, match: int, answers: Sequence[object]) -> None:
    """Play a match with answers that are known."""
    answer = iter(answers)
    state, _ = game.initial_state(match.to_bytes(32, "big"))
    while seats := game.seats_to_move(state):
        actions = {}
        for seat in seats:
            actions[seat] = game.forced_action(state, seat)
            if actions[seat] is None:
                actions[seat] = game.check_action(state, seat, next(answer))
        state, _ = game.apply(state, actions)


def _requests(scale: Scale) -> list[object]:
    """What real requests tell."""
    recording = record(first_legal(sys.executable), 4, scale.directory)
    messages = [step.message for script in recording.scripts for step in script if step.message is not None]
    return [message for message in messages if message["type"] == "request"]
