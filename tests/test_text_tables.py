"""Tables as text, Markdown and CSV: straight columns, nothing that a cell can break."""

import csv

from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from arena.text_tables import as_csv, as_markdown, as_text, shortened_to_fit


def test_a_table_by_hand():
    """Headers take no more room than their text; emoji and Chinese characters are two columns wide."""
    text = as_text(["bot", "won"], [["牌", "7"], ["🃏 joker", "12345"], ["", "?"]], ["left", "right"])
    assert text.splitlines() == [
        "bot         won",
        "--------  -----",
        "牌            7",
        "🃏 joker  12345",
        "              ?",
    ]


def test_a_table_without_rows_is_its_headers():
    assert as_text(["bot", "won"], [], ["left", "right"]) == "bot  won\n---  ---"


def test_long_text_is_broken_into_lines_that_stay_in_their_column():
    text = as_text(["key", "meaning"], [["a", "one two three"], ["b", "four"]], ["left", "left"], wrap=[None, 8])
    assert text.splitlines() == ["key  meaning", "---  -------", "a    one two", "     three", "b    four"]


def test_figures_are_shown_as_they_are_written():
    assert as_text(["a"], [["1e3"], ["007"], ["1.50"]], ["right"]).split() == ["a", "----", "1e3", "007", "1.50"]


def test_one_column_is_shortened_until_the_table_fits():
    headers, rows = ["bot", "won"], [["a-rather-long-name", "12345"], ["牌" * 9, "1"], ["short", "2"]]
    fitted = shortened_to_fit(headers, rows, 0, 20)
    assert fitted == [["a-rather-lon…", "12345"], ["牌牌牌牌牌牌…", "1"], ["short", "2"]]
    assert max(map(wcswidth, as_text(headers, fitted, ["left", "right"]).splitlines())) == 20
    assert shortened_to_fit(headers, rows, 0, 25) == rows
    assert shortened_to_fit(headers, rows, 0, 3)[0] == ["a-rather-…", "12345"], "ten columns are always left"


@given(st.lists(st.text(st.characters(categories=["L", "M", "N", "P", "S"]), min_size=1), min_size=1, max_size=4))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_no_text_makes_columns_crooked(texts):
    lines = as_text(["bot", "won"], [[text, "1"] for text in texts], ["left", "right"]).splitlines()
    assert len({wcswidth(line) for line in lines}) == 1


def test_a_pipe_or_backslash_does_not_end_a_cell_of_markdown():
    lines = as_markdown(["bot", "won"], [["a|b\\|c", "1"]], ["left", "right"]).splitlines()
    assert lines[1].count("|") == 3
    assert lines[2].split() == ["|", r"a\|b\\\|c", "|", "1", "|"]


def test_csv_is_read_back_as_it_was():
    rows: list[list[object]] = [['a "quoted", name', "two\nlines", None], ["", 1.5, 2]]
    read = list(csv.reader(as_csv(["x", "y", "z"], rows).splitlines(keepends=True)))
    assert read == [["x", "y", "z"], ['a "quoted", name', "two\nlines", ""], ["", "1.5", "2"]]
