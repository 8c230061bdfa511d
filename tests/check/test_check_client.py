"""A Python bot that does not get its client, `protocol`, is told why."""

import sys
from pathlib import Path

import pytest

from tests.check.place import check

SERVES = "from protocol.bot import serve\nserve(lambda request: [])\n"
WITHOUT = "import os, sys\nsys.path = [path for path in sys.path if not os.path.isdir(path + '/protocol')]"
FILES = {
    "a module of its own": ({"bot.py": SERVES, "protocol.py": "VERSION = 7\n"}, "Another module called protocol"),
    "its own name": ({"protocol.py": SERVES}, "or the bot itself"),
    "a package of its own": ({"bot.py": SERVES, "protocol/__init__.py": ""}, "Another module called protocol"),
    "the wrong module": ({"bot.py": "from protocol import serve\n"}, "Write: from protocol.bot import serve"),
    "nothing": ({"bot.py": f"{WITHOUT}\n{SERVES}"}, "pip install ./protocol"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_client_that_is_hidden_or_missing(tmp_path: Path, name: str) -> None:
    files, advice = FILES[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    failure = check([sys.executable, str(tmp_path / next(iter(files)))]).failure
    assert failure.name.startswith("starts")
    assert advice in failure.hint, failure
