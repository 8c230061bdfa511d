"""The steps with rare and hostile messages and events: what a bot must survive.

Each begins with a new process, except where it says so, and most end with a polite match, which shows that the bot is
none the worse for it. Form as in `polite`.
"""

from typing import Any

import msgpack

from arena.check.bench import Bench, Failed
from arena.check.conversation import Conversation
from arena.check.host import BYE_GRACE_MS
from arena.check.polite import see_out
from arena.check.tables import Plot, Table
from arena.match import BotExited, MatchEvent
from arena.model import Fault, Seat
from protocol.messages import MAX_MESSAGE, Error
from protocol.session import MatchState

__all__ = ["ATTACKS", "STDIO_ATTACKS"]

_SURVIVED = "that it makes nothing of this and plays on: "
_UNKNOWN: dict[str, Any] = {
    "new_in_1_1": {"list": [1, -2, 2.5, None, True, "ü"], "map": {}},
    "a": None,
    "zzz": "\\\"{}[],:'\n",
}
_OPPORTUNITIES = 100
_LATER = 3  # the request of a match at which it is interrupted
_CONCURRENCY_MAX = 16
_PADDED = 8000  # bytes of a string and its header: the longest has 8192
_STRING_HEADER = 3  # bytes, in MessagePack, of strings of more than 255


def unknown_keys(bench: Bench) -> str:
    """ignores keys that it does not know"""
    conversation = bench.fresh(_with_unknown_keys)
    expected = _SURVIVED + "unknown keys in every message, also in observation, events, rules and time"
    for seat in (0, 1):
        bench.play(bench.table(conversation, seat), expected=expected)
    see_out(bench, conversation)
    conversation = bench.fresh(_padded)
    expected = _SURVIVED + f"requests of the greatest length, {MAX_MESSAGE} bytes, filled up with an unknown key"
    bench.play(bench.table(conversation, 0), expected=expected)
    return f"in every message; messages of up to {MAX_MESSAGE} bytes"


def unknown_words(bench: Bench) -> str:
    """ignores messages, events and reasons that it does not know"""
    conversation = bench.fresh(_with_unknown_words)

    def slip_in(table: Table, seat: int) -> None:
        match = table.match.spec.id
        conversation.send_raw({"type": "weather", "match": match, "request": 1, "seat": seat, "forecast": ["rain"]})

    for seat in (0, 1):
        table = bench.table(conversation, seat, plot=slip_in)
        bench.play(table, expected=_SURVIVED + "an unknown type of message, an unknown event, an unknown reason")
    _play_on(bench, conversation)
    return "a message, an event and a reason of a later version"


def ended_while_waiting(bench: Bench) -> str:
    """takes the end of a match in which the other bot was to move"""
    conversation = bench.fresh()

    def crash(table: Table, seat: int) -> MatchEvent | None:
        is_waiting = conversation.process.session.match_state(table.match.spec.id) is MatchState.WAITING
        if seat != table.seat and is_waiting and table.requests >= _LATER:
            return BotExited(seat, "it exited with status 1")
        return None

    _play_until_crash(bench, conversation, 0, crash)
    _play_on(bench, conversation)
    return "the other one crashed"


def ended_while_thinking(bench: Bench) -> str:
    """takes the end of a match instead of its answer being awaited"""
    conversation = bench.fresh()

    def crash(table: Table, seat: int) -> MatchEvent | None:
        request = table.last_request
        if seat != table.seat or request is None or table.requests < _LATER or not table.is_alone:
            return None
        conversation.expects.add((request.match, request.request))
        return BotExited(1 - seat, "it exited with status 1")

    _play_until_crash(bench, conversation, 1, crash)
    _play_on(bench, conversation)
    return "a late answer is as good as none"


def one_too_many(bench: Bench) -> str:
    """survives one match more at once than it offered"""
    conversation = bench.fresh()
    offered = conversation.concurrency
    if offered > _CONCURRENCY_MAX:
        return f"not tried: hello offers {offered}"
    polite = [bench.table(conversation, number % 2) for number in range(offered)]
    more = bench.table(conversation, 1, ids=range(10_000, 11_000), is_raw=True)
    expected = _SURVIVED + f"{offered + 1} matches at once, where hello offers {offered}; each answer carries its match"
    bench.play(*polite, more, expected=expected)
    assert more.result is not None
    if more.has_failed and (more.objection != Fault.TIMEOUT or more.answers > 0):
        raise Failed("mixed_up", expected, f"in the match too many: {more.result.outcome.detail}", conversation)
    _play_on(bench, conversation)
    return "it left it alone" if more.has_failed else "it played it"


