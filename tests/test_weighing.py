"""Weighing calls on deals that fit what was heard: against exact counting, and deal by deal against the referee."""

import itertools
import math
import random

import numpy as np
import pytest
from babble import babble
from random_deals import random_rules

from pitchsim.bidding import BIDDING
from pitchsim.cards import parse_six
from pitchsim.deck import ACES, ALL_CARDS, card_number, cards_to_set, packed_deck, set_to_cards
from pitchsim.engine import new_desk
from pitchsim.jit import PLAIN, policy, popcount
from pitchsim.kernels.weighing import MOST_STRATA, weigh_calls
from pitchsim.log import new_log
from pitchsim.plugins import Found, find, no_notes
from pitchsim.policies import PLAY
from pitchsim.records import score
from pitchsim.rules import Rules, deal_hands, full_deck, legal_calls
from pitchsim.seating import Keys, Seating, record_of
from pitchsim.statistics import weighted
from pitchsim.view import CALL
from pitchsim.weighing import BATCH, BATCH_SPAN, KEEP_ALL, Effort, Situation, Weigher, Weighing

pytestmark = pytest.mark.skipif(PLAIN, reason="many deals; the kernel is made of steps that test_twins.py compares")
HIGH = 1


@policy(CALL)
def aces(view):
    """Bid as many as I hold aces, where that is a legal call; else pass, or bid 2 when stuck."""
    number = popcount(view.hand & ACES)
    if (view.legal >> number) & 1 != 0:
        return number
    return 0 if view.legal & 1 != 0 else 2


def seated(rules, bidder, play="greedy"):
    bidders = find(BIDDING, bidder) if isinstance(bidder, str) else Found("test", bidder, no_notes, "test", "")
    return Seating(rules, (find(PLAY, play),) * rules.players, (bidders,) * rules.players)


def weigh(hand, heard, rules, bidder, deals=20_000, leads="", **how):
    """The deals that fit what was heard, and the cards to lead tried on them."""
    situation = Situation(cards_to_set(parse_six(hand)), len(heard), tuple(heard))
    numbers = [card_number(card) for card in parse_six(hand) if str(card) in leads.split()]
    how = {"threads": 1} | how
    weigher = Weigher(seated(rules, bidder), Keys.of(how.pop("seed", 1)), **how)
    return weigher.weigh(situation, numbers, Effort(deals, deals, early=False))


def high(weighing):
    """The chance that the lead wins High, with its standard error."""
    wins = weighing.lead_tally[:, 0, [column for column in range(16) if column & HIGH]].sum(axis=1)
    return weighted(weighing.weights, weighing.kept, wins, wins)


# Exact counting -----------------------------------------------------------------------------------------

ACELESS = "KS 9S 4H 3H 8D 7C"


def ace_holdings(players, mine):
    """Every way in which the aces that I lack lie in the other hands or out of play (-1), with its chance."""
    seats = [seat for seat in range(players) if seat != mine]
    for places in itertools.product([*seats, -1], repeat=4):
        room = dict.fromkeys(seats, 6) | {-1: 46 - 6 * len(seats)}
        chance = 1.0
        for number, place in enumerate(places):
            chance *= room[place] / (46 - number)
            room[place] -= 1
        yield places, chance


def call_of_aces(number, rules, seat, highest):
    """What `aces` calls."""
    legal = legal_calls(rules, seat, highest)
    return number if number in legal else 0 if 0 in legal else 2


def exact_posterior(rules, heard, error_chance, told):
    """The chance of `told(places of the aces)` given the calls heard, when everybody bids like `aces`."""
    right, wrong = 1 - error_chance + error_chance / 5, error_chance / 5
    mass = hit = 0.0
    for places, chance in ace_holdings(rules.players, len(heard)):
        highest = 0
        for seat, call in enumerate(heard):
            fits = call_of_aces(places.count(seat), rules, seat, highest) == call
            chance *= right if fits else wrong
            highest = max(highest, call)
        mass += chance
        hit += chance * told(places)
    return hit / mass


def near(answer, exact):
    return abs(answer.mean - exact) <= 4 * answer.se


TWO, FOUR = Rules(players=2), Rules()


