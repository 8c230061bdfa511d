"""A tournament platform for bots: external processes, fair clocks, honest ladders."""

__all__ = ["__version__"]

__version__ = "0.1.0"
