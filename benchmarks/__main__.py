"""The command ``python -m benchmarks``: measure, show, and compare with an earlier time."""

import argparse
import json
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.measure import Line, Scale
from benchmarks.report import as_document, render

SECTIONS = {
    "engine": "The rules alone: random legal play in one process, beside the packing of the same requests.",
    "referee": "A decision in our referee, beside a bare ZeroMQ loop that says the same messages to the same bots.",
    "stdio": "A decision over stdin and stdout, beside a bare loop over pipes, and beside ZeroMQ.",
    "run": "A whole tournament by `arena run`, beside a bare loop that says as many of the same messages.",
    "thinking": "Bots that think 20 ms a move, a match for each core: are the cores theirs, are the clocks right?",
    "sandbox": "Each launcher that works here: from the start of a bot to its hello, and a decision.",
    "storage": "Results in the store, the ladder and the export, beside bare SQLite and NumPy.",
    "planning": "The plan of a round robin of many bots, and going on with half of it played.",
    "growth": "A run that has played much, beside one that has just begun: a match more, its memory, going on with it.",
    "startup": "Commands that should be instant, beside an interpreter that imports click, or nothing.",
    "languages": "The example bot of each language: from its start to its hello, and its decisions.",
}
"""Every section and what it says of itself, so that `--list` need not import them (a test compares)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 when something broke; how long anything takes never matters."""
    options = _parser().parse_args(arguments)
    if options.list:
        for name, summary in SECTIONS.items():
            print(f"{name:10}  {summary}")
        return 0
    before = _read_before(options.compare) if options.compare else {}
    found: dict[str, list[Line]] = {}
    broken = False
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as directory:
        for name in options.sections or SECTIONS:
            print(f"\n{name}: {SECTIONS[name]}", flush=True)
            try:
                found[name] = _measure(name, Scale(options.size, Path(directory)))
            except Exception:
                traceback.print_exc()
                broken = True
                continue
            print(render(found[name], options.format, before.get(name, {})), flush=True)
            if options.json:
                options.json.write_text(json.dumps(_document(options.size, found), indent=2) + "\n")
    return int(broken)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__, allow_abbrev=False)
    choices = [*SECTIONS, []]  # argparse compares the default, none named, as well
    parser.add_argument("sections", nargs="*", choices=choices, metavar="SECTION", help="what to measure [all]")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", dest="size", action="store_const", const="quick", help="little of everything")
    sizes.add_argument("--full", dest="size", action="store_const", const="full", help="also what takes very long")
    parser.set_defaults(size="usual")
    parser.add_argument("--format", choices=["text", "markdown"], default="text", help="how to show it [text]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to this file")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="show the change since this file was written")
    parser.add_argument("--list", action="store_true", help="name the sections and measure nothing")
    return parser


def _measure(name: str, scale: Scale) -> list[Line]:
    """The lines of a section; its remarks are shown at once."""
    lines = []
    for each in import_module(f"benchmarks.{name}").measure(scale):
        if isinstance(each, str):
            print(f"  {each}", flush=True)
        else:
            lines.append(each)
            _show_progress(f"  {each.subject}: {each.figure}")
    _show_progress("")
    return lines


def _show_progress(text: str) -> None:
    """What was measured last, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def _document(size: str, found: Mapping[str, Sequence[Line]]) -> dict[str, Any]:
    return {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "size": size,
        "machine": {"system": platform.platform(), "python": platform.python_version(), "cores": os.cpu_count()},
        "sections": {name: [as_document(line) for line in lines] for name, lines in found.items()},
    }


def _read_before(path: Path) -> dict[str, dict[tuple[str, str], float]]:
    """The medians of an earlier time: by section, by subject and figure."""
    document = json.loads(path.read_text())
    print(f"before: measured {document['measured']}, {document['size']} sizes, {document['machine']['system']}")
    return {
        name: {(line["subject"], line["figure"]): line["ours"]["median"] for line in lines}
        for name, lines in document["sections"].items()
    }


if __name__ == "__main__":
    sys.exit(main())
