"""Matches without a referee: a game of digits, bots that play by chance, and a record of what each seat is told."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from arena.contracts import Game
from arena.errors import IllegalAction
from arena.match import ActionReceived, BotReady, End, Instruction, Match, MatchEvent, MatchTerms, Send
from arena.model import Event, MatchResult, MatchSpec, Outcome, Picture, Seat, TimeControl
from protocol.messages import Message, Request

SPEC = MatchSpec("m1", ("ann", "bob"), 3, 0, bytes(32))


@dataclass(frozen=True)
class Turns:
    """In each turn the seats that `turns` lists say a digit; whoever `forced` lists by (turn, seat) can only say 7.

    A state is the number of turns that are over. Nothing is hidden but what is being decided.
    """

    turns: tuple[tuple[Seat, ...], ...]
    forced: frozenset[tuple[int, Seat]] = frozenset()
    winner: Seat | None = 0

    def public_rules(self) -> dict[str, Any]:
        return {"turns": [list(seats) for seats in self.turns], "winner": self.winner}

    @classmethod
    def from_public_rules(cls, rules: Mapping[str, Any]) -> Self:
        return cls(tuple(map(tuple, rules["turns"])), winner=rules["winner"])

    def initial_state(self, seed: bytes) -> tuple[int, tuple[Event, ...]]:
        return 0, ({"event": "begun"},)

    def seats_to_move(self, state: int) -> tuple[Seat, ...]:
        return self.turns[state] if state < len(self.turns) else ()

    def phase(self, state: int) -> str:
        return "say" if len(self.turns[state]) == 1 else "say together"

    def observation(self, state: int, seat: Seat) -> dict[str, Any]:
        return {"turn": state, "you": seat}

    def legal_actions(self, state: int, seat: Seat) -> list[int] | None:
        return [7] if (state, seat) in self.forced else list(range(10))

    def forced_action(self, state: int, seat: Seat) -> int | None:
        return 7 if (state, seat) in self.forced else None

    def check_action(self, state: int, seat: Seat, raw: object) -> int:
        if type(raw) is not int or raw not in range(10):
            raise IllegalAction("that is no digit")
        return raw

    def apply(self, state: int, actions: Mapping[Seat, int]) -> tuple[int, tuple[Event, ...]]:
        assert tuple(sorted(actions)) == self.turns[state]
        said = [actions.get(seat) for seat in (0, 1)]
        return state + 1, ({"event": "said", "turn": state, "digits": said},)

    def outcome(self, state: int) -> Outcome | None:
        return None if state < len(self.turns) else Outcome(self.winner, "talked out", "Nothing is left to say.")

    def narrate(self, event: Event, names: Sequence[str]) -> str:
        return str(event)

    def draw(self, state: int) -> str:
        return str(state)

    def picture(self, state: int) -> Picture:
        return {"public": {"turn": state}, "seats": [{"you": 0}, {"you": 1}], "hidden": {}}


def turns(text: str) -> Turns:
    """``"0 1 01"``: seat 0, then seat 1, then both at once; ``!`` after a seat: it can only say 7."""
    words = [word.replace("!", "") for word in text.split()]
    forced = {
        (turn, int(seat))
        for turn, word in enumerate(text.split())
        for seat, mark in zip(word, word[1:] + " ", strict=True)
        if mark == "!"
    }
    return Turns(tuple(tuple(int(seat) for seat in word) for word in words), frozenset(forced))


class Play:
    """A match and all that it ever instructed; `tell` reports an event to it."""

    def __init__(
        self,
        game: Game | str,
        *,
        start: bool = True,
        spec: MatchSpec = SPEC,
        kind: type[Match] = Match,
        ask_forced: bool = False,
        **time: Any,
    ) -> None:
        game = turns(game) if isinstance(game, str) else game
        self.match = kind(spec, MatchTerms(game, "digits", TimeControl(**time), ask_forced))
        self.instructions: list[Instruction] = []
        if start:
            self.tell(BotReady(0))
            self.tell(BotReady(1))

    def tell(self, event: MatchEvent) -> list[Instruction]:
        new = self.match.handle(event)
        self.instructions += new
        return new

    def answer(
        self, seat: Seat, action: object = 5, elapsed_ms: float = 1.0, stalled_ms: float = 0.0
    ) -> list[Instruction]:
        """An answer to the newest request of a seat."""
        number = self.requests(seat)[-1].request
        return self.tell(ActionReceived(seat, number, action, elapsed_ms, stalled_ms))

    def sent(self, seat: Seat) -> list[Message]:
        return [each.message for each in self.instructions if isinstance(each, Send) and each.seat == seat]

    def requests(self, seat: Seat) -> list[Request]:
        return [message for message in self.sent(seat) if isinstance(message, Request)]

    def limits_ms(self, seat: Seat) -> list[float]:
        """What the shell was told of each request's limit."""
        return [
            each.limit_ms
            for each in self.instructions
            if isinstance(each, Send) and each.seat == seat and each.limit_ms is not None
        ]

    @property
    def asked(self) -> list[Seat]:
        """The seats that a request is waiting for."""
        return [seat for seat in (0, 1) if self.match._open[seat] is not None]

    @property
    def is_over(self) -> bool:
        return any(isinstance(each, End) for each in self.instructions)

    @property
    def result(self) -> MatchResult:
        """Of a match that is over; there must be exactly one end, after everything else."""
        ends = [each.result for each in self.instructions if isinstance(each, End)]
        assert len(ends) == 1
        assert isinstance(self.instructions[-1], End)
        return ends[0]

    @property
    def outcome(self) -> Outcome:
        return self.result.outcome


class Chooser:
    """A bot that plays legal cards by chance."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def choose(self, observation: dict[str, Any], legal: list[Any] | None) -> list[int]:
        if legal is not None:
            return list(self.chance.choice(legal))
        count = self.chance.randint(0, observation["max_replace"])
        return self.chance.sample(observation["hand"], count)


def play_by_chance(game: Game, spec: MatchSpec, ask_forced: bool = False, answers: int = 10**6) -> Play:
    """A match of Tacocat between two choosers, whose answers arrive in any order; at most so many answers of it."""
    play = Play(game, spec=spec, ask_forced=ask_forced)
    choosers = [Chooser(f"{spec.id} {seat}") for seat in (0, 1)]
    order = random.Random(spec.id)
    asked = [each for each in play.instructions if isinstance(each, Send) and isinstance(each.message, Request)]
    while asked and answers:
        answers -= 1
        request = asked.pop(order.randrange(len(asked))).message
        assert isinstance(request, Request)
        action = choosers[request.seat].choose(request.observation, request.legal_actions)
        news = play.tell(ActionReceived(request.seat, request.request, action, 1.0))
        asked += [each for each in news if isinstance(each, Send) and isinstance(each.message, Request)]
    return play
