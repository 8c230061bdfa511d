"""Parts of a document into frozen dataclasses: the one place where a settings class meets what a person typed.

The class is the whole declaration: annotations say what a key may hold, defaults what may be left out, `__post_init__`
what cannot work, "key: text" lines of the docstring what it means. `fill` builds instances and reports all that is
wrong, each with its line; it never raises for a wrong document.

Text is taken as it was written (version 1.10 stays "1.10", a bot may be called `no`); numbers must look like numbers,
because YAML's own idea of them is full of surprises (010 is 8, 1:30 is 90, 1e3 is text).
"""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from inspect import cleandoc
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeGuard, Union, get_args, get_origin, get_type_hints

import yaml

from arena.config.document import BLOCK, NULL, Part, did_you_mean, nearest, shown
from arena.errors import SettingsError

__all__ = [
    "NUMBER_MAX",
    "UNREADABLE",
    "Setting",
    "describe",
    "fill",
    "is_required",
    "is_settings",
    "options",
    "plain_default",
    "texts",
]

NUMBER_MAX = 2**53 - 1
"""The largest whole number that every reader of JSON keeps exact."""


class _Unreadable:
    """False, unlike any settings object."""

    def __bool__(self) -> bool:
        return False


UNREADABLE: Any = _Unreadable()
"""Stands for a value that was reported as a problem."""

