"""What the package alone promises, against published and hand-derived values."""

import random
from collections.abc import Iterable
from dataclasses import replace
from math import sqrt

import pytest

from arena.errors import IllegalAction, SettingsError
from arena.model import Pairing, Tally
from arena.testing import ResultsInMemory, TalliedResults
from tests.second_game.arena_leduc.game import DEALS, Leduc, Position
from tests.second_game.arena_leduc.knockout import Knockout
from tests.second_game.arena_leduc.share import ScoreShare
from tests.second_game.arena_leduc.swiss import Swiss, pair_up

# --- the game ------------------------------------------------------------------------------------------------------


def hand(deal: str) -> Position:
    """The only hand of a match, with these cards: of seat 0, of seat 1, of the board."""
    return replace(Leduc(1).initial_state(bytes(32))[0], deal=tuple(deal))


def play(state: Position, actions: str, game: Leduc = Leduc(1)) -> Position:  # noqa: B008
    """c, f, r: call, fold, raise."""
    for letter in actions.replace(" ", ""):
        (seat,) = game.seats_to_move(state)
        (action,) = [action for action in game.legal_actions(state, seat) if action.startswith(letter)]
        state, _ = game.apply(state, {seat: action})
    return state


def test_leduc_has_288_information_sets() -> None:
    """As is published of it, suits left out (with them they are 936)."""
    game, found = Leduc(1), set()

    def explore(state: Position, history: str) -> None:
        for seat in game.seats_to_move(state):
            seen = game.observation(state, seat)
            found.add((seen["card"], seen["board"], history))
            for action in game.legal_actions(state, seat):
                explore(game.apply(state, {seat: action})[0], history + action[0])

    for deal in sorted(set(DEALS)):
        explore(hand("".join(deal)), "")
    assert len(found) == 288


@pytest.mark.parametrize(
    ("deal", "actions", "won"),
    [
        ("KJQ", "cc cc", 1),
        ("KJJ", "cc cc", -1),
        ("KKQ", "rc rc", 0),
        ("JQK", "rf", 1),
        ("JQK", "crf", -1),
        ("KQJ", "rrc rrc", 13),
        ("JQJ", "crrc crrc", 13),
        ("QKJ", "rc crc", -7),
    ],
)
def test_chips_by_hand(deal: str, actions: str, won: int) -> None:
    state = play(hand(deal), actions)
    assert state.is_over
    assert state.won == (won, -won)


def test_a_third_raise_is_refused_with_what_is_allowed() -> None:
    state = play(hand("JQK"), "rr")
    with pytest.raises(IllegalAction, match="one of these texts: call, fold"):
        Leduc(1).check_action(state, 0, "raise")


def test_each_deal_comes_equally_often() -> None:
    """By ranks: as often as there are cards that make it. Chi-squared, five deviations above its mean at most."""
    game, counts = Leduc(1), dict.fromkeys(DEALS, 0)
    for number in range(12_000):
        counts[game.initial_state(number.to_bytes(32, "big"))[0].deal] += 1  # type: ignore[index]
    weights = {deal: DEALS.count(deal) / len(DEALS) for deal in counts}
    chi_squared = sum((counts[deal] - 12_000 * weight) ** 2 / (12_000 * weight) for deal, weight in weights.items())
    assert chi_squared < len(counts) + 5 * sqrt(2 * len(counts))


# --- the formats ---------------------------------------------------------------------------------------------------


def results(*played: tuple[str, str, int, float, float], out: Iterable[str] = ()) -> ResultsInMemory:
    """Two bots, a deal, and what the first got in both matches."""
    found = ResultsInMemory()
    found.out = frozenset(out)
    for bot_a, bot_b, deal, *points in played:
        for lane, each in enumerate(points):
            found.record(Pairing(bot_a, bot_b, deal), lane, each)
    return found


def bots_of(pairings: Iterable[Pairing]) -> list[str]:
    return [f"{bot_a}{bot_b}{deal}" for bot_a, bot_b, deal in pairings]


def test_a_swiss_round_follows_from_the_scores_before() -> None:
    swiss = Swiss(rounds=2, pairs=1)
    assert bots_of(swiss.pairings("dbca", results())) == ["ab0", "cd0"]
    half = results(("a", "b", 0, 0.0, 0.0))
    assert bots_of(swiss.pairings("abcd", half)) == ["cd0"]
    both = results(("a", "b", 0, 0.0, 0.0), ("c", "d", 0, 0.5, 0.0))
    assert bots_of(swiss.pairings("abcd", both)) == ["bd0", "ac0"]


