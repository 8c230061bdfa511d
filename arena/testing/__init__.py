"""The public test kit: what an implementation of a contract must satisfy beyond its types.

Each `check_<kind>` takes an implementation and raises AssertionError at the first thing that is wrong with it. They
need no test framework, so that authors of other packages can run them on theirs. There are no exceptions by name.
"""

from arena.testing.executors import check_executor
from arena.testing.formats import check_format
from arena.testing.games import check_game
from arena.testing.launchers import check_launcher
from arena.testing.ratings import check_rating
from arena.testing.results import ResultsInMemory, TalliedResults

__all__ = [
    "ResultsInMemory",
    "TalliedResults",
    "check_executor",
    "check_format",
    "check_game",
    "check_launcher",
    "check_rating",
]
