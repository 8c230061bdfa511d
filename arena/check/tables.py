"""Matches in which one seat is the bot under test and the other is played here, by chance.

Theory of operation
-------------------
A `Match` judges and words everything, as in a tournament; a `Table` performs what it says. What goes to the bot's seat
goes over the wire; a request to the other seat is answered at once, in this process. A *plot* may meddle: it is called
when a request has been sent to the bot, and in place of each answer of the other seat, and may give the match an event
to be handled instead. That is how matches end early, and how anything is slipped in between two messages.

Events wait in a queue while instructions are performed, so that a match is never called from within itself.

`ids` replaces the first numbers of the match's requests on the wire; nothing is said about such numbers but that they
have 64 bits.
"""

from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from msgspec.structs import replace

from arena.check.choices import Choice
from arena.check.conversation import Conversation, Gone, Happening, Heard, Violation
from arena.check.host import Host
from arena.contracts import Game
from arena.match import (
    ActionReceived,
    AnswerIgnored,
    BotExited,
    BotReady,
    DeadlinePassed,
    FrameRejected,
    Instruction,
    Match,
    MatchEvent,
    Send,
)
from arena.model import Decision, MatchResult, Seat
from arena.referee.clocks import AnswerClock
from protocol.messages import Action, Error, Message, Request, to_json_object

__all__ = ["Plot", "Table", "play"]

_ID_BASE = 1000