def objection(bench: Bench) -> str:
    """reads an error in the middle of a match"""
    conversation = bench.fresh()

    def object_(table: Table, seat: int) -> None:
        match, request = table.match.spec.id, table.last_request
        number = None if request is None or seat != table.seat else request.request
        bench.host.send(conversation, Error("notice", "Nothing is wrong: this is part of a check.", match, number))

    bench.play(bench.table(conversation, 0, plot=object_), expected=_SURVIVED + "errors, which want no answer")
    bench.host.send(conversation, Error("notice", "Nothing is wrong: this is part of a check."))
    _play_on(bench, conversation)
    return "with a request open, and without"


def bye_while_thinking(bench: Bench) -> str:
    """exits at bye with a request open"""
    conversation = bench.fresh()
    table = bench.table(conversation, 0)
    table.begin()
    while table.requests == 0:  # the other seat decided everything
        table = bench.table(conversation, 1)
        table.begin()
    return see_out(bench, conversation)


def end_of_input(bench: Bench) -> str:
    """exits when its input ends"""
    conversation = bench.fresh()
    bench.play_one(conversation, 0)
    pipe, begun_ms = conversation.process.pipe, bench.host.clock()
    assert pipe is not None, "it speaks by lines"
    pipe.end_input()
    if not bench.host.wait(lambda: conversation.is_over, begun_ms + BYE_GRACE_MS):
        happened = f"{bench.name} still ran {BYE_GRACE_MS:.0f} ms after the end of its input"
        raise Failed("stayed", f"an exit within {BYE_GRACE_MS:.0f} ms of the end of its input", happened, conversation)
    return f"gone after {bench.host.clock() - begun_ms:.0f} ms"


ATTACKS = (
    unknown_keys,
    unknown_words,
    ended_while_waiting,
    ended_while_thinking,
    one_too_many,
    objection,
    bye_while_thinking,
)

STDIO_ATTACKS = (end_of_input,)
"""Only for bots that speak by lines: over ZeroMQ, that the arena is gone cannot be shown by who is the bot's parent."""


def _play_on(bench: Bench, conversation: Conversation) -> None:
    """A polite match, as if nothing had been."""
    bench.play_one(conversation, 1)


def _play_until_crash(bench: Bench, conversation: Conversation, seat: Seat, plot: Plot) -> None:
    """Matches until one has given `plot` its opportunity; nearly every one does."""
    for _ in range(_OPPORTUNITIES):
        table = bench.play_one(conversation, seat, plot=plot)
        if table.result is not None and table.result.outcome.reason == Fault.CRASH:
            return
    raise AssertionError("the other bot never crashed")


def _with_unknown_keys(document: dict[str, Any]) -> dict[str, Any]:
    """A message with unknown keys, some before the others and some behind, wherever the protocol allows them."""
    changed = {**_UNKNOWN, **document, "zzzz": {"type": "bye"}}
    for key in ("observation", "rules", "time"):
        if key in changed:
            changed[key] = {"a": None, **changed[key], **_UNKNOWN}
    if "events" in changed:
        changed["events"] = [{**event, **_UNKNOWN} for event in changed["events"]]
    return changed


def _padded(document: dict[str, Any]) -> dict[str, Any]:
    """A request filled up with an unknown key to the greatest length; other messages as they are."""
    if document["type"] != "request":
        return document
    padding: list[str] = []
    room = MAX_MESSAGE - len(msgpack.packb({**document, "padding": padding}))
    while room > 0:
        size = _PADDED if room > 2 * _PADDED else room // 2 if room > _PADDED else room
        padding.append("x" * (size - _STRING_HEADER))
        room -= size
    return {**document, "padding": padding}


def _with_unknown_words(document: dict[str, Any]) -> dict[str, Any]:
    """A message with an event and a reason of a later version."""
    changed = dict(document)
    if "events" in changed:
        changed["events"] = [{"event": "weather", "sky": "blue"}, *changed["events"], {"event": "music"}]
    if changed["type"] == "match_end":
        changed["reason"] = "sunset"
    return changed
