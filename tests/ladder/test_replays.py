"""Stored matches as replays: honest ones prove themselves, tampered ones are found, files stand on their own."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.ladder.replays import (
    NotReplayable,
    Recount,
    describe_end,
    differences,
    replay_object,
    retell,
    steps,
)
from arena.match import BotExited, DeadlinePassed, FrameRejected
from arena.model import Decision, Fault, FaultRecord, MatchResult, MatchSpec, Outcome, Pairing, Standing, StoredMatch
from arena.plan import Identity
from arena.registry import load
from arena.store import Store
from tests.match_play import Play, play_by_chance, turns
from tests.stored import bot, directory, played

GAME = Tacocat(RuleSet(deck={1: 6, 2: 5, 3: 5, 4: 4}, board=(2, 3, 2), arrows=(1, "both", 0), max_rounds=3))
RULES = GAME.public_rules()
IDENTITY = Identity("spring", "tacocat", RULES)
PAIRINGS = [Pairing("ann", "bob", deal) for deal in range(12)]


def specs() -> Iterator[MatchSpec]:
    return (spec for pairing in PAIRINGS for spec in IDENTITY.specs(pairing))


def stored(*results: MatchResult) -> list[StoredMatch]:
    """Through the database and back."""
    with directory() as path, Store.open_to_write(path) as store:
        store.enter([bot("ann"), bot("bob")])
        for result in results:
            store.append(result)
        return list(store.matches())


@pytest.fixture(scope="module")
def by_rules() -> list[StoredMatch]:
    """Matches that the rules ended, both ways."""
    matches = stored(*(play_by_chance(GAME, spec).result for spec in specs()))
    assert {match.outcome.reason for match in matches} == {"goal", "max_rounds"}
    return matches


FAULTS: dict[str, Callable[[Play, int], object]] = {
    "timeout": lambda play, seat: play.tell(DeadlinePassed(seat, 2000.0)),
    "illegal_action": lambda play, seat: play.answer(seat, "no cards"),
    "protocol_error": lambda play, seat: play.tell(FrameRejected(seat, "bad_key", "a key is binary")),
    "crash": lambda play, seat: play.tell(BotExited(seat, "it exited with status 1")),
}


def forfeited(spec: Any, answers: int, fault: str, *, both: bool) -> MatchResult:
    """A match that goes well for so many answers; then a seat that is asked fails, or both that are."""
    play = play_by_chance(GAME, spec, answers=answers)
    while not play.is_over:
        asked = play.asked
        FAULTS[fault](play, asked[0])
        if both and len(asked) == 2:
            FAULTS[fault](play, asked[1])
        elif len(asked) == 2:
            legal = play.requests(asked[1])[-1]
            play.answer(asked[1], [legal.observation["hand"][0]] if legal.legal_actions else [])
    return play.result


# --- honest matches ------------------------------------------------------------------------------------------------


def test_honest_matches_differ_in_nothing(by_rules):
    for match in by_rules:
        assert list(differences(match, GAME, IDENTITY)) == []


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_honest_forfeits_differ_in_nothing(fault, both):
    results = [forfeited(spec, answers, fault, both=both) for answers, spec in enumerate(specs())]
    reasons = {match.outcome.reason for match in stored(*results)}
    assert fault in reasons
    assert (f"{fault}+{fault}" in reasons) == both
    for match in stored(*results):
        assert list(differences(match, GAME, IDENTITY)) == []


def test_a_match_that_never_started_differs_in_nothing():
    play = Play(GAME, spec=next(specs()), start=False)
    play.tell(BotExited(0, "it exited with status 1"))
    play.tell(BotExited(1, "it exited with status 1"))
    (match,) = stored(play.result)
    assert list(differences(match, GAME, IDENTITY)) == []


def test_a_match_with_forced_decisions_asked_for_differs_in_nothing():
    for match in stored(*(play_by_chance(GAME, spec, ask_forced=True).result for spec in specs())):
        assert list(differences(match, GAME, IDENTITY)) == []


# --- tampered matches ----------------------------------------------------------------------------------------------


def with_event(match: StoredMatch, place: int, **changes: Any) -> StoredMatch:
    events = list(match.events)
    events[place] = {**events[place], **changes}
    return replace(match, events=tuple(events))


def with_decision(match: StoredMatch, place: int, **changes: Any) -> StoredMatch:
    decisions = list(match.decisions)
    decisions[place] = structs.replace(decisions[place], **changes)
    return replace(match, decisions=tuple(decisions))


def without_decision(match: StoredMatch, place: int) -> StoredMatch:
    decisions = list(match.decisions)
    del decisions[place]
    return replace(match, decisions=tuple(decisions))


def with_outcome(match: StoredMatch, **changes: Any) -> StoredMatch:
    return replace(match, outcome=replace(match.outcome, **changes))


LOST_LATER = {"reason": "timeout", "winner": 1, "faults": (FaultRecord(0, Fault.TIMEOUT),)}
EVENTS = "its events are not those of its deal and decisions"
ID = "its id should be "

TAMPERING: dict[str, tuple[Callable[[StoredMatch], StoredMatch], str]] = {
    "event changed": (lambda match: with_event(match, 0, cards=9), EVENTS),
    "event of a later round changed": (lambda match: with_event(match, -2, winner=None), EVENTS),
    "event removed": (lambda match: replace(match, events=match.events[:-1]), EVENTS),
    "event added": (lambda match: replace(match, events=(*match.events, match.events[-1])), EVENTS),
    "events exchanged": (
        lambda match: replace(match, events=(match.events[1], match.events[0], *match.events[2:])),
        EVENTS,
    ),
    "another seat decides": (
        lambda match: with_decision(match, 4, seat=1 - match.decisions[4].seat),
        "were to decide",
    ),
    "cards that nobody holds": (lambda match: with_decision(match, 2, action=[4, 4, 4]), "decision 3 is not legal: "),
    "no cards at all": (lambda match: with_decision(match, -1, action="cards"), " is not legal: "),
    "first decision removed": (lambda match: without_decision(match, 0), "were to decide"),
    "last decision removed": (lambda match: without_decision(match, -1), "decision"),
    "all decisions removed": (
        lambda match: replace(match, decisions=()),
        "it does not end where its decisions end",
    ),
    "decision added": (
        lambda match: replace(match, decisions=(*match.decisions, match.decisions[-1])),
        "the seats () were to decide",
    ),
    "winner": (lambda match: with_outcome(match, winner=1 - (match.outcome.winner or 0)), "it should have ended with"),
    "a draw": (lambda match: with_outcome(match, winner=None), "it should have ended with winner "),
    "reason": (lambda match: with_outcome(match, reason="max_rounds"), "it should have ended with"),
    "fault after the end": (
        lambda match: with_outcome(match, **LOST_LATER),
        "it was decided by the rules (goal) before the fault that it was lost by",
    ),
    "id": (lambda match: replace(match, id="0" * 20), ID),
    "lane": (lambda match: replace(match, lane=1 - match.lane), ID),
    "deal": (lambda match: replace(match, pairing=match.pairing._replace(deal=99)), ID),
    "bot": (lambda match: replace(match, pairing=match.pairing._replace(bot_b="bobby")), ID),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_tampering_is_found(by_rules, what):
    tamper, words = TAMPERING[what]
    for match in by_rules:
        if match.outcome.reason == "goal":
            assert words in "\n".join(differences(tamper(match), GAME, IDENTITY))


def test_another_seed_or_other_rules_are_found(by_rules):
    for match in by_rules:
        for identity in (Identity("autumn", "tacocat", RULES), Identity("spring", "other", RULES)):
            found = list(differences(match, GAME, identity))
            assert found[0].startswith(ID)
            assert len(found) > 1  # its deal is another one, too
        board = Tacocat(replace(GAME.rules, board=(2, 4, 2), deck={1: 6, 2: 5, 3: 5, 4: 4}))
        assert list(differences(match, board, IDENTITY))


@given(st.data())
@settings(derandomize=True, max_examples=60, deadline=None)
def test_any_other_cards_are_found(by_rules, data):
    match = data.draw(st.sampled_from(by_rules))
    place = data.draw(st.integers(0, len(match.decisions) - 1))
    action = data.draw(st.lists(st.integers(1, 4), max_size=3))
    if sorted(action) == sorted(match.decisions[place].action):
        return
    assert list(differences(with_decision(match, place, action=action), GAME, IDENTITY))


@pytest.mark.parametrize("fault", FAULTS)
def test_tampering_with_forfeits_is_found(fault):
    results = [forfeited(spec, 3 + answers, fault, both=False) for answers, spec in enumerate(specs())]
    for match in stored(*results):
        if not match.outcome.faults:
            continue
        seat = match.outcome.faults[0].seat
        for changes in ({"winner": seat}, {"winner": None}, {"reason": "goal"}, {"faults": ()}):
            assert list(differences(with_outcome(match, **changes), GAME, IDENTITY)), changes


@pytest.mark.parametrize("fault", [Fault.TIMEOUT, Fault.ILLEGAL_ACTION])
def test_a_seat_that_had_not_been_asked_cannot_have_failed_to_answer(fault):
    for spec in specs():
        play = play_by_chance(GAME, spec, answers=1)
        asked = play.asked
        if len(asked) == 1:
            idle = 1 - asked[0]
            play.tell(BotExited(idle, "gone"))
            if not play.is_over:
                continue  # it has answered: both had been asked
            outcome = Outcome(asked[0], fault.value, "", (FaultRecord(idle, fault),))
            (match,) = stored(replace(play.result, outcome=outcome))
            assert list(differences(match, GAME, IDENTITY)) == [
                f"seat {idle} lost by {fault}, but had not been asked where its decisions end"
            ]


def test_steps_say_where_decisions_go_wrong():
    game = turns("0 01")
    decisions = [Decision(0, "say", 3, 1.0, False), Decision(1, "say together", 4, 1.0, False)]
    taken = steps(bytes(32), decisions, game)
    assert [state for state, _ in (next(taken), next(taken))] == [0, 1]
    with pytest.raises(NotReplayable, match=r"^at decision 2 of 2 the seats \(0, 1\) were to decide$"):
        next(taken)


# --- files ---------------------------------------------------------------------------------------------------------


def test_a_replay_has_the_documented_shape(by_rules):
    match = by_rules[1]
    replay = replay_object(match, "tacocat", RULES, IDENTITY.deal_seed(match.pairing))
    assert list(replay) == [
        *("format", "match", "game", "rules", "seed", "deal", "bots", "events", "decisions", "outcome")
    ]
    assert replay["format"] == "arena-replay/1"
    assert (replay["match"], replay["game"], replay["deal"]) == (match.id, "tacocat", 0)
    assert replay["bots"] == ["bob", "ann"]  # by seat: this is lane 1
    assert list(replay["rules"]) == ["deck", "board", "arrows", "round_tie", "max_rounds"]
    assert bytes.fromhex(replay["seed"]) == IDENTITY.deal_seed(match.pairing)
    assert list(replay["decisions"][0]) == ["seat", "phase", "action", "elapsed_ms", "forced"]
    assert set(replay["outcome"]) >= {"winner", "reason", "detail", "fault_seat"}
    assert replay["outcome"]["fault_seat"] is None


def test_a_forfeit_says_whose_it_was():
    (match,) = stored(forfeited(next(specs()), 2, "timeout", both=False))
    outcome = replay_object(match, "tacocat", RULES, bytes(32))["outcome"]
    seat = outcome["fault_seat"]
    assert outcome["faults"] == [{"seat": seat, "fault": "timeout"}]
    assert (outcome["winner"], outcome["reason"]) == (1 - seat, "timeout")


def play_again(text: str) -> tuple[list[Any], Any]:
    """From the file alone, and without the arena's own way of doing it: the events, and how it ended."""
    replay = json.loads(text)
    game = load("games", replay["game"]).from_public_rules(replay["rules"])
    state, events = game.initial_state(bytes.fromhex(replay["seed"]))
    told = list(events)
    left = list(replay["decisions"])
    while left:
        actions = {seat: game.check_action(state, seat, left.pop(0)["action"]) for seat in game.seats_to_move(state)}
        state, events = game.apply(state, actions)
        told += events
    return told, game.outcome(state)


