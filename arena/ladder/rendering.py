"""A ladder as text, Markdown, CSV or JSON, and the sentences that stand under it.

Pure: no part of it reads or writes anything.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, fields
from math import floor
from typing import Any

from arena.ladder.leaderboard import Leaderboard, Row
from arena.text_tables import as_csv, as_markdown, as_text, shortened_to_fit

__all__ = ["remarks", "render", "table"]

_WIDTH = 80  # columns of a terminal, for output that may be kept and read anywhere


def render(board: Leaderboard, form: str) -> str:
    """The ladder in one of `arena.text_tables.FORMATS`, ending with a newline."""
    return {"table": _text, "markdown": _markdown, "csv": _csv, "json": _json}[form](board)


def table(board: Leaderboard, width: int = _WIDTH) -> str:
    """The rows alone as text, without a newline at the end; names are shortened to keep within `width` columns."""
    headers = _headers(board)
    return as_text(headers, shortened_to_fit(headers, [*map(_cells, board.rows)], _NAME, width), _ALIGN)


def _text(board: Leaderboard) -> str:
    return "\n".join([table(board), "", *remarks(board)]) + "\n"


def _markdown(board: Leaderboard) -> str:
    text = as_markdown(_headers(board), map(_cells, board.rows), _ALIGN)
    return "\n".join([text, "", *(f"- {remark}" for remark in remarks(board))]) + "\n"


def _csv(board: Leaderboard) -> str:
    return as_csv([column.name for column in fields(Row)], map(astuple, board.rows))


def _json(board: Leaderboard) -> str:
    totals = board.totals
    document: dict[str, Any] = {
        "leaderboard": [asdict(row) for row in board.rows],
        "scale": board.scale,
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
    error = f"± {100 * board.confidence:g}%"
    return ["#", "bot", board.scale, error, "matches", "W", "D", "L", "score", "faults", "ms"]


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
    lines += [*_order_remarks(board), *board.method_remarks]
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
