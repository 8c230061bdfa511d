"""Errors, by who is to blame.

    ArenaError
    ├── ConfigError        the user's input is wrong: every problem with place, reason, likely fix (exit 2)
    ├── StoreError         the results on disk cannot be used as asked (exit 2: the fix is the user's)
    └── HostError          the arena or its machine failed (exit 3)

What a *bot* does wrong is never an exception but a value (`arena.model.Fault`), and a bug of our own is an
`AssertionError` or `InvalidTransition`, which nobody catches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "ArenaError",
    "ConfigError",
    "HostError",
    "IllegalAction",
    "InvalidTransition",
    "Problem",
    "SettingsError",
    "StoreError",
]


_SHOWN_MAX = 100  # problems that a person is told of at once


class ArenaError(Exception):
    """Base of everything that is reported to a person in words instead of as a traceback."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a user's input.

    `path` is the place in the document (``bots[2].command``), `line` counts from 1 (None: the document as a whole).
    """

    message: str
    path: str = ""
    line: int | None = None
    suggestion: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        subject = f"{self.path}: " if self.path else ""
        fix = f" ({self.suggestion})" if self.suggestion else ""
        return f"{place}{subject}{self.message}{fix}"


class ConfigError(ArenaError):
    """All the problems of one document at once."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        count = len(self.problems)
        lines = [f"  {problem}" for problem in self.problems[:_SHOWN_MAX]]
        if count > _SHOWN_MAX:
            lines.append(f"  ... and {count - _SHOWN_MAX} more")
        super().__init__("\n".join([f"{source}: {count} problem{'s' if count != 1 else ''}", *lines]))


class StoreError(ArenaError):
    """Stored results cannot be used as asked: another config's, another version's, locked, or absent."""


class HostError(ArenaError):
    """The arena itself or the machine it runs on failed; no bot is to blame."""


class SettingsError(ValueError):
    """Raised by the `__post_init__` of a settings class: every field that is wrong, as (field, message)."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{field}: {message}" for field, message in self.problems))


class IllegalAction(ValueError):
    """An action that the rules do not allow; the text says why, for the bot's author."""


class InvalidTransition(AssertionError):
    """A match got an event that its state has no row for: our bug. Carries the story of the match."""

    def __init__(self, what: str, story: Sequence[str]) -> None:
        super().__init__("\n".join([what, "story of the match:", *(f"  {line}" for line in story)]))
