"""The public test kit: what an implementation of a contract must satisfy beyond its types.

Each `check_<kind>` takes an implementation and raises AssertionError at the first thing that is wrong with it. They
need no test framework, so that authors of other packages can run them on theirs. There are no exceptions by name.
"""

import contextlib
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice, pairwise, permutations
from math import inf, isclose, isfinite, nan
from pathlib import Path
from typing import IO, Any

import msgpack
import psutil

from arena.contracts import Action, Executor, Format, Game, Launcher, RatingMethod, Ratings, State
from arena.errors import IllegalAction
from arena.model import (
    ABORTED,
    BotSpec,
    Event,
    Fault,
    Limits,
    MatchResult,
    MatchSpec,
    Outcome,
    Pairing,
    Seat,
    Tally,
)

__all__ = ["ResultsInMemory", "check_executor", "check_format", "check_game", "check_launcher", "check_rating"]


class ResultsInMemory:
    """`arena.contracts.Results` of what was recorded so far: all it takes to try a format."""

    def __init__(self) -> None:
        self._points: dict[Pairing, list[float | None]] = {}

    def record(self, pairing: Pairing, lane: int, points_a: float) -> None:
        """One match is over; `points_a` is 1 when `bot_a` won, 1/2 for a draw, 0 when it lost."""
        assert points_a in (0.0, 0.5, 1.0), f"a match cannot give {points_a} points"
        self._points.setdefault(pairing, [None, None])[lane] = points_a

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        first, second = self._points.get(pairing, (None, None))
        return first is not None, second is not None

    def tallies(self) -> Sequence[Tally]:
        counts: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
        for pairing, by_lane in self._points.items():
            p, s = counts.setdefault((pairing.bot_a, pairing.bot_b), ([0] * 5, [0] * 3))
            known = [points for points in by_lane if points is not None]
            (p if len(known) == 2 else s)[int(2 * sum(known))] += 1
        return [Tally(*bots, (p[0], p[1], p[2], p[3], p[4]), (s[0], s[1], s[2])) for bots, (p, s) in counts.items()]


def check_format(format_: Format) -> None:
    """A format ends, pairs entrants properly, resumes exactly, and is lazy."""
    for count in (0, 1, 2, 3, 6):
        entrants = [f"bot {number}" for number in range(count)]
        schedule = _play_out(format_, entrants, ResultsInMemory())
        _check_schedule(format_, entrants, schedule)
        shuffled = [*entrants[1::2], *reversed(entrants[::2])]
        assert _play_out(format_, shuffled, ResultsInMemory()) == schedule, "the order of entrants matters"
        _check_resume(format_, entrants, schedule)
    _check_laziness(format_)


def _play_out(format_: Format, entrants: Sequence[str], results: ResultsInMemory) -> list[Pairing]:
    """All pairings in the order in which they are offered; what is offered is played, until nothing more is."""
    most = format_.matches_planned(len(entrants)) // 2
    played: list[Pairing] = []
    while offered := list(islice(format_.pairings(entrants, results), most + 1)):
        played += offered
        assert not any(all(results.is_finished(pairing)) for pairing in offered), "offers what is finished"
        assert len(played) <= most, f"offers more than the {most} pairings planned for {len(entrants)} entrants"
        for pairing in offered:
            _record(results, pairing)
    return played


def _record(results: ResultsInMemory, pairing: Pairing, lanes: Sequence[int] = (0, 1)) -> None:
    """Both matches (or one) of a pairing, with points that depend on nothing but the pairing."""
    seed = sum(map(ord, pairing.bot_a + 2 * pairing.bot_b)) + pairing.deal
    for lane in lanes:
        results.record(pairing, lane, (seed + lane) % 3 / 2)


