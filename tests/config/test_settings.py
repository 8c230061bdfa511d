"""Blocks into settings classes: what a key may hold, and what is said of everything else."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.document import Part, read
from arena.config.settings import NUMBER_MAX, UNREADABLE, describe, fill
from arena.errors import SettingsError
from arena.model import TimeControl


@dataclass(frozen=True)
class Lamp:
    """A lamp.

    colour: of its light.
    watts: what it draws; above 0,
        or it would not shine. on: whether it shines
    """

    colour: str
    watts: int = 40
    on: bool = False

    def __post_init__(self) -> None:
        problems = []
        if self.watts <= 0:
            problems.append(("watts", f"must be above 0, not {self.watts}"))
        if self.colour == "black":
            problems.append(("colour", "black is no light, whatever the watts"))
        if problems:
            raise SettingsError(problems)


@dataclass(frozen=True)
class Room:
    """Every kind of annotation there is.

    name: what people call it.
    """

    name: str | None = None
    size: float = 2.5
    lamp: Lamp = field(default_factory=lambda: Lamp("white"))
    spare: Lamp | None = None
    shelf: tuple[int, ...] = (1, 2)
    notes: list[str] = field(default_factory=list)
    labels: str | tuple[str, ...] = ""
    ports: tuple[int | Literal["both"], ...] = ("both", 0)
    door: Literal["open", "shut"] = "shut"
    workers: int | Literal["auto"] = "auto"
    stock: Mapping[int, int] = field(default_factory=lambda: {1: 3})
    signs: dict[str, str] = field(default_factory=dict)
    corner: Part | None = None
    area: float = field(init=False, default=0.0)


@pytest.fixture
def filled(tmp_path):
    """Instances of classes from a text, and all that was reported."""

    def fill_it(text: str, *classes: type[Any], **options: Any) -> tuple[list[Any], list[str]]:
        path = tmp_path / "settings.yaml"
        path.write_text(text)
        root = read(path)
        return fill(root, *classes, **options), [str(problem) for problem in root.problems]

    return fill_it


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("name: null", "name", None),
        ("name: no", "name", "no"),
        ("name: 1.10", "name", "1.10"),
        ("name: 2026-11-30", "name", "2026-11-30"),
        ("name: 'null'", "name", "null"),
        ('name: ""', "name", ""),
        ("name: =", "name", "="),
        ("name: |\n  two\n  lines\n", "name", "two\nlines\n"),
        ("size: 3", "size", 3.0),
        ("size: -1e-3", "size", -0.001),
        ("size: .5", "size", 0.5),
        ("shelf: []", "shelf", ()),
        ("shelf: [1_000, -7, +8, 0]", "shelf", (1000, -7, 8, 0)),
        ("notes:\n- 5\n- yes\n", "notes", ["5", "yes"]),
        ("labels: a b", "labels", "a b"),
        ("labels: [a, 2]", "labels", ("a", "2")),
        ("ports: [both, 1, 0]", "ports", ("both", 1, 0)),
        ("door: open", "door", "open"),
        ("workers: auto", "workers", "auto"),
        ("workers: 8", "workers", 8),
        ("stock: {1: 2, 12: 0}", "stock", {1: 2, 12: 0}),
        ("signs: {a: 1, 2: b}", "signs", {"a": "1", "2": "b"}),
        ("lamp: {colour: red, on: true}", "lamp", Lamp("red", on=True)),
        ("lamp: {colour: red, on: Off}", "lamp", Lamp("red")),
        ("spare:", "spare", None),
        ("spare: {colour: red}", "spare", Lamp("red")),
        (f"workers: {NUMBER_MAX}", "workers", NUMBER_MAX),
        ("x: 1", "size", 2.5),
    ],
)
def test_values_are_read_by_the_annotation_of_their_key(filled, text, key, value):
    (room,), _ = filled(text, Room, strict=False)
    assert getattr(room, key) == value
    assert type(getattr(room, key)) is type(value)


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("workers: 08", 'workers: must be a whole number or "auto", not 08 (write 8)'),
        ("workers: 010", 'workers: must be a whole number or "auto", not 010 (write 10)'),
        ("workers: 1e3", 'workers: must be a whole number or "auto", not 1e3 (write 1000)'),
        ("workers: 2.0", 'workers: must be a whole number or "auto", not 2.0 (write 2)'),
        ("workers: 2.5", 'workers: must be a whole number or "auto", not 2.5'),
        ("workers: 1,000", 'workers: must be a whole number or "auto", not 1,000 (write 1000)'),
        ("workers: '4'", 'workers: must be a whole number or "auto", not "4" (write 4)'),
        ("workers: yes", 'workers: must be a whole number or "auto", not "yes"'),
        ("workers: 1:30", 'workers: must be a whole number or "auto", not 1:30'),
        ("workers: 0x10", 'workers: must be a whole number or "auto", not 0x10'),
        ("workers: 2026-11-30", 'workers: must be a whole number or "auto", not 2026-11-30'),
        ("workers: aut", 'workers: must be a whole number or "auto", not "aut" (did you mean auto?)'),
        (f"workers: {NUMBER_MAX + 1}", f"(the largest is {NUMBER_MAX})"),
        ("workers: " + "9" * 5000, "workers: must be a whole number"),
        ("workers: ٣", "workers: must be a whole number"),
        ("workers:", 'must be a whole number or "auto", not nothing (give a value or remove the key)'),
        ("size: .inf", 'size: must be a number, not ".inf"'),
        ("size: .nan", "size: must be a number"),
        ("size: 1e999", "size: must be a number, not 1e999"),
        ("size: 20 m", "size: must be a number, not 20 m (write the number alone, without a unit)"),
        ("size: 95%", "size: must be a number, not 95% (write 0.95)"),
        ("size: true", 'size: must be a number, not "true"'),
        ("shelf: 3", "shelf: must be a list of whole numbers, not 3"),
        ("shelf: [1, two, 3, four]", 'shelf[1]: must be a whole number, not "two"'),
        ("shelf: {a: 1}", '(begin each entry with "- ")'),
        ("ports: [0, bth]", 'ports[1]: must be a whole number or "both", not "bth" (did you mean both?)'),
        ("door: Open", 'door: must be "open" or "shut", not "Open" (did you mean open?)'),
        ("stock: [1]", 'stock: must be a block of "key: value" lines, not a list'),
        ("stock: {one: 1}", 'stock.one: the key must be a whole number, not "one"'),
        ("stock: {1: x}", 'stock.1: must be a whole number, not "x"'),
        ("stock: {10: 1, 1_0: 2}", "the key 10 is given twice"),
        ("name: [a]", "name: must be text or null, not a list"),
        ('name: "a\\0b"', "name: contains the control character U+0000"),
        ('name: "\\uD800"', "name: contains the control character U+D800"),
        ("lamp: {}", 'lamp.colour: is missing (add "colour: …")'),
        ("lamp: red", 'lamp: must be a block of keys (colour, watts, on), not "red"'),
        ("lamp: {colour: red, on: 1}", "lamp.on: must be true or false, not 1"),
        ("spare: [a]", "spare: must be a block of keys (colour, watts, on) or null, not a list"),
        ("lamp: {colour:red}", "unknown key"),
    ],
)
def test_values_that_do_not_fit_are_reported_with_what_would(filled, text, report):
    (room,), problems = filled(text, Room)
    assert room is UNREADABLE
    assert any(report in problem for problem in problems), problems
    assert all(problem.startswith("line 1: ") for problem in problems)


def test_all_entries_of_a_list_and_of_a_block_are_read_to_the_end(filled):
    _, problems = filled("shelf: [a, 1, b]\nstock: {x: 1, 2: y, z: z}\nlamp: {on: 3, watts: w}\n", Room)
    assert len(problems) == 2 + 4 + 3


def test_a_class_complains_on_the_line_of_the_key(filled):
    _, problems = filled("lamp:\n  on: true\n  watts: -3\n  colour: black\n", Room)
    assert problems == [
        "line 3: lamp.watts: must be above 0, not -3",
        "line 4: lamp.colour: black is no light, whatever the watts",
    ]


def test_a_class_complains_of_what_is_left_out_on_the_line_of_its_block(filled):
    (clocks,), problems = filled("move_ms: null\n", TimeControl)
    assert not clocks
    assert problems == ["line 1: move_ms: a match needs a clock: give move_ms, bank_ms or both"]

    @dataclass(frozen=True)
    class House:
        time: TimeControl

    _, problems = filled("\ntime:\n  increment_ms: 5\n  startup_ms: 0\n", House)
    assert problems == [
        "line 4: time.startup_ms: must be above 0, not 0",
        "line 3: time.increment_ms: is added to a bank, but there is no bank_ms",
    ]


def test_a_class_still_complains_when_another_key_is_unreadable_but_not_of_that_key(filled):
    _, problems = filled("colour: black\nwatts: many\n", Lamp)
    assert problems == ['line 2: watts: must be a whole number, not "many"']  # "whatever the watts": it saw a default
    _, problems = filled("colour: red\nwatts: -1\non: maybe\n", Lamp)
    assert len(problems) == 2
    _, problems = filled("bank_ms: soon\nincrement_ms: 5\nmargin_ms: -1\n", TimeControl)
    assert [problem[:6] for problem in problems] == ["line 1", "line 3"]  # not that line 2 lacks a bank


def test_classes_can_share_a_block(filled):
    (lamp, clocks), problems = filled("colour: red\nmove_ms: 5\n", Lamp, TimeControl)
    assert (lamp, clocks, problems) == (Lamp("red"), TimeControl(5), [])
    (lamp, clocks), problems = filled("colour: red\nmove_ms: x\nwats: 3\n", Lamp, TimeControl)
    assert lamp == Lamp("red")
    assert clocks is UNREADABLE
    assert [problem[:6] for problem in problems] == ["line 3", "line 2"]


def test_an_empty_block_is_all_defaults(filled):
    @dataclass(frozen=True)
    class House:
        time: TimeControl

    assert filled("time:\n", House)[0] == [House(TimeControl())]


def test_a_key_of_another_block_is_sent_there(filled):
    _, problems = filled(
        "colour: red\nsede: 1\nmove_ms: 3\n", Lamp, elsewhere={"move_ms": "time", "seed": "tournament"}
    )
    assert problems == [
        "line 2: sede: unknown key (did you mean seed, under tournament?)",
        "line 3: move_ms: unknown key (it belongs under time)",
    ]


def test_an_unknown_key_does_not_hide_the_others(filled):
    (room,), problems = filled("dore: open\narea: 3\nsize: 7\n", Room)
    assert room == Room(size=7.0)
    assert problems[0] == "line 1: dore: unknown key (did you mean door?)"
    assert problems[1].startswith("line 2: area: unknown key")  # no key: the class sets it itself


def test_a_misspelt_key_is_not_also_missing(filled):
    _, problems = filled("color: red\n", Lamp)
    assert problems == ["line 1: color: unknown key (did you mean colour?)"]


def test_a_part_is_left_as_it_stands(filled):
    (room,), problems = filled("name: a\ncorner:\n  anything: [goes, {here: !!int x}]\n", Room)
    assert (room.corner.path, room.corner.line, problems) == ("corner", 2, [])
    assert room.corner.find("anything[0]").node.value == "goes"


def test_a_class_describes_itself():
    lamp = [setting for setting in describe(Room) if setting.key.startswith("lamp.")]
    assert lamp == [
        ("lamp.colour", "text", "", "of its light."),
        ("lamp.watts", "a whole number", "40", "what it draws; above 0, or it would not shine."),
        ("lamp.on", "true or false", "false", "whether it shines"),
    ]
    described = {setting.key: setting for setting in describe(Room)}
    assert described["spare"][1:3] == ("a block of keys (colour, watts, on) or null", "null")
    assert described["spare.watts"].default == "40"
    assert described["ports"][1:3] == ('a list, each entry a whole number or "both"', "[both, 0]")
    assert described["name"][1:] == ("text or null", "null", "what people call it.")
    assert described["notes"].type == "a list of text"
    assert "area" not in described


def test_described_defaults_are_the_defaults(filled):
    described = [setting for setting in describe(Room) if "." not in setting.key and setting.key != "corner"]
    text = "\n".join(f"{setting.key}: {setting.default}" for setting in described)
    assert filled(text, Room) == ([Room()], [])


_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=10)
_ROOMS = st.builds(
    Room,
    name=st.none() | _TEXT,
    size=st.floats(allow_nan=False, allow_infinity=False),
    lamp=st.builds(
        Lamp, colour=_TEXT.filter(lambda text: text != "black"), watts=st.integers(1, 10**6), on=st.booleans()
    ),
    shelf=st.lists(st.integers(-NUMBER_MAX, NUMBER_MAX), max_size=4).map(tuple),
    notes=st.lists(_TEXT, max_size=4),
    labels=_TEXT | st.lists(_TEXT, max_size=4).map(tuple),
    ports=st.lists(st.just("both") | st.integers(0, 9), max_size=4).map(tuple),
    door=st.sampled_from(["open", "shut"]),
    workers=st.just("auto") | st.integers(0, 99),
    stock=st.dictionaries(st.integers(0, 99), st.integers(0, 99), max_size=4),
    signs=st.dictionaries(_TEXT.filter(lambda text: text != "<<"), _TEXT, max_size=4),
)


@settings(deadline=None, max_examples=50)
@given(_ROOMS)
def test_what_a_yaml_writer_writes_is_read_back(tmp_path_factory, room):
    """Against PyYAML's writer, which quotes whatever would otherwise be read as something else."""
    values = {key: value for key, value in asdict(room).items() if key not in ("corner", "area")}
    path = tmp_path_factory.mktemp("room") / "settings.yaml"
    path.write_text(yaml.safe_dump(values, allow_unicode=True))
    root = read(path)
    assert (fill(root, Room), root.problems) == ([room], [])
