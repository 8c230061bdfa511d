"""Example bots and configs as starting points: which there are, which files belong to them, and copies of them.

Only the standard library and `arena.errors` are imported: the build of this package uses this file, too, to put both
into a wheel. So what `arena new` copies is the same from a source checkout and from an installed package.
"""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from arena.errors import ConfigError, HostError, Problem

__all__ = ["ENTRY", "FOLDERS", "as_yaml", "bots_in", "copy", "files", "languages", "make", "make_all"]

ENTRY = "bot.yaml"
"""The file that makes a folder an example bot: its entry for `bots` of a config."""

FOLDERS = ("configs", "example_bots")
"""What lies side by side in a checkout, a wheel and what `make_all` makes: configs name bots by relative paths."""


class _Ignored(NamedTuple):
    """One line of a .gitignore: names, paths from its folder and ``!`` are known; ``**`` is not."""

    folder: Path
    pattern: str

    @property
    def is_exception(self) -> bool:
        return self.pattern.startswith("!")

    def matches(self, path: Path) -> bool:
        pattern = self.pattern.removeprefix("!")
        if pattern.endswith("/") and not path.is_dir():
            return False
        wanted = pattern.strip("/").split("/")
        parts = path.relative_to(self.folder).parts if "/" in pattern.rstrip("/") else path.parts[-1:]
        return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def languages() -> dict[str, Path]:
    """The folder of each language's example bot. Raises HostError when this installation has none."""
    return bots_in([_home() / "example_bots"])


def bots_in(folders: Iterable[Path]) -> dict[str, Path]:
    """The folders of example bots by their names, in the first of `folders` that has any."""
    found = ({entry.parent.name: entry.parent for entry in sorted(folder.glob(f"*/{ENTRY}"))} for folder in folders)
    return next(filter(None, found), {})


def files(folder: Path) -> list[Path]:
    """The files of an example bot, relative to its folder: all but what a .gitignore in it names."""
    return sorted(path.relative_to(folder) for path in _kept(folder, []))


def copy(folder: Path, target: Path) -> list[Path]:
    """Copy an example bot's files, links as what they lead to; returns them, relative to both folders."""
    names = files(folder)
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, target / name)
    return names


def make(folder: Path, target: Path, name: str) -> list[Path]:
    """Make a new bot of an example, called `name`, in a directory that is empty or not there yet.

    Returns its files, relative to both folders. Raises ConfigError when there is something already, or when the
    directory cannot be written.
    """
    with _filling(target):
        names = copy(folder, target)
        entry = target / ENTRY
        text = re.sub(r"^name:.*", lambda _: f"name: {as_yaml(name)}", entry.read_text("utf-8"), flags=re.MULTILINE)
        entry.write_text(text, "utf-8")
    return names


def make_all(target: Path) -> list[Path]:
    """Copy every config and every example bot to a directory that is empty or not there yet.

    Returns the files, relative to it. Raises ConfigError as `make` does, HostError when this installation has none.
    """
    home = _home()
    with _filling(target):
        return [Path(folder) / name for folder in FOLDERS for name in copy(home / folder, target / folder)]


def as_yaml(text: str) -> str:
    """A name or path as YAML reads it back: plain where that is safe, else quoted as JSON, which is YAML, too."""
    is_plain = re.fullmatch(r"[A-Za-z/][\w./-]*", text, re.ASCII) and text.lower() != "null"
    return text if is_plain else json.dumps(text, ensure_ascii=False)


def _home() -> Path:
    """Where the folders of examples are. Raises HostError when this installation has none."""
    package = Path(__file__).resolve().parents[1]
    for home in (package, package.parent):  # in a wheel, in a source checkout
        if all((home / folder).is_dir() for folder in FOLDERS):
            return home
    raise HostError(f"this installation has no examples: {' and '.join(FOLDERS)} are missing in {package}")


@contextmanager
def _filling(target: Path) -> Iterator[None]:
    """Refuses a directory with something in it; what goes wrong while it is filled is told in words."""
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise ConfigError(str(target), [Problem("is there already, and not an empty directory")])
        yield
    except OSError as error:
        raise ConfigError(str(target), [Problem(f"cannot be written: {error.strerror}")]) from None


def _kept(folder: Path, ignored: list[_Ignored]) -> Iterator[Path]:
    ignored = [*ignored, *_read_ignored(folder)]
    for path in folder.iterdir():
        verdicts = [not line.is_exception for line in ignored if line.matches(path)]
        if verdicts and verdicts[-1]:
            continue
        if path.is_dir():
            yield from _kept(path, ignored)
        else:
            yield path


def _read_ignored(folder: Path) -> list[_Ignored]:
    path = folder / ".gitignore"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return [_Ignored(folder, line.rstrip()) for line in lines if line.strip() and not line.startswith("#")]