def test_in_a_swiss_an_odd_number_has_a_bye_and_who_is_out_gives_walkovers() -> None:
    swiss = Swiss(rounds=3, pairs=1)
    one_round = results(("a", "b", 0, 1.0, 1.0), ("c", "d", 0, 1.0, 1.0))
    assert bots_of(swiss.pairings("abcde", one_round)) == ["ac0", "be0"], "a, c and e have 2 points, e by its bye"
    out = results(("a", "b", 0, 1.0, 1.0), out="d")
    assert bots_of(swiss.pairings("abcde", out)) == ["ac0", "be0"], "c has its points by walkover, and d the next bye"


def test_a_swiss_has_at_most_half_as_many_rounds_as_bots() -> None:
    assert [Swiss(9, 2).planned("abcdefgh"[:size], results()) for size in range(9)] == [0, 0, 4, 8, 16, 24, 36, 48, 64]


@pytest.mark.parametrize("seed", range(200))
def test_pairing_never_fails_whatever_the_scores_were(seed: int) -> None:
    chance = random.Random(seed)
    table = [f"{number:02}" for number in range(2 * chance.randint(1, 12))]
    met: set[tuple[str, str]] = set()
    for _ in range(len(table) // 2):
        chance.shuffle(table)
        meetings = pair_up(table, met)
        assert sorted(name for meeting in meetings for name in meeting) == sorted(table)
        assert met.isdisjoint(meetings)
        met.update(meetings)


def test_in_a_knockout_the_winners_go_on() -> None:
    knockout = Knockout(pairs=1)
    assert bots_of(knockout.pairings("abcde", results())) == ["ab0", "cd0"]
    first = results(("a", "b", 0, 0.0, 0.5), ("c", "d", 0, 1.0, 1.0))
    assert bots_of(knockout.pairings("abcde", first)) == ["bc0"], "e goes on without a meeting"
    second = results(("a", "b", 0, 0.0, 0.5), ("c", "d", 0, 1.0, 1.0), ("b", "c", 0, 1.0, 1.0))
    assert bots_of(knockout.pairings("abcde", second)) == ["be0"]


def test_a_tied_meeting_has_extra_deals_and_then_the_first_name_goes_on() -> None:
    knockout = Knockout(pairs=1, extra_pairs=1)
    tie = ("a", "b", 0, 1.0, 0.0)
    assert bots_of(knockout.pairings("abc", results(tie))) == ["ab1"]
    assert bots_of(knockout.pairings("abc", results(tie, ("a", "b", 1, 0.0, 0.5)))) == ["bc0"]
    assert bots_of(knockout.pairings("abc", results(tie, ("a", "b", 1, 0.5, 0.5)))) == ["ac0"]


def test_in_a_knockout_half_of_a_deal_decides_nothing() -> None:
    half = ResultsInMemory()
    half.record(Pairing("a", "b", 0), 0, 1.0)
    assert bots_of(Knockout(pairs=1).pairings("abc", half)) == ["ab0"]


def test_who_is_out_is_passed_by_walkover() -> None:
    knockout = Knockout(pairs=1)
    assert bots_of(knockout.pairings("abcd", results(out="a"))) == ["cd0"]
    assert bots_of(knockout.pairings("abcd", results(("c", "d", 0, 1.0, 1.0), out="a"))) == ["bc0"]
    assert bots_of(knockout.pairings("abcd", results(("c", "d", 0, 1.0, 1.0), out="ac"))) == [], "b has won"


@pytest.mark.parametrize(
    ("wrong", "fields"),
    [
        (lambda: Swiss(0, 0), ["rounds", "pairs"]),
        (lambda: Knockout(0, -1), ["pairs", "extra_pairs"]),
        (lambda: Leduc(0), ["hands"]),
        (lambda: Leduc(1001), ["hands"]),
    ],
)
def test_settings_that_cannot_work_are_refused(wrong, fields):
    with pytest.raises(SettingsError) as caught:
        wrong()
    assert [field for field, _ in caught.value.problems] == fields


# --- the rating ----------------------------------------------------------------------------------------------------


def test_a_share_by_hand() -> None:
    """3 points of 4: (3 + 1) / (4 + 2), with the variance of a Beta distribution with 4 and 2."""
    tallies = TalliedResults([Tally("ann", "bob", pairs=(0, 0, 1, 0, 1))])
    found = ScoreShare().rate(["ann", "bob", "cyd"], tallies, anchor=None, confidence=0.95)
    deviation = 100 * sqrt(4 * 2 / (6**2 * 7))
    assert found.ratings["ann"].elo == pytest.approx(400 / 6)
    assert found.ratings["ann"].error == pytest.approx(1.959964 * deviation)
    assert found.ratings["cyd"].error is None
    assert found.difference_error("ann", "bob") == pytest.approx(2 * 1.959964 * deviation), "one wins what one loses"
    assert found.chance_above("ann", "bob") == pytest.approx(0.8255, abs=1e-3)
    assert found.difference_error("ann", "cyd") is None
