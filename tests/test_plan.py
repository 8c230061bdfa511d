"""Identities and seeds of matches, and the plan that a format makes of them."""

import hashlib
import hmac
from itertools import chain, islice, product, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.round_robin import RoundRobin
from arena.games.tacocat import Tacocat
from arena.games.tacocat.rules import RuleSet
from arena.model import Pairing
from arena.plan import Identity, commitment
from arena.testing import ResultsInMemory
from tests.scheduling import GAME, Asked, planned

ANN_BOB = Pairing("ann", "bob", 0)

# --- identities ----------------------------------------------------------------------------------------------------


def test_an_id_is_a_keyed_hash_of_a_text_that_anybody_can_write_down():
    identity = Identity("spring 🌱", "guess", {"z": 1, "a": [2, "both"]})
    pairing = Pairing("ann", "bøb", 17)
    match_text = rb'[["guess",{"a":[2,"both"],"z":1}],"match",["ann","b\u00f8b",17],1]'
    deal_text = rb'[["guess",{"a":[2,"both"],"z":1}],"deal",["ann","b\u00f8b",17]]'
    key = "spring 🌱".encode()
    assert identity.match_id(pairing, 1) == hmac.new(key, match_text, hashlib.sha256).hexdigest()[:20]
    assert identity.deal_seed(pairing) == hmac.new(key, deal_text, hashlib.sha256).digest()


def test_ids_and_seeds_never_change():
    """Stored results are known by these: another value would orphan everybody's results."""
    identity = Identity("20261130", *GAME)
    assert identity.match_id(ANN_BOB, 0) == "ae4cba5cbaf3f8c65f99"
    assert identity.match_id(ANN_BOB, 1) == "f0e82982aae846a59144"
    assert identity.deal_seed(ANN_BOB).hex() == "5c9c6baa8d56326eca17f923b2f7dc6cf20fb1e3e0ebb5daf2cd7a757ed367fd"


def test_the_promise_of_a_seed_is_its_sha_256():
    assert commitment("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2


def test_everything_that_a_match_is_known_by_changes_its_id_and_its_deal():
    games = [GAME, ("other", GAME[1]), ("tacocat", Tacocat(RuleSet(max_rounds=99)).public_rules())]
    names = [("ann", "bob"), ("ann", "bobb"), ("annb", "ob"), ("bob", "cyd")]
    ids, seeds = set(), set()
    cases = list(product(["1", "2"], games, names, [0, 1, 10]))
    for seed, game, bots, deal in cases:
        identity, pairing = Identity(seed, *game), Pairing(bots[0], bots[1], deal)
        ids |= {identity.match_id(pairing, lane) for lane in (0, 1)}
        seeds.add(identity.deal_seed(pairing))
    assert len(ids) == 2 * len(cases)
    assert len(seeds) == len(cases)


# --- a plan --------------------------------------------------------------------------------------------------------


@given(st.permutations(["ann", "bob", "cyd", "dan"]))
@settings(derandomize=True, max_examples=10, deadline=None)
def test_the_plan_does_not_depend_on_the_order_of_the_config(bots):
    specs = list(planned(RoundRobin(2), bots))
    assert specs == list(planned(RoundRobin(2), ["ann", "bob", "cyd", "dan"]))
    assert len(specs) == 24


def test_a_plan_seats_each_pair_both_ways_on_one_deal():
    specs = list(planned(RoundRobin(2), ["bob", "ann"]))
    assert [(spec.bots, spec.deal, spec.lane) for spec in specs] == [
        (("ann", "bob"), 0, 0),
        (("bob", "ann"), 0, 1),
        (("ann", "bob"), 1, 0),
        (("bob", "ann"), 1, 1),
    ]
    assert specs[0].seed == specs[1].seed != specs[2].seed == specs[3].seed
    assert all(spec.attempt == 0 and len(spec.seed) == 32 for spec in specs)


@pytest.mark.parametrize("lane", [0, 1])
def test_a_plan_leaves_out_what_has_a_result(lane):
    results = ResultsInMemory()
    results.record(ANN_BOB, lane, 1.0)
    specs = list(planned(Asked(lambda _: [ANN_BOB]), ["ann", "bob"], results))
    assert [spec.lane for spec in specs] == [1 - lane]


def test_a_plan_is_lazy():
    endless = Asked(lambda _: (Pairing("ann", "bob", deal) for deal in chain.from_iterable(repeat(range(10**9)))))
    assert len(list(islice(planned(endless, ["ann", "bob"]), 3))) == 3
    assert endless.taken == 2
