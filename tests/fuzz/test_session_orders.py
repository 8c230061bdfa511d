"""Sessions under all orders of events: against a second statement of the rules, and with messages that cross."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Action, Bye, Error, Hello, MatchEnd, MatchStart, Message, Request, Welcome, encode
from protocol.session import ConnectionState, LocalProtocolError, MatchState, ProtocolViolation, Session, Stale

fuzz = settings(max_examples=100, deadline=None, derandomize=True, database=None)


def request(match: str, number: int) -> Request:
    return Request(match=match, request=number, seat=0, observation={}, events=[], time_ms=1)


matches = st.sampled_from("ab")
numbers = st.integers(1, 2)
anything = st.one_of(
    st.sampled_from([Hello(1, "t"), Hello(1, "t", concurrency=2), Hello(2, "t")]),
    st.just(Welcome(1, "arena", "bot", 65_536)),
    matches.map(lambda match: MatchStart(match, "g", 0, [], {}, {})),
    st.builds(lambda match, number: request(match, number), matches, numbers),
    st.builds(lambda match, number: Action(match, number, []), matches, numbers),
    matches.map(lambda match: MatchEnd(match, None, "r", "", [])),
    st.just(Error("c", "m")),
    st.just(Bye("r")),
)
# long enough for a match, biased to what makes one
openings = st.sampled_from(
    [
        [],
        [Hello(1, "t")],
        [Hello(1, "t"), Welcome(1, "arena", "bot", 65_536)],
        [Hello(1, "t", concurrency=2), Welcome(1, "arena", "bot", 65_536), MatchStart("a", "g", 0, [], {}, {})],
    ]
)
talks = st.builds(lambda opening, rest: opening + rest, openings, st.lists(anything, max_size=25))


class Rules:
    """The rules once more, as prose would put them: over the list of all that was validly said so far."""

    def __init__(self) -> None:
        self.said: list[Message] = []

    def allows(self, message: Message) -> bool:
        said = self.said
        kinds = [type(earlier) for earlier in said]
        if Bye in kinds:
            return False
        if isinstance(message, Error | Bye):
            return True
        if isinstance(message, Hello):
            return Hello not in kinds and message.protocol == 1
        if isinstance(message, Welcome):
            return Hello in kinds and Welcome not in kinds
        if Welcome not in kinds:
            return False
        if isinstance(message, MatchStart):
            return not self.is_open(message.match) and sum(map(self.is_open, "ab")) < said_hello(said).concurrency
        if not self.is_open(message.match):
            return False
        if isinstance(message, Action):
            return self.open_request(message.match) == message.request
        return isinstance(message, MatchEnd) or self.open_request(message.match) is None

    def of(self, match: str) -> list[Message]:
        """What was said of a match since it last began."""
        said = [earlier for earlier in self.said if getattr(earlier, "match", None) == match]
        starts = [at for at, earlier in enumerate(said) if isinstance(earlier, MatchStart)]
        return said[starts[-1] :] if starts else []

    def is_open(self, match: str) -> bool:
        said = self.of(match)
        return bool(said) and not isinstance(said[-1], MatchEnd)

    def open_request(self, match: str) -> int | None:
        last = self.of(match)[-1]
        return last.request if isinstance(last, Request) else None


def said_hello(said: list[Message]) -> Hello:
    return next(message for message in said if isinstance(message, Hello))


def send(session: Session, message: Message) -> bool:
    try:
        session.send(message)
    except LocalProtocolError:
        return False
    return True


def receive(session: Session, message: Message) -> bool:
    try:
        return not isinstance(session.receive(encode(message)), Stale)
    except ProtocolViolation:
        return False


@given(talks)
@fuzz
def test_both_ends_allow_exactly_what_the_rules_allow(talk):
    rules, referee, bot = Rules(), Session("referee"), Session("bot")
    for message in talk:
        allowed = rules.allows(message)
        sender, receiver = (bot, referee) if isinstance(message, Hello | Action) else (referee, bot)
        assert send(sender, message) is allowed
        assert receive(receiver, message) is allowed
        if allowed:
            rules.said.append(message)
        assert referee.open_matches == bot.open_matches
        assert set(referee.open_matches) == {match for match in "ab" if rules.is_open(match)}


@given(talks)
@fuzz
def test_what_one_side_may_not_say_is_refused_when_it_comes_all_the_same(talk):
    """A bot that keeps to nothing: its messages go to the referee as they are, and only it is to blame."""
    rules, referee = Rules(), Session("referee")
    for message in talk:
        allowed = rules.allows(message)
        if isinstance(message, Hello | Action):
            assert receive(referee, message) is allowed
        else:
            assert receive(referee, message) is False  # the bot says what only the referee may say
            assert send(referee, message) is allowed
        if allowed:
            rules.said.append(message)


class Line:
    """A referee and an honest bot, with a line between them on which messages take their time."""

    def __init__(self) -> None:
        self.referee, self.bot = Session("referee"), Session("bot")
        self.referee.receive(self.bot.send(Hello(1, "t", concurrency=2)))
        self.to_bot = deque([self.referee.send(Welcome(1, "arena", "bot", 65_536))])
        self.to_referee: deque[bytes] = deque()
        self.unanswered: deque[Request] = deque()
        self.accepted: list[Action] = []
        self.requests = 0

    def referee_goes_on(self, match: str) -> None:
        """With the next thing that it may say of a match."""
        if self.referee.state is ConnectionState.CLOSED:
            return
        state = self.referee.match_state(match)
        message: MatchStart | Request | MatchEnd
        if state is MatchState.ABSENT:
            message = MatchStart(match, "g", 0, [], {}, {})
        elif state is MatchState.ASKED:
            message = MatchEnd(match, None, "timeout", "", [])
        else:
            self.requests += 1
            message = request(match, self.requests)
        self.to_bot.append(self.referee.send(message))

    def referee_says_bye(self) -> None:
        if self.referee.state is ConnectionState.READY:
            self.to_bot.append(self.referee.send(Bye("done")))

    def bot_reads(self) -> None:
        if self.to_bot:
            message = self.bot.receive(self.to_bot.popleft())
            if isinstance(message, Request):
                self.unanswered.append(message)

    def bot_answers(self) -> None:
        """The oldest request, unless the bot has heard that nobody waits for it any more."""
        if self.unanswered:
            asked = self.unanswered.popleft()
            with suppress(LocalProtocolError):
                self.to_referee.append(self.bot.send(Action(asked.match, asked.request, asked.request)))

    def referee_reads(self) -> None:
        if self.to_referee:
            message = self.referee.receive(self.to_referee.popleft())
            if isinstance(message, Action):
                self.accepted.append(message)


STEPS: list[Callable[[Line], None]] = [
    lambda line: line.referee_goes_on("a"),
    lambda line: line.referee_goes_on("b"),
    Line.bot_reads,
    Line.bot_reads,
    Line.bot_answers,
    Line.referee_reads,
]


@given(st.lists(st.sampled_from(STEPS), max_size=80), st.lists(st.sampled_from(STEPS), max_size=20))
@fuzz
def test_messages_that_cross_are_never_a_violation(before_bye, after_bye):
    """Whatever the delays, nobody is accused, and no answer is taken for another request than its own."""
    line = Line()
    for step in [*before_bye, Line.referee_says_bye, *after_bye]:
        step(line)
    assert all(answer.action == answer.request for answer in line.accepted)
    assert len({answer.request for answer in line.accepted}) == len(line.accepted)


def test_the_line_carries_answers_both_in_time_and_too_late():
    """The walk above is worth something only if both happen."""
    line = Line()
    go_on, _, read, _, answer, take = STEPS
    for step in [read, go_on, go_on, read, read, answer, take]:
        step(line)
    assert len(line.accepted) == 1
    for step in [go_on, read, answer, go_on, take]:
        step(line)
    assert len(line.accepted) == 1
    assert not line.to_referee
