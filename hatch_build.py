"""Puts the example bots and configs into wheels and source distributions, as `arena new` would copy them.

Hatchling by itself honours only the .gitignore of the project, not those of the example bots with what is built in
their folders, and keeps links, which lead nowhere in a wheel.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Examples(BuildHookInterface[Any]):
    """Copies them to a place of their own, from where the build takes everything."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # works in the source tree, where they are
            return
        sys.path.insert(0, self.root)
        from arena.config.examples import FOLDERS, copy

        self._staged = TemporaryDirectory(prefix="arena-examples-")
        for folder in FOLDERS:
            staged = Path(self._staged.name) / folder
            copy(Path(self.root) / folder, staged)
            build_data["force_include"][str(staged)] = folder if self.target_name == "sdist" else f"arena/{folder}"

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        if version != "editable":
            self._staged.cleanup()
