"""Deals played 64 at a time are written down as records and judged by the readable rules; and the same bytes anyhow."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context

import numpy as np
import pytest
from desks_to_records import judge

from pitchsim import Rules, desk
from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import new_desk
from pitchsim.jit import PLAIN
from pitchsim.kernels.simulating import (
    BID_MADE,
    BID_POINTS,
    CONTRACT_BID,
    CONTRACT_COLUMNS,
    CONTRACT_PITCHER,
    SEAT_CHANGE,
    count_deals,
    lay_deals,
)
from pitchsim.lanes.engine import LEVEL, Desks, level_here
from pitchsim.lanes.engine import PLAIN as NUMPY
from pitchsim.lanes.policies import POLICIES
from pitchsim.log import new_log
from pitchsim.seating import Keys, seat_players
from pitchsim.simulation import Tally

pytestmark = pytest.mark.skipif(level_here() is None, reason="this processor has no wide vectors")

MANY, FEW = 3_400, 30 if PLAIN else 300
SHARE = 500
"""So many deals are handed to another process at a time."""
TABLES = [*({"players": players} for players in range(2, 8)), {"partners": True}]
HOUSES = {
    "usual": {},
    "strict": {"follow": "strict", "lowest_bid": 2},
    "low to holder, tie to the opponents, smudge": {
        "low_goes_to": "holder", "game_tie": "pitchers_opponents", "smudge": True, "dealer_may_steal": "any",
    },
}  # fmt: skip
MIXED = ("expert", "greedy", "random")


def table_in_words(table):
    """A table as the name of a test."""
    return "partners" if "partners" in table else f"{table['players']} players"


every_table = pytest.mark.parametrize("table", TABLES, ids=table_in_words)
every_house = pytest.mark.parametrize("house", HOUSES.values(), ids=HOUSES)
every_player = pytest.mark.parametrize("play", [*((name,) for name in POLICIES), MIXED], ids=" ".join)


@pytest.fixture(scope="module")
def referees():
    """Other processes, one for each core."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield pool


def laid_and_played(rules, play, deals, seed):
    """Deals as `simulate` plays them: rows of the desks with pitcher and bid, and what they add up to."""
    seating = seat_players(rules, play, ["casual"], "lanes")
    keys, tally, desks = Keys.of(seed), Tally(), Desks(deals)
    contracts = np.zeros((deals, CONTRACT_COLUMNS), np.int64)
    lay_deals(
        seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS), seating.played_by,
        keys.deal, keys.luck, 0, deals, desks.bytes, desks.lucks, contracts,
        tally.by_seat, tally.totals, new_desk(), new_log(),
    )  # fmt: skip
    seating.lanes.play_desks(desks.bytes)
    count_deals(seating.house, deals, desks.bytes, contracts, tally.by_bid, tally.by_seat, tally.totals)
    rows = desks.bytes.transpose(0, 2, 1).reshape(-1, desk.ROWS)[:deals].tolist()
    bids = contracts[:, [CONTRACT_PITCHER, CONTRACT_BID]].tolist()
    return [(row, *bid) for row, bid in zip(rows, bids, strict=True)], tally


def check(rules, play, count, judged):
    """Compare what the referees say (`judged`, as `judge`, for shares of the deals) with the desks and the tallies."""
    deals, tally = laid_and_played(rules, play, count, seed=11)
    shares = [deals[first : first + SHARE] for first in range(0, count, SHARE)]
    wrong, changes, points, made = zip(*judged([rules.to_dict()] * len(shares), shares), strict=True)
    assert not any(wrong), [line for lines in wrong for line in lines][:3]
    assert np.sum(changes, axis=0).tolist() == tally.by_seat[: rules.players, SEAT_CHANGE].tolist()
    assert np.sum(points, axis=0).tolist() == tally.by_bid[:, BID_POINTS].tolist()
    assert np.sum(made, axis=0).tolist() == tally.by_bid[:, BID_MADE].tolist()


def seats(rules, play):
    """One name for all, or several in turn."""
    return play if len(play) == 1 else list(islice(cycle(play), rules.players))


@pytest.mark.parametrize(("place", "play"), [*enumerate([MIXED] * len(TABLES)), *((2, (name,)) for name in POLICIES)])
def test_a_few_deals_are_legal_and_scored_as_the_rules_say(place, play):
    house = list(HOUSES.values())[place % len(HOUSES)]
    rules = Rules(**TABLES[place], **house)
    check(rules, seats(rules, play), FEW, lambda *given: list(map(judge, *given)))


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="hours long without compiling")
@every_house
@every_player
@every_table
def test_many_deals_are_legal_and_scored_as_the_rules_say(table, play, house, referees):
    rules = Rules(**table, **house)
    check(rules, seats(rules, play), MANY, lambda *given: list(referees.map(judge, *given)))


def test_a_card_that_is_not_legal_is_found():
    """The referee would see it, if the engine played a wrong card, or gave a point to a wrong side."""
    rules = Rules()
    deals, _ = laid_and_played(rules, ["greedy"], 64, seed=3)
    wrong, *_ = judge(rules.to_dict(), deals)
    assert not wrong
    for rows, _, _ in deals:
        rows[desk.PLAYS + 4], rows[desk.PLAYS + 5] = rows[desk.PLAYS + 5], rows[desk.PLAYS + 4]
    wrong, *_ = judge(rules.to_dict(), deals)
    assert len(wrong) == len(deals)
    deals, _ = laid_and_played(rules, ["greedy"], 64, seed=3)
    for rows, _, _ in deals:
        rows[desk.LOW] = (rows[desk.LOW] + 1) % rules.players
    assert len(judge(rules.to_dict(), deals)[0]) == len(deals)


# The same bytes anyhow --------------------------------------------------------------------------------

RUNS = """
import hashlib, json, sys, pitchsim
threads, *counts = map(int, sys.argv[1:])
for count in counts:
    how = {"deals": count, "threads": threads, "seed": 9, "engine": "lanes"}
    simulated = pitchsim.simulate(play="expert,greedy,random,expert,greedy", players=5, bidding="casual", **how)
    matched = pitchsim.match("expert/casual", "random/passive", partners=True, games=count // 100, **how)
    for answer in (simulated.to_json(), matched.to_json()):
        print(count, hashlib.sha256(answer.encode()).hexdigest())
"""
SMALL, LARGE = 100, 40_000
many = pytest.mark.skipif(PLAIN, reason="minutes long without compiling")


def printed(threads, *counts, level=""):
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(threads), *map(str, counts)],
        env=os.environ | {LEVEL: level}, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def once():
    """On one thread, with the widest vectors of this processor."""
    return printed(1, SMALL, LARGE)


@many
@pytest.mark.parametrize("threads", [2, 5])
def test_the_same_bytes_on_any_number_of_threads(threads, once):
    assert printed(threads, SMALL, LARGE) == once


@many
def test_the_same_bytes_with_vectors_of_256_bits(once):
    assert printed(2, SMALL, LARGE, level="avx2") == once


@many
def test_the_same_bytes_in_plain_numpy(once):
    assert printed(1, SMALL, level=NUMPY) == once[:2]
