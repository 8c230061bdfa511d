"""Tables for people and programs: aligned text, Markdown and CSV, the same for everything that prints one.

tabulate does the work, and measures text as a terminal shows it (with wcwidth), so that emoji and Chinese names keep
the columns straight.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from tabulate import SEPARATING_LINE, tabulate
from wcwidth import wcswidth

__all__ = ["FORMATS", "as_csv", "as_markdown", "as_text", "shortened_to_fit"]

FORMATS = ("table", "markdown", "csv", "json")
"""The forms that every command which prints a table offers; what a document in JSON holds is the command's choice."""

_GAP = 2  # columns of a terminal between two columns of a table
_SHORTENED_MIN = 10


def as_text(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    align: Sequence[str],
    *,
    wrap: Sequence[int | None] | None = None,
) -> str:
    """Columns of text, without a newline at the end.

    align: "left" or "right" for each column. wrap: the width at which each column's text is broken into lines, None for
    a column where that is never done.
    """
    # As a row of its own a header takes no more room than its text: tabulate gives a real one two columns more. What
    # it draws above and below a table without headers is cut off.
    lines = tabulate(
        [headers, SEPARATING_LINE, *rows],
        tablefmt="simple",
        colalign=align,
        disable_numparse=True,
        maxcolwidths=None if wrap is None else list(wrap),
    ).splitlines()
    return "\n".join(lines[1:-1])


def as_markdown(headers: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str]) -> str:
    """A table of Markdown, without a newline at the end; what would end a cell is escaped. align: as in `as_text`."""
    cells = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row] for row in rows]
    return tabulate(cells, headers, tablefmt="pipe", colalign=align, disable_numparse=True)


def as_csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Comma-separated values: a line of column names, then a line for each row; None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


def shortened_to_fit(headers: Sequence[str], rows: Sequence[Sequence[str]], column: int, width: int) -> list[list[str]]:
    """The rows with one column's texts shortened so that `as_text` needs at most `width` columns of a terminal; no text
    to less than ten columns, whatever that makes of the table."""
    widths = [max(map(wcswidth, cells)) for cells in zip(headers, *rows, strict=True)]
    others = sum(widths) - widths[column] + _GAP * (len(widths) - 1)
    room = max(width - others, _SHORTENED_MIN)
    return [[_shortened(cell, room) if at == column else cell for at, cell in enumerate(row)] for row in rows]


def _shortened(text: str, width: int) -> str:
    """A text in at most `width` columns of a terminal; an ellipsis says that there was more."""
    if wcswidth(text) <= width:
        return text
    while wcswidth(text) > width - 1:
        text = text[:-1]
    return text + "…"