def test_a_file_is_enough_to_play_a_match_again(by_rules):
    forfeits = stored(*(forfeited(spec, answers, "crash", both=False) for answers, spec in enumerate(specs())))
    for match in by_rules + forfeits:
        text = json.dumps(replay_object(match, "tacocat", RULES, IDENTITY.deal_seed(match.pairing)))
        events, outcome = play_again(text)
        replay = json.loads(text)
        assert events == replay["events"]
        if match.outcome.faults:
            assert outcome is None
        else:
            assert (outcome.winner, outcome.reason) == (replay["outcome"]["winner"], replay["outcome"]["reason"])


# --- words ---------------------------------------------------------------------------------------------------------


def test_a_match_is_retold_event_by_event_with_the_board_where_it_changed():
    play = Play("0 0!")
    play.answer(0, 3)
    (match,) = stored(play.result)
    assert list(retell(match, bytes(32), turns("0 0!"))) == [
        "{'event': 'begun'}",
        "    0",
        "{'event': 'said', 'turn': 0, 'digits': [3, None]}",
        "    1",
        "{'event': 'said', 'turn': 1, 'digits': [7, None]}",
        "    2",
    ]


def test_a_retold_match_of_tacocat_reads_like_one(by_rules):
    lines = list(retell(by_rules[0], IDENTITY.deal_seed(by_rules[0].pairing), GAME))
    assert lines[0] == "Round 1: the Tacocat is on space 2, each player gets 3 cards."
    assert lines[1].startswith("    goal 0")
    boards = [line for line in lines if line.startswith("    ")]
    assert all(one != other for one, other in pairwise(boards))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome(1, "goal", "Reached."), "bob wins (goal). Reached."),
        (Outcome(None, "timeout+crash", ""), "A draw (timeout+crash)."),
    ],
)
def test_an_end_in_words(outcome, words):
    assert describe_end(outcome, ("ann", "bob")) == words


