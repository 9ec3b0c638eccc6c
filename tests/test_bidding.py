"""The bidding policies: legal calls, card sense, no peeking; the tables of `thresholds` and their kernels."""

import ast
import importlib.util
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pitchsim.auction import NOBODY
from pitchsim.bidding import thresholds as room
from pitchsim.bidding.passive import passive
from pitchsim.bidding.thresholds import HOLDINGS, NEVER, THRESHOLDS, expected_scores, notes, table_name, threshold_rows
from pitchsim.cards import RANKS, parse_hand
from pitchsim.deck import ALL_CARDS, LANE_BITS, SUIT_CARDS, cards_to_set, packed_deck
from pitchsim.engine import LEAD_COLUMNS, POLICY_PITCHES, SEATS, new_desk
from pitchsim.jit import PLAIN
from pitchsim.kernels.holdings import (
    CALLS_HEARD,
    CONTRACT,
    OUTCOME_COLUMNS,
    deck_without,
    hear_auctions,
    pitch_holding,
    play_contracts,
    trump_holding,
)
from pitchsim.kernels.pitching import pitch_deals
from pitchsim.log import HANDS, new_log
from pitchsim.rules import Rules, full_deck, legal_calls
from pitchsim.seating import Keys, seat_players
from pitchsim.simulation import simulate
from pitchsim.view import BidView

thresholds = room.thresholds
DATA = Path(room.__file__).parents[1] / "data"
ROOT = Path(__file__).parents[1]
LINE_UPS = [*((players, False) for players in range(2, 8)), (4, True)]
TABLES = [
    Rules(players=players, partners=partners, low_goes_to=low)
    for players, partners in LINE_UPS
    for low in ("trick_winner", "holder")
]
AUCTION_RULES = [
    {"lowest_bid": lowest, "dealer_may_steal": steal, "stuck_dealer": stuck}
    for lowest in (1, 2)
    for steal in (True, False, "any", "only_4")
    for stuck in ("must_bid", "throw_in_next", "throw_in_same")
]


def view_of(rules, hand, seat, highest=0, bidder=-1, calls=0):
    """What a seat hears, with the legal calls of the rulebook."""
    legal = sum(1 << call for call in legal_calls(rules, seat, highest))
    table = notes(rules)
    return BidView(
        hand=hand,
        seat=seat,
        highest=highest,
        bidder=bidder,
        calls=calls,
        legal=legal,
        players=rules.players,
        partners=int(rules.partners),
        low_to_holder=int(rules.low_goes_to == "holder"),
        strict=int(rules.follow == "strict"),
        lowest_bid=rules.lowest_bid,
        notes=table if PLAIN else table.ctypes.data,
        luck=0,
    )


def call(rules, text, seat, highest=0, bidder=-1):
    return thresholds(view_of(rules, cards_to_set(parse_hand(text)), seat, highest, bidder))


def random_hand(rng):
    return cards_to_set(rng.sample(full_deck(), 6))


def random_view(rng, rules, hand=None):
    """A seat that has something to say, after some highest bid."""
    while True:
        seat = rng.randrange(rules.players)
        highest = rng.choice([0, *range(rules.lowest_bid, 5)]) if seat else 0
        if legal_calls(rules, seat, highest):
            bidder = rng.randrange(seat) if highest else -1
            return view_of(rules, hand or random_hand(rng), seat, highest, bidder)


def worth(rules, hand):
    """The four expected scores of a hand, read from the table in plain Python."""
    table = expected_scores(table_name(rules))
    return tuple(max(int(table[hand >> LANE_BITS * lane & SUIT_CARDS][bid]) for lane in range(4)) for bid in range(4))


@pytest.mark.parametrize("policy", [passive, thresholds], ids=["passive", "thresholds"])
@pytest.mark.parametrize(("players", "partners"), LINE_UPS)
def test_calls_are_legal_under_every_house_rule(policy, players, partners):
    rng = random.Random(players + 10 * partners)
    for auction_rules, low in itertools.product(AUCTION_RULES, ("trick_winner", "holder")):
        rules = Rules(players=players, partners=partners, low_goes_to=low, **auction_rules)
        for _ in range(20):
            view = random_view(rng, rules)
            assert view.legal >> policy(view) & 1, (rules, view)


