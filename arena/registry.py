"""Finds the implementations of a contract: the modules of its folder, and the entry points of installed packages.

There is no list to edit. A kind is a folder (`games`, `formats`, ...); a name is a module (or sub-package) in it; the
implementation is the one class in that module's `__all__`. A module that does not keep to this fails loudly, here.
Other packages may add to a kind with an entry point in the group ``arena.<kind>``. Only what is asked for is imported.
"""

import importlib
import pkgutil
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

__all__ = ["KINDS", "default", "load", "names"]

KINDS = ("games", "formats", "ratings", "launchers", "executors")


def names(kind: str) -> tuple[str, ...]:
    """Everything of a kind, by name, sorted; imports none of it."""
    return tuple(sorted(_own(kind) | set(_installed(kind))))


def default(kind: str) -> str:
    """The arena's own implementation of a kind; only for kinds of which it has one, as it has one game."""
    (name,) = _own(kind)
    return name


def load(kind: str, name: str) -> type[Any]:
    """The implementation `name` of a kind; raises LookupError when there is none of that name."""
    if name not in names(kind):
        raise LookupError(f"there is no {name!r} among the {kind}: {', '.join(names(kind))}")
    installed = _installed(kind).get(name)
    if installed is not None:
        found: type[Any] = installed.load()
        return found
    module = importlib.import_module(f"arena.{kind}.{name}")
    public: list[str] = list(getattr(module, "__all__", ()))
    assert len(public) == 1, (
        f"{module.__name__}: __all__ must hold the one class that implements {kind}, not {public!r}"
    )
    implementation: type[Any] = getattr(module, public[0])
    return implementation


def _own(kind: str) -> set[str]:
    folder = importlib.import_module(f"arena.{kind}")
    return {module.name for module in pkgutil.iter_modules(folder.__path__) if not module.name.startswith("_")}


@cache
def _installed(kind: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"arena.{kind}")}
