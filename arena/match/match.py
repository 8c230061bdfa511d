"""The core of one match: a state machine. Event in, instructions out; no I/O, no clock, no chance.

Theory of operation
-------------------
A match is STARTING until both bots are ready (or have failed to be), then PLAYING, then OVER. The shell around it
(`arena.referee.referee`) reports what happened as events and performs the instructions that come back, in order.
Whatever takes time is measured by the shell and reported as a number, so a test plays a match without waiting.

While PLAYING, one *decision* is due at a time: the seats that the game names are asked, both at once when the decision
is simultaneous, and nobody sees an answer before all are in. A decision with one legal action is played without asking.

An answer is judged in one place (`_judge_answer`) and in one order:

    deadline passed            -> timeout
    not decodable              -> protocol_error        (the shell reports `FrameRejected`)
    for a closed request       -> counted and ignored   (too many: protocol_error)
    not legal                  -> illegal_action
    else                       -> applied

A fault ends the match at once, with one exception: in a simultaneous decision the other seat's answer (or fault) is
awaited first, because two faults in one such decision are a draw. Who did no wrong is always told that it won.
"""

from collections import deque
from collections.abc import Callable, Mapping
from enum import IntEnum, auto
from typing import Any, TypeAlias

from msgspec import Struct

from arena.contracts import Action, State
from arena.errors import IllegalAction, InvalidTransition
from arena.match.events import (
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    BotReady,
    DeadlinePassed,
    End,
    FrameRejected,
    Instruction,
    MatchEvent,
    Send,
)
from arena.match.terms import MatchTerms
from arena.model import (
    ABORTED,
    Decision,
    Event,
    Fault,
    FaultRecord,
    MatchResult,
    MatchSpec,
    Outcome,
    Seat,
)
from protocol.messages import Error, MatchEnd, MatchStart, Message, Request
from protocol.refusals import shown

__all__ = ["IGNORED_MAX", "NEWS_MAX", "Match"]

IGNORED_MAX = 16
"""Answers to closed requests that a bot may send in one match. An honest bot sends one after each timeout it survives,
which is none; a flood must end."""

NEWS_MAX = 500
"""Events in one message, the newest of very many: a game may have rules by which a seat is not asked for a long time,
and a message must stay below 64 KiB."""


class _Stage(IntEnum):
    STARTING = auto()
    PLAYING = auto()
    OVER = auto()


class _OpenRequest(Struct, frozen=True):
    number: int
    budget_ms: float
    limit_ms: float