@pytest.mark.parametrize(
    ("rules", "heard"),
    [
        (TWO, (0,)),
        (TWO, (1,)),
        (TWO, (2,)),
        (TWO, (3,)),
        (FOUR, (0,)),
        (FOUR, (0, 0, 0)),
        (FOUR, (0, 1, 0)),
        (FOUR, (1, 2)),
        (FOUR, (0, 3)),
        (FOUR, (2, 3, 0)),
        (Rules(players=7), (0, 0, 1, 0, 0, 2)),
    ],
)
@pytest.mark.parametrize("error_chance", [0.01, 0.3])
def test_the_chance_that_the_trump_ace_is_out_is_that_of_exact_counting(rules, heard, error_chance):
    # My king is High when nobody holds the ace, whatever is played.
    weighing = weigh(ACELESS, heard, rules, aces, leads="KS", error_chance=error_chance)
    exact = exact_posterior(rules, heard, error_chance, lambda places: places[0] == -1)
    assert near(high(weighing), exact), (high(weighing), exact)


def exact_share_that_fits(heard, rules, error_chance):
    """The chance that all calls heard are those of the policy, given that they were heard."""
    everything = exact_posterior(rules, heard, error_chance, lambda places: True)
    assert everything == pytest.approx(1)

    def all_fit(places):
        highs = itertools.accumulate(heard, max, initial=0)
        return all(
            call_of_aces(places.count(seat), rules, seat, high) == call
            for seat, (call, high) in enumerate(zip(heard, highs, strict=False))
        )

    return exact_posterior(rules, heard, error_chance, all_fit)


@pytest.mark.parametrize(("error_chance", "weight"), [(0.01, 1.0), (0.3, 1.0), (0.5, 6.0)])
def test_rare_calls_are_thinned_out_or_weighed_up_and_come_to_the_same(error_chance, weight):
    # Three aces are held once in 200 deals: those that fit are waited for, or, when errors are common, weighed up.
    weighing = weigh(ACELESS, (0, 3), FOUR, aces, leads="KS", error_chance=error_chance)
    assert weighing.weights[:2].tolist() == pytest.approx([weight, 1.0])
    assert (weighing.effective < 0.95 * weighing.deals) == (weight > 1)
    assert weighing.kept[0] > 0
    assert weighing.kept[1] > 0
    mass = weighing.weights @ weighing.kept
    share = weight * weighing.kept[0] / mass
    exact = exact_share_that_fits((0, 3), FOUR, error_chance)
    assert abs(share - exact) < 4 * weight * math.sqrt(weighing.kept[0]) / mass


@pytest.mark.parametrize("heard", [(2,), (0, 3), (1, 2, 3)])
def test_bids_that_the_policy_never_makes_tell_nothing(heard):
    weighing = weigh(ACELESS, heard, FOUR, "passive", leads="KS")
    assert near(high(weighing), math.comb(45, 18) / math.comb(46, 18))
    assert weighing.effective == pytest.approx(weighing.deals)


def test_a_policy_that_babbles_tells_nothing():
    weighing = weigh(ACELESS, (0, 2, 3), FOUR, babble, leads="KS")
    assert near(high(weighing), math.comb(45, 18) / math.comb(46, 18))


def test_a_bid_of_his_own_is_kept_as_often_as_nobody_behind_holds_more():
    # I speak second and bid 2: those behind me overbid with three aces or four, the dealer takes it with two.
    weighing = weigh(ACELESS, (0,), FOUR, aces, error_chance=0.1)
    exact = exact_posterior(FOUR, (0,), 0.1, lambda places: places.count(2) < 3 and places.count(3) < 2)
    pitcher, _ = weighing.pitcher_and_made(weighing.calls.index(2))
    assert abs(pitcher - exact) <= 4 * math.sqrt(exact * (1 - exact) / weighing.effective)


def test_plain_rejection_gives_the_same_shares():
    # The same proposals, kept or not by a coin for each call, in plain Python.
    rng, rules, error_chance = random.Random(5), FOUR, 0.2
    heard, mine = (0, 1), parse_six(ACELESS)
    rest = [card for card in full_deck() if card not in mine]
    kept = ace_out = 0
    while kept < 3_000:
        first, second, last = deal_hands(rng.sample(rest, 46), 3)
        highest, fits = 0, True
        for seat, (hand, call) in enumerate(zip((first, second), heard, strict=True)):
            said = call_of_aces(sum(card.rank == 12 for card in hand), rules, seat, highest)
            said = rng.randrange(5) if rng.random() < error_chance else said
            fits, highest = fits and said == call, max(highest, call)
        kept += fits
        ace_out += fits and any(card.rank == 12 and card.suit == 0 for card in (*first, *second, *last))
    answer = high(weigh(ACELESS, heard, rules, aces, leads="KS", error_chance=error_chance))
    naive = 1 - ace_out / kept
    assert abs(answer.mean - naive) < 4 * math.hypot(answer.se, math.sqrt(naive * (1 - naive) / kept))