@pytest.mark.parametrize("auction_rules", AUCTION_RULES)
def test_the_engine_runs_under_every_auction_rule(auction_rules):
    for players, partners in LINE_UPS:
        rules = Rules(players=players, partners=partners, **auction_rules)
        simulate(rules, ["random"], ["thresholds"], deals=5 if PLAIN else 300, seed=3)


@pytest.mark.parametrize("rules", TABLES, ids=table_name)
def test_hands_that_cannot_lose_bid_4(rules):
    low = "9S" if rules.low_goes_to == "trick_winner" else "2S"
    for seat in range(rules.players - 1):
        assert call(rules, f"AS KS QS JS TS {low}", seat) == 4


@pytest.mark.parametrize("rules", [rules for rules in TABLES if rules.low_goes_to == "trick_winner"], ids=table_name)
def test_six_top_trumps_are_worth_exactly_4(rules):
    assert expected_scores(table_name(rules))[0b1111110000000].tolist() == [4000] * 4


@pytest.mark.parametrize("lowest_bid", [1, 2])
def test_three_small_trumps_never_bid_unless_they_must(lowest_bid):
    rules = Rules(lowest_bid=lowest_bid)
    for seat, highest in itertools.product(range(4), range(4)):
        if (highest == 0) == (seat == 3) or 0 < highest < lowest_bid:
            continue
        assert call(rules, "7S 6S 5S 9D 8C 4H", seat, highest, 0 if highest else -1) == 0


@pytest.mark.parametrize("rules", TABLES, ids=table_name)
def test_r7_stuck_dealer_bids_at_least_2(rules):
    rng = random.Random(7)
    for _ in range(50):
        assert thresholds(view_of(rules, random_hand(rng), rules.players - 1)) >= 2
    assert call(rules, "7S 6S 5S 9D 8C 4H", rules.players - 1) == 2


@pytest.mark.parametrize("stuck", ["throw_in_next", "throw_in_same"])
def test_a_hopeless_hand_is_thrown_in_where_the_house_allows_it(stuck):
    assert call(Rules(stuck_dealer=stuck), "7S 6S 5S 9D 8C 4H", 3) == 0
    assert call(Rules(stuck_dealer=stuck), "AS KS 4S JD TC 2H", 3) == 2


def test_same_dealer_again_throws_in_more():
    """A new deal is worth a dealer's seat then, and not nothing."""
    rng = random.Random(8)
    hands = [random_hand(rng) for _ in range(300)]
    thrown_in = {
        stuck: {hand for hand in hands if thresholds(view_of(Rules(stuck_dealer=stuck), hand, 3)) == 0}
        for stuck in ("throw_in_next", "throw_in_same")
    }
    assert thrown_in["throw_in_next"] < thrown_in["throw_in_same"]


def test_r6_dealer_steals_what_pays_at_that_price():
    rules = Rules()
    assert call(rules, "AS KS 4S JD TC 2H", 3, 1, 0) == 1
    assert call(rules, "AS KS 4S JD TC 2H", 3, 2, 0) == 2
    assert call(rules, "AS KS JS 2S TC 2H", 3, 3, 1) == 3
    assert call(rules, "AS 7S 4S JD TC 2H", 3, 2, 1) == 2
    assert call(rules, "AS 7S 4S JD TC 2H", 3, 3, 1) == 0
    assert call(rules, "7S 6S 5S 9D 8C 4H", 3, 2, 1) == 0


def test_dealer_who_may_not_steal_outbids_with_a_strong_hand_only():
    rules = Rules(dealer_may_steal=False)
    assert call(rules, "AS KS JS 2S TC 2H", 3, 2, 0) == 3
    assert call(rules, "AS 7S 4S JD TC 2H", 3, 2, 0) == 0


@pytest.mark.parametrize("steal", ["any", "only_4"])
def test_dealer_steals_a_4_where_the_house_allows_it(steal):
    rules = Rules(dealer_may_steal=steal)
    assert call(rules, "AS KS QS JS TS 9S", 3, 4, 0) == 4
    assert call(rules, "AS KS 4S JD TC 2H", 3, 4, 0) == 0


