"""What a check has found, in words for people and as JSON for programs. Pure."""

import json
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import msgpack

from arena.check.conversation import Entry
from protocol.refusals import shown

__all__ = ["Costs", "Failure", "Report", "Step", "as_json", "failure_text", "messages", "step_line", "summary"]

_WIDTH = 100
_LINE_MAX = 420  # characters of a message: some four lines of a terminal
_LIST_MAX = 12  # items of a list that are shown
_TEXT_MAX = 120
_HEX_MAX = 32  # bytes
_STREAMS = {"zeromq": "stdout and stderr are one log", "stdio": "stdout is for messages, stderr is its log"}


class Step(NamedTuple):
    """One step that was made. `detail`: what was seen when it passed, what happened when not."""

    number: int
    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Costs:
    """What a bot costs, in milliseconds and bytes. output_bytes: of its log, for each match."""

    start_ms: float
    decisions: int
    median_ms: float
    p99_ms: float
    worst_ms: float
    output_bytes: int


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a bot is not fit. messages, output: lines. section: of protocol/README.md."""

    number: int
    name: str
    code: str
    expected: str
    happened: str
    messages: tuple[str, ...]
    output: tuple[str, ...]
    hint: str
    section: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Report:
    """All of it. planned: how many steps there are. costs: None when a step failed."""

    bot: str
    protocol: str
    planned: int
    steps: tuple[Step, ...]
    costs: Costs | None
    remarks: tuple[str, ...]
    failure: Failure | None


def step_line(step: Step) -> str:
    """One line when it passed; when not, `failure_text` says the rest."""
    if step.ok:
        return f"ok   {step.number:2}  {step.name} ({step.detail})"
    return f"FAIL {step.number:2}  {step.name}"


def failure_text(failure: Failure) -> str:
    """What was expected and what happened, the evidence, and what to do."""
    parts = [
        _paragraph("Expected: ", failure.expected),
        _paragraph("Happened: ", failure.happened),
        *_block("The last messages, in ms since the start (-> to the bot, <- from it):", failure.messages),
        *_block(f"The end of its output ({_STREAMS[failure.protocol]}):", failure.output),
        "",
        _paragraph("Hint:     ", failure.hint),
        _paragraph("Read on:  ", f'protocol/README.md, section "{failure.section}"'),
    ]
    return "\n".join(parts)


def summary(report: Report, entry: str) -> str:
    """The end of a check that was passed; `entry`: how the bot stands in a config, empty when it is in one."""
    costs = report.costs
    assert costs is not None, "nothing failed"
    passed = sum(step.ok for step in report.steps)
    return "\n".join(
        [
            f"Start: {costs.start_ms:.0f} ms. Decisions: {costs.decisions}, median {costs.median_ms:.2f} ms, "
            f"99% within {costs.p99_ms:.2f} ms, slowest {costs.worst_ms:.2f} ms. "
            f"Log: {costs.output_bytes:,} bytes a match.",
            *(f"Remark: {remark}." for remark in report.remarks),
            f"fit to enter: {passed} of {report.planned} steps",
            *(["", "To enter it, add this to the `bots` of a config in this directory:", "", entry] if entry else []),
        ]
    )


def as_json(report: Report) -> str:
    """The whole report as one object."""
    document: dict[str, Any] = asdict(report)
    document["steps"] = [step._asdict() for step in report.steps]
    return json.dumps({"ok": report.failure is None, **document}, ensure_ascii=False, indent=2)


def messages(entries: Iterable[Entry], protocol: str) -> tuple[str, ...]:
    """What was said, a line for each message."""
    return tuple(
        f"{entry.at_ms:10.1f} {'->' if entry.is_sent else '<-'} {_shown_frame(entry.frame, protocol)}"
        for entry in entries
    )


def _shown_frame(frame: bytes | None, protocol: str) -> str:
    if frame is None:
        return "a message of several frames"
    try:
        found = json.loads(frame) if protocol == "stdio" else msgpack.unpackb(frame)
        text = json.dumps(_shortened(found), ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):  # msgpack's own errors are ValueErrors
        return _shown_bytes(frame, protocol)
    if not isinstance(found, dict):
        return _shown_bytes(frame, protocol)
    text = "".join(character if character.isprintable() else " " for character in text)
    half = _LINE_MAX // 2
    return text if len(text) <= _LINE_MAX else f"{text[:half]} … {text[-half:]}"


def _shown_bytes(frame: bytes, protocol: str) -> str:
    """Bytes that are no message."""
    if protocol == "stdio":
        return f"no message, but the line {shown(frame)}"
    more = " …" if len(frame) > _HEX_MAX else ""
    return f"no message, but {len(frame)} bytes: {frame[:_HEX_MAX].hex(' ')}{more} (as text: {shown(frame)})"


def _shortened(value: Any) -> Any:
    """A value with the middle of its long lists and texts left out."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list) and len(value) > _LIST_MAX:
        left_out = len(value) - _LIST_MAX
        kept = [*value[: _LIST_MAX // 2], f"… {left_out} more …", *value[-_LIST_MAX // 2 :]]
        return [_shortened(item) for item in kept]
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > _TEXT_MAX:
        return f"{value[: _TEXT_MAX // 2]} … {value[-_TEXT_MAX // 2 :]}"
    return value


def _paragraph(label: str, text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=label, subsequent_indent=" " * len(label), break_long_words=False)


def _block(title: str, lines: Iterable[str]) -> list[str]:
    indented = [f"  {line}" for line in lines]
    return ["", title, *indented] if indented else []
