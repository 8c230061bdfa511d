"""A YAML file as parts with places: nothing in a file can hurt, and every place is the true one."""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.config.document import SIZE_MAX, Part, brief, did_you_mean, nearest, read, shown
from arena.errors import ConfigError, Problem

ROOT = Path(__file__).parents[2]
_MARKS = [*(bytes([byte]) for byte in b"[]{}:,-?&*!|>'\"#\n\t"), b": ", b"- ", b"<<: "]


@pytest.fixture
def document(tmp_path):
    """Reads a document from text or bytes."""

    def read_it(content: str | bytes) -> Part:
        path = tmp_path / "config.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read(path)

    return read_it


@pytest.fixture
def refusal(document):
    """The one problem for which a document is refused."""

    def refuse(content: str | bytes) -> Problem:
        with pytest.raises(ConfigError) as caught:
            document(content)
        (problem,) = caught.value.problems
        return problem

    return refuse


def test_every_part_knows_its_place(document):
    root = document("name: a\nbots:\n  - name: x\n    command: [python,\n      bot.py]\n  - {name: y}\n")
    places = {
        path: root.find(path).line for path in ("name", "bots", "bots[0].name", "bots[0].command[1]", "bots[1].name")
    }
    assert places == {"name": 1, "bots": 2, "bots[0].name": 3, "bots[0].command[1]": 5, "bots[1].name": 6}
    assert all(root.find(path).path == path for path in places)
    assert root.find("bots[0].command[1]").node.value == "bot.py"


def reading(content: bytes, path: Path) -> tuple[Any, ...]:
    """All that a reader of the document can tell: the refusal, or each part with its place and what was reported."""
    path.write_bytes(content)
    try:
        root = read(path)
    except ConfigError as error:
        return tuple(error.problems)

    def parts(part: Part) -> Iterator[tuple[Any, ...]]:
        yield part.path, part.line, part.node.tag, shown(part.node), bool(getattr(part.node, "style", False))
        for child in part.items().values():
            yield from parts(child)

    return (*itertools.islice(parts(root), 2000), *root.problems)


def test_libyaml_reads_what_pyyaml_reads(tmp_path, monkeypatch):
    """Of configs as people write them and spoil them; the same with either, since not everybody has libyaml."""
    chance = random.Random(7)
    files = sorted(ROOT.glob("configs/*.yaml")) + sorted(ROOT.glob("tests/config/broken_configs/*.yaml"))
    contents = [content for file in files if len(content := file.read_bytes()) < 5000]
    for content in list(contents):
        for _ in range(5):
            place, cut = chance.randrange(len(content) + 1), chance.randrange(3)
            contents.append(content[:place] + chance.choice(_MARKS) + content[place + cut :])
    found = [reading(content, tmp_path / "config.yaml") for content in contents]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    for content, with_libyaml in zip(contents, found, strict=True):
        assert with_libyaml == reading(content, tmp_path / "config.yaml"), content


def test_endless_brackets_do_not_end_the_process(refusal):
    """libyaml's own way to put a document together does that."""
    assert "inside each other" in refusal(b"a: " + b"[" * 100_000).message


def test_what_is_not_there_has_the_place_of_what_would_hold_it(document):
    root = document("name: a\nbots:\n  - name: x\n")
    assert (root.find("bots[0].command").line, root.find("bots[0].command").path) == (3, "bots[0].command")
    assert (root.find("bots[7].name").line, root.find("bots[7].name").path) == (2, "bots[7].name")
    assert root.find("time.move_ms").line is None