def test_a_bid_of_1_is_made_with_a_hand_that_is_worth_one():
    rules = Rules()
    rng = random.Random(1)
    ones = [hand for hand in (random_hand(rng) for _ in range(2000)) if thresholds(view_of(rules, hand, 0)) == 1]
    assert ones
    assert all(worth(rules, hand)[0] >= 0 for hand in ones)
    assert all(thresholds(view_of(Rules(lowest_bid=2), hand, 0)) == 0 for hand in ones)


def test_partner_is_not_overbid_with_the_hand_that_overbids_an_opponent():
    rules = Rules(partners=True)
    rng = random.Random(2)
    hands = [random_hand(rng) for _ in range(3000)]
    over = {who: {h for h in hands if thresholds(view_of(rules, h, 2, 2, who)) == 3} for who in (0, 1)}
    assert over[0] <= over[1]
    steals = {who: {h for h in hands if thresholds(view_of(rules, h, 3, 2, who)) == 2} for who in (1, 0)}
    assert steals[1] < steals[0]


@pytest.mark.parametrize("rules", TABLES, ids=table_name)
def test_suits_are_all_the_same(rules):
    rng = random.Random(5)
    for _ in range(10):
        view = random_view(rng, rules)
        lanes = [view.hand >> LANE_BITS * lane & SUIT_CARDS for lane in range(4)]
        calls = {
            thresholds(view._replace(hand=sum(cards << LANE_BITS * lane for lane, cards in enumerate(order))))
            for order in itertools.permutations(lanes)
        }
        assert len(calls) == 1


@pytest.mark.parametrize("rules", TABLES, ids=table_name)
def test_a_hand_worth_more_never_opens_lower(rules):
    rng = random.Random(6)
    hands = [random_hand(rng) for _ in range(80)]
    opened = [(worth(rules, hand), thresholds(view_of(rules, hand, 0))) for hand in hands]
    for (more, call_more), (less, call_less) in itertools.product(opened, opened):
        if all(a >= b for a, b in zip(more, less, strict=True)):
            assert call_more >= call_less


def test_a_call_is_what_the_table_and_the_thresholds_say():
    """The plain twin of an opening, a raise and a steal."""
    rules = Rules()
    row = {name: round(1000 * float(threshold_rows()["4-winner"][name])) for name in THRESHOLDS}
    rng = random.Random(9)
    for _ in range(300):
        hand = random_hand(rng)
        one, two, three, four = worth(rules, hand)
        opening = 4 if four >= row["four"] else 3 if three >= row["jump"] else 2 if two >= row["two"] else 0
        opening = opening or int(one >= row["one"])
        assert thresholds(view_of(rules, hand, 0)) == opening
        over_2 = 4 if four >= row["four"] else 3 if three >= row["over"] else 0
        assert thresholds(view_of(rules, hand, 1, 2, 0)) == over_2
        assert thresholds(view_of(rules, hand, 3, 2, 0)) == (2 if two >= row["last"] else 0)


@pytest.mark.parametrize("rules", TABLES, ids=table_name)
def test_without_the_jack_4_points_are_no_likelier_than_the_jack_is_out(rules):
    script = (ROOT / "scripts" / "fit_expert.py").read_text()
    deals = ast.literal_eval(re.search(r"^DEALS_BY_LENGTH = (.*)$", script, re.MULTILINE)[1])
    table = expected_scores(table_name(rules))
    out = 6 * (rules.players - 1) / 46
    for ranks in range(1, HOLDINGS):
        if ranks.bit_count() <= 6 and not ranks >> RANKS.index("J") & 1:
            se = 8 * math.sqrt(out * (1 - out) / deals[ranks.bit_count()])
            assert table[ranks][3] / 1000 <= 8 * out - 4 + 4 * se


def test_the_tables_are_whole():
    names = [table_name(rules) for rules in TABLES]
    assert list(threshold_rows()) == [name + steals for name in names for steals in ("", "-no-steal")]
    held = [ranks for ranks in range(1, HOLDINGS) if ranks.bit_count() <= 6]
    assert len(held) == 4095
    for name in names:
        table = expected_scores(name)
        assert table.shape == (HOLDINGS, 4)
        assert table.dtype == np.int16
        assert np.all(table[held] >= [-1000, -2000, -3000, -4000])
        assert np.all(table[held] <= 4000)
        assert np.all(np.delete(table, held, axis=0) == NEVER)
    # The books that are shipped are weighed in test_book.
    shipped = [path for path in DATA.rglob("*") if path.is_file() and DATA / "books" not in path.parents]
    assert sum(path.stat().st_size for path in shipped) < 1_500_000