# Deal by deal -------------------------------------------------------------------------------------------


def one_deal(seating, situation, calls, leads, deal, margin=False):
    """One proposal, whatever was heard, with these calls and leads tried on it: the tallies and the log."""
    part = Weighing(tuple(calls), tuple(leads), np.ones(MOST_STRATA), 1)
    keys, log, everything = Keys.of(3), new_log(), np.full(MOST_STRATA, KEEP_ALL, np.int64)
    weigh_calls(
        seating.line, seating.pitching_line, seating.bidders, seating.notes, seating.house,
        packed_deck(ALL_CARDS & ~situation.hand), situation.hand, situation.seat, situation.packed,
        situation.highest, situation.bidder, np.array(calls, np.int64), np.array(leads, np.int64), everything,
        margin, keys.deal, keys.luck, keys.keep, deal, 1, 1, part.call_tally, part.lead_tally, part.counts,
        new_desk(), log,
    )  # fmt: skip
    return part, log


def random_situation(rng):
    """A table, six cards, and a legal auction up to a seat that may speak."""
    rules = random_rules(rng)
    heard = []
    for seat in range(rng.randrange(rules.players)):
        calls = legal_calls(rules, seat, max(heard, default=0))
        call = rng.choice(calls)
        if legal_calls(rules, seat + 1, max(*heard, call, 0)):
            heard.append(call)
    return rules, Situation(cards_to_set(rng.sample(full_deck(), 6)), len(heard), tuple(heard))


@pytest.mark.parametrize("margin", [False, True])
def test_every_call_on_every_deal_is_worth_what_the_referee_says(margin):
    rng = random.Random(21)
    roles = set()
    for deal in range(700):
        rules, situation = random_situation(rng)
        call = rng.choice(legal_calls(rules, situation.seat, situation.highest))
        seating = seated(rules, babble, rng.choice(["random", "greedy", "sound"]))
        part, log = one_deal(seating, situation, [call], [], deal, margin)
        record = record_of(rules, log)
        answer = score(record)
        assert [said["bid"] for said in record["auction"]][: situation.seat + 1] == [*situation.heard, call]
        side = situation.seat % 2 if rules.partners else situation.seat
        own, others = answer["delta"][side], sum(answer["delta"]) - answer["delta"][side]
        assert part.own(0).mean == own
        value = own * (rules.sides - 1) - others if margin else own
        assert part.value(0).mean == value
        mine = answer.get("pitcher") == situation.seat
        tally = part.call_tally.sum(axis=0)[0]
        assert tally[3:5].tolist() == [mine, mine and answer["made"]]
        assert part.counts[MOST_STRATA] == part.deals == 1
        roles.add((rules.partners, mine, answer.get("pitcher") is None))
    assert roles >= {(False, True, False), (False, False, False), (False, False, True), (True, True, False)}


def test_every_lead_on_every_deal_wins_what_the_referee_says():
    rng = random.Random(22)
    for deal in range(300):
        rules, situation = random_situation(rng)
        lead = rng.choice(set_to_cards(situation.hand))
        seating = seated(rules, babble, rng.choice(["random", "greedy", "sound"]))
        part, log = one_deal(seating, situation, [], [card_number(lead)], deal)
        record = record_of(rules, log)
        bids = [2 if seat == situation.seat else 0 for seat in range(rules.players)]
        record["auction"] = [{"seat": seat, "bid": bid} for seat, bid in enumerate(bids)]
        answer = score(record)
        assert record["plays"][0] == [situation.seat, str(lead)]
        side = situation.seat % 2 if rules.partners else situation.seat
        sides = [
            None if seat is None else seat % 2 if rules.partners else seat
            for seat in (answer["high_seat"], answer["low_seat"], answer["jack_seat"])
        ]
        won = sum(1 << k for k, winner in enumerate([*sides, answer["game_side"]]) if winner == side)
        assert part.lead_tally.sum(axis=0)[0, :16].tolist() == [int(column == won) for column in range(16)]


