"""The round robin against schedules written by hand, and against what they are for: balance at any time."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import SettingsError
from arena.formats.round_robin import RoundRobin
from arena.model import Pairing
from arena.testing import ResultsInMemory


def schedule(entrants: Sequence[str], pairs: int) -> list[Pairing]:
    return list(RoundRobin(pairs).pairings(entrants, ResultsInMemory()))


def finish(results: ResultsInMemory, pairing: Pairing, *lanes: int) -> None:
    for lane in lanes:
        results.record(pairing, lane, 0.5)


def test_four_bots_by_hand():
    one_deal = ["ad", "bc", "bd", "ac", "cd", "ab"]  # three rounds of two pairings
    expected = [Pairing(bots[0], bots[1], deal) for deal in (0, 1) for bots in one_deal]
    assert schedule(["c", "a", "d", "b"], pairs=2) == expected


def test_three_bots_by_hand():
    assert schedule("abc", pairs=1) == [Pairing("b", "c", 0), Pairing("a", "c", 0), Pairing("a", "b", 0)]


def test_too_few_bots_have_nothing_to_play():
    assert schedule([], pairs=3) == schedule(["a"], pairs=3) == []
    assert RoundRobin(3).planned([], ResultsInMemory()) == RoundRobin(3).planned(["a"], ResultsInMemory()) == 0


def test_fifty_deals_for_ten_bots_are_4500_matches():
    results = ResultsInMemory()
    assert RoundRobin().planned("abcdefghij", results) == 4500  # 45 pairings, 50 deals, 2 seatings
    finish(results, Pairing("a", "b", 0), 0, 1)
    assert RoundRobin().planned("abcdefghij", results) == 4500  # those played included


names = st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=13)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(names, st.integers(1, 3))
def test_every_deal_has_every_two_bots_once_before_the_next_deal_begins(entrants, pairs):
    meetings = sorted(combinations(sorted(entrants), 2))
    planned = schedule(entrants, pairs)
    assert [pairing.deal for pairing in planned] == [deal for deal in range(pairs) for _ in meetings]
    for deal in range(pairs):
        assert sorted((a, b) for a, b, dealt in planned if dealt == deal) == meetings


@settings(derandomize=True, max_examples=60, deadline=None)
@given(names.filter(lambda entrants: len(entrants) >= 2))
def test_no_bot_appears_twice_in_a_round(entrants):
    planned = schedule(entrants, pairs=2)
    size = len(entrants) // 2
    for start in range(0, len(planned), size):
        seen = Counter(name for pairing in planned[start : start + size] for name in pairing[:2])
        assert set(seen.values()) == {1}
        assert len(seen) == 2 * size  # everybody, but one of an odd number
    appearances = Counter(dict.fromkeys(entrants, 0))
    for pairing in planned:
        appearances.update(pairing[:2])
        assert max(appearances.values()) - min(appearances.values()) <= 1 + len(entrants) % 2


@given(st.permutations("abcdefg"))
@settings(derandomize=True, max_examples=20, deadline=None)
def test_the_order_of_the_config_does_not_matter(entrants):
    assert schedule(entrants, pairs=1) == schedule("abcdefg", pairs=1)


def test_what_is_half_finished_is_still_to_be_played():
    results = ResultsInMemory()
    finish(results, Pairing("b", "c", 0), 0, 1)
    finish(results, Pairing("a", "c", 0), 1)
    rest = list(RoundRobin(1).pairings("abc", results))
    assert rest == [Pairing("a", "c", 0), Pairing("a", "b", 0)]


def test_a_result_that_arrives_meanwhile_is_seen():
    results = ResultsInMemory()
    running = RoundRobin(1).pairings("abc", results)
    next(running)
    finish(results, Pairing("a", "c", 0), 0, 1)
    assert list(running) == [Pairing("a", "b", 0)]


def test_more_deals_later_play_only_the_new_ones():
    results = ResultsInMemory()
    for pairing in schedule("abcd", pairs=2):
        finish(results, pairing, 0, 1)
    assert list(RoundRobin(2).pairings("abcd", results)) == []
    assert [pairing.deal for pairing in RoundRobin(3).pairings("abcd", results)] == [2] * 6


def test_a_new_bot_plays_only_its_own_pairings():
    results = ResultsInMemory()
    for pairing in schedule("abcd", pairs=2):
        finish(results, pairing, 0, 1)
    added = list(RoundRobin(2).pairings("abcde", results))
    assert sorted((a, b) for a, b, _ in added) == sorted([("a", "e"), ("b", "e"), ("c", "e"), ("d", "e")] * 2)


def test_a_huge_tournament_starts_at_once():
    entrants = [str(number) for number in range(10_000)]
    begun = list(islice(RoundRobin(10**9).pairings(entrants, ResultsInMemory()), 5_000))
    assert len({name for pairing in begun for name in pairing[:2]}) == 10_000  # the first round, everybody once


@pytest.mark.parametrize("pairs", [0, -1])
def test_a_tournament_without_deals_is_refused(pairs):
    with pytest.raises(SettingsError, match=f"must be at least 1, not {pairs}") as caught:
        RoundRobin(pairs)
    assert [field for field, _ in caught.value.problems] == ["pairs"]