_DIGITS = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_WHOLE = re.compile(rf"[-+]?{_DIGITS}")
_DECIMAL = re.compile(rf"[-+]?(?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SLOPPY = re.compile(r"([-+]?[0-9]+(?:[,_][0-9]{3})*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?) ?([a-zA-Z]*|%)")
_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text", NoneType: "null", Part: BLOCK}
_MANY = {"a whole number": "whole numbers", "a number": "numbers", "text": "text", BLOCK: "blocks"}


class Setting(NamedTuple):
    """One key of a settings class, for people: what it holds and its default (as YAML; empty when it has none)."""

    key: str
    type: str
    default: str
    text: str


def fill(part: Part, *classes: type[Any], strict: bool = True, elsewhere: Mapping[str, str] | None = None) -> list[Any]:
    """An instance of each class from the keys of one block, UNREADABLE for one that is not to be had.

    The classes share the block: a key that none of them has is a problem (unless not `strict`). `elsewhere` says where
    keys of other blocks belong. No value at all is an empty block: a person has commented its keys out.
    """
    keys = [field for cls in classes for field in fields(cls) if field.init]
    known = [field.name for field in sorted(keys, key=is_required, reverse=True)]
    if not isinstance(part.node, yaml.MappingNode) and part.node.tag != NULL:
        part.report(f"must be {_block_of(known)}, not {shown(part.node)}", _fix(part.node, Part))
        return [UNREADABLE for _ in classes]
    entries = part.items()
    unknown = [key for key in entries if key not in known] if strict else []
    for key in unknown:
        entries[key].report("unknown key", _where_to(key, known, elsewhere or {}))
    meant = {nearest(key, known) for key in unknown}
    return [_instance(cls, part, entries, meant) for cls in classes]


def _where_to(key: str, known: Sequence[str], elsewhere: Mapping[str, str]) -> str:
    """What somebody who wrote an unknown key should write instead."""
    if key in elsewhere:
        return f"it belongs under {elsewhere[key]}"
    other = nearest(key, elsewhere)
    known_here = f"did you mean {other}, under {elsewhere[other]}?" if other else f"known here: {', '.join(known)}"
    return did_you_mean(key, known, known_here)


def describe(cls: type[Any], prefix: str = "") -> list[Setting]:
    """The keys of a settings class in order; those of a class inside it follow as ``outer.inner``."""
    hints, meanings = get_type_hints(cls), texts(cls)
    settings = []
    for field in fields(cls):
        if not field.init:
            continue
        allowed = options(hints[field.name])
        nested = [option for option in allowed if is_settings(option)]
        if len(allowed) > len(nested):
            key, text = prefix + field.name, meanings.get(field.name, "")
            settings.append(Setting(key, _in_words(hints[field.name]), _default_text(field), text))
        for option in nested:
            settings += describe(option, f"{prefix}{field.name}.")
    return settings


def _instance(cls: type[Any], part: Part, entries: Mapping[str, Part], meant: Collection[str]) -> Any:
    """An instance of one class; keys in `meant` were given, under a wrong name that is reported already."""
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    unread = []
    for field in fields(cls):
        if not field.init or (field.name not in entries and not is_required(field)):
            continue
        if field.name in entries:
            value = _convert(entries[field.name], hints[field.name])
        else:
            value = UNREADABLE
            if field.name not in meant:
                part.find(field.name).report("is missing", f'add "{field.name}: …"')
        if value is UNREADABLE:
            unread.append(field)
        else:
            values[field.name] = value
    if any(is_required(field) for field in unread):
        return UNREADABLE
    try:
        instance = cls(**values)
    except SettingsError as error:
        _report_settings(part, error, [field.name for field in unread])
        return UNREADABLE
    return UNREADABLE if unread else instance


def _report_settings(part: Part, error: SettingsError, unread: Sequence[str]) -> None:
    """What the class itself complains of, except about keys that were unreadable: it saw their defaults instead."""
    for path, message in error.problems:
        if not any(re.search(rf"\b{name}\b", f"{path} {message}") for name in unread):
            part.find(path).report(message)


def _convert(part: Part, hint: Any) -> Any:
    """The value of a part as its annotation wants it; UNREADABLE, and a report, when it is nothing of the kind."""
    if NoneType in options(hint) and part.node.tag == NULL:
        return None
    control = _control_character(part.node)
    if control:
        part.report(f"contains the control character {control}", "in double quotes a backslash begins an escape")
        return UNREADABLE
    for option in options(hint):
        origin = get_origin(option) or option
        if option is Part:
            return part
        if is_settings(option) and (isinstance(part.node, yaml.MappingNode) or part.node.tag == NULL):
            return fill(part, option)[0]
        if origin in (tuple, list, Sequence) and isinstance(part.node, yaml.SequenceNode):
            items = [_convert(item, get_args(option)[0]) for item in part.items().values()]
            return UNREADABLE if UNREADABLE in items else (items if origin is list else tuple(items))
        if origin in (dict, Mapping) and isinstance(part.node, yaml.MappingNode):
            return _mapping(part, *get_args(option))
        value = _scalar(part.node, option)
        if value is not UNREADABLE:
            return value
    part.report(f"must be {_in_words(hint)}, not {shown(part.node)}", _fix(part.node, hint))
    return UNREADABLE


def _mapping(part: Part, key_hint: Any, value_hint: Any) -> Any:
    result: dict[Any, Any] = {}
    complete = True
    for text, item in part.items().items():
        key_node = yaml.ScalarNode("", text)
        key = UNREADABLE if _control_character(key_node) else _scalar(key_node, key_hint)
        value = _convert(item, value_hint)
        if key is UNREADABLE:
            item.report(f"the key must be {_in_words(key_hint)}, not {shown(key_node)}", _fix(key_node, key_hint))
        elif key in result:
            item.report(f"the key {key} is given twice", "keep one of them")
        complete = complete and UNREADABLE not in (key, value) and key not in result
        result[key] = value
    return result if complete else UNREADABLE


def _scalar(node: yaml.Node, hint: Any) -> Any:
    """A single value of one plain type, or UNREADABLE."""
    if not isinstance(node, yaml.ScalarNode):
        return UNREADABLE
    text, is_plain = node.value, not node.style
    if node.tag == NULL:
        return UNREADABLE
    if get_origin(hint) is Literal:
        return {str(choice): choice for choice in get_args(hint)}.get(text, UNREADABLE)
    if hint is str:
        return text
    if hint is bool and node.tag == "tag:yaml.org,2002:bool":
        return yaml.SafeLoader.bool_values.get(text.lower(), UNREADABLE)
    if hint is int and is_plain and _WHOLE.fullmatch(text) and len(text) < 30 and abs(int(text)) <= NUMBER_MAX:
        return int(text)
    if hint is float and is_plain and _DECIMAL.fullmatch(text) and isfinite(float(text)):
        return float(text)
    return UNREADABLE


def _fix(node: yaml.Node, hint: Any) -> str:
    """What to write instead of a value that is nothing of what `hint` allows; empty when that is anybody's guess."""
    allowed = options(hint)
    if not isinstance(node, yaml.ScalarNode):
        return 'begin each entry with "- "' if any(get_origin(option) in (tuple, list) for option in allowed) else ""
    text = node.value
    if node.tag == NULL:
        return "give a value or remove the key"
    choices = [str(choice) for option in allowed if get_origin(option) is Literal for choice in get_args(option)]
    if nearest(text, choices):
        return did_you_mean(text, choices)
    if int in allowed or float in allowed:
        return _number_fix(text, whole=float not in allowed)
    if "block" in _in_words(hint) and ":" in text:
        return 'put a space after the ":"'
    return ""


def _number_fix(text: str, *, whole: bool) -> str:
    match = _SLOPPY.fullmatch(text)
    if not match or len(text) > 30:
        return ""
    number, unit = float(match[1].replace(",", "").replace("_", "")), match[2]
    if unit == "%" and not whole:
        return f"write {number / 100}"
    if unit:
        return "write the number alone, without a unit"
    if abs(number) > NUMBER_MAX:
        return f"the largest is {NUMBER_MAX}"
    return f"write {int(number)}" if number.is_integer() else ("" if whole else f"write {number}")


def _control_character(node: yaml.Node) -> str:
    """The first character of a text that belongs in no text, like ``U+0007``; empty when all is well."""
    for character in node.value if isinstance(node, yaml.ScalarNode) else ():
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n":
            return f"U+{ord(character):04X}"
    return ""


def options(hint: Any) -> tuple[Any, ...]:
    """The types that an annotation allows; null is NoneType."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def is_settings(option: Any) -> TypeGuard[type[Any]]:
    """Whether a type is a settings class, so that its value is a block of keys."""
    return isinstance(option, type) and is_dataclass(option) and option is not Part


def is_required(field: "Field[Any]") -> bool:
    """Whether a key must be given."""
    return field.default is MISSING and field.default_factory is MISSING


def _in_words(hint: Any) -> str:
    """An annotation for people: "a whole number or null"."""
    words = []
    for option in options(hint):
        origin, arguments = get_origin(option) or option, get_args(option)
        if origin is Literal:
            words += [f'"{choice}"' if isinstance(choice, str) else str(choice) for choice in arguments]
        elif origin in (tuple, list, Sequence):
            entry = _in_words(arguments[0])
            words.append(f"a list of {_MANY[entry]}" if entry in _MANY else f"a list, each entry {entry}")
        elif is_settings(option):
            words.append(_block_of([field.name for field in fields(option) if field.init]))
        else:
            words.append(_WORDS.get(origin, BLOCK))
    return " or ".join(words)


def _block_of(keys: Sequence[str]) -> str:
    return f"a block of keys ({', '.join([*keys[:4], *(['…'] if len(keys) > 4 else [])])})"


def plain_default(field: "Field[Any]") -> Any:
    """The default of a key that has one, as a config could say it: a block is a dictionary."""
    default = field.default if field.default_factory is MISSING else field.default_factory()
    plain = asdict(default) if is_dataclass(default) and not isinstance(default, type) else default
    return dict(plain) if isinstance(plain, Mapping) else plain


def _default_text(field: "Field[Any]") -> str:
    if is_required(field):
        return ""
    plain = plain_default(field)
    text = yaml.safe_dump(plain, default_flow_style=True, width=10_000, allow_unicode=True, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def texts(cls: type[Any]) -> dict[str, str]:
    """What each key means: the "key: text" pieces of a docstring. A text ends where the next begins, or with its
    paragraph."""
    names = "|".join(re.escape(field.name) for field in fields(cls))
    pieces = re.split(rf"(?:^|(?<=\. ))({names}): ", cleandoc(cls.__doc__ or ""), flags=re.MULTILINE)
    return {
        name: " ".join(text.split("\n\n")[0].split()) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)
    }
