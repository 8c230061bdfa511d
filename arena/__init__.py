"""A tournament platform for bots: external processes, fair clocks, honest ladders."""

import sys

__all__ = ["__version__"]

__version__ = "0.1.0"

if sys.platform == "win32":  # here, before anything is imported that only POSIX systems have
    sys.stderr.write(
        "arena: Windows is not supported, because bots are started and ended with process groups and signals of POSIX. "
        "Use WSL 2 (https://learn.microsoft.com/windows/wsl/install) and install the arena there.\n"
    )
    raise SystemExit(3)
