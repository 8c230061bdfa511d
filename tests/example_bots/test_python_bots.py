"""The example bots: legal everywhere, the same for the same messages, and each stronger than the one before."""

import importlib.util
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace

from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from protocol.messages import MatchEnd, MatchStart, Request

FOLDER = Path(__file__).parents[2] / "example_bots" / "python"
LADDER = ["random_bot", "high", "greedy", "thoughtful", "counting"]
GAME = Tacocat()
UNUSUAL = Tacocat(
    RuleSet(deck={1: 9, 2: 5, 50: 6, 51: 6, 52: 6, 99: 8}, board=(2, 8, 10, 8, 2), arrows=(0, "both", 0, 1, 1))
)

Choose = Callable[[Request], list[int]]


def load(name: str, copy: str = "") -> ModuleType:
    """A bot's module, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"example_{name}{copy}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BOTS = {name: load(name) for name in LADDER}


def request(state: Any, seat: int, number: int, match: str = "m", game: Tacocat = GAME) -> Request:
    legal = game.legal_actions(state, seat)
    listed = None if legal is None else [list(action) for action in legal]
    return asked(match, number, seat, game.observation(state, seat), listed)


def asked(match: str, number: int, seat: int, seen: dict[str, Any], legal: list[Any] | None = None) -> Request:
    return Request(
        match=match, request=number, seat=seat, observation=seen, events=[], legal_actions=legal, time_ms=1000
    )


def play(seed: bytes, choices: tuple[Choose, Choose], match: str) -> float:
    """Points of seat 0 in one match."""
    state, _ = GAME.initial_state(seed)
    numbers = [0, 0]
    while seats := GAME.seats_to_move(state):
        actions = {}
        for seat in seats:
            action = GAME.forced_action(state, seat)
            if action is None:
                numbers[seat] += 1
                answer = choices[seat](request(state, seat, numbers[seat], match))
                action = GAME.check_action(state, seat, answer)
            actions[seat] = action
        state, _ = GAME.apply(state, actions)
    outcome = GAME.outcome(state)
    assert outcome is not None
    return 0.5 if outcome.winner is None else 1.0 - outcome.winner


def positions(game: Tacocat, count: int) -> Iterator[tuple[Any, int, Request]]:
    """Decisions that are not forced, from random play, each with its request."""
    chance = random.Random("positions")
    while True:
        state, _ = game.initial_state(chance.randbytes(32))
        while seats := game.seats_to_move(state):
            actions = {}
            for seat in seats:
                asked = request(state, seat, count, f"match {count % 7}", game)
                actions[seat] = game.check_action(state, seat, BOTS["random_bot"].choose(asked))
                if game.forced_action(state, seat) is None:
                    yield state, seat, asked
                    count -= 1
                    if count == 0:
                        return
            state, _ = game.apply(state, actions)


COUNTS = {"counting": 500}
"""Positions that a bot is asked about, where it is not 3000: this one thinks for a millisecond on each."""


@pytest.mark.parametrize("name", LADDER)
def test_every_answer_is_legal_and_depends_on_its_request_alone(name: str) -> None:
    choose: Choose = BOTS[name].choose
    answers, met = [], set()
    for state, seat, question in positions(GAME, COUNTS.get(name, 3000)):
        before = repr(question)
        answer = choose(question)
        GAME.check_action(state, seat, answer)
        assert repr(question) == before, "a question is not changed by whoever answers it"
        answers.append((question, answer))
        met.add((state.phase, seat))
    assert met == {(phase, seat) for phase in ("replace", "duel", "attack", "defend") for seat in (0, 1)}
    # a process that has seen nothing yet, asked in another order, with its matches mixed
    fresh: Choose = load(name, " again").choose
    for question, answer in random.Random(1).sample(answers, 200):
        assert fresh(question) == answer


@pytest.mark.parametrize("name", LADDER)
def test_every_answer_is_legal_under_other_rules(name: str) -> None:
    """Another deck and board; also for a bot that never heard which."""
    for state, seat, question in positions(UNUSUAL, 200):
        UNUSUAL.check_action(state, seat, BOTS[name].choose(question))


def test_random_is_as_likely_to_do_anything() -> None:
    """All actions come up about equally often, and every card of a hand is as likely to be replaced."""
    choose: Choose = BOTS["random_bot"].choose
    seen = {"phase": "replace", "hand": [1, 2, 3, 4], "max_replace": 2}
    questions = [asked("m", number, 0, seen) for number in range(4000)]
    replaced = [card for question in questions for card in choose(question)]
    played = [choose(replace(question, legal_actions=[[1], [2], [3], [4]]))[0] for question in questions]
    for card in (1, 2, 3, 4):
        # of 4 cards 0, 1, 2, 3, 4 are chosen with 1, 4, 6, 4, 1 of 16; at most 2 of them count: 26/16, so 13/32 a card
        assert abs(replaced.count(card) / 4000 - 13 / 32) < 4 * sqrt(13 / 32 * 19 / 32 / 4000)
        assert abs(played.count(card) / 4000 - 1 / 4) < 4 * sqrt(3 / 16 / 4000)


DEALS = 30
EQUALS_AT_MOST = 0.5 + 1.645 * 0.5 / sqrt(2 * DEALS)
"""What one of two equally strong bots scores at most with a chance of 95 %: 60.6 %."""


@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(LADDER)))
def test_each_beats_the_one_before(weaker: str, stronger: str) -> None:
    """Each deal twice with seats swapped. Nothing in it is left to chance from run to run."""
    points = 0.0
    for deal in range(DEALS):
        seed = random.Random(deal).randbytes(32)
        points += play(seed, (BOTS[stronger].choose, BOTS[weaker].choose), f"{deal}a")
        points += 1 - play(seed, (BOTS[weaker].choose, BOTS[stronger].choose), f"{deal}b")
    assert points / (2 * DEALS) > EQUALS_AT_MOST, f"{stronger} scored {points} of {2 * DEALS} against {weaker}"


def test_counting_learns_the_deck_of_a_match_and_forgets_it() -> None:
    counting = BOTS["counting"]
    rules = {"deck": {"1": 20, "2": 20}}
    counting.remember_deck(MatchStart("special", "tacocat", 0, ["a", "b"], rules, {}))
    assert counting.decks["special"] == (1,) * 20 + (2,) * 20
    counting.forget_deck(MatchEnd("special", 0, "goal", "", []))
    assert counting.decks == {}


def test_faulty_lists_what_it_can_do() -> None:
    """Every kind with a line of its own."""
    done = subprocess.run(
        [sys.executable, FOLDER / "faulty.py", "--list"], capture_output=True, text=True, check=True, env=os.environ
    )
    kinds = {line.split()[0]: line.split(maxsplit=1)[1] for line in done.stdout.splitlines()}
    assert {
        "illegal",
        "garbage",
        "oversize",
        "stall",
        "crash",
        "late",
        "silent_start",
        "flood",
        "wrong_id",
        "exit0",
    } <= set(kinds)
    assert all(text.endswith(".") for text in kinds.values())


def test_the_readme_names_every_bot() -> None:
    text = (FOLDER / "README.md").read_text()
    for path in FOLDER.glob("*.py"):
        assert f"[{path.name}]({path.name})" in text
