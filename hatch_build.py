"""Puts the example bots into wheels and source distributions, as `arena new` would copy them.

Hatchling by itself honours only the .gitignore of the project, not those of the example bots with what is built in
their folders, and keeps links, which lead nowhere in a wheel.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExampleBots(BuildHookInterface[Any]):
    """Copies them to a place of their own, from where the build takes everything."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # works in the source tree, where they are
            return
        sys.path.insert(0, self.root)
        from arena.config.examples import copy

        self._staged = TemporaryDirectory(prefix="arena-example-bots-")
        copy(Path(self.root) / "example_bots", Path(self._staged.name))
        inside = "example_bots" if self.target_name == "sdist" else "arena/example_bots"
        build_data["force_include"][self._staged.name] = inside

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        if version != "editable":
            self._staged.cleanup()