class Match:
    """One match. `handle` is the whole interface."""

    def __init__(self, spec: MatchSpec, terms: MatchTerms) -> None:
        self.spec = spec
        self._terms = terms
        self._game = terms.game
        self._stage = _Stage.STARTING
        self._ready: set[Seat] = set()
        self._told_of_start: set[Seat] = set()
        self._faults: dict[Seat, tuple[Fault, str]] = {}
        self._state, events = terms.game.initial_state(spec.seed)
        self._events: list[Event] = list(events)
        self._told = [0, 0]  # how many of the events each seat has been sent
        self._decisions: list[Decision] = []
        self._due: tuple[Seat, ...] = ()  # seats that have part in the decision that is due
        self._phase = ""  # of that decision
        self._asked: tuple[Seat, ...] = ()  # those of them whose bots were asked
        self._open: list[_OpenRequest | None] = [None, None]
        self._answers: dict[Seat, Decision] = {}
        self._requests = [0, 0]  # numbered by seat: a common count would tell how often the other one was asked
        bank_ms = terms.time.bank_ms
        self._bank_ms = [float(bank_ms), float(bank_ms)] if bank_ms is not None else None
        self._ignored = [0, 0]
        self._story: deque[MatchEvent] = deque(maxlen=40)
        self._instructions: list[Instruction] = []

    @property
    def position(self) -> State:
        """Where the game stands."""
        return self._state

    @property
    def is_playing(self) -> bool:
        """Whether both bots are in: only then can an answer concern this match."""
        return self._stage is _Stage.PLAYING

    def handle(self, event: MatchEvent) -> list[Instruction]:
        """Take one event; return what is to be done about it, in order.

        Raises `InvalidTransition` for an event that cannot happen in this stage: a bug of the shell's.
        """
        self._story.append(event)
        row = _TRANSITIONS[self._stage].get(type(event))
        if row is None:
            raise InvalidTransition(f"match {self.spec.id}: {event} while {self._stage.name}", self._tell_story())
        self._instructions = []
        row(self, event)
        return self._instructions

    # --- starting -------------------------------------------------------------------------------------------------

    def _become_ready(self, event: BotReady) -> None:
        if event.seat in self._faults:
            return  # a hello was refused before, and the match waits for the other seat only
        self._ready.add(event.seat)
        self._start_when_both_are_known()

    def _fail_to_start(self, event: DeadlinePassed | FrameRejected | BotExited) -> None:
        seat = event.seat
        if seat in self._faults:
            return
        fault = Fault.STARTUP_FAILURE
        if seat in self._ready:  # it had started; what it did while the other one was still starting has its own name
            self._ready.discard(seat)
            fault = Fault.CRASH
            if isinstance(event, FrameRejected):
                fault = Fault.PROTOCOL_ERROR
                self._send(seat, Error(event.code, event.detail))
        self._faults[seat] = (fault, f"{self.spec.bots[seat]}: {_describe_failure(event)}")
        self._start_when_both_are_known()

    def _start_when_both_are_known(self) -> None:
        if len(self._ready) + len(self._faults) < 2:
            return
        for seat in sorted(self._ready):
            self._send(seat, self._match_start(seat))
            self._told_of_start.add(seat)
        if self._faults:
            self._end_by_faults()
        else:
            self._stage = _Stage.PLAYING
            self._advance()

    def _match_start(self, seat: Seat) -> MatchStart:
        terms = self._terms
        return MatchStart(
            match=self.spec.id,
            game=terms.game_name,
            seat=seat,
            players=list(self.spec.bots),
            rules=dict(terms.public_rules),
            time=terms.public_time,
        )

    # --- asking ---------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Go on until a bot has to be asked or the match is over."""
        game = self._game
        while True:
            self._due = game.seats_to_move(self._state)
            if not self._due:
                outcome = game.outcome(self._state)
                assert outcome is not None, "no seat to move, but no outcome"
                self._end(outcome)
                return
            self._phase = game.phase(self._state)
            self._answers = {}
            asked = []
            for seat in self._due:
                action = None if self._terms.ask_forced else game.forced_action(self._state, seat)
                if action is None:
                    asked.append(seat)
                else:
                    self._answers[seat] = Decision(seat, self._phase, action, 0.0, True)
            self._asked = tuple(asked)
            if asked:
                for seat in asked:
                    self._ask(seat)
                return
            self._apply()

    def _ask(self, seat: Seat) -> None:
        game, state = self._game, self._state
        budget_ms = self._budget_ms(seat)
        limit_ms = budget_ms + self._terms.time.margin_ms
        self._requests[seat] += 1
        number = self._requests[seat]
        self._open[seat] = _OpenRequest(number, budget_ms, limit_ms)
        request = Request(
            match=self.spec.id,
            request=number,
            seat=seat,
            observation=game.observation(state, seat),
            events=self._news(seat),
            legal_actions=game.legal_actions(state, seat),
            time_ms=int(budget_ms),
        )
        self._send(seat, request, limit_ms)

    def _budget_ms(self, seat: Seat) -> float:
        move_ms = self._terms.time.move_ms
        if self._bank_ms is None:
            assert move_ms is not None, "a time control has a move limit or a bank"
            return float(move_ms)
        bank_ms = self._bank_ms[seat]
        return bank_ms if move_ms is None else min(bank_ms, float(move_ms))

    def _news(self, seat: Seat) -> list[Event]:
        """The public events since the last message to this seat (of very many, the newest); counts them as told."""
        told, happened = self._told[seat], len(self._events)
        self._told[seat] = happened
        return self._events[max(told, happened - NEWS_MAX) :]

    # --- judging --------------------------------------------------------------------------------------------------

    def _judge_answer(self, event: ActionReceived) -> None:
        seat = event.seat
        request = self._open[seat]
        if request is None or request.number != event.request:
            self._count_ignored(seat)
            return
        if event.elapsed_ms > request.limit_ms:
            self._time_out(seat, request, event, "the answer came after")
            return
        try:
            action = self._game.check_action(self._state, seat, event.action)
        except IllegalAction as reason:
            answer = f"it answered {shown(repr(event.action))} after {event.elapsed_ms:.0f} ms"
            self._fault(seat, Fault.ILLEGAL_ACTION, f"{self._name_request(seat, request)}: {reason}; {answer}")
            return
        self._charge(seat, request, event.elapsed_ms)
        self._answers[seat] = Decision(seat, self._phase, action, event.elapsed_ms, False)
        self._open[seat] = None
        self._settle()

    def _pass_deadline(self, event: DeadlinePassed) -> None:
        request = self._open[event.seat]
        if request is not None:
            self._time_out(event.seat, request, event, "no answer within")

    def _time_out(self, seat: Seat, request: _OpenRequest, event: ActionReceived | DeadlinePassed, what: str) -> None:
        detail = (
            f"{self._name_request(seat, request)}: {what} {event.elapsed_ms:.0f} ms;"
            f" it had {request.budget_ms:.0f} ms and {self._terms.time.margin_ms} ms of margin"
        )
        if event.stalled_ms >= 1.0:
            detail += f"; the arena itself stood still for another {event.stalled_ms:.0f} ms, which are not counted"
        if self._ignored[seat]:
            detail += f"; ignored answers to requests that were not open: {self._ignored[seat]}"
        self._fault(seat, Fault.TIMEOUT, detail)

    def _name_request(self, seat: Seat, request: _OpenRequest) -> str:
        return f"request {request.number} ({self._phase}) to {self.spec.bots[seat]}"

    def _charge(self, seat: Seat, request: _OpenRequest, elapsed_ms: float) -> None:
        if self._bank_ms is not None:
            left_ms = self._bank_ms[seat] - min(elapsed_ms, request.budget_ms)
            self._bank_ms[seat] = left_ms + self._terms.time.increment_ms

    def _count_ignored(self, seat: Seat) -> None:
        self._ignored[seat] += 1
        if self._ignored[seat] > IGNORED_MAX:
            detail = f"{self.spec.bots[seat]} sent {self._ignored[seat]} answers that nobody had asked for"
            self._fault(seat, Fault.PROTOCOL_ERROR, detail, code="flood")

    def _ignore_answer(self, event: AnswerIgnored) -> None:
        self._count_ignored(event.seat)

    def _reject_frame(self, event: FrameRejected) -> None:
        self._fault(event.seat, Fault.PROTOCOL_ERROR, self._in_context(event.seat, event.detail), code=event.code)

    def _lose_bot(self, event: BotExited) -> None:
        self._fault(event.seat, Fault.CRASH, self._in_context(event.seat, event.detail))

    def _in_context(self, seat: Seat, detail: str) -> str:
        request = self._open[seat]
        if request is not None:
            return f"{self._name_request(seat, request)}: {detail}"
        return f"{self.spec.bots[seat]}, which no request was waiting for: {detail}"

    def _fault(self, seat: Seat, fault: Fault, detail: str, code: str = "") -> None:
        if seat in self._faults:
            return  # only the first counts; what a bot does after its verdict is not judged
        self._faults[seat] = (fault, detail)
        request = self._open[seat]
        self._open[seat] = None
        number = request.number if request is not None else None
        self._send(seat, Error(code or fault.value, detail, match=self.spec.id, request=number))
        if seat in self._asked:
            self._settle()
        else:
            self._end_by_faults()

    # --- going on -------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Called when a seat of the decision that is due has answered or failed: go on when the last one has."""
        for seat in self._asked:
            if self._open[seat] is not None:
                return
        if self._faults:
            self._end_by_faults()
            return
        self._apply()
        self._advance()

    def _apply(self) -> None:
        actions: dict[Seat, Action] = {}
        for seat in self._due:
            decision = self._answers[seat]
            self._decisions.append(decision)
            actions[seat] = decision.action
        self._state, events = self._game.apply(self._state, actions)
        self._events += events

    def _end_by_faults(self) -> None:
        records = tuple(FaultRecord(seat, self._faults[seat][0]) for seat in sorted(self._faults))
        self._end(
            Outcome(
                winner=1 - records[0].seat if len(records) == 1 else None,
                reason="+".join(record.fault.value for record in records),
                detail="; ".join(self._faults[record.seat][1] for record in records),
                faults=records,
            )
        )

    def _fail(self, event: ArenaFailed) -> None:
        self._end(Outcome(winner=None, reason=ABORTED, detail=event.detail))

    def _end(self, outcome: Outcome) -> None:
        for seat in sorted(self._told_of_start):
            self._send(seat, MatchEnd(self.spec.id, outcome.winner, outcome.reason, outcome.detail, self._news(seat)))
        self._stage = _Stage.OVER
        result = MatchResult(
            spec=self.spec,
            outcome=outcome,
            events=tuple(self._events),
            decisions=tuple(self._decisions),
            ignored=(self._ignored[0], self._ignored[1]),
        )
        self._instructions.append(End(result))

    def _send(self, seat: Seat, message: Message, limit_ms: float | None = None) -> None:
        self._instructions.append(Send(seat, message, limit_ms))

    def _tell_story(self) -> list[str]:
        return [f"spec {self.spec}", f"faults {self._faults}", *(str(event) for event in self._story)]


def _describe_failure(event: DeadlinePassed | FrameRejected | BotExited) -> str:
    if isinstance(event, DeadlinePassed):
        return f"no valid hello within {event.elapsed_ms:.0f} ms of its start"
    return event.detail


_Row: TypeAlias = Callable[[Match, Any], None]
_TRANSITIONS: Mapping[_Stage, Mapping[type[Any], _Row]] = {
    _Stage.STARTING: {
        BotReady: Match._become_ready,
        DeadlinePassed: Match._fail_to_start,
        FrameRejected: Match._fail_to_start,
        BotExited: Match._fail_to_start,
        ArenaFailed: Match._fail,
    },
    _Stage.PLAYING: {
        ActionReceived: Match._judge_answer,
        AnswerIgnored: Match._ignore_answer,
        FrameRejected: Match._reject_frame,
        DeadlinePassed: Match._pass_deadline,
        BotExited: Match._lose_bot,
        ArenaFailed: Match._fail,
    },
    _Stage.OVER: {},
}
"""Every event that can happen in a stage; what is absent cannot, and is a bug of the shell's."""