def test_rules_that_do_not_touch_the_table_share_it():
    assert notes(Rules()) is notes(Rules(target=11, smudge=True, lowest_bid=2))
    assert notes(Rules()) is notes(Rules(dealer_may_steal="any", stuck_dealer="throw_in_next"))
    assert notes(Rules()) is not notes(Rules(low_goes_to="holder"))
    assert notes(Rules()).dtype == np.int32


def functions_of(rules, play="greedy", bidding="thresholds"):
    return seat_players(rules, [play], [bidding])


def played(rules, deals, seed=11, play="greedy"):
    """Deals with every contract, as the script that makes the thresholds plays them."""
    seating, keys = functions_of(rules, play), Keys.of(seed)
    hands = np.zeros((deals, SEATS), np.int64)
    changes = np.zeros((deals, rules.players, 4, rules.players), np.int8)
    play_contracts(
        seating.line, seating.house, packed_deck(ALL_CARDS), keys.deal, keys.luck, 0, deals, hands, changes,
        new_desk(), new_log(),
    )  # fmt: skip
    return hands, changes


def heard(rules, hands, seed=11):
    """The auctions of given deals."""
    seating = functions_of(rules)
    outcomes = np.zeros((len(hands), OUTCOME_COLUMNS), np.int64)
    hear_auctions(
        seating.bidders, seating.notes, seating.house, hands, Keys.of(seed).luck, 0, len(hands), outcomes,
        new_desk(), new_log(),
    )  # fmt: skip
    return outcomes


@pytest.mark.parametrize(("players", "partners"), LINE_UPS)
def test_calls_do_not_depend_on_hidden_cards(players, partners):
    """All cards but one's own are dealt anew: whoever hears the same calls makes the same call."""
    rules = Rules(players=players, partners=partners)
    rng = random.Random(players)
    compared = 0
    for seat in range(players):
        hands = np.zeros((20 if PLAIN else 300, SEATS), np.int64)
        for row in range(0, len(hands), 2):
            own = random_hand(rng)
            for same in (row, row + 1):
                others = [card for card in full_deck() if not own & cards_to_set([card])]
                rng.shuffle(others)
                for other in range(players):
                    hands[same, other] = cards_to_set(others[6 * other : 6 * other + 6])
                hands[same, seat] = own
        calls = heard(rules, hands)[:, CALLS_HEARD]
        before, mine = calls & ((1 << 4 * seat) - 1), calls >> 4 * seat & 15
        alike = before[::2] == before[1::2]
        compared += int(alike.sum())
        assert np.all(mine[::2][alike] == mine[1::2][alike])
    assert compared > players * (1 if PLAIN else 10)


@pytest.mark.parametrize(("players", "partners"), LINE_UPS)
def test_contracts_and_auctions_agree_with_whole_deals(players, partners):
    """Looked up from all contracts, auctions bring what `simulate` finds on the same deals."""
    rules, deals = Rules(players=players, partners=partners), 20 if PLAIN else 2000
    hands, changes = played(rules, deals)
    ends = heard(rules, hands)[:, CONTRACT]
    assert np.all(ends != NOBODY)
    points = changes.reshape(deals, -1, players)[np.arange(deals), ends].mean(axis=0)
    whole = simulate(rules, ["greedy"], ["thresholds"], deals=deals, seed=11)
    assert [whole.seat_change(seat).mean for seat in range(players)] == pytest.approx(points.tolist())


def tally_of_holding(rules, ranks, deals, play="greedy", lead=POLICY_PITCHES, seed=11):
    seating, keys = functions_of(rules, play), Keys.of(seed)
    tally = np.zeros((4, LEAD_COLUMNS), np.int64)
    cards = trump_holding(ranks)
    pitch_holding(
        seating.line, seating.house, deck_without(cards), cards, np.arange(1, 5), np.full(4, lead),
        keys.deal, keys.luck, 0, deals, tally, new_desk(), new_log(),
    )  # fmt: skip
    return tally


