"""A bot as somebody entered it, made into one that can be started: program found, files seen, fingerprint taken.

Everything that can be known to fail is found here, before a tournament starts: this is the part of reading a config
that looks at the disk. No command ever goes through a shell.
"""

import hashlib
import json
import os
import shlex
import shutil
import stat
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from arena.document import brief, did_you_mean, siblings
from arena.errors import ConfigError, Problem, SettingsError
from arena.model import BotSpec

__all__ = ["BotKeys", "CommandKeys", "Located", "enter", "fingerprint", "locate", "name_fault", "normalised"]

NAME_MAX = 100
"""Characters of a bot's name: what a table can still show."""

_RESERVED = ("ARENA_ENDPOINT", "ARENA_TOKEN")
_SCRIPTS = {".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".lua", ".sh", ".php", ".jl", ".r", ".jar", ".dll"}
_INTERPRETERS = ("python", "python3", "node", "java", "ruby", "perl", "lua", "php", "julia", "dotnet", "bash", "sh")


@dataclass(frozen=True, slots=True)
class BotKeys:
    """An entry of `bots`, all but what starts it.

    name: how the bot is called everywhere; any printable text, unique.
    protocol: how it talks to the arena.
    restart: never keeps a process for many matches, match starts a fresh one for each.
    instances_matches: matches after which a process is replaced; null = never for that reason.
    """

    name: str
    protocol: Literal["zeromq"] = "zeromq"
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
    """

    command: str | tuple[str, ...]
    directory: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    version: str | None = None

    def __post_init__(self) -> None:
        problems = []
        try:
            if not self.words or not self.words[0]:
                problems.append(("command", "must name a program"))
        except ValueError:  # shlex knows no other
            problems.append(("command", "has a quote or backslash without its counterpart; a list needs no quotes"))
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
        return tuple(shlex.split(self.command)) if isinstance(self.command, str) else self.command


class Located(NamedTuple):
    """A command as it can be run here: argument list with the program's absolute path, directory, fingerprint."""

    command: tuple[str, ...]
    directory: str
    fingerprint: str


def normalised(name: str) -> str:
    """A name as it is stored and compared: NFC, without space around it."""
    return unicodedata.normalize("NFC", name).strip()


def locate(keys: CommandKeys, base: Path) -> Located:
    """Find what a command names; `base` is the folder of its config. Raises ConfigError with every problem, its path
    counting from the bot."""
    directory = base / (keys.directory or ".")
    if not stat.S_ISDIR(_mode(directory)):
        name = keys.directory or "."
        fix = _file_fix(name, base, "the folder of the config")
        raise ConfigError("bot", [Problem(f'there is no directory "{brief(name)}"', "directory", suggestion=fix)])
    directory = directory.resolve()
    program = _program(keys, directory)
    problems = [*_program_problems(keys, directory, program), *_script_problems(keys, directory)]
    seen = ""
    try:
        seen = fingerprint(keys, directory)
    except OSError as error:
        problems.append(Problem(f"{error.filename} cannot be read: {error.strerror}", "command"))
    if problems or program is None:
        raise ConfigError("bot", problems)
    return Located((str(program.parent.resolve() / program.name), *keys.words[1:]), str(directory), seen)


def enter(keys: BotKeys, command: CommandKeys, located: Located) -> BotSpec:
    """The bot, ready to be started."""
    return BotSpec(
        name=normalised(keys.name),
        command=located.command,
        directory=located.directory,
        environment=dict(command.environment),
        restart=keys.restart,
        instances_matches=keys.instances_matches,
        fingerprint=located.fingerprint,
    )


def fingerprint(keys: CommandKeys, directory: Path) -> str:
    """SHA-256 (hex) of what makes the bot the same bot as last time.

    It sees the argument list as written, `environment`, `version`, and the contents of each regular file that a word of
    the command names (relative to `directory`). It does not see programs found on the PATH, nor what those files load
    in turn, such as a module next to a script or a model's weights: `version` is for that. Where the folder lies makes
    no difference.
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


def _program(keys: CommandKeys, directory: Path) -> Path | None:
    """Where the program should be; None when no such name is on the PATH."""
    word = keys.words[0]
    if word in ("python", "python3"):
        return _python(keys, directory)
    if "/" in word:
        return directory / word
    found = shutil.which(word, path=keys.environment.get("PATH"))
    return Path(found).absolute() if found else None


def _python(keys: CommandKeys, directory: Path) -> Path:
    """The interpreter that `python` means: of the environment in the bot's own folder, or else the arena's."""
    script = _script(keys)
    own = []
    if keys.directory is not None:
        own = [directory]
    elif script is not None:
        own = [(directory / keys.words[script]).parent]
    for python in (folder / name / "bin" / "python" for folder in own for name in (".venv", "venv")):
        if stat.S_ISREG(_mode(python)):
            return python
    return Path(sys.executable)


def _program_problems(keys: CommandKeys, directory: Path, program: Path | None) -> list[Problem]:
    word, mode = keys.words[0], _mode(program) if program else 0
    if program is None:
        message, fix = f'there is no program "{brief(word)}" on the PATH', _program_fix(word, directory)
    elif stat.S_ISDIR(mode):
        message, fix = f'"{brief(word)}" is a directory, not a program', ""
    elif not stat.S_ISREG(mode):
        message, fix = f'there is no file "{brief(word)}"', _file_fix(word, directory, _start(keys))
    elif not os.access(program, os.X_OK):
        message = f'"{brief(word)}" is not executable'
        fix = f"write [python, {word}]" if program.suffix == ".py" else f"chmod +x {shlex.quote(word)}"
    else:
        return []
    return [Problem(message, _place(keys, 0), suggestion=fix)]


def _script_problems(keys: CommandKeys, directory: Path) -> list[Problem]:
    index = _script(keys)
    if index is None or stat.S_ISREG(_mode(directory / keys.words[index])):
        return []
    word = keys.words[index]
    fix = _file_fix(word, directory, _start(keys))
    return [Problem(f'there is no file "{brief(word)}"', _place(keys, index), suggestion=fix)]


def _script(keys: CommandKeys) -> int | None:
    """Which word is plainly a script for the program before it."""
    for index, word in enumerate(keys.words[1:], 1):
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


def _start(keys: CommandKeys) -> str:
    """Where the paths of a command start, in words."""
    return "the folder of the config" if keys.directory is None else "the bot's directory"


def _place(keys: CommandKeys, index: int) -> str:
    return "command" if isinstance(keys.command, str) else f"command[{index}]"
