"""Whatever can happen to a match, in any order: it never fails, always ends, once, and tells each seat the truth."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.match import (
    IGNORED_MAX,
    ActionReceived,
    AnswerIgnored,
    ArenaFailed,
    BotExited,
    BotReady,
    DeadlinePassed,
    FrameRejected,
    MatchEvent,
    Send,
)
from arena.model import Event, Seat
from protocol.messages import Error, MatchEnd, MatchStart, Request
from tests.match_play import Play, Turns

SEATS = st.sampled_from([0, 1])
TURNS = st.lists(st.sampled_from([(0,), (1,), (0, 1)]), max_size=6).map(tuple)
LIMIT_MS = 1050.0


@st.composite
def games(draw: st.DrawFn) -> Turns:
    turns = draw(TURNS)
    decisions = [(turn, seat) for turn, seats in enumerate(turns) for seat in seats]
    forced = draw(st.sets(st.sampled_from(decisions), max_size=3)) if decisions else set()
    return Turns(turns, frozenset(forced), draw(st.sampled_from([0, 1, None])))


class Shell(RuleBasedStateMachine):
    """All that a shell may report, whenever it may, without any regard for what makes sense.

    What it knows, it knows from instructions alone: which requests are open, and that an error closes one.
    """

    @initialize(game=games(), ask_forced=st.booleans())
    def begin(self, game: Turns, ask_forced: bool) -> None:
        self.game = game
        self.play = Play(game, start=False, ask_forced=ask_forced, move_ms=1000, margin_ms=50)
        self.open: dict[Seat, int] = {}
        self.ready: set[Seat] = set()
        self.faults: list[tuple[Seat, str]] = []

    def report(self, event: MatchEvent) -> None:
        for instruction in self.play.tell(event):
            if not isinstance(instruction, Send):
                continue
            match instruction.message:
                case Request() as request:
                    assert instruction.seat not in self.open
                    assert instruction.limit_ms == LIMIT_MS
                    self.open[instruction.seat] = request.request
                case Error() | MatchEnd():
                    self.open.pop(instruction.seat, None)

    def is_going_on(self) -> bool:
        return not self.play.is_over

    def is_playing(self) -> bool:
        return self.is_going_on() and self.play.match.is_playing

    @precondition(lambda self: self.is_going_on() and not self.is_playing() and self.ready != {0, 1})
    @rule(seat=SEATS)
    def hello(self, seat: Seat) -> None:
        if seat not in self.ready:
            self.ready.add(seat)
            self.report(BotReady(seat))

    @precondition(lambda self: self.open)
    @rule(seat=SEATS, elapsed_ms=st.floats(0, LIMIT_MS), action=st.integers(0, 9) | st.none())
    def answer(self, seat: Seat, elapsed_ms: float, action: object) -> None:
        if seat in self.open:
            self.report(ActionReceived(seat, self.open.pop(seat), action, elapsed_ms))

    answer_again = answer  # twice as likely: else most matches end by a fault

    @precondition(lambda self: self.open)
    @rule(
        seat=SEATS,
        late_ms=st.floats(0.001, 5000),
        stalled_ms=st.sampled_from([0.0, 0.0, 10.0, 5000.0]),
        came=st.booleans(),
    )
    def late(self, seat: Seat, late_ms: float, stalled_ms: float, came: bool) -> None:
        if seat in self.open:
            number, elapsed_ms = self.open.pop(seat), LIMIT_MS + late_ms
            if came:
                self.report(ActionReceived(seat, number, 5, elapsed_ms, stalled_ms))
            else:
                self.report(DeadlinePassed(seat, elapsed_ms, stalled_ms))

    @precondition(is_playing)
    @rule(seat=SEATS, times=st.sampled_from([1, 2, IGNORED_MAX]), number=st.none() | st.integers(-1, 1))
    def unasked(self, seat: Seat, times: int, number: int | None) -> None:
        for _ in range(times):
            if self.is_going_on():
                closed = number is not None and self.open.get(seat) != number
                self.report(ActionReceived(seat, number or 0, 5, 1.0) if closed else AnswerIgnored(seat))

    @precondition(is_going_on)
    @rule(seat=SEATS)
    def garbage(self, seat: Seat) -> None:
        self.report(FrameRejected(seat, "empty_frame", "nothing in it"))

    @precondition(is_going_on)
    @rule(seat=SEATS)
    def exit(self, seat: Seat) -> None:
        self.report(BotExited(seat, "it exited"))

    @precondition(lambda self: self.is_going_on() and not self.is_playing())
    @rule(seat=SEATS)
    def no_hello(self, seat: Seat) -> None:
        if seat not in self.ready:
            self.report(DeadlinePassed(seat, 10_001.0))

    @precondition(is_going_on)
    @rule(luck=st.integers(0, 9))
    def arena_fails(self, luck: int) -> None:
        if luck == 0:
            self.report(ArenaFailed("no luck"))

    @invariant()
    def messages_come_in_order(self) -> None:
        for seat in (0, 1) if hasattr(self, "play") else ():
            sent = [message for message in self.play.sent(seat) if not isinstance(message, Error)]
            kinds = [type(message) for message in sent]
            assert kinds.count(MatchStart) == (MatchStart in kinds)
            assert kinds[:1] in ([], [MatchStart])
            assert MatchEnd not in kinds[:-1]
            numbers = [message.request for message in sent if isinstance(message, Request)]
            assert numbers == list(range(1, len(numbers) + 1))

    def teardown(self) -> None:
        if not hasattr(self, "play"):
            return
        for seat in (0, 1):
            if not self.play.is_over:
                self.exit(seat)
        self.check_end()

    def check_end(self) -> None:
        result = self.play.result
        outcome, faults = result.outcome, result.outcome.faults
        if outcome.is_aborted:
            assert (outcome.winner, faults) == (None, ())
        elif faults:
            assert outcome.winner == (1 - faults[0].seat if len(faults) == 1 else None)
            assert outcome.reason == "+".join(fault for _, fault in faults)
            assert [seat for seat, _ in faults] == sorted({seat for seat, _ in faults})
            assert outcome.detail
        else:
            assert outcome == self.game.outcome(len(self.game.turns))
        assert len(result.events) == 1 + len({event["turn"] for event in result.events[1:]})
        assert len(result.decisions) == sum(len(seats) for seats in self.game.turns[: len(result.events) - 1])
        for seat in (0, 1):
            self.check_told(seat, list(result.events))

    def check_told(self, seat: Seat, events: list[Event]) -> None:
        """Who was told of the start is told of everything, once, and of the end; who was not is told nothing of it."""
        told = [message for message in self.play.sent(seat) if not isinstance(message, Error)]
        if not told:
            return
        assert isinstance(told[0], MatchStart)
        assert sum((message.events for message in told[1:] if isinstance(message, Request | MatchEnd)), []) == events
        end, outcome = told[-1], self.play.outcome
        assert isinstance(end, MatchEnd)
        assert (end.winner, end.reason, end.detail) == (outcome.winner, outcome.reason, outcome.detail)


TestShell = Shell.TestCase
TestShell.settings = settings(derandomize=True, max_examples=150, stateful_step_count=30, deadline=None)
