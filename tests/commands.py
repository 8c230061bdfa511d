"""Commands of bots for tests: programs to name, and what is wrong with them."""

from pathlib import Path

import pytest

from arena.config.entrants import CommandKeys, locate
from arena.errors import ConfigError

__all__ = ["executable", "problems"]


def executable(path: Path) -> Path:
    """A file that can be executed, made with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def problems(keys: CommandKeys, base: Path) -> list[str]:
    """All that is wrong with a command whose paths start in `base`."""
    with pytest.raises(ConfigError) as caught:
        locate(keys, base)
    return [str(problem) for problem in caught.value.problems]
