"""A bot's stdin and stdout as a connection, with real pipes and a real selector."""

import os
import selectors
from collections.abc import Iterator
from typing import IO

import pytest

from arena.referee.pipes import LinePipe
from protocol.bounds import MAX_LINE


class Ends:
    """A `LinePipe`, and the bot's ends of its two pipes."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        bot_input, stdin = os.pipe()
        stdout, bot_output = os.pipe()
        self.input: IO[bytes] = os.fdopen(bot_input, "rb")
        self.output: IO[bytes] = os.fdopen(bot_output, "wb", buffering=0)
        self.heard: list[bytes] = []
        self.endings = 0
        self.pipe = LinePipe(
            os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), self.selector, self.heard.append, self._count_ending
        )

    def _count_ending(self) -> None:
        self.endings += 1

    def serve(self) -> int:
        """One look at the selector; returns how many callbacks there were."""
        ready = self.selector.select(0)
        for key, _ in ready:
            key.data()
        return len(ready)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    ends.pipe.close()
    ends.input.close()
    ends.output.close()
    assert not ends.selector.get_map(), "nothing is left to be waited for"
    ends.selector.close()


def test_lines_come_whole_and_in_order_however_they_are_cut(ends: Ends) -> None:
    for piece in (b"on", b"e\ntwo\n\nth", b"ree", b"\n"):
        ends.output.write(piece)
        ends.serve()
    assert ends.heard == [b"one", b"two", b"", b"three"]
    assert ends.pipe.unfinished == b""


def test_what_has_no_line_break_is_not_heard_but_known(ends: Ends) -> None:
    ends.output.write(b"one\nalmost")
    ends.serve()
    assert ends.heard == [b"one"]
    assert ends.pipe.unfinished == b"almost"


def test_a_line_without_end_is_handed_on_when_no_message_is_as_long(ends: Ends) -> None:
    for _ in range(MAX_LINE // 65536 + 1):
        assert ends.heard == []
        ends.output.write(b"x" * 65536)
        ends.serve()
    assert [len(line) for line in ends.heard] == [MAX_LINE + 65536]


def test_the_end_is_told_once(ends: Ends) -> None:
    ends.output.write(b"last\n")
    ends.output.close()
    while ends.serve():
        pass
    assert (ends.heard, ends.endings) == ([b"last"], 1)
    assert not ends.pipe.read()
    assert ends.endings == 1


def test_what_does_not_fit_is_written_later_and_in_order(ends: Ends) -> None:
    lines = [b"%06d" % number * 1000 + b"\n" for number in range(60)]  # 360 KB; a pipe holds 64
    assert all(ends.pipe.send(line) for line in lines)
    ends.pipe.end_input()
    assert not ends.pipe.send(b"behind the end\n")
    received = []
    os.set_blocking(ends.input.fileno(), False)
    while (text := ends.input.read(10_000)) != b"":
        received.append(text or b"")
        ends.serve()
    assert b"".join(received) == b"".join(lines)


def test_a_bot_that_reads_nothing_costs_bounded_memory(ends: Ends) -> None:
    line = b"x" * 99_999 + b"\n"
    sent = 0
    while ends.pipe.send(line):
        sent += 1
        assert sent < 100, "somewhere it must end"
    assert sent > 40


def test_sending_to_a_closed_end_is_no_error(ends: Ends) -> None:
    ends.input.close()
    assert not ends.pipe.send(b"anybody?\n")
    assert not ends.pipe.send(b"anybody?\n")


def test_the_other_end_may_close_while_something_waits_for_room(ends: Ends) -> None:
    assert ends.pipe.send(b"x" * 200_000 + b"\n")
    ends.input.close()
    assert ends.serve() == 1
    assert not ends.pipe.send(b"anybody?\n")
