"""Every kind of `faulty.py`, and the honest examples: what is wrong is named, and what is right is let pass."""

import json
import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import psutil
import pytest

from arena.config.entrants import Talks
from tests.check.place import BOTS, BY_LINES, ROOT, check, check_program
from tests.e2e.place import wait_until

SHORT = {"move_ms": 1500}
START = {"startup_ms": 4000}

Expected: TypeAlias = tuple[int, str, dict[str, int]]
"""The step that fails, words of its failure, clocks."""

FAULTS: dict[str, Expected] = {
    "illegal": (2, "you played 2 cards of rank 13", {}),
    "garbage": (2, "the frame is not MessagePack", {}),
    "oversize": (2, "a message has at most 65536", {}),
    "huge": (2, "it closed its link to the arena", {}),
    "frames": (2, "more than one frame", {}),
    "stall": (2, "no answer within", SHORT),
    "spin": (2, "no answer within", SHORT),
    "late": (2, "no answer within", SHORT),
    "crash": (2, "it was killed by SIGABRT", {}),
    "exit": (2, "it exited with status 3", {}),
    "exit0": (2, "it exited with status 0", {}),
    "wrong_id": (2, "ignored answers to requests that were not open: 1", SHORT),
    "wrong_match": (2, "ignored answers to requests that were not open: 1", SHORT),
    "twice": (2, "answered request 3 of match 'check-1' a second time", {}),
    "flood": (2, "17 answers that nobody had asked for", {}),
    "fork": (2, "it exited with status 5", {}),
    "silent_start": (1, "no valid hello within", START),
    "crash_start": (1, "it exited with status 1", {}),
    "exit0_start": (1, "it exited with status 0", {}),
    "bad_hello": (1, "its hello was refused: the frame is not MessagePack", {}),
    "wrong_token": (1, "its hello was refused: this token is not", {}),
    "wrong_version": (1, "this side speaks protocol 1, the other 99", {}),
    "hello_twice": (2, "hello may not come now", {}),
    "unflushed": (2, "no answer within", SHORT),
    "chatter": (2, "one frame is one message", {}),
    "deaf": (12, "still ran 1000 ms after bye, and was killed", {}),
}
ELSEWHERE = {"none", "noise", "daemon"}
LINES: dict[str, Expected] = {
    "garbage": (2, "is not UTF-8", {}),
    "huge": (2, "a line has at most", {}),
    "frames": (2, "is no message: stdout is for messages only", {}),
    "bad_hello": (1, "its hello was refused", {}),
    "chatter": (2, "stdout is for messages only", {}),
    "unflushed": (2, "no answer within", SHORT),
}
"""What is called by other names where messages are lines."""


def faulty(kind: str) -> list[str]:
    return ["python", str(BOTS / "faulty.py"), kind]


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_named(kind: str) -> None:
    step, happened, time = FAULTS[kind]
    failure = check(faulty(kind), time=time).failure
    assert failure.number == step
    assert happened in failure.happened
    assert f"now: {kind}" in "\n".join(failure.output), "the end of its log is there"


@pytest.mark.parametrize("kind", LINES)
def test_a_fault_is_named_where_messages_are_lines(kind: str) -> None:
    step, happened, time = LINES[kind]
    failure = check(faulty(kind), "stdio", time).failure
    assert failure.number == step
    assert happened in failure.happened


def test_every_kind_is_looked_at() -> None:
    listed = subprocess.run([sys.executable, BOTS / "faulty.py", "--list"], capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in listed.stdout.splitlines()} == FAULTS.keys() | ELSEWHERE


@pytest.mark.parametrize(("protocol", "steps"), [("zeromq", 19), ("stdio", 20)])
def test_an_honest_bot_passes(protocol: Talks, steps: int) -> None:
    checked = check(["python", str(BOTS / "greedy.py")], protocol)
    assert checked.report.failure is None, checked.report.failure
    assert [(step.number, step.ok) for step in checked.told] == [(number, True) for number in range(1, steps + 1)]
    assert tuple(checked.told) == checked.report.steps
    assert checked.report.costs is not None
    assert checked.report.costs.decisions > 200
    assert checked.report.remarks == ()


def test_matches_at_once(tmp_path: Path) -> None:
    program = BY_LINES.replace('"concurrency": 1', '"concurrency": 3')
    checked = check_program(tmp_path, program)
    assert checked.report.failure is None, checked.report.failure
    assert checked.told[5].detail == "3 at once, of 3 that hello offers"


def test_much_output_is_worth_a_remark() -> None:
    checked = check(faulty("noise"))
    assert checked.report.failure is None, checked.report.failure
    (remark,) = [each for each in checked.report.remarks if "log" in each]
    assert re.fullmatch(r"it writes 2\.\d MB a match to its log; the arena keeps the last 10 MB", remark)


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def marked() -> Iterator[dict[str, str]]:
    """An environment whose processes are found again; none of them may be left."""
    mark = uuid.uuid4().hex
    yield {**os.environ, "TZ": f"UTC0{mark}"}  # one of the few variables that a bot gets
    wait_until(lambda: not _alive(mark), "all processes are gone")


def _alive(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and mark in process.environ().get("TZ", ""):
                found.append(process)
        except psutil.Error:
            continue
    return found


def arena(
    *arguments: object, directory: Path = ROOT, env: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "arena", "check", *map(str, arguments)]
    return subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", ["daemon", "fork"])
def test_nothing_is_left_behind(marked: dict[str, str], kind: str) -> None:
    done = arena("--quick", "--", *faulty(kind), env=marked)
    assert done.returncode == 1
    assert f"it exited with status {4 if kind == 'daemon' else 5}" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_check_from_where_the_user_stands(tmp_path: Path, marked: dict[str, str]) -> None:
    (tmp_path / "my bot.py").write_text(BY_LINES)
    done = arena("--protocol", "stdio", "--quick", "--", "python", "my bot.py", directory=tmp_path, env=marked)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok    1  starts and says hello in time (a bot without a name")
    assert "fit to enter: 20 of 20 steps" in lines
    assert lines[-3:] == ['  - name: "my bot"', '    command: ["python", "my bot.py"]', "    protocol: stdio"]
    assert "\x1b" not in done.stdout, "no colour in a file"


def test_a_report_for_programs() -> None:
    done = arena("--quick", "--format", "json", "--", *faulty("illegal"))
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["ok"] is False
    assert [(step["number"], step["ok"]) for step in report["steps"]] == [(1, True), (2, False)]
    assert report["costs"] is None
    assert report["failure"]["code"] == "illegal_action"
    assert "rank 13" in report["failure"]["happened"]


def test_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    done = arena("--", "python", "no_such_file.py", directory=tmp_path)
    assert done.returncode == 2
    assert 'there is no file "no_such_file.py"' in done.stderr
    assert done.stdout == ""


def test_ctrl_c_leaves_nothing(marked: dict[str, str]) -> None:
    command = [sys.executable, "-m", "arena", "check", "--", *faulty("none")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=marked, start_new_session=True)
    assert process.stdout is not None
    with process.stdout as stdout:
        assert stdout.readline().startswith("ok    1"), "each line is there when its step is done"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
