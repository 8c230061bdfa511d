"""Who may say what when. The expectations are written out here, not read from the table under test."""

from typing import Self

import pytest

from protocol.messages import (
    Action,
    BadFrame,
    Bye,
    Error,
    Hello,
    MatchEnd,
    MatchStart,
    Message,
    Request,
    Welcome,
    encode,
    type_name,
)
from protocol.session import (
    CONNECTION,
    MATCH,
    ConnectionState,
    LocalProtocolError,
    MatchState,
    ProtocolViolation,
    Session,
    Stale,
    diagram,
)

HELLO, WELCOME, BYE, ERROR = Hello(1, "token"), Welcome(1, "arena", "bot", 65_536), Bye("done"), Error("code", "text")


def start(match: str = "m") -> MatchStart:
    return MatchStart(match, "tacocat", 0, ["a", "b"], {}, {})


def request(number: int = 1, match: str = "m") -> Request:
    return Request(match=match, request=number, seat=0, observation={}, events=[], legal_actions=[[1]], time_ms=1000)


def action(number: int = 1, match: str = "m") -> Action:
    return Action(match, number, [1])


def end(match: str = "m") -> MatchEnd:
    return MatchEnd(match, 0, "goal", "", [])


BOT_SAYS = (Hello, Action)


class Talk:
    """Both ends of one conversation, joined without delay."""

    def __init__(self, *messages: Message) -> None:
        self.bot, self.referee = Session("bot"), Session("referee")
        for message in messages:
            self.say(message)

    def ends(self, message: Message) -> tuple[Session, Session]:
        """(sender's, receiver's) end."""
        return (self.bot, self.referee) if isinstance(message, BOT_SAYS) else (self.referee, self.bot)

    def say(self, message: Message) -> Self:
        sender, receiver = self.ends(message)
        received = receiver.receive(sender.send(message))
        assert (type(received), received) == (type(message), message)
        return self

    def states(self, match: str = "m") -> str:
        assert self.bot.state == self.referee.state
        assert self.bot.match_state(match) == self.referee.match_state(match)
        return f"{self.referee.state} {self.referee.match_state(match)}"


TALKS: dict[str, tuple[Message, ...]] = {
    "nothing said": (),
    "hello said": (HELLO,),
    "welcomed": (HELLO, WELCOME),
    "match started": (HELLO, WELCOME, start()),
    "asked": (HELLO, WELCOME, start(), request()),
    "answered": (HELLO, WELCOME, start(), request(), action()),
    "match over": (HELLO, WELCOME, start(), request(), end()),
    "bye said": (HELLO, WELCOME, start(), request(), BYE),
}

STATES = {
    "nothing said": "NEW ABSENT",
    "hello said": "GREETING ABSENT",
    "welcomed": "READY ABSENT",
    "match started": "READY WAITING",
    "asked": "READY ASKED",
    "answered": "READY WAITING",
    "match over": "READY ABSENT",
    "bye said": "CLOSED ASKED",
}

MAY_FOLLOW: dict[str, dict[str, str]] = {
    "nothing said": {"hello": "GREETING ABSENT", "error": "NEW ABSENT", "bye": "CLOSED ABSENT"},
    "hello said": {"welcome": "READY ABSENT", "error": "GREETING ABSENT", "bye": "CLOSED ABSENT"},
    "welcomed": {"match_start": "READY WAITING", "error": "READY ABSENT", "bye": "CLOSED ABSENT"},
    "match started": {
        "request": "READY ASKED",
        "match_end": "READY ABSENT",
        "error": "READY WAITING",
        "bye": "CLOSED WAITING",
    },
    "asked": {"action": "READY WAITING", "match_end": "READY ABSENT", "error": "READY ASKED", "bye": "CLOSED ASKED"},
    "answered": {
        "request": "READY ASKED",
        "match_end": "READY ABSENT",
        "error": "READY WAITING",
        "bye": "CLOSED WAITING",
    },
    "match over": {"match_start": "READY WAITING", "error": "READY ABSENT", "bye": "CLOSED ABSENT"},
    "bye said": {},
}

EVERYTHING: dict[str, Message] = {
    "hello": HELLO,
    "welcome": WELCOME,
    "error": ERROR,
    "bye": BYE,
    "match_start": start(),
    "request": request(),
    "action": action(),
    "match_end": end(),
}


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("situation", TALKS)
def test_in_every_situation_every_message_is_allowed_or_refused_at_both_ends(situation, name):
    talk, message = Talk(*TALKS[situation]), EVERYTHING[name]
    assert talk.states() == STATES[situation]
    if name in MAY_FOLLOW[situation]:
        talk.say(message)
        assert talk.states() == MAY_FOLLOW[situation][name]
        return
    sender, receiver = talk.ends(message)
    with pytest.raises(LocalProtocolError):
        sender.send(message)
    if isinstance(message, Action) and situation not in ("nothing said", "hello said"):
        assert isinstance(receiver.receive(encode(message)), Stale)
    else:
        with pytest.raises(ProtocolViolation):
            receiver.receive(encode(message))
    assert talk.states() == STATES[situation]


