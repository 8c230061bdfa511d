"""Stored matches in pictures, and what of a picture is for whom."""

import json

from arena.games.tacocat import Tacocat
from arena.ladder.replays import frames, seat_view
from arena.model import MatchResult, Picture, StoredMatch
from arena.plan import lane_of
from tests.match_play import SPEC, Play, play_by_chance, turns


def stored(result: MatchResult) -> StoredMatch:
    pairing, lane = lane_of(result.spec)
    return StoredMatch(result.spec.id, pairing, lane, result.outcome, result.events, result.decisions)


def test_what_is_left_of_a_picture_for_somebody_who_sees_what_a_seat_sees():
    shown: Picture = {"public": {"turn": 3}, "seats": [{"hand": [1, 2]}, {"hand": [7]}], "hidden": {"draws": [5]}}
    before = json.dumps(shown)
    assert seat_view(shown, 0) == {"public": {"turn": 3}, "seats": [{"hand": [1, 2]}, {}], "hidden": {}}
    assert seat_view(shown, 1) == {"public": {"turn": 3}, "seats": [{}, {"hand": [7]}], "hidden": {}}
    assert json.dumps(shown) == before


def test_a_match_is_told_in_pictures_with_the_events_that_led_to_them():
    play = Play("0 0!")
    play.answer(0, 3)
    seats = [{"you": 0}, {"you": 1}]
    assert list(frames(stored(play.result), bytes(32), turns("0 0!"))) == [
        ({"public": {"turn": 0}, "seats": seats, "hidden": {}}, ({"event": "begun"},)),
        ({"public": {"turn": 1}, "seats": seats, "hidden": {}}, ({"event": "said", "turn": 0, "digits": [3, None]},)),
        ({"public": {"turn": 2}, "seats": seats, "hidden": {}}, ({"event": "said", "turn": 1, "digits": [7, None]},)),
    ]


def test_the_pictures_of_a_match_show_all_its_events_and_the_hands_that_its_bots_had():
    game = Tacocat()
    play = play_by_chance(game, SPEC)
    told = list(frames(stored(play.result), SPEC.seed, game))
    assert [event for _, events in told for event in events] == list(play.result.events)
    assert told[-1][0]["public"]["phase"] == "over"
    for seat in (0, 1):
        shown = [(picture["public"]["phase"], picture["seats"][seat]["hand"]) for picture, _ in told]
        asked = [(request.observation["phase"], request.observation["hand"]) for request in play.requests(seat)]
        places = iter(shown)
        assert all(each in places for each in asked), "in this order"
