"""The Python client as a process of its own, against a real ROUTER in this one."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
import pytest
import zmq

import protocol
from protocol.lines import JSON_LINES
from protocol.messages import Action, Bye, Error, Hello, MatchEnd, MatchStart, Message, Request, Welcome
from protocol.session import Session, Stale

ROOT = Path(protocol.__file__).parents[1]
PATIENCE_MS = 20_000

POLITE = """
    import sys
    from protocol.bot import serve

    memory = {}

    def choose(request):
        memory[request.match].append(request.request)
        return [max(request.observation["hand"])]

    def on_start(start):
        memory[start.match] = []

    def on_end(end):
        print("played", memory.pop(end.match), end.reason, file=sys.stderr)

    serve(choose, name="Polite", author="me", version="2", concurrency=4, on_start=on_start, on_end=on_end)
    print("served", file=sys.stderr)
"""


def asked(match: str, number: int, seen: dict[str, Any], legal: list[list[int]] | None) -> Request:
    return Request(match=match, request=number, seat=0, observation=seen, events=[], legal_actions=legal, time_ms=1000)


class Referee:
    """A ROUTER for one bot, and what it says over it."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], directory: str) -> None:
        self.router = context.socket(zmq.ROUTER)
        self.router.linger = 0
        self.router.rcvtimeo = PATIENCE_MS
        self.endpoint = f"ipc://{directory}/r"
        self.router.bind(self.endpoint)
        self.session = Session("referee")
        self.peer = b""

    def receive(self) -> Message | Stale:
        self.peer, *frames = self.router.recv_multipart()
        assert len(frames) == 1
        return self.session.receive(frames[0])

    def send(self, message: Message) -> None:
        self.router.send_multipart([self.peer, self.session.send(message)])

    def welcome(self) -> Hello:
        hello = self.receive()
        assert isinstance(hello, Hello)
        self.send(Welcome(1, "arena 0", "polite", 65_536))
        return hello

    def start(self, match: str = "m") -> None:
        self.send(MatchStart(match, "tacocat", 0, ["polite", "other"], {}, {}))

    def ask(self, number: int = 1, match: str = "m", hand: tuple[int, ...] = (1, 2)) -> None:
        self.send(asked(match, number, {"phase": "duel", "hand": list(hand)}, [[card] for card in hand]))


@pytest.fixture
def referee():
    # not tmp_path: the path of an ipc endpoint may have no more than about 100 bytes
    with tempfile.TemporaryDirectory(prefix="r") as directory, zmq.Context() as context:
        referee = Referee(context, directory)
        yield referee
        referee.router.close()


