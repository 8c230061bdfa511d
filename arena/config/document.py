"""A YAML file as parts that know their place, so that every complaint can name its line.

The file is composed into PyYAML's node tree, never constructed: nothing in it can run, an anchor costs nothing, and a
value is still as it was written. `read` refuses what no config can be made of (not a file, not YAML, endless aliases)
with a `ConfigError`; what is wrong with single values it reports into the list that all parts of the document share,
so that it stands beside whatever is found later.
"""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import yaml

from arena.errors import ConfigError, Problem

__all__ = ["BLOCK", "NULL", "Part", "brief", "did_you_mean", "nearest", "printable", "read", "shown", "siblings"]

BLOCK = 'a block of "key: value" lines'
NULL = "tag:yaml.org,2002:null"

SIZE_MAX = 1 << 18
"""Bytes of a file: a thousand bots and more, and still only seconds of PyYAML's time at worst."""
VALUES_MAX = 100_000
"""Values of a document once its aliases are followed: a few lines of them can stand for billions."""
DEPTH_MAX = 50
"""Blocks and lists inside each other, aliases followed."""
SHOWN_MAX = 60
"""Characters of a value or key that a message repeats."""

_DISPUTED = re.compile("[\\t?!\\x85\\u2028\\u2029\\ufeff]")
"""What libyaml lets through at places where PyYAML does not, or reads otherwise."""
_MERGE = "tag:yaml.org,2002:merge"
_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value", "map", "seq")
}

# PyYAML's words -> (what is wrong, what to do). {0} is what the pattern caught, {line} where the thing around began.
_YAML_ERRORS = (
    (r"found character '\\t'", "a tab where YAML wants spaces", "indent with spaces; an editor can convert tabs"),
    (r"found character '(.)' that cannot", "text cannot begin with {0}", "put the text in quotes"),
    (
        r"mapping values are not allowed",
        'a ":" where none is expected',
        'check the indentation, the space after each ":" and quotes around text that contains ": "',
    ),
    (
        r"expected <block end>",
        "this does not belong to the block or list that begins on line {line}",
        "indent the lines of a block alike; look for a quote or bracket that closes too early",
    ),
    (r"could not find expected ':'", 'this is not "key: value"', 'put a space after the ":"'),
    (r"a quoted scalar: found unexpected", "the quote that opens here is never closed", ""),
    (r"double-quoted scalar", "a backslash in double quotes begins an escape", "use single quotes"),
    (
        r"expected ',' or '(.)'",
        'the list or block that opens on line {line} lacks a comma or its "{0}"',
        "close it; quote text that contains brackets, commas or colons",
    ),
    (r"undefined alias '(.*)'", "*{0} refers to no anchor", "put text that begins with * in quotes"),
    (r"while scanning an (?:alias|anchor)", "a * or & that names no anchor", "put text that begins with it in quotes"),
    (r"another document|<document start>", "a second document begins here", 'remove the line "---" or "..."'),
    (r"sequence entries are not allowed", 'a list entry ("- ") cannot begin here', "begin it on a line of its own"),
    (r"expected the node content", "a bracket or comma where a value should be", "put text with brackets in quotes"),
)


if yaml.__with_libyaml__:

    class _LibyamlLoader(yaml.composer.Composer, yaml.CSafeLoader):
        """libyaml's events, put together in Python: libyaml's own composer ends the process when it runs out of stack
        (thousands of brackets are enough)."""

        def __init__(self, stream: str) -> None:
            yaml.CSafeLoader.__init__(self, stream)
            yaml.composer.Composer.__init__(self)


