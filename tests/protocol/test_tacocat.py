"""What the game of Tacocat puts into messages is what the schemas and the limits of the protocol say."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import protocol
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from protocol.messages import MatchEnd, MatchStart, Message, Request, decode, encode, to_json_object

SCHEMAS = {
    path.name: json.loads(path.read_text(encoding="utf-8"))
    for path in (Path(protocol.__file__).parent / "schema").glob("*.json")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    (name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)
VALIDATORS = {name: Draft202012Validator(schema, registry=REGISTRY) for name, schema in SCHEMAS.items()}

# the longest hands, hence the longest lists of legal actions, from a deck as large as decks may be
LARGEST = RuleSet(deck=dict.fromkeys(range(58, 100), 6), board=(12, 12, 12), arrows=(1, "both", 0))
RULES = {"usual": RuleSet(), "arrow": RuleSet(round_tie="arrow"), "largest": LARGEST}


def match_messages(game: Tacocat, seed: int) -> Iterator[Message]:
    """What a referee would send to seat 0 and 1 in one match between random players."""
    rng = random.Random(seed)
    yield MatchStart("m", "tacocat", 0, ["a", "b"], game.public_rules(), {})
    state, events = game.initial_state(seed.to_bytes(32, "big"))
    news: tuple[list[Any], list[Any]] = ([*events], [*events])
    number = 0
    while seats := game.seats_to_move(state):
        actions = {}
        for seat in seats:
            number += 1
            legal, seen = game.legal_actions(state, seat), game.observation(state, seat)
            yield Request(
                match="m",
                request=number,
                seat=seat,
                observation=seen,
                events=[*news[seat]],
                legal_actions=legal,
                time_ms=1000,
            )
            news[seat].clear()
            if legal is None:
                raw = rng.sample(seen["hand"], rng.randint(0, seen["max_replace"]))
            else:
                raw = list(rng.choice(legal))
            actions[seat] = game.check_action(state, seat, raw)
        state, events = game.apply(state, actions)
        for seat in (0, 1):
            news[seat].extend(events)
    outcome = game.outcome(state)
    assert outcome is not None
    for seat in (0, 1):
        yield MatchEnd("m", outcome.winner, outcome.reason, outcome.detail, news[seat])


@pytest.mark.parametrize("name", RULES)
def test_everything_that_a_match_sends_keeps_to_limits_and_schemas(name):
    game = Tacocat(RULES[name])
    events_seen, phases_seen = set(), set()
    for message in match_messages(game, seed=7):
        document = to_json_object(decode(encode(message)))
        if document["type"] == "match_start":
            VALIDATORS["tacocat_rules.json"].validate(document["rules"])
            continue
        VALIDATORS[f"{document['type']}.json"].validate(document)
        for event in document["events"]:
            VALIDATORS["tacocat_event.json"].validate(event)
            events_seen.add(event["event"])
        if isinstance(message, Request):
            VALIDATORS["tacocat_observation.json"].validate(document["observation"])
            phases_seen.add(document["observation"]["phase"])
            assert (document["observation"]["phase"] == "replace") is ("legal_actions" not in document)
            for action in document.get("legal_actions", []):
                VALIDATORS["tacocat_action.json"].validate(action)
                assert action == sorted(action)
    assert phases_seen == {"replace", "duel", "attack", "defend"}
    assert events_seen == {"deal", "replaced", "duel", "trick", "showdown", "moved"}