def test_merge_keys_give_way_to_own_keys_and_to_earlier_merges(document):
    root = document(
        "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {z: 3, <<: [*a, *b]}\nd: &d\n  <<: *b\n  y: 4\ne: {<<: *d}\n"
    )
    read_back = {
        key: {name: int(value.node.value) for name, value in block.items().items()}
        for key, block in root.items().items()
    }
    assert read_back["c"] == {"x": 1, "y": 1, "z": 3}
    assert read_back["e"] == {"y": 4, "z": 2}
    assert root.find("c.y").line == 1
    assert root.find("c.y").path == "c.y"


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_merge_keys_mean_what_they_mean_to_a_yaml_constructor(tmp_path_factory, seed):
    """Against PyYAML's own constructor, on random blocks that merge an earlier one. (In a list of several, the YAML
    specification lets the first win; PyYAML's versions differ.)"""
    chance = random.Random(seed)
    lines = []
    for index in range(6):
        own = {f"k{chance.randrange(5)}": chance.randrange(9) for _ in range(chance.randrange(4))}
        pieces = [f"{key}: {value}" for key, value in own.items()]
        if index:
            pieces.insert(chance.randrange(len(pieces) + 1), f"<<: *a{chance.randrange(index)}")
        lines.append(f"a{index}: &a{index} {{{', '.join(pieces)}}}")
    path = tmp_path_factory.mktemp("merge") / "config.yaml"
    path.write_text("\n".join(lines))
    ours = {
        name: {key: int(value.node.value) for key, value in block.items().items()}
        for name, block in read(path).items().items()
    }
    assert ours == yaml.safe_load("\n".join(lines))


def test_keys_given_twice_are_reported_with_both_lines_wherever_they_are(document):
    root = document("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\na: 2\ne: {f: 1, f: 2}\n")
    assert {str(problem) for problem in root.problems} == {
        "line 5: b.c: is given twice, on lines 3 and 5 (keep one of them)",
        "line 6: a: is given twice, on lines 1 and 6 (keep one of them)",
        "line 7: e.f: is given twice (keep one of them)",
    }


def test_a_shared_part_is_reported_once(document):
    root = document("a: &a {x: 1, x: 2}\nb: *a\nc: {<<: *a}\n")
    assert len(root.problems) == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("name: a\n\tb: c\n", 2, 1, "tab"),
        ("a: [\t1]\n", 1, 5, "tab"),
        ("a: b: c\n", 1, 5, '":"'),
        ("a:\n  - b\n c: d\n", 3, 2, "block or list that begins on line 1"),
        ("a: 1\nb 2\nc: 3\n", 2, 1, '"key: value"'),
        ("a: 1\nb: @x\n", 2, 4, "begin with @"),
        ("a: %x\n", 1, 4, "begin with %"),
        ("a: 'x\nb: 1\n", 1, 4, "quote that opens here"),
        ('a: "C:\\games"\n', 1, 4, "backslash"),
        ("a: [1, 2\nb: 3\n", 2, 2, 'opens on line 1 lacks a comma or its "]"'),
        ("a: {b: 1\n", 2, 1, 'its "}"'),
        ("a: *x\n", 1, 4, "*x"),
        ("a: * x\n", 1, 4, "names no anchor"),
        ("--- \na: 1\n--- \nb: 1\n", 3, 1, "second document"),
        ("a: 1\n...\nb: 2\n", 3, 1, "second document"),
        ("a: - b\n", 1, 4, "list entry"),
        ("a: }\n", 1, 4, "bracket"),
        ("a: !!foo%ZZ x", 1, 4, "URI"),
    ],
)
def test_what_is_no_yaml_is_explained_at_its_place(refusal, text, line, column, word):
    problem = refusal(text)
    assert problem.line == line
    assert problem.message.startswith(f"not valid YAML at column {column}: ")
    assert word in problem.message


@pytest.mark.parametrize(
    ("content", "line", "word"),
    [
        (b"", None, "empty"),
        (b"\n\n# nothing\n", None, "empty"),
        (b"--- \n", None, "empty"),
        (b"- a\n- b\n", 1, "not a list"),
        (b"\n\njust text\n", 3, '"just text"'),
        (b"name: a\nb: \xff\n", 2, "UTF-8"),
        ("name: a\n".encode("utf-16"), 1, "UTF-8"),
        (b"name: a\nb: a\x00b\n", 2, "U+0000"),
        (b"name: a\n\nb: a\x1b[31mb\n", 3, "U+001B"),
        (b'a: "\\UFFFFFFFF"\n', None, "escape"),
        (b'a: "\\U00FFFFFF"\n', None, "escape"),
        (b"a: " + b"[\n" * 1_000, None, "inside each other"),
        (b"a: &a [*a]\n", None, "aliases"),
        (b"a: &a {b: {c: *a}}\n", None, "aliases"),
        (b"a: &a {<<: *a}\n", None, "aliases"),
        (b"#" * (SIZE_MAX + 1), None, "larger than"),
    ],
)
def test_what_no_config_can_be_made_of_is_refused(refusal, content, line, word):
    problem = refusal(content)
    assert problem.line == line
    assert word in problem.message


