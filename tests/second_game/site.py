"""The package of this folder, installed by pip as anybody would, into a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["SOURCE", "installed"]

SOURCE = Path(__file__).parent


def installed(site: Path) -> dict[str, str]:
    """Install the package into a new folder; returns the environment in which the arena finds it. To remove the folder
    is to uninstall it. Nothing is downloaded: the package is built with what is here."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(site), str(SOURCE)], check=True, timeout=100
    )
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))}
