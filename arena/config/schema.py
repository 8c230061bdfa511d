"""A JSON Schema of configs, for editors: completion, descriptions and marks under mistakes while a config is written.

It is derived from the settings classes, the blocks that choose an implementation, and every implementation that the
registry finds, so that nothing is written twice. It finds fewer mistakes than `arena validate` does: JSON Schema sees
values, not how they were written, and knows nothing of what a class checks in its `__post_init__`.

Draft 7 of JSON Schema, because that is what editors understand best.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from arena.config.document import Part
from arena.config.entrants import BotKeys, CommandKeys
from arena.config.settings import NUMBER_MAX, is_required, is_settings, options, plain_default, texts
from arena.config.tournament import CHOICES, Choice, Document
from arena.registry import load, names

__all__ = ["schema"]

Schema: TypeAlias = dict[str, Any]

_PLAIN: dict[Any, Schema] = {
    NoneType: {"type": "null"},
    str: {"type": ["string", "number", "boolean"]},  # text is taken as it was written: version 1.10, a bot called no
    int: {"type": "integer", "minimum": -NUMBER_MAX, "maximum": NUMBER_MAX},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def schema() -> Schema:
    """The schema of a whole config, plain values only."""
    root = _block([Document])
    for name, choice in CHOICES.items():
        root["properties"][name] |= _choice(choice)
    root["properties"]["bots"] |= {"type": "array", "minItems": 2, "items": _entry()}
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "A tournament of the arena", **root}


def _entry() -> Schema:
    """A bot: the path of a folder, or a block of keys."""
    return {"anyOf": [{"type": "string"}, _block([BotKeys, CommandKeys])]}


def _choice(choice: Choice) -> Schema:
    """A block that chooses an implementation: its name alone, or a block of the keys of all and of the chosen one."""
    default = choice.default
    alone: list[str] = []
    blocks = []
    for name in sorted({default, *names(choice.kind)}):
        classes = [choice.keys]
        with suppress(ImportError, LookupError):  # of another package, or only a way to choose among the others
            classes.append(load(choice.kind, name))
        block = _block(classes)
        if "required" not in block:
            alone.append(name)
        block["properties"][choice.key] |= {"enum": [name], "default": default}
        if name != default:
            block["required"] = [choice.key, *block.get("required", ())]
            block["type"] = "object"
        blocks.append(block)
    return {"anyOf": [{"enum": alone}, *blocks]}


def _block(classes: Sequence[type[Any]]) -> Schema:
    """A block with the keys of some classes, and no others; nothing at all is an empty block."""
    properties: Schema = {}
    required = []
    for cls in classes:
        hints, meanings = get_type_hints(cls), texts(cls)
        for field in fields(cls):
            if not field.init:
                continue
            key = _value(hints[field.name])
            if meanings.get(field.name):
                key["description"] = meanings[field.name]
            if is_required(field):
                required.append(field.name)
            elif not any(map(is_settings, options(hints[field.name]))):  # a block's keys have their own defaults
                key["default"] = json.loads(json.dumps(plain_default(field)))
            properties[field.name] = key
    block: Schema = {"type": "object" if required else ["object", "null"], "properties": properties}
    if required:
        block["required"] = required
    return {**block, "additionalProperties": False}


def _value(hint: Any) -> Schema:
    """What an annotation allows."""
    allowed = [_one(option) for option in options(hint)]
    return allowed[0] if len(allowed) == 1 else {"anyOf": allowed}


def _one(option: Any) -> Schema:
    origin, arguments = get_origin(option) or option, get_args(option)
    if option is Part:  # a block that somebody else reads
        return {}
    if origin is Literal:
        return {"enum": list(arguments)}
    if is_settings(option):
        return _block([option])
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": _value(arguments[0])}
    if origin in (dict, Mapping):
        keys = {"propertyNames": {"pattern": "^[-+]?[0-9]+$"}} if arguments[0] is int else {}
        return {"type": "object", **keys, "additionalProperties": _value(arguments[1])}
    return dict(_PLAIN[origin])
