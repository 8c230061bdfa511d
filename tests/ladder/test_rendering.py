"""The ladder as people and programs read it: golden texts, awkward names, and what is said under the table.

The golden texts are in tests/golden/leaderboard.*; UPDATE_GOLDEN=1 writes what the code says now, to be read before it
is kept.
"""

import csv
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth

from arena.config.entrants import NAME_MAX
from arena.ladder.leaderboard import Leaderboard, build
from arena.ladder.rendering import remarks, render
from arena.model import Rating, Standing, Totals
from arena.ratings.bradley_terry import BradleyTerry
from arena.store import Store
from arena.text_tables import FORMATS
from tests.ladder.by_hand import NOTHING, Found, ladder
from tests.stored import bot, directory, won

GOLDEN = Path(__file__).parents[1] / "golden"
ENDINGS = {"table": "txt", "markdown": "md", "csv": "csv", "json": "json"}


def ladder_by_hand() -> Leaderboard:
    standings = [
        Standing("greedy", 310, 4, 86, {}, 0.2145),
        Standing("mcts | 牌 “deep”", 300, 2, 98, {"timeout": 3, "crash": 2, "illegal_action": 1}, 1523.6),
        Standing("🃏 joker", 205, 0, 195, {}, 12.0),
        Standing("random", 0, 6, 394, {"protocol_error": 1}, 0.001),
        Standing("broken", 0, 0, 3, {"startup_failure": 3}, None),
        Standing("idle", 0, 0, 0, {}, None),
    ]
    elos = {"greedy": 1712.4, "mcts | 牌 “deep”": 1698.0, "🃏 joker": 1500.0, "random": -0.04, "broken": -1210.7}
    ratings = {name: Rating(elo, 24.96) for name, elo in elos.items()} | {"idle": Rating(1500.0, None)}
    chances = {
        ("greedy", "mcts | 牌 “deep”"): 0.787,
        ("mcts | 牌 “deep”", "🃏 joker"): 1.0,
        ("🃏 joker", "random"): 0.95,
    }
    totals = Totals(
        matches=803,
        pairs=401,
        seat_0_points=415.5,
        reasons={"goal": 780, "max_rounds": 13, "timeout": 3},
        set_aside={"greedy has changed": 40, "joker was tried again": 1},
        of_others=12,
        aborted=[("5b0c11d2e3f405162738", "greedy - idle", "referee process 1 was lost: it was killed by SIGKILL")],
    )
    found = Found(ratings, [["greedy", "mcts | 牌 “deep”", "🃏 joker", "random"], ["broken"], ["idle"]], chances)
    by_name = {standing.name: standing for standing in reversed(standings)}
    return build(by_name, found, totals, confidence=0.95, planned=1500, suspended=["broken"])


@pytest.mark.parametrize("form", FORMATS)
def test_the_ladder_is_the_golden_one(form):
    path, text = GOLDEN / f"leaderboard.{ENDINGS[form]}", render(ladder_by_hand(), form)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


# --- the numbers ---------------------------------------------------------------------------------------------------


def test_a_bot_without_a_match_is_shown_without_claims():
    assert render(ladder(Standing("ann")), "table").splitlines()[2].split() == [
        "1",
        "ann",
        "?",
        "5",
        "0",
        "0",
        "0",
        "0",
    ]


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (0.0, "0"),
        (0.001, "0.001"),
        (0.21449, "0.214"),
        (9.999, "10"),
        (99.96, "100"),
        (999.7, "1000"),
        (12345.6, "12346"),
    ],
)
def test_times_have_three_digits_and_no_exponent(ms, shown):
    table = render(ladder(Standing("ann", 1, 0, 0, {}, ms)), "table")
    assert table.splitlines()[2].split()[-1] == shown


@pytest.mark.parametrize("elo", [-0.04, -0.4, 0.0])
def test_no_rating_is_minus_zero(elo):
    board = ladder(Standing("ann", 1), elos=[elo])
    assert render(board, "table").splitlines()[2].split()[2] == "0"
    assert "-0.0" not in render(board, "csv") + render(board, "json")


def test_no_bots_at_all():
    board = build({}, Found({}, []), NOTHING, confidence=0.95, planned=0)
    for form in FORMATS:
        assert "matches" in render(board, form)
    assert remarks(board) == ["0 matches of 0, 0 complete pairs."]


