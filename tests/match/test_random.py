"""Whatever can happen to a match, in any order: it never fails, always ends, once, and tells each seat the truth."""

from itertools import chain

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
LIMIT_MS = 1050.0


@st.composite
def games(draw: st.DrawFn) -> Turns:
    turns = tuple(draw(st.lists(st.sampled_from([(0,), (1,), (0, 1)]), min_size=1, max_size=8)))
    decisions = [(turn, seat) for turn, seats in enumerate(turns) for seat in seats]
    forced = draw(st.sets(st.sampled_from(decisions), max_size=3)) if decisions else set()
    return Turns(turns, frozenset(forced), draw(st.sampled_from([0, 1, None])))


class Shell(RuleBasedStateMachine):
    """All that a shell may report, whenever it may, without any regard for what makes sense.

    What it knows, it knows from instructions alone: which requests are open, and that an error closes one.
    """

    @initialize(game=games(), ask_forced=st.booleans())
    def first_match(self, game: Turns, ask_forced: bool) -> None:
        self.begin(game, ask_forced)

    @precondition(lambda self: self.play.is_over)
    @rule(game=games(), ask_forced=st.booleans())
    def another_match(self, game: Turns, ask_forced: bool) -> None:
        self.check_end()
        self.begin(game, ask_forced)

    def begin(self, game: Turns, ask_forced: bool) -> None:
        self.game = game
        self.play = Play(game, start=False, ask_forced=ask_forced, move_ms=1000, margin_ms=50)
        self.open: dict[Seat, int] = {}
        self.ready: set[Seat] = set()

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

    def is_starting(self) -> bool:
        return not self.play.is_over and not self.play.match.is_playing

    @precondition(is_starting)
    @rule(seats=st.permutations([0, 1]))
    def hellos(self, seats: list[Seat]) -> None:
        for seat in seats:
            if self.is_starting() and seat not in self.ready:
                self.ready.add(seat)
                self.report(BotReady(seat))

    hellos_again = hellos

    @precondition(lambda self: self.open)
    @rule(first=SEATS, elapsed_ms=st.floats(0, LIMIT_MS), action=st.integers(0, 9))
    def answer(self, first: Seat, elapsed_ms: float, action: object) -> None:
        seat = first if first in self.open else 1 - first
        self.report(ActionReceived(seat, self.open.pop(seat), action, elapsed_ms))

    answer_again = and_again = and_once_more = answer  # likelier than the rest, or hardly a match would go far

    @precondition(lambda self: self.open)
    @rule(seat=SEATS, action=st.sampled_from([10, None, "5", [5], 5.0, True]))
    def illegal(self, seat: Seat, action: object) -> None:
        if seat in self.open:
            self.report(ActionReceived(seat, self.open.pop(seat), action, 1.0))

    @precondition(lambda self: self.open)
    @rule(
        seat=SEATS, late_ms=st.floats(0.001, 5000), stalled_ms=st.sampled_from([0.0, 10.0, 5000.0]), came=st.booleans()
    )
    def late(self, seat: Seat, late_ms: float, stalled_ms: float, came: bool) -> None:
        if seat in self.open:
            number, elapsed_ms = self.open.pop(seat), LIMIT_MS + late_ms
            answer = ActionReceived(seat, number, 5, elapsed_ms, stalled_ms)
            self.report(answer if came else DeadlinePassed(seat, elapsed_ms, stalled_ms))

    @precondition(lambda self: self.play.match.is_playing)
    @rule(seat=SEATS, times=st.sampled_from([1, 2, IGNORED_MAX]), number=st.integers(-1, 1))
    def unasked(self, seat: Seat, times: int, number: int) -> None:
        is_closed = self.open.get(seat) != number
        for _ in range(times):
            if self.play.match.is_playing:
                self.report(ActionReceived(seat, number, 5, 1.0) if is_closed else AnswerIgnored(seat))

    @precondition(lambda self: not self.play.is_over)
    @rule(seat=SEATS, what=st.sampled_from(["garbage", "exit", "silence", "arena"]))
    def misfortune(self, seat: Seat, what: str) -> None:
        if what == "garbage":
            self.report(FrameRejected(seat, "empty_frame", "nothing in it"))
        elif what == "exit":
            self.report(BotExited(seat, "it exited"))
        elif what == "arena":
            self.report(ArenaFailed("the run was stopped"))
        elif self.is_starting() and seat not in self.ready:
            self.report(DeadlinePassed(seat, 10_001.0))

    @invariant()
    def messages_come_in_order(self) -> None:
        for seat in (0, 1):
            sent = [message for message in self.play.sent(seat) if not isinstance(message, Error)]
            kinds = [type(message) for message in sent]
            assert kinds[:1] in ([], [MatchStart])
            assert MatchStart not in kinds[1:]
            assert MatchEnd not in kinds[:-1]
            numbers = [message.request for message in sent if isinstance(message, Request)]
            assert numbers == list(range(1, len(numbers) + 1))

    def teardown(self) -> None:
        for seat in (0, 1) if hasattr(self, "play") else ():
            if not self.play.is_over:
                self.report(BotExited(seat, "it exited"))
        if hasattr(self, "play"):
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
        turns = len(result.events) - 1
        assert [event["turn"] for event in result.events[1:]] == list(range(turns))
        assert len(result.decisions) == sum(map(len, self.game.turns[:turns]))
        for seat in (0, 1):
            self.check_told(seat, list(result.events))

    def check_told(self, seat: Seat, events: list[Event]) -> None:
        """Who was told of the start is told of everything, once, and of the end; who was not is told nothing of it."""
        told = [message for message in self.play.sent(seat) if not isinstance(message, Error)]
        if told:
            news = [message.events for message in told if isinstance(message, Request | MatchEnd)]
            assert list(chain.from_iterable(news)) == events
            end, outcome = told[-1], self.play.outcome
            assert isinstance(end, MatchEnd)
            assert (end.winner, end.reason, end.detail) == (outcome.winner, outcome.reason, outcome.detail)


TestShell = Shell.TestCase
TestShell.settings = settings(derandomize=True, max_examples=25, stateful_step_count=50, deadline=None)
