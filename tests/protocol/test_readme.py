"""The specification says what the code does: its examples, tables, limits and diagram are checked against it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import protocol
from protocol import bounds
from protocol.messages import MESSAGE_TYPES, Request, from_json_object
from protocol.refusals import CODES
from protocol.session import diagram

HERE = Path(protocol.__file__).parent
README = (HERE / "README.md").read_text(encoding="utf-8")
VECTORS = json.loads((HERE / "vectors" / "vectors.json").read_text(encoding="utf-8"))
SCHEMAS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (HERE / "schema").glob("*.json")}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    return re.split(r"^#+ ", README.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's rows, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def keys_in(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_every_example_is_a_golden_frame():
    golden = [vector["json"] for vector in VECTORS if vector["valid"]]
    examples = [json.loads(block) for block in blocks("json")]
    assert all(example in golden for example in examples)
    assert {example["type"] for example in examples} == set(MESSAGE_TYPES)


@pytest.mark.parametrize("name", MESSAGE_TYPES)
def test_a_message_is_described_key_by_key(name):
    described = [key for cells in rows(section(name)) for key in keys_in(cells[0])]
    assert described == list(MESSAGE_TYPES[name].__struct_fields__)
    optional = {key for cells in rows(section(name)) if "optional" in cells[1] for key in keys_in(cells[0])}
    assert optional == set(described) - set(SCHEMAS[name]["required"])


def test_tacocats_observation_events_and_rules_are_described_key_by_key():
    parts = SCHEMAS["tacocat_observation"]["$defs"]
    described = [key for cells in rows(section("Observation")) for key in keys_in(cells[0])]
    assert described == [*parts["common"]["properties"], "max_replace", "attack"]

    events = {keys_in(cells[0])[0]: keys_in(cells[1]) for cells in rows(section("Events"))}
    schemas = SCHEMAS["tacocat_event"]["$defs"]
    expected = {name: part["required"][1:] for name, part in schemas.items() if "required" in part}
    assert events == expected

    described = [key for cells in rows(section("Rules")) for key in keys_in(cells[0])]
    assert described == list(SCHEMAS["tacocat_rules"]["properties"])


def test_limits_are_those_of_the_code():
    assert [int(cells[1]) for cells in rows(section("Limits"))] == [
        bounds.MAX_MESSAGE,
        bounds.MAX_DEPTH,
        bounds.MAX_ARRAY,
        bounds.MAX_MAP,
        bounds.MAX_TEXT,
        bounds.MAX_LABEL,
        bounds.MAX_CONCURRENCY,
        64,
    ]


def test_the_length_of_a_line_is_that_of_the_code():
    assert f"at most {bounds.MAX_LINE:,} bytes" in section("Lines of JSON").replace("\n", " ")


def test_error_codes_are_those_of_the_code():
    assert [(keys_in(cells[0])[0], cells[1]) for cells in rows(section("Error codes"))] == list(CODES.items())


def test_the_diagram_is_drawn_from_the_table():
    assert blocks("mermaid") == [diagram()]


def test_links_lead_somewhere():
    headings = re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("https:"):
            assert (HERE / target).exists(), target


def test_the_dozen_lines_choose_a_legal_action_in_every_phase():
    source = blocks("python")[0]
    assert len([line for line in source.splitlines() if line.strip()]) <= 12
    namespace: dict[str, Any] = {"__name__": "bot"}
    exec(compile(source, "README.md", "exec"), namespace)
    choose = namespace["choose"]
    requests = [
        from_json_object(vector["json"])
        for vector in VECTORS
        if vector["valid"] and vector["name"].startswith("request, ")
    ]
    played = {}
    for request in requests:
        if isinstance(request, Request) and request.observation:
            action = choose(request)
            observation = request.observation
            played[observation["phase"]] = action
            assert all(action.count(card) <= observation["hand"].count(card) for card in action)
            if request.legal_actions is None:
                assert len(action) <= observation["max_replace"]
            else:
                assert action in request.legal_actions
    assert played.keys() == {"replace", "duel", "attack", "defend"}
