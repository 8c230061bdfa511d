"""Stored matches as replays, and the proof that they are what they say. Pure."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from arena.contracts import Game, Step
from arena.errors import IllegalAction
from arena.model import Decision, Event, Fault, Outcome, Picture, Seat, Standing, StoredMatch, Tally
from arena.plan import Identity

__all__ = [
    "REPLAY_FORMAT",
    "NotReplayable",
    "Recount",
    "describe_end",
    "differences",
    "frames",
    "replay_object",
    "retell",
    "seat_view",
    "steps",
]

REPLAY_FORMAT = "arena-replay/1"


def replay_object(match: StoredMatch, game_name: str, rules: Mapping[str, Any], seed: bytes) -> dict[str, Any]:
    """A match in the format `arena-replay/1`; complete: whoever has it can play it again."""
    outcome = match.outcome
    return {
        "format": REPLAY_FORMAT,
        "match": match.id,
        "game": game_name,
        "rules": dict(rules),
        "seed": seed.hex(),
        "deal": match.pairing.deal,
        "bots": list(match.bots),
        "events": list(match.events),
        "decisions": [asdict(decision) for decision in match.decisions],
        "outcome": {
            "winner": outcome.winner,
            "reason": outcome.reason,
            "detail": outcome.detail,
            "fault_seat": outcome.fault_seat,
            "faults": [{"seat": record.seat, "fault": record.fault.value} for record in outcome.faults],
        },
    }


def describe_end(outcome: Outcome, bots: Sequence[str]) -> str:
    """How a match ended, in words; `bots` by seat."""
    end = "A draw" if outcome.winner is None else f"{bots[outcome.winner]} wins"
    return f"{end} ({outcome.reason}). {outcome.detail}".rstrip()


class NotReplayable(ValueError):
    """Decisions that cannot have been made in this match; the text says which."""


def steps(seed: bytes, decisions: Sequence[Decision], game: Game) -> Iterator[Step]:
    """Every position of a match and the events that led to it, from its seed and its decisions.

    Raises `NotReplayable` where a decision is another seat's than was to decide, or not legal, or one too many.
    """
    state, events = game.initial_state(seed)
    yield state, events
    position = 0
    while position < len(decisions):
        seats = game.seats_to_move(state)
        due = decisions[position : position + len(seats)]
        if not seats or tuple(decision.seat for decision in due) != seats:
            raise NotReplayable(f"at decision {position + 1} of {len(decisions)} the seats {seats} were to decide")
        try:
            actions = {each.seat: game.check_action(state, each.seat, each.action) for each in due}
        except IllegalAction as error:
            raise NotReplayable(f"decision {position + 1} is not legal: {error}") from error
        state, events = game.apply(state, actions)
        yield state, events
        position += len(due)


def retell(match: StoredMatch, seed: bytes, game: Game) -> Iterator[str]:
    """A stored match in words, line by line, with the board wherever it has changed."""
    drawn = ""
    for state, events in steps(seed, match.decisions, game):
        yield from (game.narrate(event, match.bots) for event in events)
        if (picture := game.draw(state)) != drawn:
            drawn = picture
            yield f"    {picture}"


def frames(match: StoredMatch, seed: bytes, game: Game) -> Iterator[tuple[Picture, tuple[Event, ...]]]:
    """A stored match in pictures: every position, and the events that led to it."""
    for state, events in steps(seed, match.decisions, game):
        yield game.picture(state), events


def seat_view(picture: Picture, seat: Seat) -> Picture:
    """What is left of a picture for somebody who may see what `seat` sees: the other seat's part is empty."""
    seats = [part if place == seat else {} for place, part in enumerate(picture["seats"])]
    return {"public": picture["public"], "seats": seats, "hidden": {}}


def differences(match: StoredMatch, game: Game, identity: Identity) -> Iterator[str]:
    """What of a stored match does not follow from its seed and its decisions, in words."""
    expected = identity.match_id(match.pairing, match.lane)
    if match.id != expected:
        yield f"its id should be {expected}"
    try:
        played = list(steps(identity.deal_seed(match.pairing), match.decisions, game))
    except NotReplayable as error:
        yield str(error)
        return
    events = [event for _, news in played for event in news]
    if _as_json(events) != _as_json(match.events):
        yield "its events are not those of its deal and decisions"
    end = played[-1][0]
    yield from _outcome_differences(match.outcome, game.outcome(end))
    to_move = game.seats_to_move(end)
    for seat, fault in match.outcome.faults:
        if to_move and seat not in to_move and fault in (Fault.TIMEOUT, Fault.ILLEGAL_ACTION):
            yield f"seat {seat} lost by {fault}, but had not been asked where its decisions end"


def _outcome_differences(stored: Outcome, by_rules: Outcome | None) -> Iterator[str]:
    if stored.faults:
        winner = 1 - stored.faults[0].seat if len(stored.faults) == 1 else None
        reason = "+".join(record.fault.value for record in stored.faults)
        if by_rules is not None:
            yield f"it was decided by the rules ({by_rules.reason}) before the fault that it was lost by"
    elif by_rules is None:
        yield "it does not end where its decisions end"
        return
    else:
        winner, reason = by_rules.winner, by_rules.reason
    if (stored.winner, stored.reason) != (winner, reason):
        yield f"it should have ended with winner {winner} by {reason}, not {stored.winner} by {stored.reason}"


class Recount:
    """The results counted once more, match by match: what the ladder is made of, without the database's help."""

    def __init__(self) -> None:
        self.matches = 0
        self._points: dict[tuple[str, str, int], list[int]] = {}  # half points of bot_a on each deal
        self._ends: Counter[tuple[str, str]] = Counter()

    def add(self, match: StoredMatch) -> None:
        self.matches += 1
        winner = match.outcome.winner
        bot_a = match.pairing.bot_a
        points = 1 if winner is None else 2 * (match.bots[winner] == bot_a)
        self._points.setdefault(match.pairing, []).append(points)
        for seat, bot in enumerate(match.bots):
            self._ends[bot, "draw" if winner is None else "win" if winner == seat else "loss"] += 1

    def differences(self, tallies: Sequence[Tally], standings: Mapping[str, Standing]) -> Iterator[str]:
        """Where the database counts something else, in words."""
        if self._tallies() != list(tallies):
            yield "the results between pairs of bots do not add up"
        for bot, standing in standings.items():
            counted = tuple(self._ends[bot, end] for end in ("win", "draw", "loss"))
            if counted != (standing.wins, standing.draws, standing.losses):
                yield f"{bot} has won, drawn, lost {counted}, not as the ladder says"

    def _tallies(self) -> list[Tally]:
        counts: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for (bot_a, bot_b, _), points in self._points.items():
            pairs, singles = counts.setdefault((bot_a, bot_b), ([0] * 5, [0] * 3))
            (pairs if len(points) == 2 else singles)[sum(points)] += 1
        return [
            Tally(*bots, (p[0], p[1], p[2], p[3], p[4]), (s[0], s[1], s[2])) for bots, (p, s) in sorted(counts.items())
        ]


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True)
