"""A tournament platform for bots: external processes, fair clocks, honest ladders."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("tacocat-arena")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