# --- the ladder counted again --------------------------------------------------------------------------------------


def test_a_recount_agrees_with_the_store_and_finds_what_does_not():
    chance = random.Random(5)
    names = ("ann", "bob", "cyd")
    with directory() as path, Store.open_to_write(path) as store:
        store.enter([bot(name) for name in names])
        for bots in (("ann", "bob"), ("ann", "cyd"), ("bob", "cyd")):
            for deal in range(15):
                for lane in (0, 1) if chance.random() < 0.7 else (chance.randrange(2),):
                    store.append(played(*bots, deal, lane, chance.choice([None, *bots])))
        recount = Recount()
        for match in store.matches():
            recount.add(match)
        tallies, standings = store.tallies(), store.standings()
    assert recount.matches == sum(tally.matches for tally in tallies)
    assert list(recount.differences(tallies, standings)) == []
    assert all(sum(tally.pairs) and sum(tally.singles) for tally in tallies)
    for number, tally in enumerate(tallies):
        pairs = (tally.pairs[0] + 1, *tally.pairs[1:])
        changed = [*tallies[:number], structs.replace(tally, pairs=pairs), *tallies[number + 1 :]]
        assert list(recount.differences(changed, standings)) == ["the results between pairs of bots do not add up"]
    assert list(recount.differences(tallies[1:], standings))
    for name in names:
        better: dict[str, Standing] = {**standings, name: replace(standings[name], wins=standings[name].wins + 1)}
        (words,) = recount.differences(tallies, better)
        assert words.startswith(f"{name} has won, drawn, lost (")