@pytest.mark.parametrize("players", range(2, 8))
def test_a_holding_of_six_is_a_hand(players):
    """Without side cards the kernel of holdings deals what the kernel of hands deals."""
    rules, ranks, deals = Rules(players=players), 0b1001000110011, 20 if PLAIN else 500
    seating, keys = functions_of(rules), Keys.of(11)
    hand = trump_holding(ranks)
    tally = np.zeros((1, LEAD_COLUMNS), np.int64)
    pitch_deals(
        seating.line, seating.house, deck_without(hand), hand, 2, np.array([POLICY_PITCHES]),
        keys.deal, keys.luck, 0, deals, tally, new_desk(), new_log(),
    )  # fmt: skip
    assert np.array_equal(tally[0], tally_of_holding(rules, ranks, deals)[1])


@pytest.mark.parametrize("ranks", [0b1, 0b1000000000000, 0b1010000000001, 0b1001000110001])
def test_side_cards_of_a_holding_are_dealt_fairly(ranks):
    rules, deals = Rules(players=7), 50 if PLAIN else 1000
    seating, keys = functions_of(rules, "greedy"), Keys.of(12)
    cards, log, desk = trump_holding(ranks), new_log(), new_desk()
    tally = np.zeros((1, LEAD_COLUMNS), np.int64)
    seen = np.zeros((7, 64), np.int64)
    for deal in range(deals):
        pitch_holding(
            seating.line, seating.house, deck_without(cards), cards, np.array([2]),
            np.array([POLICY_PITCHES]), keys.deal, keys.luck, deal, 1, tally, desk, log,
        )  # fmt: skip
        hands = [int(hand) for hand in log[HANDS : HANDS + 7]]
        assert hands[0] & trump_holding(SUIT_CARDS) == cards
        assert all(hand.bit_count() == 6 and hand & ALL_CARDS == hand for hand in hands)
        assert sum(hands).bit_count() == 42
        for seat, hand in enumerate(hands):
            seen[seat] += hand >> np.arange(64) & 1
    if PLAIN:
        return
    held = ranks.bit_count()
    side = np.array([number for number in range(48) if ALL_CARDS >> number & 1])
    trumps = np.array([48 + rank for rank in range(13) if not ranks >> rank & 1])
    expected = deals * (6 - held) / 39
    assert np.sum((seen[0, side] - expected) ** 2) / expected / (1 - (6 - held) / 39) < 38 + 4 * math.sqrt(76)
    for cards_here, share in ((side, (33 + held) / 39 * 6 / 46), (trumps, 6 / 46)):
        counts = seen[1:, cards_here]
        spread = math.sqrt(deals * share * (1 - share))
        assert np.abs(counts - deals * share).max() < 5 * spread


def test_the_tables_come_out_the_same_on_any_number_of_threads():
    if PLAIN:
        pytest.skip("too slow in plain Python")
    script, seating = script_room("make_thresholds"), functions_of(Rules(), "greedy")
    worth = expected_scores("4-winner")
    contracts = [script.Contracts(seating, worth, 20_000, threads) for threads in (1, 2)]
    common = list(script.START)
    moved = [script.best_response(some, common, [room.TWO, room.LAST], 20_000) for some in contracts]
    assert moved[0] == moved[1]
    gains = [script.gain_of(some, common, moved[0], 0, 20_000) for some in contracts]
    assert gains[0] == gains[1]
    assert gains[0][0] >= 0


def script_room(name):
    """A script that makes tables, imported."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


PLAIN_CALLS = """
import json, sys
sys.path.insert(0, {tests!r})
import random
from test_bidding import PLAIN, TABLES, random_view, thresholds
rng = random.Random(4)
print(json.dumps([int(thresholds(random_view(rng, rules))) for rules in TABLES for _ in range(20)] + [PLAIN]))
"""


def test_plain_python_makes_the_same_calls():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    code = PLAIN_CALLS.format(tests=str(Path(__file__).parent))
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
    )
    rng = random.Random(4)
    calls = [thresholds(random_view(rng, rules)) for rules in TABLES for _ in range(20)]
    assert json.loads(answer.stdout) == [*calls, True]