@dataclass(frozen=True, slots=True)
class Part:
    """A value of a document and its place; `line` is None for the document as a whole."""

    node: yaml.Node
    path: str
    line: int | None
    problems: list[Problem]

    def report(self, message: str, suggestion: str = "") -> None:
        self.problems.append(Problem(message, self.path, self.line, suggestion))

    @property
    def text(self) -> str | None:
        """A single value as it was written; None when there is none."""
        return str(self.node.value) if isinstance(self.node, yaml.ScalarNode) and self.node.tag != NULL else None

    @property
    def is_list(self) -> bool:
        return isinstance(self.node, yaml.SequenceNode)

    def items(self) -> dict[str, "Part"]:
        """The entries of a list by "[index]", the values of a block by key with merge keys (``<<``) followed; empty for
        anything else."""
        if isinstance(self.node, yaml.SequenceNode):
            return {f"[{index}]": self._child(f"[{index}]", node, node) for index, node in enumerate(self.node.value)}
        if not isinstance(self.node, yaml.MappingNode):
            return {}
        keyed = [(key, node) for key, node in self.node.value if isinstance(key, yaml.ScalarNode)]
        own = {key.value: self._child(key.value, node, key) for key, node in keyed if key.tag != _MERGE}
        for source in (source for key, node in keyed if key.tag == _MERGE for source in _merged(node)):
            if isinstance(source, yaml.MappingNode):
                own = Part(source, self.path, self.line, self.problems).items() | own
        return own

    def find(self, path: str) -> "Part":
        """The part at a path below this one (``rules.deck``, ``command[1]``); what the document does not have stands on
        the line of the part that would hold it."""
        part = self
        for step in re.findall(r"\[\d+\]|[^.\[]+", path):
            part = part.items().get(step) or part._absent(step)
        return part

    def _child(self, step: str, node: yaml.Node, place: yaml.Node) -> "Part":
        return Part(node, _joined(self.path, step), place.start_mark.line + 1, self.problems)

    def _absent(self, step: str) -> "Part":
        return Part(yaml.ScalarNode(NULL, ""), _joined(self.path, step), self.line, self.problems)


