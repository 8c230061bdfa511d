"""The JSON Schemas: well-formed, in step with the codec, true of the golden frames, and able to refuse."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import protocol
from protocol.messages import MESSAGE_TYPES

HERE = Path(protocol.__file__).parent
SCHEMAS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "schema").glob("*.json"))}
VECTORS = json.loads((HERE / "vectors" / "vectors.json").read_text(encoding="utf-8"))
EXAMPLES = {vector["name"]: vector["json"] for vector in VECTORS if vector["valid"]}
GAME = {"tacocat_rules", "tacocat_observation", "tacocat_action", "tacocat_event"}
# frames of the codec, not of any game; the schemas demand what the referee promises on top
GAMELESS = {"request, legal_actions null"}
NOT_TACOCAT = {"action, any value", "action, null", "float32", "float64", "deepest", "longest list", "largest map"}
NOT_TACOCAT |= {name for name in EXAMPLES if name.startswith(("longest", "strings of", "lists of", "maps of"))}


def validator(name: str) -> Draft202012Validator:
    registry: Registry[Any] = Registry().with_resources(
        (f"{stem}.json", Resource.from_contents(schema)) for stem, schema in SCHEMAS.items()
    )
    return Draft202012Validator(SCHEMAS[name], registry=registry)


def test_there_is_a_schema_for_every_message_and_for_what_tacocat_puts_into_them():
    assert SCHEMAS.keys() == MESSAGE_TYPES.keys() | GAME


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_a_schema_and_explains_every_key(name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert SCHEMAS[name]["description"]
    for key, part in SCHEMAS[name].get("properties", {}).items():
        assert key == "type" or "description" in part or "$ref" in part, f"{key} is not explained"


@pytest.mark.parametrize("name", MESSAGE_TYPES)
def test_schema_knows_the_keys_of_the_message_in_their_order(name):
    assert list(SCHEMAS[name]["properties"]) == ["type", *MESSAGE_TYPES[name].__struct_fields__]
    assert SCHEMAS[name]["properties"]["type"] == {"const": name}


@pytest.mark.parametrize("name", EXAMPLES)
def test_golden_frame_is_valid_by_its_schema(name):
    validator(EXAMPLES[name]["type"]).validate(EXAMPLES[name])


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in GAMELESS | NOT_TACOCAT])
def test_golden_frame_of_tacocat_is_valid_by_the_games_schemas(name):
    document = EXAMPLES[name]
    if "rules" in document:
        validator("tacocat_rules").validate(document["rules"])
    if "observation" in document:
        validator("tacocat_observation").validate(document["observation"])
    for event in document.get("events", []):
        validator("tacocat_event").validate(event)
    for action in [*document.get("legal_actions", []), *([document["action"]] if "action" in document else [])]:
        validator("tacocat_action").validate(action)


def test_golden_frames_show_every_phase_and_every_event():
    requests = [document for document in EXAMPLES.values() if document["type"] == "request"]
    phases = {document["observation"].get("phase") for document in requests} - {None}
    assert phases == {"replace", "duel", "attack", "defend"}
    events = {event["event"] for document in EXAMPLES.values() for event in document.get("events", [])}
    assert events == SCHEMAS["tacocat_event"]["$defs"].keys() - {"seat", "rank", "ranks", "by_seat"}


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.startswith("request, ") and name not in GAMELESS])
def test_an_observation_lacks_nothing_and_belongs_to_one_phase(name):
    observation = EXAMPLES[name]["observation"]
    schema = validator("tacocat_observation")
    for key in observation:
        assert not schema.is_valid({other: value for other, value in observation.items() if other != key}), key
    for phase in {"over", "Attack", ""}:
        assert not schema.is_valid({**observation, "phase": phase})


@pytest.mark.parametrize(
    "event",
    [
        {"event": "deal", "round": 0, "space": 4, "cards": 7},
        {"event": "replaced", "seat": 2, "cards": []},
        {"event": "duel", "cards": [10]},
        {"event": "trick", "attacker": 0, "attack": [], "answer": [1], "defended": True},
        {"event": "showdown", "cards": [1, 3]},
        {"event": "moved", "from": 0, "to": 1},
        {"event": "reveal", "hand": [1, 2]},
        {},
    ],
)
def test_an_event_that_cannot_be_is_refused(event):
    assert not validator("tacocat_event").is_valid(event)