def test_the_two_sides_do_not_speak_each_others_lines():
    talk = Talk(HELLO, WELCOME)
    for message in (WELCOME, start(), request(), end(), ERROR, BYE):
        with pytest.raises(ProtocolViolation, match=f"{type_name(type(message))} is never sent by the bot") as refusal:
            talk.referee.receive(encode(message))
        assert refusal.value.code == "wrong_sender"
    for line in (HELLO, action()):
        with pytest.raises(ProtocolViolation) as refusal:
            talk.bot.receive(encode(line))
        assert refusal.value.code == "wrong_sender"


@pytest.mark.parametrize(
    ("talk", "message", "code", "text"),
    [
        ((), action(), "unexpected", "action may not come now (NEW): the bot may send hello"),
        ((HELLO,), HELLO, "unexpected", "hello may not come now (GREETING): the bot may send nothing"),
        ((HELLO, WELCOME), HELLO, "unexpected", "hello may not come now (READY): the bot may send action"),
        ((), Hello(2, "token"), "wrong_protocol", "this side speaks protocol 1, the other 2"),
    ],
)
def test_violations_say_what_would_have_been_right(talk, message, code, text):
    with pytest.raises(ProtocolViolation) as refusal:
        Talk(*talk).referee.receive(encode(message))
    assert (refusal.value.code, refusal.value.text) == (code, text)


def test_a_welcome_of_another_version_is_refused():
    talk = Talk(HELLO)
    with pytest.raises(ProtocolViolation) as refusal:
        talk.bot.receive(encode(Welcome(2, "arena", "bot", 65_536)))
    assert refusal.value.code == "wrong_protocol"


@pytest.mark.parametrize(
    ("talk", "late", "reason"),
    [
        ((HELLO, WELCOME), action(), "the match is not open"),
        ((HELLO, WELCOME, start(), request(), end()), action(), "the match is not open"),
        ((HELLO, WELCOME, start(), request()), action(match="other"), "the match is not open"),
        ((HELLO, WELCOME, start()), action(), "the request is not open"),
        ((HELLO, WELCOME, start(), request(), action()), action(), "the request is not open"),
        ((HELLO, WELCOME, start(), request(1), action(1), request(2)), action(1), "the request is not open"),
        ((HELLO, WELCOME, start(), request(), BYE), action(), "bye was said"),
    ],
)
def test_a_late_answer_is_stale_and_changes_nothing(talk, late, reason):
    talk = Talk(*talk)
    before = talk.states()
    assert talk.referee.receive(encode(late)) == Stale(late.match, late.request, reason)
    assert talk.states() == before


def test_an_answer_is_never_taken_for_the_next_request():
    talk = Talk(HELLO, WELCOME, start(), request(7), action(7), request(8))
    assert isinstance(talk.referee.receive(encode(action(7))), Stale)
    talk.say(action(8))


def test_what_was_never_sent_has_not_happened():
    talk = Talk(HELLO, WELCOME, start(), request())
    with pytest.raises(TypeError):
        talk.bot.send(Action("m", 1, object()))
    with pytest.raises(ValueError, match="at most 65536"):
        talk.bot.send(Action("m", 1, ["x" * 8000] * 9))
    talk.say(action())


def test_bytes_that_are_no_message_change_nothing():
    talk = Talk(HELLO, WELCOME, start(), request())
    with pytest.raises(BadFrame):
        talk.referee.receive(b"\xc1")
    talk.say(action())


def test_concurrency_is_what_hello_offers():
    talk = Talk(Hello(1, "token", concurrency=2))
    assert (talk.bot.concurrency, talk.referee.concurrency) == (2, 2)
    for message in (WELCOME, start("a"), start("b"), request(1, "b"), request(1, "a"), action(1, "a"), action(1, "b")):
        talk.say(message)
    assert talk.referee.open_matches == talk.bot.open_matches == ("a", "b")

    with pytest.raises(LocalProtocolError) as ours:
        talk.referee.send(start("c"))
    with pytest.raises(ProtocolViolation) as theirs:
        talk.bot.receive(encode(start("c")))
    assert ours.value.code == theirs.value.code == "too_many_matches"

    talk.say(end("a")).say(start("c"))
    assert talk.referee.open_matches == talk.bot.open_matches == ("b", "c")


def test_a_match_may_be_played_again_after_it_ended():
    Talk(HELLO, WELCOME, start(), request(), action(), end(), start(), request(), action())


def test_the_diagram_shows_every_row_of_the_table_once():
    arrows = [line.strip() for line in diagram().splitlines() if " --> " in line and "[*]" not in line]
    rows = [
        f"{state} --> {after}: {sender} {type_name(kind)}"
        for table in (CONNECTION, MATCH)
        for state, row in table.items()
        for (sender, kind), after in row.items()
    ]
    assert arrows == rows
    assert set(CONNECTION) == set(ConnectionState)
    assert set(MATCH) == set(MatchState)