@contextmanager
def running(source: str, endpoint: str = "ipc:///nowhere/at/all", **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A bot process with the given program; killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(source)],
        env={"PYTHONPATH": str(ROOT), "ARENA_ENDPOINT": endpoint, "ARENA_TOKEN": "secret", **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """(exit status, what it wrote to stderr)."""
    _, log = process.communicate(timeout=PATIENCE_MS / 1000)
    return process.returncode, log


def test_a_bot_says_hello_answers_and_leaves_at_bye(referee):
    with running(POLITE, referee.endpoint) as bot:
        assert referee.welcome() == Hello(1, "secret", "Polite", "me", "python", "2", 4)
        referee.start()
        for number in (3, 2**64 - 1, -7):
            referee.ask(number, hand=(2, 9, 5))
            assert referee.receive() == Action("m", number, [9])
        referee.send(MatchEnd("m", 0, "goal", "well played", []))
        referee.send(Bye("done"))
        assert finish(bot) == (0, f"played [3, {2**64 - 1}, -7] goal\nserved\n")


def test_matches_are_told_apart(referee):
    with running(POLITE, referee.endpoint) as bot:
        referee.welcome()
        for match in "ab":
            referee.start(match)
        referee.ask(1, "a", (1,))
        referee.ask(1, "b", (2,))
        assert [referee.receive() for _ in range(2)] == [Action("a", 1, [1]), Action("b", 1, [2])]
        referee.send(Bye("done"))
        assert finish(bot)[0] == 0


def test_the_last_answer_arrives_though_bye_is_already_there(referee):
    with running(POLITE, referee.endpoint) as bot:
        referee.welcome()
        referee.start()
        referee.ask()
        referee.send(Bye("done"))
        assert finish(bot)[0] == 0
        assert referee.receive() == Stale("m", 1, "bye was said")


def test_leaving_waits_until_what_was_said_is_delivered(referee):
    """More answers than the sockets' buffers hold, to a referee that reads none before it has said bye."""
    source = """
        import protocol.bot
        protocol.bot._LINGER_MS = 20_000
        protocol.bot.serve(lambda request: ["x" * 8000] * 7, concurrency=50)
    """
    referee.router.rcvhwm = 1
    referee.router.bind(f"{referee.endpoint}2")  # the limit holds for what is bound after it is set
    with running(source, f"{referee.endpoint}2") as bot:
        referee.welcome()
        for match in range(50):
            referee.start(str(match))
            referee.ask(match=str(match))
        referee.send(Bye("done"))
        assert [referee.receive().match for _ in range(50)] == [str(match) for match in range(50)]
        assert finish(bot)[0] == 0


def test_an_objection_of_the_arena_stands_in_the_log_in_plain_words(referee):
    with running(POLITE, referee.endpoint) as bot:
        referee.welcome()
        referee.send(Error("illegal_action", "[9]: the hand holds no 9"))
        referee.send(Bye("done"))
        assert finish(bot) == (0, "the arena objects: [9]: the hand holds no 9 (illegal_action)\nserved\n")


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("object()", "choose returned what cannot be sent; return a list of plain int"),
        ("2 ** 64", "choose returned what cannot be sent; return a list of plain int"),
        ("['x' * 8000] * 9", "a message has at most 65536"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_mistake_in_choose_ends_the_bot_and_is_explained(referee, answer, hint):
    source = f"from protocol.bot import serve\nserve(lambda request: {answer})"
    with running(source, referee.endpoint) as bot:
        referee.welcome()
        referee.start()
        referee.ask()
        status, log = finish(bot)
        assert status == 1
        assert hint in log.splitlines()[-1]


@pytest.mark.parametrize("missing", ["ARENA_ENDPOINT", "ARENA_TOKEN"])
def test_started_by_hand_it_explains_itself(missing):
    with running("from protocol.bot import serve; serve(None)", **{missing: ""}) as bot:
        status, log = finish(bot)
    assert status == 2
    assert log.count("\n") == 1
    assert "arena run" in log
    assert "arena match" in log


def test_an_idle_bot_stops_when_the_arena_is_gone(referee):
    """The bot's parent is killed without a word, as by kill -9; the bot has to find that out by itself."""
    source = f"""
        import subprocess, sys, time
        bot = "import protocol.bot; protocol.bot._TICK_MS = 20; protocol.bot.serve(print)"
        print(subprocess.Popen([{sys.executable!r}, "-c", bot]).pid, flush=True)
        time.sleep(60)
    """
    with running(source, referee.endpoint) as parent:
        referee.welcome()
        assert parent.stdout is not None
        orphan = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
        try:
            # stderr ends only when all who have it have exited, the bot too
            assert finish(parent) == (-signal.SIGKILL, "the arena is gone\n")
        except subprocess.TimeoutExpired:
            os.kill(orphan, signal.SIGKILL)
            raise


def test_a_bot_that_nobody_welcomes_gives_up():
    source = """
        import protocol.bot
        protocol.bot._TICK_MS, protocol.bot._GREETING_TICKS, protocol.bot._LINGER_MS = 10, 3, 0
        protocol.bot.serve(print)
    """
    with running(source) as bot:
        assert finish(bot) == (0, "the arena is gone\n")


def test_the_dozen_lines_of_the_specification_play(referee):
    readme = (ROOT / "protocol" / "README.md").read_text(encoding="utf-8")
    source = readme.split("```python\n", 1)[1].split("```", 1)[0]
    with running(source, referee.endpoint) as bot:
        assert referee.welcome() == Hello(1, "secret", language="python")
        referee.start()
        referee.ask(hand=(4, 11))
        assert referee.receive() == Action("m", 1, [4])
        observation = {"phase": "replace", "hand": [4, 10, 11], "max_replace": 3}
        referee.send(asked("m", 2, observation, None))
        assert referee.receive() == Action("m", 2, [10, 11])
        referee.send(Bye("done"))
        assert finish(bot) == (0, "")


def test_the_client_starts_without_what_it_does_not_need():
    source = "import sys, protocol.bot; print(*sys.modules)"
    with running(source) as bot:
        modules = set(bot.communicate(timeout=PATIENCE_MS / 1000)[0].split())
    assert "msgpack" in modules
    assert not {"zmq", "arena", "difflib", "asyncio", "jsonschema"} & modules


def test_what_is_not_known_yet_is_passed_over(referee):
    with running(POLITE, referee.endpoint) as bot:
        referee.welcome()
        referee.router.send_multipart([referee.peer, msgpack.packb({"type": "weather", "rain": True})])
        referee.start()
        referee.ask()
        assert referee.receive() == Action("m", 1, [2])
        referee.send(Bye("done"))
        assert finish(bot) == (0, "served\n")


class LineReferee:
    """What a referee says over the stdin of one bot."""

    def __init__(self, bot: subprocess.Popen[str]) -> None:
        assert bot.stdin is not None
        assert bot.stdout is not None
        self.to_bot, self.from_bot = bot.stdin, bot.stdout
        self.session = Session("referee", JSON_LINES)

    def receive(self) -> Message | Stale:
        return self.session.receive(self.from_bot.readline().encode())

    def send(self, message: Message) -> None:
        self.to_bot.write(self.session.send(message).decode())
        self.to_bot.flush()

    def begin(self) -> Hello:
        hello = self.receive()
        assert isinstance(hello, Hello)
        self.send(Welcome(1, "arena 0", "polite", 65_536))
        self.send(MatchStart("m", "tacocat", 0, ["polite", "other"], {}, {}))
        return hello


def test_over_stdin_and_stdout_it_says_the_same():
    with running(POLITE, "stdio") as bot:
        referee = LineReferee(bot)
        assert referee.begin() == Hello(1, "secret", "Polite", "me", "python", "2", 4)
        for number in (3, 2**64 - 1, -7):
            referee.send(asked("m", number, {"phase": "duel", "hand": [2, 9, 5]}, [[2], [5], [9]]))
            assert referee.receive() == Action("m", number, [9])
        referee.to_bot.write('{"type": "weather", "rain": true}\n')
        referee.send(Error("illegal_action", "[9]: the hand holds no 9"))
        referee.send(MatchEnd("m", 0, "goal", "well played", []))
        referee.send(Bye("done"))
        assert finish(bot) == (
            0,
            f"the arena objects: [9]: the hand holds no 9 (illegal_action)\nplayed [3, {2**64 - 1}, -7] goal\nserved\n",
        )


def test_what_a_bot_prints_does_not_get_between_the_messages():
    source = """
        import os
        from protocol.bot import serve

        def choose(request):
            print("thinking", flush=True)
            os.system("echo thinking hard")
            return [1]

        print("before", flush=True)
        serve(choose)
        print("after")
    """
    with running(source, "stdio") as bot:
        assert bot.stdout is not None
        assert bot.stdout.readline() == "before\n", "what comes before serve is the bot's own affair"
        referee = LineReferee(bot)
        referee.begin()
        referee.send(asked("m", 1, {}, [[1], [2]]))
        assert referee.receive() == Action("m", 1, [1])
        referee.send(Bye("done"))
        assert finish(bot) == (0, "thinking\nthinking hard\nafter\n")


@pytest.mark.parametrize("closes", ["stdin", "both"])
def test_a_bot_whose_pipes_are_closed_knows_that_the_arena_is_gone(closes):
    with running("from protocol.bot import serve; serve(lambda request: [1])", "stdio") as bot:
        referee = LineReferee(bot)
        referee.begin()
        if closes == "both":
            referee.from_bot.close()
            referee.send(asked("m", 1, {}, [[1], [2]]))
        referee.to_bot.close()
        assert bot.stderr is not None
        assert (bot.stderr.read(), bot.wait()) == ("the arena is gone\n", 0)


def test_a_bot_that_talks_by_lines_needs_no_zeromq():
    source = """
        import sys
        sys.modules["zmq"] = None  # what is not installed
        from protocol.bot import serve
        serve(lambda request: [1])
    """
    with running(source, "stdio") as bot:
        referee = LineReferee(bot)
        assert referee.begin().language == "python"
        referee.send(Bye("done"))
        assert finish(bot) == (0, "")
