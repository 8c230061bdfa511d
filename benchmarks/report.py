"""Lines of figures as a table, as Markdown, and as what goes into a JSON file."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.text_tables import as_markdown, as_text
from benchmarks.measure import Line, Spread

__all__ = ["as_document", "render"]

_HEADERS = ("", "", "unit", "ours", "floor or peer", "", "ours/floor", "target")


def render(lines: Sequence[Line], form: str, before: Mapping[tuple[str, str], float]) -> str:
    """A section's lines as "text" or "markdown". before: medians of an earlier time, by subject and figure."""
    if form == "markdown":
        return _markdown(lines)
    headers = [*_HEADERS, *(["before", "change"] if before else [])]
    rows = [[*_cells(line), *(_change(line, before) if before else [])] for line in lines]
    for row, above in reversed(list(zip(rows[1:], rows, strict=False))):
        if row[0] == above[0]:
            row[0] = ""
    return as_text(headers, rows, ["left"] * len(headers))


def as_document(line: Line) -> dict[str, Any]:
    """A line with every single measurement."""
    document: dict[str, Any] = {
        "subject": line.subject,
        "figure": line.figure,
        "unit": line.unit,
        "ours": {**Spread.of(line.ours)._asdict(), "measured": list(line.ours)},
    }
    if line.floor:
        document["floor"] = {"what": line.beside, **Spread.of(line.floor)._asdict(), "measured": list(line.floor)}
    if (related := line.related) is not None:
        document[line.relation] = related._asdict()
    if line.target is not None:
        document["target"] = {**line.target._asdict(), "met": _is_met(line)}
    return document


def _cells(line: Line) -> list[str]:
    related = line.related
    relation = ""
    if related is not None:
        relation = f"{_shown(related)}" if line.relation == "ratio" else f"{_shown(related, signed=True)} {line.unit}"
    floor = _shown(Spread.of(line.floor)) if line.floor else ""
    return [
        line.subject,
        line.figure,
        line.unit,
        _shown(Spread.of(line.ours)),
        floor,
        line.beside,
        relation,
        _target(line),
    ]


def _target(line: Line) -> str:
    if line.target is None:
        return ""
    sign = "<=" if line.target.bound == "at most" else ">="
    return f"{sign} {line.target.value:g}{'' if _is_met(line) else ' missed'}"


def _is_met(line: Line) -> bool | None:
    """Whether the median meets the target; None where it cannot be said."""
    if line.target is None:
        return None
    found = Spread.of(line.ours) if line.target.of == "figure" else line.related
    return None if found is None else line.target.is_met(found.median)


def _change(line: Line, before: Mapping[tuple[str, str], float]) -> list[str]:
    earlier = before.get((line.subject, line.figure))
    if earlier is None:
        return ["", ""]
    change = f"{100 * (Spread.of(line.ours).median / earlier - 1):+.0f} %" if earlier else ""
    return [_number(earlier), change]


def _markdown(lines: Sequence[Line]) -> str:
    """Subjects down, figures across: medians, a floor's in brackets."""
    figures = list(dict.fromkeys(f"{line.figure}, {line.unit}" for line in lines))
    table: dict[str, dict[str, str]] = {}
    for line in lines:
        floor = f" ({_number(Spread.of(line.floor).median)})" if line.floor else ""
        cell = _number(Spread.of(line.ours).median) + floor
        table.setdefault(line.subject, {})[f"{line.figure}, {line.unit}"] = cell
    rows = [[subject, *(cells.get(figure, "") for figure in figures)] for subject, cells in table.items()]
    align = ["left", *["right"] * len(figures)]
    return as_markdown(["", *figures], rows, align)


def _shown(spread: Spread, *, signed: bool = False) -> str:
    median, low, high = (_number(value, signed=signed) for value in spread)
    return median if low == high else f"{median} [{low} - {high}]"


def _number(value: float, *, signed: bool = False) -> str:
    """Three digits, or all those before the point."""
    digits = max(0, 2 - len(f"{abs(value):.0f}") + 1) if abs(value) >= 1 else 3
    return f"{value:{'+' if signed else ''},.{digits}f}"
