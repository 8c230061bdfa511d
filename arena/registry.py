"""Finds the implementations of a contract: the modules of its folder, and the entry points of installed packages.

There is no list to edit. A kind is a folder (`games`, `formats`, ...); a name is a module (or sub-package) in it; the
implementation is the one class in that module's `__all__`. A module that does not keep to this fails loudly, here.
Other packages may add to a kind with an entry point in the group ``arena.<kind>``. Only what is asked for is imported.

Nothing is preferred silently: a name that two packages offer, or a package and the arena, is refused until one of them
is gone. What an installed package offers is looked at before it is used, so that one that is broken, or was written for
another version of the contracts, is named with its version instead of failing somewhere later.
"""

import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import Parameter, signature
from typing import Any

from arena.contracts import Executor, Format, Game, Launcher, RatingMethod

__all__ = ["KINDS", "default", "load", "names"]

_CONTRACTS: dict[str, type[Any]] = {
    "games": Game,
    "formats": Format,
    "ratings": RatingMethod,
    "launchers": Launcher,
    "executors": Executor,
}

KINDS = tuple(_CONTRACTS)


def names(kind: str) -> tuple[str, ...]:
    """Everything of a kind, by name, sorted; imports none of it."""
    return tuple(sorted({*_own(kind), *_installed(kind)}))


def default(kind: str) -> str:
    """The name of what is taken where a config names nothing: the arena's own class that says `is_default = True`."""
    found = [name for name in _own(kind) if getattr(_load_own(kind, name), "is_default", False)]
    assert len(found) == 1, f"arena.{kind}: one class must say is_default = True, not those of {found!r}"
    return found[0]


def load(kind: str, name: str) -> type[Any]:
    """The implementation `name` of a kind. Raises LookupError, in words for people, when there is none of that name,
    when there are several, and when what a package offers under that name cannot be used."""
    is_own, points = name in _own(kind), _installed(kind).get(name, ())
    if is_own + len(points) > 1:
        offered = [*(["the arena itself"] if is_own else []), *map(_package, points)]
        raise LookupError(
            f"the name {name!r} of a {kind[:-1]} is taken more than once, by {' and by '.join(offered)}: uninstall all"
            " but one, or rename an entry point"
        )
    if points:
        return _load_installed(kind, points[0])
    if not is_own:
        raise LookupError(
            f"there is no {kind[:-1]} {name!r} (available: {', '.join(names(kind))}); if it belongs to another package,"
            " install that"
        )
    try:
        return _load_own(kind, name)
    except ImportError as error:
        raise LookupError(f"the {kind[:-1]} {name!r} needs a package that is not installed: {error}") from error


def _own(kind: str) -> list[str]:
    folder = importlib.import_module(f"arena.{kind}")
    return [module.name for module in pkgutil.iter_modules(folder.__path__) if not module.name.startswith("_")]


@cache
def _installed(kind: str) -> dict[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=f"arena.{kind}"):
        found.setdefault(point.name, []).append(point)
    return found


def _load_own(kind: str, name: str) -> type[Any]:
    module = importlib.import_module(f"arena.{kind}.{name}")
    public: list[str] = list(getattr(module, "__all__", ()))
    assert len(public) == 1, (
        f"{module.__name__}: __all__ must hold the one class that implements {kind}, not {public!r}"
    )
    implementation: type[Any] = getattr(module, public[0])
    fault = _fault(kind, implementation)
    assert not fault, f"{module.__name__}.{public[0]} {fault}"
    return implementation


def _load_installed(kind: str, point: EntryPoint) -> type[Any]:
    try:
        found: type[Any] = point.load()
    except Exception as error:  # a package of somebody else's may raise anything while it is imported
        fault = f"cannot be imported ({type(error).__name__}: {error})"
    else:
        fault = _fault(kind, found)
    if fault:
        raise LookupError(f"the {kind[:-1]} {point.name!r} of {_package(point)} cannot be used: {point.value} {fault}")
    return found


def _package(point: EntryPoint) -> str:
    return f"the package {point.dist.name} {point.dist.version}" if point.dist is not None else "an installed package"


def _fault(kind: str, found: object) -> str:
    """What keeps something from being an implementation of a kind, for people; empty when nothing does."""
    contract = _CONTRACTS[kind]
    if not isinstance(found, type):
        return "is not a class"
    if not is_dataclass(found):
        return "is not a dataclass"
    members = sorted(name for name in {*vars(contract), *contract.__annotations__} if not name.startswith("_"))
    lacking = [name for name in members if not hasattr(found, name)]
    if lacking:
        return f"has no {', '.join(lacking)}: it was written for another version of the arena"
    for name in members:
        wanted, given = _parameters(getattr(contract, name, None)), _parameters(getattr(found, name))
        if wanted and not _fits(wanted, given):
            shown, expected = (", ".join(each.name for each in parameters) for parameters in (given, wanted))
            return f"has {name}({shown}), not {name}({expected}): it was written for another version of the arena"
    return ""


def _parameters(member: object) -> Sequence[Parameter]:
    """Of a method, without `self` or `cls`; none of what is no method."""
    if not callable(member):
        return ()
    return [each for each in signature(member).parameters.values() if each.name != "self"]


def _fits(wanted: Sequence[Parameter], given: Sequence[Parameter]) -> bool:
    """Whether a method can be called as its contract says: all parameters are there, and no other must be given."""
    flexible = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    required = {each.name for each in given if each.default is each.empty and each.kind not in flexible}
    needed = {each.name for each in wanted}
    return required <= needed and (needed <= {each.name for each in given} or any(e.kind in flexible for e in given))
