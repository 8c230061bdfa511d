"""The words of a report: one whole failure, long messages, and advice that leads somewhere."""

import re
from pathlib import Path

import msgpack
import pytest

from arena.check.conversation import Entry
from arena.check.hints import HINTS, hint_for
from arena.check.report import Costs, Report, Step, failure_text, messages, step_line, summary
from arena.check.steps import steps_for
from tests.check.place import BY_LINES, ROOT, broken, check_program

GOLDEN = ROOT / "tests" / "golden" / "check_failure.txt"
FAULT = """print("I play 99 now.", file=sys.stderr)
if message["request"] == 3:
    answer["action"] = [99]"""


def test_a_whole_failure(tmp_path: Path) -> None:
    checked = check_program(tmp_path, broken(BY_LINES, "at an answer", FAULT))
    text = "\n".join([step_line(checked.told[-1]), failure_text(checked.failure)]) + "\n"
    text = re.sub(r"(?m)^ +\d+\.\d (?=->|<-)", "      #.# ", text)
    assert re.sub(r"\s+after\s+\d+\s+ms", " after # ms", text) == GOLDEN.read_text()


# --- messages --------------------------------------------------------------------------------------------------------


def shown(found: object) -> str:
    (line,) = messages([Entry(1.25, False, msgpack.packb(found))], "zeromq")
    return line


def test_a_short_message_is_shown_whole() -> None:
    assert shown({"type": "bye", "reason": "é"}).split(maxsplit=2) == ["1.2", "<-", '{"type": "bye", "reason": "é"}']


def test_long_lists_and_texts_lose_their_middle() -> None:
    assert shown({"a": list(range(100))}).endswith('{"a": [0, 1, 2, 3, 4, 5, "… 88 more …", 94, 95, 96, 97, 98, 99]}')
    assert shown({"a": "x" * 1000}).endswith(f'{{"a": "{"x" * 60} … {"x" * 60}"}}')
    assert len(shown({str(key): "x" * 100 for key in range(100)})) < 500


def test_nothing_reaches_the_terminal_that_it_would_obey() -> None:
    for frame in (msgpack.packb({"a": "\x1b[2J\u202e\u2028"}), b"\x1b[2J", b"\xc1\x1b[2J"):
        for protocol in ("zeromq", "stdio"):
            (line,) = messages([Entry(0.0, False, frame)], protocol)
            assert line.isprintable(), line


@pytest.mark.parametrize(
    "frame", [b"", b"\xc1", b"5", msgpack.packb([1]), b"[" * 100_000, b"\x91" * 100_000, b"\xd4\x01a"]
)
@pytest.mark.parametrize("protocol", ["zeromq", "stdio"])
def test_bytes_that_are_no_message(frame: bytes, protocol: str) -> None:
    (line,) = messages([Entry(0.0, False, frame)], protocol)
    assert "no message" in line
    assert len(line) < 300


def test_several_frames() -> None:
    (line,) = messages([Entry(0.0, False, None)], "zeromq")
    assert line.endswith("a message of several frames")


def test_the_end_of_a_check_that_was_passed() -> None:
    costs = Costs(100.0, 300, 0.5, 1.5, 20.0, 1234)
    report = Report("bot", "zeromq", 1, (Step(1, "starts", True, "well"),), costs, ("it is slow",), None)
    lines = summary(report, "  - name: bot").splitlines()
    assert "Decisions: 300, median 0.50 ms, 99% within 1.50 ms, slowest 20.00 ms" in lines[0]
    assert "Log: 1,234 bytes a match" in lines[0]
    assert lines[1:3] == ["Remark: it is slow.", "fit to enter: 1 of 1 steps"]
    assert lines[-1] == "  - name: bot"


# --- advice ----------------------------------------------------------------------------------------------------------


def test_advice_leads_to_a_section_that_there_is() -> None:
    headings = re.findall(r"(?m)^#+ (.*)$", (ROOT / "protocol" / "README.md").read_text())
    assert {hint.section for hint in HINTS} <= set(headings)


def test_advice_for_a_step_is_for_one_that_there_is() -> None:
    assert {hint.step for hint in HINTS} - {""} <= {run.__name__ for run in steps_for("stdio")}


@pytest.mark.parametrize("row", HINTS, ids=lambda row: f"{row.step}-{row.code}-{row.sign}"[:40])
def test_every_row_is_found_by_what_it_asks_for(row) -> None:
    protocols = [row.protocol] if row.protocol else ["zeromq", "stdio"]
    found = [hint_for(row.step, row.code, row.sign, protocol) for protocol in protocols]
    assert (row.advice, row.section) in found, "an earlier row hides it"


def test_every_step_has_a_name_of_its_own() -> None:
    names = [run.__doc__ for run in steps_for("stdio")]
    assert len(names) == len(set(names)) == 20
    assert len(steps_for("zeromq")) == 19