def test_exchanging_two_names_exchanges_their_rows_and_nothing_else():
    """From results to text: nothing depends on what a bot is called, but the order of equals."""

    def texts(first: str, second: str) -> list[str]:
        with directory() as path, Store.open_to_write(path) as store:
            store.enter([bot("Ada"), bot("Bob"), bot("Cyd")])
            lane = int(first < second)  # the one of the two that has seat 0 is exchanged, too
            for deal in range(6):
                store.append(won(first, "Cyd", deal, times_ms=[(first, 2.5)]))
                store.append(won(*((first, second) if deal else (second, first)), deal, lane))
            found = BradleyTerry().rate(store.entrants, store, anchor=("Cyd", 0.0), confidence=0.9)
            board = build(store.standings(), found, store.totals(), confidence=0.9, planned=12)
            board = replace(board, groups=())  # which list their bots by name
            return [render(board, form) for form in FORMATS]

    def exchanged(text: str) -> str:
        return text.replace("Ada", "\0").replace("Bob", "Ada").replace("\0", "Bob")

    assert [exchanged(text) for text in texts("Ada", "Bob")] == texts("Bob", "Ada")


# --- names ---------------------------------------------------------------------------------------------------------

AWKWARD = [
    "plain",
    "a|b",
    "back\\slash|pipe",
    '"quoted", with commas',
    "牌の神様が来た牌の神様が来た",
    "👨‍👩‍👧‍👦 family",
    "🇫🇷🇩🇪🇯🇵",
    "e\u0301te\u0301",
    "мир",
    "שלום",
    "x" * NAME_MAX,
    "牌" * NAME_MAX,
    "tacocat-mcts-rollouts-with-a-very-long-name-v1",
]


def big_ladder(names: Sequence[str]) -> Leaderboard:
    standings = [
        Standing(name, 1234 - place, 56, 789 + place, {"timeout": 12}, 123.4) for place, name in enumerate(names)
    ]
    return ladder(*standings, elos=[2345.6 - 500.1 * place for place in range(len(names))])


def table_lines(board: Leaderboard) -> list[str]:
    return render(board, "table").split("\n\n")[0].splitlines()


@pytest.mark.parametrize("name", AWKWARD)
def test_no_name_makes_the_table_wider_than_a_terminal_or_crooked(name):
    lines = table_lines(big_ladder(["greedy", name, "random"]))
    assert max(map(wcswidth, lines)) <= 80
    assert len({wcswidth(line) for line in lines}) == 1  # every row has its last column filled here


@given(
    st.lists(
        st.text(st.characters(categories=["L", "M", "N", "P", "S"]), min_size=1, max_size=NAME_MAX),
        min_size=1,
        max_size=5,
        unique=True,
    )
)
@settings(derandomize=True, max_examples=60, deadline=None)
def test_no_printable_name_does(names):
    lines = table_lines(big_ladder(names))
    assert max(map(wcswidth, lines)) <= 80
    assert len({wcswidth(line) for line in lines}) == 1


def test_short_names_are_shown_whole_and_the_table_is_no_wider_than_it_has_to_be():
    lines = table_lines(big_ladder(["ann", "bob"]))
    assert lines[2].split()[1] == "ann"
    assert wcswidth(lines[2]) < 72
    assert wcswidth(table_lines(big_ladder(AWKWARD))[2]) == 80


def test_a_ladder_of_many_digits_rather_gets_wide_than_hides_the_names():
    standing = Standing("a-name-of-22-characters", 1_234_567, 234_567, 7_654_321, {"timeout": 99_999}, 0.0123)
    (line,) = table_lines(ladder(standing))[2:]
    assert "a-name-of…" in line


@pytest.mark.parametrize("name", AWKWARD)
def test_names_survive_in_csv_json_and_markdown(name):
    board = big_ladder([name, "other"])
    assert next(csv.DictReader(render(board, "csv").splitlines()))["bot"] == name
    assert json.loads(render(board, "json"))["leaderboard"][0]["bot"] == name
    header, rule, row = render(board, "markdown").splitlines()[:3]
    assert len({cells(line) for line in (header, rule, row)}) == 1, "a pipe in a name starts a new cell"


def cells(line: str) -> int:
    """Of a Markdown table's line, where a backslash takes the meaning of what follows it."""
    plain = line.replace("\\\\", "").replace("\\|", "")
    return plain.count("|")


def test_csv_and_json_have_the_columns_that_scripts_expect():
    columns = ["rank", "bot", "elo", "error", "matches", "wins", "draws", "losses", "score", "faults", "median_ms"]
    board = ladder_by_hand()
    assert render(board, "csv").splitlines()[0].split(",") == columns
    assert list(json.loads(render(board, "json"))["leaderboard"][0]) == columns


# --- what stands under the table -----------------------------------------------------------------------------------