def test_a_byte_order_mark_is_no_problem(document):
    assert document(b"\xef\xbb\xbfname: a\nseed: b\n").find("seed").node.value == "b"


def test_a_few_lines_of_aliases_cannot_fill_the_memory(refusal):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 30)]
    assert "aliases" in refusal("\n".join(lines)).message


def test_a_long_chain_of_merges_cannot_exhaust_the_stack(refusal):
    lines = ["a0: &a0 {x: 1}", *(f"a{level}: &a{level} {{<<: *a{level - 1}}}" for level in range(1, 1000))]
    assert "aliases" in refusal("\n".join(lines)).message


def test_values_that_only_yaml_programs_need_are_reported(document):
    root = document("a: !!python/object/apply:os.system [reboot]\nb: !secret x\nc:\n  ? [x]\n  : y\nd: {<<: 3}\n")
    assert [(problem.path, problem.line) for problem in root.problems] == [("a", 1), ("b", 2), ("c", 4), ("d.<<", 6)]


def test_a_missing_file_is_named_with_its_nearest_neighbour(tmp_path):
    (tmp_path / "quickstart.yaml").write_text("name: a\n")
    with pytest.raises(ConfigError, match=r"no such file \(did you mean quickstart\.yaml\?\)"):
        read(tmp_path / "quikstart.yaml")
    with pytest.raises(ConfigError, match="no such file"):
        read(tmp_path / "nowhere" / "quickstart.yaml")


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(ConfigError):
        read(tmp_path / name)


def test_a_file_name_that_is_no_text_can_be_printed(tmp_path):
    with pytest.raises(ConfigError) as caught:
        read(tmp_path / "not-\udcff-utf8.yaml")
    str(caught.value).encode()


@settings(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_a_document_or_refused_in_words(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "config.yaml"
    path.write_bytes(content)
    _read_or_refuse(path)


_PIECES = st.sampled_from(
    [*"{}[]:,-?&*!|>'\"%@`#\\ \n\t~<=.", "- ", ": ", "\n  ", "a", "<<", "&a ", "*a", "!!", "1", "..."]
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=40))
def test_any_punctuation_is_a_document_or_refused_in_words(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("pieces") / "config.yaml"
    path.write_text("".join(pieces))
    _read_or_refuse(path)


def _read_or_refuse(path: Path) -> None:
    try:
        root = read(path)
    except ConfigError as error:
        str(error).encode()
    else:
        assert isinstance(root.node, yaml.MappingNode)


def test_the_nearest_known_word_is_found_whatever_its_case():
    assert nearest("Paris", ["pairs", "seed"]) == "pairs"
    assert nearest("qqq", ["pairs", "seed"]) == ""
    assert did_you_mean("pair", ["pairs"]) == "did you mean pairs?"
    assert did_you_mean("qqq", ["pairs"], "otherwise") == "otherwise"


def test_values_are_shown_as_they_were_written(document):
    root = document('a: 1e3\nb: "50"\nc: fast\nd:\ne: [1]\nf: {a: 1}\ng: ' + "x" * 500 + '\nh: "\\e[31m\\u202E"\n')
    values = {key: shown(part.node) for key, part in root.items().items()}
    assert [values[key] for key in "abcdef"] == [
        "1e3",
        '"50"',
        '"fast"',
        "nothing",
        "a list",
        'a block of "key: value" lines',
    ]
    assert len(values["g"]) < 70
    assert values["h"] == '"·[31m·"'
    assert brief("a\nb") == "a·b"
