"""Checks that everything in this package keeps its contract: `python -m arena_leduc.check`."""

from hashlib import sha256

from arena.testing import check_format, check_game, check_rating

from .game import Leduc
from .knockout import Knockout
from .share import ScoreShare
from .swiss import Swiss

if __name__ == "__main__":
    check_game(Leduc(), [sha256(bytes([number])).digest() for number in range(10)])
    for swiss in (Swiss(), Swiss(rounds=1, pairs=1), Swiss(rounds=5)):
        check_format(swiss)
    for knockout in (Knockout(), Knockout(pairs=1, extra_pairs=0)):
        check_format(knockout)
    check_rating(ScoreShare())