def said(**changes: object) -> list[str]:
    board = ladder(Standing("ann", 3, 0, 1), Standing("bob", 1, 0, 3))
    return remarks(replace(board, **changes))  # type: ignore[arg-type]


def test_played_pairs_and_seats():
    assert said(totals=replace(NOTHING, matches=1, pairs=0, seat_0_points=0.5), planned=4000)[0] == (
        "1 match of 4,000, 0 complete pairs; seat 0 scored 50.0%."
    )
    assert said(totals=replace(NOTHING, matches=2468, pairs=1, seat_0_points=1000.0), planned=4000)[0] == (
        "2,468 matches of 4,000, 1 complete pair; seat 0 scored 40.5%."
    )


@pytest.mark.parametrize(
    ("chances", "words"),
    [
        ({("a", "b"): 0.95, ("b", "c"): 0.951}, "The order of all neighbours is decided at 95%."),
        ({("a", "b"): 0.949, ("b", "c"): 1.0}, "Not decided at 95%: a above b (94%)."),
        ({("a", "b"): 0.5, ("b", "c"): 0.6}, "Not decided at 95%: a above b (50%) and b above c (60%)."),
    ],
)
def test_whether_the_order_is_decided(chances, words):
    standings = {name: Standing(name, 1) for name in "abc"}
    found = Found({name: Rating(-ord(name), 1.0) for name in "abc"}, ["abc"], chances)
    board = build(standings, found, NOTHING, confidence=0.95, planned=0)
    assert remarks(board)[1:] == [words]


def test_of_many_that_are_not_decided_the_first_are_named():
    names = "abcdefg"
    standings = {name: Standing(name, 1) for name in names}
    chances = dict.fromkeys(pairwise(names), 0.5) | {("f", "g"): 0.99}
    found = Found({name: Rating(-ord(name), 1.0) for name in names}, [names], chances)
    board = build(standings, found, NOTHING, confidence=0.95, planned=0)
    assert remarks(board)[1:] == [
        "Not decided at 95%: a above b (50%), b above c (50%), c above d (50%) and 2 more of 6 neighbours."
    ]


def test_nobody_need_know_how_many_matches_there_will_be():
    assert said(totals=replace(NOTHING, matches=2468, pairs=1, seat_0_points=1000.0), planned=None)[0] == (
        "2,468 matches, 1 complete pair; seat 0 scored 40.5%."
    )
    board = replace(ladder(Standing("ann", 1)), planned=None)
    assert json.loads(render(board, "json"))["planned"] is None


def test_what_the_method_calls_its_scale_and_has_to_say():
    found = Found({"ann": Rating(61.5, 4.0)}, [["ann"]], scale="score %", remarks=["Opponents differ."])
    board = build({"ann": Standing("ann", 3, 0, 1)}, found, NOTHING, confidence=0.95, planned=4)
    assert render(board, "table").split()[:3] == ["#", "bot", "score"]
    assert render(board, "table").splitlines()[-1] == "Opponents differ."
    document = json.loads(render(board, "json"))
    assert (document["scale"], document["remarks"][-1]) == ("score %", "Opponents differ.")


def test_groups_that_nothing_connects():
    standings = {name: Standing(name, 1) for name in "abcd"}
    found = Found({name: Rating(-ord(name), 1.0) for name in "abcd"}, ["ab", "cd"], {("a", "b"): 0.99, ("c", "d"): 0.7})
    board = build(standings, found, NOTHING, confidence=0.95, planned=0)
    assert remarks(board)[1:] == [
        "Nothing connects these groups, so ratings mean nothing between them: a and b; c and d.",
        "Not decided at 95%: c above d (70%).",
    ]


def test_faults_in_words():
    counts = {"crash": 2, "illegal_action": 1, "startup_failure": 3, "protocol_error": 1000}
    assert said(fault_counts={"bob": counts})[-1] == (
        "bob lost by 2 crashes, 1 illegal action, 3 startup failures and 1,000 protocol errors."
    )
    assert said(fault_counts={"bob": {"crash": 1}})[-1] == "bob lost by 1 crash."


def test_what_was_left_out_and_why():
    totals = replace(NOTHING, set_aside={"ann has changed": 1}, of_others=7, aborted=[("5b0c", "ann - bob", "lost")])
    assert said(totals=totals, suspended=("bob",))[-4:] == [
        "bob could not be started and is suspended; its other matches were left out.",
        "Not counted: 1 result, because ann has changed.",
        "Not counted: 7 results of bots that are not entered any more.",
        "Not played: ann - bob (5b0c), given up by the arena: lost",
    ]
