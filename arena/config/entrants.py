"""A bot as somebody entered it, made into one that can be started: program found, files seen, fingerprint taken.

Everything that can be known to fail is found here, before a tournament starts: this is the part of reading a config
that looks at the disk. No command ever goes through a shell.

A bot may have a `build`, which makes its program. Until that has been run nothing can be said of the program, and
afterwards it must be there: `locate` is told which it is. A bot whose `needs` are not all on this machine is no
mistake; it is left out, and only what does not depend on them is looked at.
"""

import hashlib
import json
import os
import shlex
import shutil
import stat
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from arena.config.document import brief, did_you_mean, printable, read, siblings
from arena.config.needs import Need, missing, parse
from arena.config.settings import fill
from arena.errors import ConfigError, Problem, SettingsError
from arena.model import BotSpec

__all__ = [
    "BotKeys",
    "CommandKeys",
    "Located",
    "Talks",
    "enter",
    "fingerprint",
    "locate",
    "name_fault",
    "normalised",
    "read_entry",
]

NAME_MAX = 100
"""Characters of a bot's name: what a table can still show."""

Talks: TypeAlias = Literal["zeromq", "stdio"]
"""How a bot talks to the arena."""

_PYTHON = ("python", "python3")
_RESERVED = ("ARENA_ENDPOINT", "ARENA_TOKEN")
_SCRIPTS = {".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".lua", ".sh", ".php", ".jl", ".r", ".jar", ".dll"}
_INTERPRETERS = ("python", "python3", "node", "java", "ruby", "perl", "lua", "php", "julia", "dotnet", "bash", "sh")


@dataclass(frozen=True, slots=True)
class BotKeys:
    """An entry of `bots`, all but what starts it.

    name: how the bot is called everywhere; any printable text, unique.
    protocol: how it talks to the arena: MessagePack over zeromq, or JSON lines on stdin and stdout (stdio).
    restart: never keeps a process for many matches, match starts a fresh one for each.
    instances_matches: matches after which a process is replaced; null = never for that reason.
    """

    name: str
    protocol: Talks = "zeromq"
    restart: Literal["never", "match"] = "never"
    instances_matches: int | None = None

    def __post_init__(self) -> None:
        problems = [("name", fault) for fault in [name_fault(self.name)] if fault]
        if self.instances_matches is not None and self.instances_matches < 1:
            problems.append(("instances_matches", f"must be above 0, not {self.instances_matches}"))
        if problems:
            raise SettingsError(problems)


@dataclass(frozen=True, slots=True)
class CommandKeys:
    """What starts a bot: the other keys of an entry of `bots`.

    command: the program and its arguments, a list or a line that is split like a shell would; no shell runs it.
    directory: where the bot runs and where its paths start; null = the folder of the config.
    environment: variables for its process.
    version: part of the fingerprint; change it when something changed that the fingerprint does not see.
    build: the command that makes what `command` names, run in `directory` before every tournament; null = none.
    needs: programs on the PATH, pkg-config:NAME or header:NAME; where one is missing, the bot is left out.
    """

    command: str | tuple[str, ...]
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None
    build: str | tuple[str, ...] | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        written = [("command", self.command), *([("build", self.build)] if self.build is not None else [])]
        problems = [(key, fault) for key, line in written if (fault := _line_fault(line))]
        for index, need in enumerate(self.needs):
            try:
                parse(need)
            except ValueError as error:
                problems.append((f"needs[{index}]", str(error)))
        for name in self.environment:
            if name in _RESERVED:
                problems.append((f"environment.{name}", "is set by the arena"))
            elif not name or "=" in name:
                problems.append(("environment", f'a variable cannot be called "{brief(name)}"'))
        if problems:
            raise SettingsError(problems)

    @property
    def words(self) -> tuple[str, ...]:
        """The argument list as written; ValueError when a line of text cannot be split."""
        return _words(self.command)

    @property
    def build_words(self) -> tuple[str, ...]:
        """The argument list of the build as written; empty when there is none."""
        return () if self.build is None else _words(self.build)


class Located(NamedTuple):
    """A bot as it can be run here.

    command: argument list with the program's absolute path. fingerprint: of what is there now, so it counts once the
    bot is built. build: the argument list that builds it, empty when it needs none. lacks: which of its `needs` are
    not here; it can be neither built nor run then.
    """

    command: tuple[str, ...]
    directory: str
    fingerprint: str
    build: tuple[str, ...] = ()
    lacks: tuple[Need, ...] = ()


class _Line(NamedTuple):
    """A command as somebody wrote it, and under which key."""

    key: str
    written: str | tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        return _words(self.written)

    def place(self, index: int) -> str:
        """Where a word of it stands in the config."""
        return self.key if isinstance(self.written, str) else f"{self.key}[{index}]"


def normalised(name: str) -> str:
    """A name as it is stored and compared: NFC, without space around it."""
    return unicodedata.normalize("NFC", name).strip()


def read_entry(path: Path) -> tuple[BotKeys, CommandKeys]:
    """A file that is an entry of `bots` alone, such as an example bot's ``bot.yaml``. Raises ConfigError."""
    part = read(path)
    keys, command = fill(part, BotKeys, CommandKeys)
    if part.problems:
        raise ConfigError(printable(path), part.problems)
    return keys, command


def locate(keys: CommandKeys, base: Path, *, is_built: bool = True) -> Located:
    """Find what a bot's commands name; `base` is the folder of its config.

    is_built: whether its `build`, if it has one, has been run, so that what it makes must be there. Raises ConfigError
    with every problem, its path counting from the bot.
    """
    directory = base / (keys.directory or ".")
    if not stat.S_ISDIR(_mode(directory)):
        name = keys.directory or "."
        fix = _file_fix(name, base, "the folder of the config")
        raise ConfigError("bot", [Problem(f'there is no directory "{brief(name)}"', "directory", suggestion=fix)])
    directory = directory.resolve()
    lacks = missing(keys.needs, keys.environment)
    problems = []
    if keys.build is not None:
        problems += _line_problems(_Line("build", keys.build), keys, directory, lacks)
    if keys.build is None or (is_built and not lacks):
        problems += _line_problems(_Line("command", keys.command), keys, directory, lacks)
    seen = ""
    try:
        seen = fingerprint(keys, directory)
    except OSError as error:
        problems.append(Problem(f"{error.filename} cannot be read: {error.strerror}", "command"))
    if problems:
        raise ConfigError("bot", problems)
    build = _runnable(keys.build_words, keys, directory) if keys.build_words else ()
    return Located(_runnable(keys.words, keys, directory), str(directory), seen, build, lacks)


def enter(keys: BotKeys, command: CommandKeys, located: Located) -> BotSpec:
    """The bot, ready to be started."""
    return BotSpec(
        name=normalised(keys.name),
        command=located.command,
        directory=located.directory,
        environment=dict(command.environment),
        protocol=keys.protocol,
        restart=keys.restart,
        instances_matches=keys.instances_matches,
        fingerprint=located.fingerprint,
    )


def fingerprint(keys: CommandKeys, directory: Path) -> str:
    """SHA-256 (hex) of what makes the bot the same bot as last time.

    It sees the argument list as written, `environment`, `version`, and the contents of each regular file that a word of
    the command names (relative to `directory`). It does not see programs found on the PATH, nor what those files load
    in turn, such as a module next to a script or a model's weights: `version` is for that. Where the folder lies, how
    the bot was built and how it talks to the arena make no difference.
    """
    contents = {}
    for index, word in enumerate(keys.words):
        if (index > 0 or "/" in word) and stat.S_ISREG(_mode(directory / word)):
            with (directory / word).open("rb") as file:
                contents[index] = hashlib.file_digest(file, "sha256").hexdigest()
    seen = [keys.words, sorted(keys.environment.items()), keys.version, sorted(contents.items())]
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()


def name_fault(name: str) -> str:
    """What is wrong with a name, of a bot or a tournament; empty when nothing is."""
    name = normalised(name)
    if not any(character.isprintable() and not character.isspace() for character in name):
        return "must not be empty"
    if len(name) > NAME_MAX:
        return f"must be at most {NAME_MAX} characters long, not {len(name)}"
    unseen = next((character for character in name if _is_unseen(character)), "")
    return f"must not contain U+{ord(unseen):04X}, a character that cannot be seen" if unseen else ""


def _is_unseen(character: str) -> bool:
    """Controls, line separators and what turns the direction of a whole line. Joiners and tags stay: emoji use them."""
    if unicodedata.category(character) == "Cf":
        return character not in "\u200c\u200d" and not "\U000e0020" <= character <= "\U000e007f"
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _words(line: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(shlex.split(line)) if isinstance(line, str) else line


def _line_fault(line: str | tuple[str, ...]) -> str:
    """What is wrong with a command as text; empty when nothing is."""
    try:
        words = _words(line)
    except ValueError:  # shlex knows no other
        return "has a quote or backslash without its counterpart; a list needs no quotes"
    return "" if words and words[0] else "must name a program"


def _runnable(words: tuple[str, ...], keys: CommandKeys, directory: Path) -> tuple[str, ...]:
    """A command with its program's absolute path, or as it was written where the program is not there (yet)."""
    program = _program(words, keys, directory)
    return words if program is None else (str(program.parent.resolve() / program.name), *words[1:])


def _program(words: tuple[str, ...], keys: CommandKeys, directory: Path) -> Path | None:
    """Where the program should be; None when no such name is on the PATH."""
    word = words[0]
    if word in _PYTHON:
        return _python(keys, directory)
    if "/" in word:
        return directory / word
    found = shutil.which(word, path=keys.environment.get("PATH"))
    return Path(found).absolute() if found else None


def _python(keys: CommandKeys, directory: Path) -> Path:
    """The interpreter that `python` means: of the environment in the bot's own folder, or else the arena's."""
    script = _script(keys.words)
    own = []
    if keys.directory is not None:
        own = [directory]
    elif script is not None:
        own = [(directory / keys.words[script]).parent]
    for python in (folder / name / "bin" / "python" for folder in own for name in (".venv", "venv")):
        if stat.S_ISREG(_mode(python)):
            return python
    return Path(sys.executable)


def _line_problems(line: _Line, keys: CommandKeys, directory: Path, lacks: Sequence[Need]) -> list[Problem]:
    """Whether a command's program and script are there; what the bot `lacks` as a whole is no problem of its.
    Files that a build names may be those that it makes."""
    problems = [] if line.words[0] in [need.name for need in lacks] else _program_problems(line, keys, directory)
    index = _script(line.words) if line.key == "command" else None
    if index is not None and not stat.S_ISREG(_mode(directory / line.words[index])):
        problems.append(_no_file(line, index, keys, directory))
    return problems


def _program_problems(line: _Line, keys: CommandKeys, directory: Path) -> list[Problem]:
    word, program = line.words[0], _program(line.words, keys, directory)
    mode = _mode(program) if program else 0
    if program is None:
        message, fix = f'there is no program "{brief(word)}" on the PATH', _program_fix(word, directory)
    elif stat.S_ISDIR(mode):
        message, fix = f'"{brief(word)}" is a directory, not a program', ""
    elif not stat.S_ISREG(mode):
        return [_no_file(line, 0, keys, directory)]
    elif not os.access(program, os.X_OK):
        message = f'"{brief(word)}" is not executable'
        fix = f"write [python, {word}]" if program.suffix == ".py" else f"chmod +x {shlex.quote(word)}"
    else:
        return []
    return [Problem(message, line.place(0), suggestion=fix)]


def _no_file(line: _Line, index: int, keys: CommandKeys, directory: Path) -> Problem:
    word, start = line.words[index], "the folder of the config" if keys.directory is None else "the bot's directory"
    was_to_be_made = line.key == "command" and keys.build is not None
    message = "the build made no file" if was_to_be_made else "there is no file"
    return Problem(f'{message} "{brief(word)}"', line.place(index), suggestion=_file_fix(word, directory, start))


def _script(words: tuple[str, ...]) -> int | None:
    """Which word is plainly a script for the program before it."""
    for index, word in enumerate(words[1:], 1):
        if word in ("-m", "-c", "-e"):
            return None
        if not word.startswith("-") and Path(word).suffix.lower() in _SCRIPTS:
            return index
    return None


def _file_fix(word: str, directory: Path, start: str) -> str:
    """Where a missing file may be instead."""
    if word.startswith("~"):
        return "~ is not expanded: write the whole path"
    folder = directory / Path(word).parent
    if not stat.S_ISDIR(_mode(folder)):
        return f'there is no directory "{brief(str(Path(word).parent))}" either; paths start at {start}'
    return did_you_mean(Path(word).name, siblings(directory / word), f"paths start at {start}")


def _program_fix(word: str, directory: Path) -> str:
    if stat.S_ISREG(_mode(directory / word)):
        return f"write [python, {word}]" if word.endswith(".py") else f"write ./{word}"
    present = [name for name in _INTERPRETERS if name.startswith("python") or shutil.which(name)]
    return did_you_mean(word, present, "install it, or write its path")


def _mode(path: Path) -> int:
    """What kind of file there is (`stat` knows the answers); 0 where there is none that can be looked at."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
