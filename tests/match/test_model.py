"""Whole matches of Tacocat against a second, literal referee: the same messages, decisions, events and outcome.

The second one knows no events, no clock and no faults: it asks, in order, and writes down what the wire specification
says each seat must read.
"""

import random
from typing import Any

import pytest

from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.model import Decision, Event, MatchSpec
from protocol.messages import MatchEnd, MatchStart, Message, Request
from tests.match_play import Chooser, play_by_chance

SMALL = RuleSet(deck={1: 6, 2: 5, 3: 5, 4: 4}, board=(2, 3, 2), arrows=(1, "both", 0), max_rounds=6)
RULES = {"printed": RuleSet(), "small": SMALL}


class LiteralReferee:
    """Plays one match, and is told what each seat is told."""

    def __init__(self, game: Tacocat, spec: MatchSpec, ask_forced: bool) -> None:
        choosers = [Chooser(f"{spec.id} {seat}") for seat in (0, 1)]
        state, events = game.initial_state(spec.seed)
        self.events: list[Event] = list(events)
        self.decisions: list[Decision] = []
        time = {"move_ms": 1000, "bank_ms": None, "increment_ms": 0, "margin_ms": 50}
        self.sent: list[list[Message]] = [
            [MatchStart(spec.id, "digits", seat, list(spec.bots), game.public_rules(), time)] for seat in (0, 1)
        ]
        heard = [0, 0]
        while game.outcome(state) is None:
            actions: dict[int, Any] = {}
            for seat in game.seats_to_move(state):
                observation, legal = game.observation(state, seat), game.legal_actions(state, seat)
                only = legal[0] if legal is not None and len(legal) == 1 else None
                if observation["phase"] == "replace" and observation["max_replace"] == 0:
                    only = ()
                forced = only is not None and not ask_forced
                if not forced:
                    number = sum(isinstance(message, Request) for message in self.sent[seat]) + 1
                    news, heard[seat] = self.events[heard[seat] :], len(self.events)
                    self.sent[seat].append(
                        Request(
                            match=spec.id,
                            request=number,
                            seat=seat,
                            observation=observation,
                            events=news,
                            legal_actions=legal,
                            time_ms=1000,
                        )
                    )
                    only = tuple(sorted(choosers[seat].choose(observation, legal)))
                actions[seat] = only
                self.decisions.append(Decision(seat, observation["phase"], only, 0.0 if forced else 1.0, forced))
            state, events = game.apply(state, actions)
            self.events += events
        outcome = game.outcome(state)
        assert outcome is not None
        self.outcome = outcome
        for seat in (0, 1):
            end = MatchEnd(spec.id, outcome.winner, outcome.reason, outcome.detail, self.events[heard[seat] :])
            self.sent[seat].append(end)


@pytest.mark.parametrize("ask_forced", [False, True])
@pytest.mark.parametrize("rules", RULES)
def test_whole_matches_are_those_of_the_literal_referee(rules, ask_forced):
    game = Tacocat(RULES[rules])
    reasons = set()
    for number in range(25):
        spec = MatchSpec(f"{rules} {number}", ("ann", "bob"), number, 0, random.Random(number).randbytes(32))
        literal = LiteralReferee(game, spec, ask_forced)
        play = play_by_chance(game, spec, ask_forced)
        for seat in (0, 1):
            assert play.sent(seat) == literal.sent[seat]
        assert play.result.decisions == tuple(literal.decisions)
        assert play.result.events == tuple(literal.events)
        assert play.outcome == literal.outcome
        reasons.add(play.outcome.reason)
    assert reasons == ({"goal", "max_rounds"} if rules == "small" else {"goal"})