def _check_schedule(format_: Format, entrants: Sequence[str], schedule: Sequence[Pairing]) -> None:
    planned = format_.matches_planned(len(entrants))
    assert 2 * len(schedule) == planned, (
        f"{planned} matches planned for {len(entrants)} entrants, not {len(schedule)} * 2"
    )
    assert len(set(schedule)) == len(schedule), "a pairing is offered twice"
    for pairing in schedule:
        assert {pairing.bot_a, pairing.bot_b} <= set(entrants), f"{pairing}: not an entrant"
        assert pairing.bot_a < pairing.bot_b, f"{pairing}: bot_a < bot_b must hold"
        assert pairing.deal >= 0, f"{pairing}: deals count from 0"


def _check_resume(format_: Format, entrants: Sequence[str], schedule: Sequence[Pairing]) -> None:
    """From any prefix of the results, and from results with gaps, the rest and nothing else is offered."""
    for done in range(0, len(schedule) + 1, 1 + len(schedule) // 20):
        results = ResultsInMemory()
        for pairing in schedule[:done]:
            _record(results, pairing)
        for pairing in schedule[done : done + 1]:
            _record(results, pairing, lanes=[done % 2])
        rest = _play_out(format_, entrants, results)
        assert rest == schedule[done:], f"resumed after {done} pairings, it does not play exactly the other ones"
    results = ResultsInMemory()
    gaps = list(format_.pairings(entrants, results))[::3]
    for pairing in gaps:
        _record(results, pairing)
    rest = [pairing for pairing in schedule if pairing not in set(gaps)]
    assert _play_out(format_, entrants, results) == rest, (
        "resumed from results with gaps, it does not fill them in order"
    )


def _check_laziness(format_: Format) -> None:
    """The first pairing of a big tournament comes without the others."""
    entrants = [f"bot {number:04}" for number in range(1000)]
    results = _CountingResults()
    tracemalloc.start()
    try:
        first = next(format_.pairings(entrants, results), None)
        memory = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert first is not None, "nothing to play for 1000 entrants"
    assert memory < 4096 * len(entrants), f"the first pairing of 1000 entrants takes {memory} bytes of memory"


class _CountingResults(ResultsInMemory):
    """Nothing is finished, and who asks that for every pairing there is, before playing the first, asks too much."""

    def __init__(self) -> None:
        super().__init__()
        self.questions = 0

    def is_finished(self, pairing: Pairing) -> tuple[bool, bool]:
        self.questions += 1
        assert self.questions < 10_000, "asks for all results before it offers the first pairing"
        return super().is_finished(pairing)


def check_rating(method: RatingMethod) -> None:
    """A rating method rates everybody, depends on no order, and says what it does not know."""
    _check_rating_complete(method)
    _check_rating_order(method)
    _check_rating_sense(method)
    _check_rating_anchor(method)
    _check_rating_confidence(method)


_GROUPS = (("ann", "bob", "cyd", "dan"), ("eve", "fay"), ("gus",), ("hal",))
"""Bots that the tallies below connect. Dan lost everything, eve won everything, gus is in a tally without a match."""
_ENTRANTS = tuple(name for group in _GROUPS for name in group)
_TALLIES = (
    Tally("ann", "bob", pairs=(1, 2, 9, 4, 4), singles=(0, 1, 2)),
    Tally("ann", "cyd", pairs=(0, 0, 2, 3, 15)),
    Tally("bob", "cyd", pairs=(0, 1, 8, 2, 9)),
    Tally("bob", "gus"),
    Tally("cyd", "dan", pairs=(0, 0, 0, 0, 20)),
    Tally("eve", "fay", singles=(0, 0, 3)),
)


def _rate(
    method: RatingMethod,
    tallies: Sequence[Tally],
    entrants: Sequence[str] = _ENTRANTS,
    anchor: tuple[str, float] | None = None,
    confidence: float = 0.95,
) -> Ratings:
    return method.rate(entrants, tallies, anchor=anchor, confidence=confidence)


def _check_rating_complete(method: RatingMethod) -> None:
    found = _rate(method, _TALLIES)
    assert set(found.ratings) == set(_ENTRANTS), "not all entrants are rated, or others are"
    assert {frozenset(group) for group in found.groups} == set(map(frozenset, _GROUPS)), f"wrong groups: {found.groups}"
    group_of = {name: group for group in _GROUPS for name in group}
    for name, rating in found.ratings.items():
        assert isfinite(rating.elo), f"{name}: {rating}"
        if len(group_of[name]) == 1:
            assert rating.error is None, f"{name} has no match: its error is unknown, not {rating.error}"
        else:
            assert rating.error is not None, f"{name} has results, but no error"
            assert 0.0 < rating.error < inf, f"{name}: {rating}"
    for bot_a, bot_b in permutations(_ENTRANTS, 2):
        chance, counterchance = found.chance_above(bot_a, bot_b), found.chance_above(bot_b, bot_a)
        if group_of[bot_a] != group_of[bot_b]:
            assert chance is None, f"nothing connects {bot_a} and {bot_b}, but there is a chance"
        else:
            assert chance is not None, f"{bot_a} and {bot_b} are connected, but there is no chance"
            assert counterchance is not None
            assert 0.0 <= chance <= 1.0, f"{bot_a} above {bot_b}: {chance}"
            assert isclose(chance + counterchance, 1.0), f"{bot_a} above {bot_b}: {chance}, below: {counterchance}"
    assert not _rate(method, (), ()).ratings, "there are ratings, but no entrants"


def _check_rating_order(method: RatingMethod) -> None:
    found = _rate(method, _TALLIES)
    for step in (-1, 3, 5):
        entrants = [_ENTRANTS[step * place % len(_ENTRANTS)] for place in range(len(_ENTRANTS))]
        again = _rate(method, _TALLIES[::-1] if step < 0 else _TALLIES[step:] + _TALLIES[:step], entrants)
        assert dict(again.ratings) == dict(found.ratings), "ratings depend on the order of entrants or tallies"
        assert list(map(tuple, again.groups)) == list(map(tuple, found.groups)), "groups depend on an order"
        for bot_a, bot_b in permutations(_ENTRANTS, 2):
            assert again.chance_above(bot_a, bot_b) == found.chance_above(bot_a, bot_b), "chances depend on an order"


def _check_rating_sense(method: RatingMethod) -> None:
    """Between two bots a better score is a better rating, and changing the names changes nothing else."""
    two, before = ("ann", "bob"), -inf
    for wins in range(11):
        found = _rate(method, [Tally(*two, pairs=(10 - wins, 0, 0, 0, wins))], two)
        mirrored = _rate(method, [Tally(*two, pairs=(wins, 0, 0, 0, 10 - wins))], two)
        lead = found.ratings["ann"].elo - found.ratings["bob"].elo
        chance = found.chance_above(*two)
        assert lead > before, f"{wins} pairs won of 10 are not rated above {wins - 1}"
        assert chance is not None, "two bots that met are connected"
        assert (chance > 0.5, chance < 0.5) == (wins > 5, wins < 5) or isclose(chance, 0.5), f"{wins} of 10: {chance}"
        for bot, other in (two, two[::-1]):
            change = mirrored.ratings[other].elo - found.ratings[bot].elo
            assert abs(change) < 1e-6, f"{wins} pairs won of 10 are worth {change} Elo more under the other name"
        before = lead
    balanced = _rate(method, [Tally(*two, pairs=(1, 2, 3, 2, 1), singles=(1, 1, 1))], two)
    assert abs(balanced.ratings["ann"].elo - balanced.ratings["bob"].elo) < 1e-6, "equal scores, but unequal ratings"


def _check_rating_anchor(method: RatingMethod) -> None:
    free = _rate(method, _TALLIES).ratings
    for group in _GROUPS:
        for anchor in group:
            held = _rate(method, _TALLIES, anchor=(anchor, -250.0)).ratings
            assert abs(held[anchor].elo + 250.0) < 1e-9, f"the anchor does not hold: {held[anchor]}"
            shift = held[anchor].elo - free[anchor].elo
            for name in _ENTRANTS:
                change = held[name].elo - free[name].elo - (shift if name in group else 0.0)
                assert abs(change) < 1e-6, f"anchored at {anchor}, {name} moves by {change} more than its group"
                assert held[name].error == free[name].error, f"the anchor {anchor} changes the error of {name}"


def _check_rating_confidence(method: RatingMethod) -> None:
    half, most, nearly_all = (_rate(method, _TALLIES, confidence=level).ratings for level in (0.5, 0.95, 0.999))
    for name in _ENTRANTS:
        assert half[name].elo == most[name].elo == nearly_all[name].elo, f"the confidence changes the rating of {name}"
        errors = [ratings[name].error or 0.0 for ratings in (half, most, nearly_all)]
        assert errors[0] < errors[1] < errors[2] or not any(errors), f"{name}: more confidence, but no wider: {errors}"


_STEPS_MAX = 10_000
"""More than any match may take, so that a game without an end is found out."""
_REASON_MAX = 300
"""Characters of a refusal: it goes to the bot and into the verdict, however large the refused answer was."""


def check_game(game: Game, seeds: Iterable[bytes]) -> None:
    """Play a random match from each of `seeds` (32 bytes) and check all that a game promises, in every position.

    Where `legal_actions` gives None, actions are looked for among the pieces of the observation: its values, and for
    each list in it its items one by one and random selections.
    """
    rules = game.public_rules()
    _check_packs("public_rules", rules)
    garbage = _garbage()
    for seed in seeds:
        decisions, events = _play(game, seed, garbage)
        again = type(game).from_public_rules(json.loads(json.dumps(rules)))
        assert again.public_rules() == rules, "from_public_rules does not give the same rules back"
        assert _play_again(again, seed, decisions) == events, f"seed {seed.hex()}: the same actions gave other events"


def _play(game: Game, seed: bytes, garbage: Sequence[object]) -> tuple[list[dict[Seat, Action]], list[Event]]:
    """A checked match: what was played at each step, and what was told."""
    chance = random.Random(seed)
    decisions: list[dict[Seat, Action]] = []
    state, events = game.initial_state(seed)
    told = [*events]
    while seats := game.seats_to_move(state):
        assert seats in ((0,), (1,), (0, 1)), f"seats_to_move must be ascending seats, not {seats!r}"
        assert game.outcome(state) is None, f"seats {seats} are to move, but there is an outcome"
        assert len(decisions) < _STEPS_MAX, f"seed {seed.hex()}: no end after {_STEPS_MAX} steps"
        actions = {seat: _check_decision(game, state, seat, chance, garbage) for seat in seats}
        before = _shown(game, state)
        after, events = game.apply(state, actions)
        assert _shown(game, state) == before, f"apply({actions}) changed the position it was given"
        repeated, repeated_events = game.apply(state, actions)
        assert events == repeated_events, f"apply({actions}) told {events}, and the second time {repeated_events}"
        assert _shown(game, after) == _shown(game, repeated), f"apply({actions}) does not always lead to the same"
        decisions.append(actions)
        told += events
        state = after
    _check_outcome(game.outcome(state))
    for event in told:
        _check_event(game, event)
    return decisions, told


def _play_again(game: Game, seed: bytes, decisions: Sequence[dict[Seat, Action]]) -> list[Event]:
    state, events = game.initial_state(seed)
    told = [*events]
    for actions in decisions:
        state, events = game.apply(state, actions)
        told += events
    return told


def _shown(game: Game, state: State) -> object:
    """Everything that a game shows of a position; a copy, since a game might give out the lists that it keeps."""
    seats = game.seats_to_move(state)
    decisions = [
        (game.observation(state, seat), game.legal_actions(state, seat), game.forced_action(state, seat))
        for seat in seats
    ]
    return deepcopy((seats, game.phase(state), decisions, game.outcome(state)))


def _check_decision(game: Game, state: State, seat: Seat, chance: random.Random, garbage: Sequence[object]) -> Action:
    """Check what a seat is shown and what is accepted of it; gives one of its legal actions, chosen at random."""
    phase, observation = game.phase(state), game.observation(state, seat)
    assert isinstance(phase, str), f"a phase must be a word, not {phase!r}"
    assert phase, "a phase must have a name"
    _check_packs(f"the observation in {phase}", observation)
    legal, forced = game.legal_actions(state, seat), game.forced_action(state, seat)
    if legal is not None:
        assert legal, f"{phase}: seat {seat} is to move, but has no legal action"
        ascending = all(before < after for before, after in pairwise(legal))
        assert ascending, f"{phase}: legal_actions must be ascending, each once: {legal}"
        assert forced == (legal[0] if len(legal) == 1 else None), f"{phase}: forced {forced!r}, but legal {legal}"
    guesses = [observation, *_pieces(observation, chance)]
    found = [_check_answer(game, state, seat, raw, legal) for raw in (*guesses, *garbage)]
    accepted = [action for action, is_accepted in found if is_accepted]
    if legal is None:
        assert accepted, f"{phase}: no piece of the observation is a legal action, and legal_actions gives no list"
        assert forced is None or all(action == forced for action in accepted), f"{phase}: {forced} is not the only one"
    for action in [forced] if legal is None and forced is not None else legal or ():
        for raw in (action, msgpack.unpackb(msgpack.packb(action)), json.loads(json.dumps(action))):
            assert _check_answer(game, state, seat, raw, legal) == (action, True), f"{phase}: {raw!r} is not accepted"
    _check_unshared(game, state, seat)
    return chance.choice(legal or accepted)


def _check_answer(
    game: Game, state: State, seat: Seat, raw: object, legal: list[Action] | None
) -> tuple[Action | None, bool]:
    """What becomes of an answer: the action and True, or None and False when it is properly refused."""
    kind = type(raw).__name__
    try:
        action = game.check_action(state, seat, raw)
    except IllegalAction as refusal:
        reason = str(refusal)
        assert reason, f"check_action refuses a {kind} without a reason"
        assert len(reason) <= _REASON_MAX, f"check_action needs {len(reason)} characters to refuse a {kind}"
        return None, False
    except Exception as error:
        raise AssertionError(f"check_action raises {type(error).__name__} for a {kind}, not IllegalAction") from error
    assert legal is None or action in legal, f"check_action accepts {action!r}, but legal_actions does not list it"
    return action, True


def _check_unshared(game: Game, state: State, seat: Seat) -> None:
    """Whoever gets an observation or a list of actions may do with it as he likes."""
    before = _shown(game, state)
    _wreck(game.observation(state, seat))
    legal = game.legal_actions(state, seat)
    if legal is not None:
        for action in legal:
            _wreck(action)
        legal.clear()
    assert _shown(game, state) == before, "what a game gives out must not be part of a position"


def _check_event(game: Game, event: Event) -> None:
    assert next(iter(event), None) == "event", f"an event must begin with its name, under 'event': {event}"
    _check_packs(f"the event {event['event']}", event)
    line = game.narrate(event, ("Ann", "Bob"))
    assert len(line.splitlines()) == 1, f"an event must be told in one line: {line!r}"


def _check_outcome(outcome: Outcome | None) -> None:
    assert outcome is not None, "nobody is to move, but there is no outcome"
    assert outcome.winner in (None, 0, 1), f"the winner must be a seat or nobody, not {outcome.winner!r}"
    words = [outcome.reason, outcome.detail]
    assert all(words), f"an outcome must have a reason and a sentence of detail: {outcome}"
    assert not outcome.faults, f"the rules never end a match by a fault: {outcome}"
    assert outcome.reason not in (ABORTED, *Fault), f"the reason must be one of the rules, not {outcome.reason}"


def _check_packs(what: str, value: object) -> None:
    """Plain maps, lists, texts and numbers are the same after they were sent or stored; tuples, say, are not."""
    assert msgpack.unpackb(msgpack.packb(value)) == value, f"{what} is not the same after MessagePack: {value!r}"
    assert json.loads(json.dumps(value)) == value, f"{what} is not the same after JSON: {value!r}"


def _pieces(value: object, chance: random.Random) -> Iterator[object]:
    """What an action might be made of: see `check_game`."""
    if isinstance(value, dict):
        for part in value.values():
            yield part
            yield from _pieces(part, chance)
    elif isinstance(value, list):
        yield []
        for item in value:
            yield [item]
            yield from _pieces(item, chance)
        for _ in range(8):
            yield chance.sample(value, chance.randint(0, len(value)))


def _wreck(value: object) -> None:
    """Empty every list and map in `value`."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _wreck(part)
        value.clear()


class _Hostile(list[object]):
    """A list that must not be trusted with anything, not even its length."""

    def __len__(self) -> int:
        raise RuntimeError

    def __iter__(self) -> Iterator[object]:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


def _garbage() -> list[object]:
    """Values that a careless check would fall over: wrong kinds, wrong sizes, wrong depths, and lists of each."""
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(20_000):
        deep = [deep]
    numbers = [True, -1, 2**63, 2**64, -(10**5000), 0.5, nan, inf, 1e308, 1j]
    texts = ["", "0", "x" * 100_000, "\ud800", b"", b"\xff" * 70_000]
    others = [None, {}, {"action": [1]}, {1: 2}, set(), range(3), object(), len, list, _Hostile(), endless, deep]
    scalars: list[object] = [*numbers, *texts, *others]
    return [*scalars, *([value] for value in scalars), list(range(100_000)), [None] * 3, [[0], [1]], (b"",)]


def check_launcher(launcher: Launcher) -> None:
    """A launcher runs a bot's command as it is, where it is, within reach of the referee, and hides no end of it.

    One that cannot work on this machine must say why, and is not tried.
    """
    reason = launcher.unavailable()
    assert isinstance(reason, str), f"unavailable() must be a text, not {reason!r}"
    if reason:
        assert " " in reason, f"{reason!r} does not tell a person why"
        return
    with tempfile.TemporaryDirectory() as path:
        for program in (_check_launched_surroundings, _check_launched_status, _check_launched_kill):
            program(launcher, Path(path))


@contextlib.contextmanager
def _launched(
    launcher: Launcher, path: Path, script: str, *arguments: str
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """A Python script, started as the pool starts a bot: its process and its output."""
    (path / "a bot").mkdir(exist_ok=True)
    (path / "referee").mkdir(exist_ok=True)
    (path / "a bot" / "script.py").write_text(script)
    bot = BotSpec("checked", (sys.executable, "script.py", *arguments), str(path / "a bot"))
    command = launcher.command(bot, Limits(), path / "referee")
    assert command, "there is no command"
    assert all(isinstance(word, str) for word in command), f"a command is a sequence of texts, not {command!r}"
    environment = {"PATH": os.environ.get("PATH", os.defpath), "CHECKED": "ä $HOME"}
    process = subprocess.Popen(
        command,
        cwd=bot.directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        try:
            yield process, process.stdout
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _check_launched_surroundings(launcher: Launcher, path: Path) -> None:
    """Arguments, environment, working directory and the referee's socket."""
    arguments = ("two words", "", "$HOME", "*", "'\"\\", "ü")
    script = (
        "import json, os, socket, sys\n"
        "link = socket.socket(socket.AF_UNIX)\n"
        "link.connect(sys.argv[1])\n"
        "link.send(json.dumps([sys.argv[2:], os.environ.get('CHECKED'), os.path.basename(os.getcwd())]).encode())\n"
    )
    with socket.socket(socket.AF_UNIX) as listener:
        (path / "referee").mkdir()
        address = str(path / "referee" / "socket")
        listener.bind(address)
        listener.listen()
        listener.settimeout(_PATIENCE_S)
        with _launched(launcher, path, script, address, *arguments) as (process, output):
            try:
                link, _ = listener.accept()
            except TimeoutError:
                os.killpg(process.pid, signal.SIGKILL)
                said = output.read().decode(errors="replace")
                raise AssertionError(f"the bot cannot reach the referee's socket; it wrote: {said}") from None
            with link:
                found = json.loads(link.recv(4096))
    assert found == [list(arguments), "ä $HOME", "a bot"], f"the bot was started with something else: {found}"


def _check_launched_status(launcher: Launcher, path: Path) -> None:
    for script, codes in (
        ("raise SystemExit(0)", (0,)),
        ("raise SystemExit(7)", (7,)),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", (-signal.SIGTERM, 128 + signal.SIGTERM)),
    ):
        with _launched(launcher, path, script) as (process, _):
            code = process.wait(_PATIENCE_S)
        assert code in codes, f"{script}: ended with {code}, not {codes[0]}"


def _check_launched_kill(launcher: Launcher, path: Path) -> None:
    """SIGKILL to the process's group ends the bot: its end of the pipe is closed."""
    script = f"import time; print('up', flush=True); time.sleep({2 * _PATIENCE_S})"
    with _launched(launcher, path, script) as (process, output):
        assert select.select([output], [], [], _PATIENCE_S)[0], "the bot's output does not arrive"
        assert output.readline() == b"up\n", "the bot's output is not its own"
        os.killpg(process.pid, signal.SIGKILL)
        assert select.select([output], [], [], _PATIENCE_S)[0], "the bot outlives its group"


_PATIENCE_S = 30.0


def check_executor(executor: Executor) -> None:
    """An executor plays everything once, pulls no more than it has room for, survives its workers, and cleans up."""
    before = _children()
    _check_all_played(executor)
    _check_waiting(executor)
    _check_lost_worker(executor)
    _check_closing(executor)
    assert _children() <= before, "processes are left"


@dataclass(frozen=True)
class _Echo:
    """A `Play`: every match ends at once. A doomed one takes its worker with it, when that is a process of its own."""

    checker: int
    doomed: str = ""

    def __call__(self, connection: Any, worker: int) -> None:
        with contextlib.suppress(EOFError):
            while (spec := connection.recv()) is not None:
                if spec.id == self.doomed and os.getpid() != self.checker:
                    os.kill(os.getpid(), signal.SIGKILL)
                connection.send(MatchResult(spec, Outcome(0, "echo")))


def _children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


def _specs(count: int) -> list[MatchSpec]:
    return [MatchSpec(f"match {number}", ("ann", "bob"), number, 0, bytes(32)) for number in range(count)]


def _check_all_played(executor: Executor) -> None:
    for specs in ([], _specs(50)):
        results = list(executor.run(iter(specs), _Echo(os.getpid())))
        assert all(result.outcome == Outcome(0, "echo") for result in results), "results are not those of the play"
        played = sorted((result.spec for result in results), key=lambda spec: spec.deal)
        assert played == specs, f"not every match was played once: {len(played)} results of {len(specs)}"


def _check_waiting(executor: Executor) -> None:
    """Each match may start only when the one before it has ended: what is None now is not None for ever."""
    left, in_flight = _specs(5), [False]

    def one_at_a_time() -> Iterator[MatchSpec | None]:
        while left:
            if in_flight[0]:
                yield None
            else:
                in_flight[0] = True
                yield left.pop(0)

    count = 0
    for _ in executor.run(one_at_a_time(), _Echo(os.getpid())):
        in_flight[0] = False
        count += 1
    assert count == 5, f"{count} of 5 matches were played that had to wait for each other"


def _check_lost_worker(executor: Executor) -> None:
    specs = _specs(50)
    play = _Echo(os.getpid(), doomed=specs[3].id)
    results = list(executor.run(iter(specs), play))
    ids = sorted(result.spec.deal for result in results)
    assert ids == list(range(50)), "after the loss of a worker not every match has come back once"
    ends = {result.spec.id: result.outcome.reason for result in results}
    assert ends[play.doomed] in (ABORTED, "echo"), f"a lost match ended by {ends[play.doomed]}"
    assert "echo" in ends.values(), "nothing was played after the loss of a worker"


def _check_closing(executor: Executor) -> None:
    pulled = 0

    def endless() -> Iterator[MatchSpec]:
        nonlocal pulled
        while True:
            yield MatchSpec(f"match {pulled}", ("ann", "bob"), pulled, 0, bytes(32))
            pulled += 1

    running = executor.run(endless(), _Echo(os.getpid()))
    for _ in range(5):
        next(running)
    running.close()
    assert pulled < 10_000, f"{pulled} matches were pulled before 5 had ended"
