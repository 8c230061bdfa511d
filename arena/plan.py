"""What is to be played: identities and seeds of matches, and the plan that a format makes of them. Pure.

Theory of operation
-------------------
A match's id and its deal's seed follow from the tournament's seed, the game, the two bots' names, the deal's index and
the seats, and from nothing else: the same config plans the same matches on every machine, whatever was played before.

A `Plan` is a format's iterator, and the next one when that is at its end and something has ended since. A format may
yield a pairing again that is under way or over; whatever is not to be started is passed over here, so formats need to
keep no account of it. Some formats look through all their pairings before they are at their end. An answer that was
dear and had nothing new is therefore not asked for after every result, but when half of the matches in flight have
ended, and when the last one has: the end of a tournament of a million matches would cost many passes otherwise.
"""

import hashlib
import hmac
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from math import inf
from typing import Any, TypeAlias

from arena.contracts import Format, Results
from arena.model import DealScore, MatchSpec, Pairing, Score, Tally

__all__ = ["Identity", "Lane", "NoResults", "Plan", "TournamentProgress", "commitment", "lane_of"]

_compact = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_DEAR = 10_000  # pairings that a format looks at before it is at its end
_REPEATED_MAX = 10_000  # pairings in a row that are not to be started, while others are under way

Lane: TypeAlias = tuple[Pairing, int]
"""One of the two matches of a pairing."""


def lane_of(spec: MatchSpec) -> Lane:
    """Which match of which pairing this is."""
    bot_a, bot_b = spec.bots if spec.lane == 0 else spec.bots[::-1]
    return Pairing(bot_a, bot_b, spec.deal), spec.lane


class Identity:
    """Ids and seeds of one tournament's matches, from its seed and its game.

    Formula: HMAC-SHA-256 under the tournament's seed (UTF-8) of a compact JSON list of what is named; 80 bits of it for
    an id, all 256 for a seed.
    """

    def __init__(self, seed: str, game_name: str, public_rules: Mapping[str, Any]) -> None:
        self._key = seed.encode()
        self._game = _compact([game_name, public_rules])

    def match_id(self, pairing: Pairing, lane: int) -> str:
        """20 hexadecimal digits."""
        return self._digest("match", pairing, lane).hex()[:20]

    def deal_seed(self, pairing: Pairing) -> bytes:
        """32 bytes, the same for both matches of a pair, different for every pair."""
        return self._digest("deal", pairing)

    def specs(self, pairing: Pairing, lanes: Sequence[int] = (0, 1)) -> list[MatchSpec]:
        """The matches of a pairing, ready to be played."""
        seed = self.deal_seed(pairing)
        seated = ((pairing.bot_a, pairing.bot_b), (pairing.bot_b, pairing.bot_a))
        return [MatchSpec(self.match_id(pairing, lane), seated[lane], pairing.deal, lane, seed) for lane in lanes]

    def _digest(self, *what: object) -> bytes:
        text = f"[{self._game},{_compact(what)[1:]}"  # of [game, *what], of which the game is long and always the same
        return hmac.digest(self._key, text.encode(), "sha256")


def commitment(seed: str) -> str:
    """The hash by which a tournament's seed is promised before the first match: SHA-256 of its UTF-8 text, in hex."""
    return hashlib.sha256(seed.encode()).hexdigest()


class TournamentProgress:
    """The results so far, and what a schedule knows beyond them: an `arena.contracts.Progress`.

    started: matches that were handed out and are not over. given_up: matches that the arena failed at too often.
    suspended: bots that are out. questions: how often it was asked about a pairing.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        self.started: set[Lane] = set()
        self.given_up: set[Lane] = set()
        self.suspended: set[str] = set()
        self.questions = 0
        self.tallies = results.tallies
        self.in_order = results.in_order
        self.deals = results.deals

    @property
    def out(self) -> frozenset[str]:
        """See `arena.contracts.Progress`, as for the next two."""
        return frozenset(self.suspended)

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        self.questions += 1
        return self._results.is_finished(pairing)

    def is_over(self, pairing: Pairing) -> tuple[bool, bool]:
        first, second = self.is_finished(pairing)
        return first or self._is_abandoned((pairing, 0)), second or self._is_abandoned((pairing, 1))

    def _is_abandoned(self, lane: Lane) -> bool:
        """Whether a match without a result will never have one; one that has been started may still bring it."""
        if lane in self.given_up:
            return True
        bot_a, bot_b, _ = lane[0]
        return (bot_a in self.suspended or bot_b in self.suspended) and lane not in self.started


class NoResults:
    """Of a tournament that has not begun: an `arena.contracts.Results`."""

    def tallies(self) -> Sequence[Tally]:
        return ()

    def in_order(self) -> Iterator[Score]:
        return iter(())

    def deals(self) -> Iterator[DealScore]:
        return iter(())

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        return False, False


class Plan:
    """The matches that a format wants played, one by one, each handed out once."""

    def __init__(
        self, format_: Format, entrants: Sequence[str], progress: TournamentProgress, identity: Identity
    ) -> None:
        self._format = format_
        self._entrants = entrants
        self._progress = progress
        self._identity = identity
        self._offered: Iterator[Pairing] = iter(())
        self._is_at_end = True
        self._specs: deque[MatchSpec] = deque()
        self._has_news = True
        self._has_offered = False  # anything new, since it was last asked
        self._asked_before = 0  # `questions` when it was last asked
        self._ask_at: float = inf  # so many matches under way, at most

    def note_end(self) -> None:
        """Something has ended, so the format may know more."""
        self._has_news = True

    def next(self) -> MatchSpec | None:
        """The next match. None: nothing may start before something ends; or ever, when nothing is under way."""
        started = self._progress.started
        for looked_at in count():
            if self._specs:
                spec = self._specs.popleft()
                started.add(lane_of(spec))
                return spec
            if looked_at > _REPEATED_MAX and started:
                return None
            pairing = next(self._offered, None)
            if pairing is not None:
                self._take(pairing)
            elif not self._ask_again():
                return None
        raise AssertionError("counting never ends")

    def _take(self, pairing: Pairing) -> None:
        """Plan what of a pairing is neither over nor under way."""
        over, started = self._progress.is_over(pairing), self._progress.started
        lanes = [lane for lane in (0, 1) if not over[lane] and (pairing, lane) not in started]
        if lanes:
            self._has_offered = True
            self._specs += self._identity.specs(pairing, lanes)

    def _ask_again(self) -> bool:
        """Called at the end of the iterator: take the next one, if it may have anything new."""
        progress = self._progress
        if not self._is_at_end:
            self._is_at_end = True
            is_dear = progress.questions - self._asked_before > _DEAR
            self._ask_at = len(progress.started) // 2 if is_dear and not self._has_offered else inf
        if not self._has_news or len(progress.started) > self._ask_at:
            return False
        self._has_news = self._has_offered = self._is_at_end = False
        self._asked_before = progress.questions
        self._offered = self._format.pairings(self._entrants, progress)
        return True
