"""A ladder as text, Markdown, CSV or JSON, and the sentences that stand under it.

Pure: no part of it reads or writes anything.
"""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from math import floor
from typing import Any

from wcwidth import wcswidth

from arena.ladder.leaderboard import Leaderboard, Row

__all__ = ["FORMATS", "remarks", "render"]

FORMATS = ("table", "markdown", "csv", "json")

_TABLE_WIDTH = 80  # columns of a terminal; names are shortened to keep within it
_NAME_WIDTH_MIN = 10


def render(board: Leaderboard, form: str) -> str:
    """The ladder in one of `FORMATS`, ending with a newline."""
    return {"table": _table, "markdown": _markdown, "csv": _csv, "json": _json}[form](board)


def _table(board: Leaderboard) -> str:
    lines = [_headers(board), *map(_cells, board.rows)]
    widths = [max(map(wcswidth, column)) for column in zip(*lines, strict=True)]
    room = _TABLE_WIDTH - sum(widths) - 2 * (len(widths) - 1) + widths[_NAME]
    widths[_NAME] = min(widths[_NAME], max(room, _NAME_WIDTH_MIN))
    for line in lines:
        line[_NAME] = _shortened(line[_NAME], widths[_NAME])
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join([*(_table_line(line, widths) for line in lines), "", *remarks(board)]) + "\n"


def _table_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    gaps = [" " * (width - wcswidth(cell)) for cell, width in zip(cells, widths, strict=True)]
    aligned = [
        cell + gap if side == "left" else gap + cell for cell, gap, side in zip(cells, gaps, _ALIGN, strict=True)
    ]
    return "  ".join(aligned).rstrip()


def _markdown(board: Leaderboard) -> str:
    from tabulate import tabulate  # nothing else needs it, and commands that show a ladder should be quick

    cells = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in _cells(row)] for row in board.rows]
    text = tabulate(cells, headers=_headers(board), tablefmt="pipe", colalign=_ALIGN, disable_numparse=True)
    return "\n".join([text, "", *(f"- {remark}" for remark in remarks(board))]) + "\n"


def _csv(board: Leaderboard) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [column.name for column in fields(Row)]
    writer.writerow(names)
    writer.writerows([getattr(row, name) for name in names] for row in board.rows)
    return out.getvalue()


def _json(board: Leaderboard) -> str:
    totals = board.totals
    document: dict[str, Any] = {
        "leaderboard": [asdict(row) for row in board.rows],
        "confidence": board.confidence,
        "matches": totals.matches,
        "planned": board.planned,
        "pairs": totals.pairs,
        "seat_0_score": _percent(totals.seat_0_points, totals.matches),
        "reasons": dict(totals.reasons),
        "faults": {bot: dict(counts) for bot, counts in board.fault_counts.items()},
        "neighbours": [asdict(each) for each in board.neighbours],
        "groups": [list(group) for group in board.groups],
        "suspended": list(board.suspended),
        "set_aside": dict(totals.set_aside),
        "of_others": totals.of_others,
        "aborted": [{"match": match, "bots": bots, "detail": why} for match, bots, why in totals.aborted],
        "remarks": remarks(board),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_ALIGN = ("right", "left", *["right"] * 9)
_NAME = 1


def _headers(board: Leaderboard) -> list[str]:
    return ["#", "bot", "Elo", f"± {100 * board.confidence:g}%", "matches", "W", "D", "L", "score", "faults", "ms"]


def _cells(row: Row) -> list[str]:
    return [
        str(row.rank),
        row.bot,
        "?" if row.elo is None else str(round(row.elo)),
        "?" if row.error is None else f"{row.error:.0f}",
        str(row.matches),
        str(row.wins),
        str(row.draws),
        str(row.losses),
        "" if row.score is None else f"{row.score:.1f}%",
        str(row.faults or ""),
        "" if row.median_ms is None else _three_digits(row.median_ms),
    ]


def _three_digits(ms: float) -> str:
    return f"{ms:.3g}" if ms < 100 else f"{ms:.0f}"


def _shortened(name: str, width: int) -> str:
    """A name in at most `width` columns of a terminal; an ellipsis says that there was more."""
    if wcswidth(name) <= width:
        return name
    while wcswidth(name) > width - 1:
        name = name[:-1]
    return name + "…"


def remarks(board: Leaderboard) -> list[str]:
    """What stands under the table, a sentence or two each."""
    totals = board.totals
    lines = [
        f"{_many(totals.matches, 'match', 'matches')}{'' if board.planned is None else f' of {board.planned:,}'},"
        f" {_many(totals.pairs, 'complete pair')}"
    ]
    bias = _percent(totals.seat_0_points, totals.matches)
    if bias is not None:
        lines[0] += f"; seat 0 scored {bias:.1f}%"
    lines[0] += "."
    lines += _order_remarks(board)
    lines += [
        f"{bot} lost by {_list([_many_faults(count, fault) for fault, count in counts.items()])}."
        for bot, counts in board.fault_counts.items()
    ]
    lines += [
        f"{bot} could not be started and is suspended; its other matches were left out." for bot in board.suspended
    ]
    lines += [f"Not counted: {_many(count, 'result')}, because {why}." for why, count in totals.set_aside.items()]
    if totals.of_others:
        lines.append(f"Not counted: {_many(totals.of_others, 'result')} of bots that are not entered any more.")
    lines += [f"Not played: {bots} ({match}), given up by the arena: {why}" for match, bots, why in totals.aborted]
    return lines


_NEIGHBOURS_NAMED = 3
"""Of those whose order is not decided, in words; JSON has them all."""


def _order_remarks(board: Leaderboard) -> list[str]:
    lines = []
    if len(board.groups) > 1:
        groups = "; ".join(_list(group) for group in board.groups)
        lines.append(f"Nothing connects these groups, so ratings mean nothing between them: {groups}.")
    open_orders = [each for each in board.neighbours if not each.decided and each.chance is not None]
    if open_orders:
        named = [
            f"{each.upper} above {each.lower} ({_whole_percent(each.chance)})"
            for each in open_orders[:_NEIGHBOURS_NAMED]
        ]
        if len(open_orders) > _NEIGHBOURS_NAMED:
            named.append(f"{len(open_orders) - _NEIGHBOURS_NAMED} more of {len(board.neighbours)} neighbours")
        lines.append(f"Not decided at {100 * board.confidence:g}%: {_list(named)}.")
    elif board.neighbours and len(board.groups) == 1:
        lines.append(f"The order of all neighbours is decided at {100 * board.confidence:g}%.")
    return lines


def _whole_percent(chance: float | None) -> str:
    """Never rounded up: what is not decided at 95% must not read 95%."""
    return f"{floor(100 * (chance or 0.0) + 1e-9)}%"


def _percent(points: float, matches: int) -> float | None:
    return round(100 * points / matches, 2) if matches else None


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _many_faults(count: int, fault: str) -> str:
    words = fault.replace("_", " ")
    return _many(count, words, words + ("es" if words.endswith("sh") else "s"))


def _list(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