def read(path: Path) -> Part:
    """The document in a file; raises ConfigError when there is none to speak of."""
    problems: list[Problem] = []
    try:
        root = _compose(_decode(_load(path)))
        part = Part(root, "", None, problems)
        values, depth = _check(part, {})
    except _Unusable as error:
        raise ConfigError(printable(path), [error.problem]) from None
    if values > VALUES_MAX or depth > DEPTH_MAX:
        raise ConfigError(
            printable(path), [Problem("is endless, or far too large, once its aliases (*name) are followed")]
        )
    return part


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant; empty when none is near."""
    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else ""


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """The suggestion to write the nearest known word."""
    near = nearest(word, known)
    return f"did you mean {brief(near)}?" if near else otherwise


def printable(path: Path) -> str:
    """A path for messages, also one that is no text."""
    return str(path).encode(errors="backslashreplace").decode()


def brief(text: str) -> str:
    """Text as a message repeats it: short, and nothing in it that a terminal obeys."""
    short = text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"
    return "".join(character if character.isprintable() else "·" for character in short)


def shown(node: yaml.Node) -> str:
    """A value in words, much as it was written."""
    if not isinstance(node, yaml.ScalarNode):
        return "a list" if isinstance(node, yaml.SequenceNode) else BLOCK
    if node.tag == NULL:
        return "nothing"
    is_number = not node.style and re.match(r"[-+.]?\d", node.value)
    return brief(node.value) if is_number else f'"{brief(node.value)}"'


def siblings(path: Path) -> list[str]:
    """What there is in the folder of a path, by name; nothing when nobody can tell."""
    try:
        return sorted(entry.name for entry in path.parent.iterdir())
    except (OSError, ValueError):
        return []


class _Unusable(Exception):
    """Nothing can be read from the file, for one reason."""

    def __init__(self, message: str, suggestion: str = "", line: int | None = None) -> None:
        self.problem = Problem(message, "", line, suggestion)
        super().__init__(message)


def _load(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE_MAX + 1)
    except FileNotFoundError:
        raise _Unusable("there is no such file", did_you_mean(path.name, siblings(path))) from None
    except IsADirectoryError:
        raise _Unusable("is a directory", "name the config file in it") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _Unusable(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > SIZE_MAX:
        raise _Unusable(f"is larger than {SIZE_MAX >> 10} KiB, which no config needs")
    return content


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _Unusable(
            f"is not UTF-8 text: byte {content[error.start]:#04x} is not allowed here", "save the file as UTF-8", line
        ) from None


def _compose(text: str) -> yaml.Node:
    try:
        root = _composed(text)
    except yaml.MarkedYAMLError as error:
        raise _in_plain_words(error) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise _Unusable(
            f"contains the control character U+{ord(text[error.position]):04X}", "remove it", line
        ) from None
    except RecursionError:
        raise _Unusable("has too many lists or blocks inside each other") from None
    except (ValueError, OverflowError):  # an escape such as "\UFFFFFFFF", of which PyYAML does not tell the place
        raise _Unusable("is not valid YAML: an escape (\\U…) stands for no character") from None
    if root is None or root.tag == NULL:
        raise _Unusable("is empty", "begin with one that arena new makes")
    if not isinstance(root, yaml.MappingNode):
        hint = 'begin with "name: …"' if isinstance(root, yaml.SequenceNode) else 'put a space after each ":"'
        raise _Unusable(f"must be {BLOCK}, not {shown(root)}", hint, root.start_mark.line + 1)
    return root


def _composed(text: str) -> yaml.Node | None:
    """By libyaml where PyYAML has it, in half the time. What that does not like is read again by PyYAML itself, whose
    words `_YAML_ERRORS` knows."""
    if yaml.__with_libyaml__ and not _DISPUTED.search(text):
        with contextlib.suppress(yaml.YAMLError):
            return yaml.compose(text, Loader=_LibyamlLoader)
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _in_plain_words(error: yaml.MarkedYAMLError) -> _Unusable:
    said = f"{error.context or ''}: {error.problem}"
    mark = error.problem_mark or error.context_mark
    assert mark is not None  # every error of composing has a place
    began = error.context_mark or mark
    place = began if error.context and "scanning" in error.context else mark  # the scanner notices late
    message, suggestion = error.problem, ""
    for pattern, plain, fix in _YAML_ERRORS:
        match = re.search(pattern, said)
        if match:
            message, suggestion = plain.format(*match.groups(), line=began.line + 1), fix
            break
    return _Unusable(f"not valid YAML at column {place.column + 1}: {message}", suggestion, place.line + 1)


def _check(part: Part, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Report what is wrong with single values in and below `part`; return how many values it stands for with aliases
    followed, and how deep it is. A part that contains itself comes out as too large."""
    identity = id(part.node)
    if identity in known:
        return known[identity]
    known[identity] = VALUES_MAX + 1, 1
    _check_tag(part.node, part)
    children = _check_keys(part) if isinstance(part.node, yaml.MappingNode) else list(part.items().values())
    sizes = [_check(child, known) for child in children]
    known[identity] = 1 + sum(values for values, _ in sizes), 1 + max((depth for _, depth in sizes), default=0)
    return known[identity]


def _check_tag(node: yaml.Node, part: Part) -> None:
    if node.tag not in _TAGS:
        part.report("YAML tags (!name) mean nothing here", "quote text that begins with !")


def _check_keys(part: Part) -> list[Part]:
    """Report what is wrong with the keys of a block; return its values, those of a merge key as they stand."""
    children = []
    lines: dict[str, int | None] = {}
    for key, node in part.node.value:
        if not isinstance(key, yaml.ScalarNode):
            replace(part, line=key.start_mark.line + 1).report("a key cannot be a list or a block")
            continue
        child = part._child(key.value, node, key)
        children.append(child)
        _check_tag(key, child)
        if key.tag == _MERGE:
            if not all(isinstance(source, yaml.MappingNode) for source in _merged(node)):
                child.report(f"must refer to {BLOCK}")
        elif key.value in lines:
            where = f", on lines {lines[key.value]} and {child.line}" if lines[key.value] != child.line else ""
            child.report(f"is given twice{where}", "keep one of them")
        lines.setdefault(key.value, child.line)
    return children


def _merged(node: yaml.Node) -> list[yaml.Node]:
    """What a merge key brings in; an earlier one wins over a later."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else [node]


def _joined(path: str, step: str) -> str:
    return f"{path}{brief(step)}" if not path or step.startswith("[") else f"{path}.{brief(step)}"
