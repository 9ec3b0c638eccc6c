"""The compiled engine against the readable rules: every deal is written down and judged by the referee."""

import random

import numpy as np
import pytest
from babble import babble
from random_deals import random_rules

from pitchsim.bidding import BIDDING
from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import new_desk
from pitchsim.jit import PLAIN
from pitchsim.kernels import simulating
from pitchsim.log import new_log
from pitchsim.plugins import Found, find, no_notes
from pitchsim.policies import PLAY
from pitchsim.records import score
from pitchsim.rules import Rules
from pitchsim.seating import Keys, Seating, record_of
from pitchsim.simulation import Tally

DEALS = 300 if PLAIN else 21_000


def found(name, function):
    return Found(name, function, no_notes, "test", "")


def seats(rules, play, bidding):
    return Seating(rules, (find(PLAY, play),) * rules.players, (bidding,) * rules.players)


def play_one(seating, seed, deal):
    """One deal through the kernel: its tally, and its record."""
    keys, tally, log = Keys.of(seed), Tally(), new_log()
    simulating.simulate_deals(
        seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
        keys.deal, keys.luck, deal, 1, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
    )  # fmt: skip
    return tally, record_of(seating.rules, log)


def check_against_the_referee(tally, record, rules):
    judged = score(record)
    assert "violation" not in judged, (judged, record)
    assert "error" not in judged, (judged, record)
    assert judged.get("finished", True), (judged, record)
    sides = [seat % 2 if rules.partners else seat for seat in range(rules.players)]
    changes = [judged["delta"][side] for side in sides]
    assert tally.by_seat[: rules.players, simulating.SEAT_CHANGE].tolist() == changes, record
    totals = tally.totals
    calls = [call["bid"] for call in record["auction"]]
    before = max(calls[: rules.players - 1], default=0)
    spoken = len(calls) == rules.players
    assert totals[simulating.STUCK] == (before == 0)
    assert totals[simulating.THROWN_IN] == judged.get("thrown_in", False)
    if judged.get("thrown_in"):
        return
    assert totals[simulating.STOLEN] == (spoken and calls[-1] > 0 and calls[-1] == before)
    for column, seat in (("HIGH", "high_seat"), ("LOW", "low_seat"), ("JACK", "jack_seat"), ("GAME", "game_side")):
        assert totals[getattr(simulating, column)] == (judged[seat] is not None), record
    assert totals[simulating.TRICK_POINTS] == sum(judged["trick_points_by_seat"])
    assert tally.by_seat[judged["pitcher"], simulating.SEAT_PITCHER] == 1
    row = tally.by_bid[judged["bid"]]
    won = judged["points_won"][sides[judged["pitcher"]]]
    assert row.tolist() == [1, judged["made"], won, changes[judged["pitcher"]]]


@pytest.mark.parametrize("part", range(3))
def test_every_deal_of_every_house_is_judged_the_same(part):
    chooser = random.Random(part)
    bidder = found("babble", babble)
    for _ in range(DEALS // 300):
        rules = random_rules(chooser)
        seating = seats(rules, chooser.choice(["random", "random", "greedy"]), bidder)
        seed = chooser.randrange(2**40)
        for deal in range(100):
            tally, record = play_one(seating, seed, deal)
            check_against_the_referee(tally, record, rules)


def test_all_player_counts_and_partners_come_up():
    chooser = random.Random(0)
    seen = {(rules.players, rules.partners) for rules in (random_rules(chooser) for _ in range(70))}
    assert seen >= {(players, False) for players in range(2, 8)} | {(4, True)}


def test_the_builtin_bidders_keep_the_rules_too():
    chooser = random.Random(5)
    for name in BIDDING.built_in:
        for _ in range(3 if PLAIN else 60):
            rules = random_rules(chooser)
            seating = seats(rules, "random", find(BIDDING, name))
            for deal in range(10):
                tally, record = play_one(seating, 11, deal)
                check_against_the_referee(tally, record, rules)


def test_tallies_of_a_run_are_the_sums_of_its_deals():
    seating = seats(Rules(players=5), "random", found("babble", babble))
    whole, log, keys = Tally(), new_log(), Keys.of(3)
    simulating.simulate_deals(
        seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
        keys.deal, keys.luck, 40, 50, whole.by_bid, whole.by_seat, whole.totals, new_desk(), log,
    )  # fmt: skip
    parts = Tally()
    for deal in range(40, 90):
        parts.add(play_one(seating, 3, deal)[0])
    assert np.array_equal(whole.by_seat, parts.by_seat)
    assert np.array_equal(whole.by_bid, parts.by_bid)
    assert np.array_equal(whole.totals, parts.totals)


def test_random_is_the_same_with_and_without_a_call():
    """The engine plays `random` itself; through its address the same cards must fall."""
    from pitchsim.jit import addresses
    from pitchsim.policies.random import random as random_policy
    from pitchsim.view import CARD

    seating = seats(Rules(players=5), "random", found("babble", babble))
    called = seating.line if PLAIN else np.concatenate([addresses((random_policy,) * 7, CARD), seating.line[7:]])
    assert PLAIN or (seating.line[:7] == 0).all()
    records = []
    for line in (seating.line, called):
        for deal in range(20 if PLAIN else 300):
            tally, log, keys = Tally(), new_log(), Keys.of(8)
            simulating.simulate_deals(
                line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
                keys.deal, keys.luck, deal, 1, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
            )  # fmt: skip
            records.append(record_of(seating.rules, log))
    half = len(records) // 2
    assert records[:half] == records[half:]
