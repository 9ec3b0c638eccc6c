"""Advice 64 deals at a time: the same tallies as one deal at a time, bit by bit."""

import random
from dataclasses import replace

import numpy as np
import pytest
from random_deals import random_rules

from pitchsim.advice import lead_alone, seat_for_advice
from pitchsim.cards import sort_hand
from pitchsim.deck import card_number, cards_to_set, set_to_cards
from pitchsim.jit import PLAIN
from pitchsim.rules import Rules, full_deck, legal_calls
from pitchsim.seating import Keys
from pitchsim.weighing import Effort, Situation, Weigher

pytestmark = pytest.mark.skipif(PLAIN, reason="many deals; test_lanes.py plays some in plain Python")

PLAY = (["random"], ["greedy"], ["expert"], ["greedy", "random"], ["expert", "greedy"])
HOUSES: dict[str, dict] = {
    "by the book": {},
    "partners": {"players": 4, "partners": True},
    "Low to holder": {"low_goes_to": "holder"},
    "strict": {"follow": "strict"},
    "a tie to the opponents": {"game_tie": "pitchers_opponents"},
    "smudge": {"smudge": True},
    "thrown in": {"stuck_dealer": "throw_in_next"},
    "any steal": {"dealer_may_steal": "any", "lowest_bid": 2},
    "partners, everything": {
        "players": 4, "partners": True, "low_goes_to": "holder", "follow": "strict",
        "game_tie": "pitchers_opponents", "smudge": True, "stuck_dealer": "throw_in_same",
    },
}  # fmt: skip


def situation_at(rng, rules):
    """Six cards, and a legal auction up to some seat."""
    heard: list[int] = []
    for seat in range(rng.randrange(rules.players)):
        call = rng.choice(legal_calls(rules, seat, max(heard, default=0)))
        if legal_calls(rules, seat + 1, max(*heard, call, 0)):
            heard.append(call)
    return Situation(cards_to_set(rng.sample(full_deck(), 6)), len(heard), tuple(heard))


def both(seating, situation, deals=700, leads=(), **how):
    """What both engines add up to: calls, leads, deals looked at."""
    effort = Effort(deals, deals, proposals=40 * deals, early=False, pilot=1 << 12)
    answers = []
    for engine in ("lanes", "scalar"):
        table = replace(seating, engine=engine)
        assert table.engine_used == engine
        answers.append(Weigher(table, Keys.of(7), **{"threads": 1, **how}).weigh(situation, leads, effort))
    return answers


def same(lanes, scalar):
    """Whether all tallies are the same."""
    return all(
        np.array_equal(getattr(lanes, name), getattr(scalar, name)) for name in ("call_tally", "lead_tally", "counts")
    )


def agree(rng, rules, play, bidding, others=None, margin=False):
    """Both engines agree in a situation of this table."""
    situation = situation_at(rng, rules)
    seating = seat_for_advice(rules, situation.seat, play, bidding, others)
    leads = [card_number(card) for card in set_to_cards(situation.hand)]
    lanes, scalar = both(seating, situation, leads=rng.sample(leads, rng.randrange(7)), margin=margin)
    assert lanes.deals > 0
    assert same(lanes, scalar)


@pytest.mark.parametrize("play", PLAY, ids=",".join)
@pytest.mark.parametrize("players", range(2, 8))
def test_every_call_and_lead_comes_to_the_same(players, play):
    rng = random.Random(players)
    for margin in (False, True):
        agree(rng, Rules(players=players), play, ["casual"], margin=margin)


@pytest.mark.parametrize("house", HOUSES)
def test_under_every_house_rule(house):
    rng = random.Random(house)
    for play in rng.sample(PLAY, 2):
        agree(rng, Rules(**{"players": rng.randrange(2, 8)} | HOUSES[house]), play, ["casual", "passive"])


def test_at_tables_of_all_kinds():
    rng = random.Random(3)
    for _ in range(8):
        others = rng.choice([None, "random/casual", "greedy/passive", "expert/passive"])
        agree(rng, random_rules(rng), rng.choice(PLAY), ["casual"], others, rng.random() < 0.5)


def test_deals_that_are_thrown_in_are_worth_nothing():
    rules = Rules(stuck_dealer="throw_in_next")
    situation = Situation(cards_to_set(full_deck()[:6]), 0, ())
    lanes, scalar = both(seat_for_advice(rules, 0, ["greedy"], ["passive"], None), situation)
    assert same(lanes, scalar)
    passed = lanes.call_tally.sum(axis=0)[lanes.calls.index(0)]
    assert not passed.any()


@pytest.mark.parametrize("house", [{"players": 2}, {}, {"smudge": True}, {"partners": True}, {"players": 7}])
@pytest.mark.parametrize("play", PLAY, ids=",".join)
def test_the_cards_to_pitch_are_worth_the_same(house, play):
    rng, rules = random.Random(5), Rules(**house)
    hand = rng.sample(full_deck(), 6)
    seat = rng.randrange(rules.players)
    situation = Situation(cards_to_set(hand), seat, ())
    for others in (None, "random/casual"):
        seating = seat_for_advice(rules, seat, play[:1] if others else play, ["casual"], others)
        tables = [replace(seating, engine=engine) for engine in ("lanes", "scalar")]
        lanes, scalar = (
            lead_alone(Weigher(table, Keys.of(2), threads=1), situation, sort_hand(hand), 1000) for table in tables
        )
        assert lanes == scalar


def test_the_same_with_1_2_or_5_threads():
    situation = Situation(cards_to_set(full_deck()[20:26]), 1, (2,))
    seating = seat_for_advice(Rules(), 1, ["greedy"], ["casual"], None)
    runs = [both(seating, situation, 3000, threads=threads)[0] for threads in (1, 2, 5)]
    assert all(same(runs[0], run) for run in runs)