def test_means_and_errors_are_those_of_the_single_deals_with_their_weights():
    hand, heard, rules = "KS JS 8S KH 4D 2C", (3,), TWO
    whole = weigh(hand, heard, rules, aces, deals=BATCH, error_chance=0.5)
    weigher = Weigher(seated(rules, aces), Keys.of(1), error_chance=0.5, threads=1)
    situation = Situation(cards_to_set(parse_six(hand)), 1, heard)
    accept, weights, _ = weigher._filter(situation, 1 << 16)
    values, each, deal = [], [], 1 << BATCH_SPAN
    while len(values) < BATCH:
        part = whole.empty()
        weigher._kernel(situation, part, accept, deal, 1, 1, packed_deck(ALL_CARDS & ~situation.hand))
        if part.deals:
            values.append([part.value(row).mean for row in range(len(part.calls))])
            each.append(float(weights @ part.kept))
        deal += 1
    values, each = np.array(values), np.array(each)
    assert len(set(each)) == 2
    assert whole.effective == pytest.approx(each.sum() ** 2 / (each**2).sum())
    for first, second in itertools.permutations(range(len(whole.calls)), 2):
        gaps = values[:, first] - values[:, second]
        mean = np.average(gaps, weights=each)
        answer = whole.difference(first, second)
        assert answer.mean == pytest.approx(mean, abs=1e-9)
        se = math.sqrt((each**2 * (gaps - mean) ** 2).sum()) / each.sum()
        assert answer.se == pytest.approx(se, rel=1e-6, abs=1e-9)


# Margins, partners, threads --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [Rules(players=2), Rules(players=5), Rules(partners=True)])
def test_a_margin_is_counted_in_parts_and_told_in_points(rules):
    heard = (0,) * (rules.players - 1)
    points = weigh(ACELESS, heard, rules, aces, deals=4_000)
    margin = weigh(ACELESS, heard, rules, aces, deals=4_000, margin=True)
    assert margin.margin_parts == rules.sides - 1
    assert margin.kept.tolist() == points.kept.tolist()
    for row in range(len(points.calls)):
        assert margin.own(row) == points.own(row) == points.value(row)
        # A made bid leaves the others at most four points less mine; a set pitcher is behind by his bid and more.
        assert abs(margin.value(row).mean) <= 8
        assert margin.value(row).mean < points.own(row).mean


def test_my_partners_cards_count_for_me():
    # With ace, king, queen of trumps opposite, a bid scores more with a partner than alone.
    alone, together = (
        weigh("JS TS 9S 8S 7S 2S", (0, 0, 0), Rules(partners=partners), "passive", deals=4_000)
        for partners in (False, True)
    )
    row = alone.calls.index(3)
    assert together.own(row).mean - alone.own(row).mean > 4 * math.hypot(together.own(row).se, alone.own(row).se)


@pytest.mark.parametrize("heard", [(), (0, 3)])
def test_tallies_are_the_same_with_1_2_or_5_threads(heard):
    runs = [
        weigh(ACELESS, heard, FOUR, aces, deals=5 * BATCH + 100, leads="KS 9S", threads=threads)
        for threads in (1, 2, 5)
    ]
    for name in ("call_tally", "lead_tally", "counts"):
        assert len({getattr(run, name).tobytes() for run in runs}) == 1
    assert runs[0].deals == 5 * BATCH + 100


def test_another_seed_weighs_other_deals():
    first, second = (weigh(ACELESS, (0,), FOUR, aces, deals=2_000, seed=seed) for seed in (1, 2))
    assert first.call_tally.tolist() != second.call_tally.tolist()


def test_all_alternatives_meet_the_same_deals():
    # Passing and being passed out of the auction by the same 4 behind me comes to the same: not one deal differs.
    weighing = weigh("3S 2S 4H 3H 8D 7C", (3,), FOUR, "passive", deals=2_000)
    assert weighing.calls == (0, 4)
    both = weigh("AS KS QS JS TS 9S", (), FOUR, "passive", deals=2_000)
    bids = [row for row, call in enumerate(both.calls) if call]
    for first, second in itertools.pairwise(bids):
        gap = both.difference(first, second)
        assert (gap.mean, gap.se) == (0, 0)
    assert both.own(both.calls.index(4)).mean == 4