class Table:
    """One match of `game`, in which the other seat plays by `choice`. `is_raw`: its messages go past the session.
    `plot`: see above."""

    def __init__(
        self,
        host: Host,
        conversation: Conversation,
        match: Match,
        seat: Seat,
        game: Game,
        choice: Choice,
        chance: Random,
        *,
        plot: "Plot | None" = None,
        ids: Sequence[int] = (),
        is_raw: bool = False,
    ) -> None:
        self.conversation = conversation
        self.match = match
        self.seat = seat
        self.result: MatchResult | None = None
        self.last_request: Request | None = None
        self.requests = 0
        """How many have been sent to the bot."""
        self.answers = 0
        """How many it gave to them."""
        self.strays: list[Action] = []
        """Answers to what was not open, or not any more."""
        self.objection = ""
        """The code of the error that the bot was sent, if it was."""
        self.is_raw = is_raw
        self._host = host
        self._game = game
        self._choice = choice
        self._chance = chance
        self._plot = plot
        self._ids = ids
        self._numbers: dict[int, int] = {}  # of requests, by what they are called on the wire
        self._open: int | None = None
        self._has_played_on = False
        self._due: deque[MatchEvent] = deque()
        self._clock = AnswerClock()

    @property
    def decisions(self) -> list[Decision]:
        """What the bot was asked and answered, when the match is over."""
        assert self.result is not None
        return [each for each in self.result.decisions if each.seat == self.seat and not each.forced]

    @property
    def is_alone(self) -> bool:
        """Whether one seat alone is to decide."""
        return len(self._game.seats_to_move(self.match.position)) == 1

    @property
    def is_forced(self) -> bool:
        """Whether there is a single legal action for the bot."""
        return self._game.forced_action(self.match.position, self.seat) is not None

    @property
    def has_strayed(self) -> bool:
        """Whether the bot has answered what was not open, and played on: its other faults have names of their own."""
        return bool(self.strays) and (self._has_played_on or self.result is not None)

    def was_asked(self, action: Action) -> bool:
        """Whether such a request was ever made in this match."""
        return action.match == self.match.spec.id and action.request in self._numbers

    @property
    def has_failed(self) -> bool:
        """Whether the bot has lost the match by a fault."""
        return self.result is not None and any(record.seat == self.seat for record in self.result.outcome.faults)

    def begin(self) -> None:
        for seat in (0, 1):
            self._handle(BotReady(seat))

    def hear(self, action: Action, at_ms: float) -> None:
        """The bot has answered something in this match."""
        number = self._numbers.get(action.request)
        if number is None or number != self._open:
            self.strays.append(action)
            self._handle(AnswerIgnored(self.seat))
            return
        self._open = None
        self.answers += 1
        self._has_played_on = bool(self.strays)
        times_ms = self._clock.times_ms(at_ms, self._host.stalled_ms())
        self._clock.stop()
        self._handle(ActionReceived(self.seat, number, action.action, *times_ms))

    def suffer(self, happening: Happening) -> None:
        """Something has happened that counts in every match of the process; an answer does when it is for none."""
        if isinstance(happening, Violation):
            self._handle(FrameRejected(self.seat, happening.code, happening.text))
        elif isinstance(happening, Gone):
            self._handle(BotExited(self.seat, happening.detail))
        else:
            self.strays.append(happening.action)
            self._handle(AnswerIgnored(self.seat))

    def look_at_clock(self) -> None:
        now_ms = self._host.clock()
        stalled_ms = self._host.stalled_ms()
        if self._clock.is_past(now_ms, stalled_ms):
            self._handle(DeadlinePassed(self.seat, *self._clock.times_ms(now_ms, stalled_ms)))

    def _handle(self, event: MatchEvent) -> None:
        self._due.append(event)
        while self._due and self.result is None:
            for instruction in self.match.handle(self._due.popleft()):
                self._perform(instruction)

    def _perform(self, instruction: Instruction) -> None:
        if not isinstance(instruction, Send):
            self.result = instruction.result
        elif instruction.seat == self.seat:
            self._clock.stop()
            self._send(instruction.message)
            if instruction.limit_ms is not None:
                self._clock.start(self._host.clock(), instruction.limit_ms, self._host.stalled_ms())
        elif isinstance(instruction.message, Request):
            request = instruction.message
            meddling = None if self._plot is None else self._plot(self, instruction.seat)
            action = self._choice(self._game, self.match.position, instruction.seat, self._chance)
            self._due.append(meddling or ActionReceived(instruction.seat, request.request, action, 0.0))

    def _send(self, message: Message) -> None:
        if isinstance(message, Request):
            self._open = message.request
            self._numbers[self._id(message.request)] = message.request
        if isinstance(message, Request | Error) and message.request is not None:
            message = replace(message, request=self._id(message.request))
        if isinstance(message, Error):
            self.objection = message.code
        if self.is_raw:
            self.conversation.send_raw(to_json_object(message))
        else:
            self._host.send(self.conversation, message)
        if isinstance(message, Request):
            self.last_request = message
            self.requests += 1
            meddling = None if self._plot is None else self._plot(self, self.seat)
            if meddling is not None:
                self._due.append(meddling)

    def _id(self, number: int) -> int:
        """What a request is called on the wire."""
        if not self._ids:
            return number
        return self._ids[number - 1] if number <= len(self._ids) else _ID_BASE + number


Plot: TypeAlias = Callable[[Table, Seat], MatchEvent | None]
"""Called with the seat that is asked; returns an event to be handled, in place of the other seat's answer."""


def play(host: Host, tables: Sequence[Table]) -> None:
    """Play all these matches at once, until they are over, or the bot goes wrong; losing a raw one is not wrong."""
    for table in tables:
        table.begin()
    conversations = list(dict.fromkeys(table.conversation for table in tables))
    while any(table.result is None for table in tables):
        host.pump()
        for conversation in conversations:
            _deliver_news(conversation, [each for each in tables if each.conversation is conversation])
        for table in tables:
            if table.result is None:
                table.look_at_clock()
        if any(table.has_strayed or (table.has_failed and not table.is_raw) for table in tables):
            return


def _deliver_news(conversation: Conversation, tables: Sequence[Table]) -> None:
    """Tell whom it concerns: an answer one match, everything else all that are open. The rest is left for later."""
    while conversation.has_news and (open_tables := [table for table in tables if table.result is None]):
        happening = conversation.take()
        if isinstance(happening, Heard):
            match = happening.action.match
            named = [table for table in open_tables if table.match.spec.id == match]
            for table in named:
                table.hear(happening.action, happening.at_ms)
            if named:
                continue
        for table in open_tables:
            table.suffer(happening)
