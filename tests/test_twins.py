"""Every rule twice: the readable one and its jitted twin of the same name, compared on thousands of cases."""

import ast
import itertools
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_deals import random_rules

from pitchsim import auction, deck, play, rules, scoring
from pitchsim.auction import IllegalCall
from pitchsim.cards import Card
from pitchsim.deck import ALL_CARDS, TRUMPS, card_number, card_of, cards_to_set, packed_deck, set_to_cards
from pitchsim.engine import new_desk
from pitchsim.house import house_of
from pitchsim.jit import PLAIN, entry, highest, jitted, lowest, policy, popcount
from pitchsim.kernels import simulating
from pitchsim.log import CALLS, CARD_BITS, LENGTH, PLAYS, PUBLIC, new_log
from pitchsim.play import IllegalCard
from pitchsim.plugins import Found, find, no_notes
from pitchsim.policies import PLAY
from pitchsim.rules import OPTION_VALUES, Deal, Rules
from pitchsim.scoring import NOBODY
from pitchsim.seating import Keys, Seating, record_of
from pitchsim.simulation import Tally, replay
from pitchsim.stream import GAMMA, MASK64
from pitchsim.view import CALL, CARD, BidView, View, call_heard, draw, trick_played

TESTS = Path(__file__).parent
TWINS = (deck, auction, play, scoring)
CASES = 200 if PLAIN else 2_000
STEALS = OPTION_VALUES["steal"].values()
STUCK = OPTION_VALUES["stuck"].values()
TABLES = [(players, False) for players in range(2, 8)] + [(4, True)]
SMALL_DECK = [Card(rank, suit) for suit in range(4) for rank in (0, 9, 12)]
DECK = rules.full_deck()


def jitted_name(function):
    """The plain function behind a twin, whether compiling is switched off or not."""
    return getattr(function, "py_func", function)


def own_twins():
    """What the jitted rooms define themselves, by name."""
    found = {}
    for room in TWINS:
        for name, thing in vars(room).items():
            plain = jitted_name(thing)
            if callable(plain) and getattr(plain, "__module__", "") == room.__name__ and not name.startswith("_"):
                assert found.setdefault(name, thing) is thing, f"{name} is in two rooms"
    return found


def rulebook_functions():
    """The functions of rules.py whose docstring begins with a number, by number."""
    tree = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    numbered = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and (match := re.match(r"R(\d+): ", ast.get_docstring(node) or "")):
            numbered.setdefault(int(match[1]), []).append(node.name)
    return numbered


def random_hands(rng, players):
    return rules.deal_hands(rng.sample(DECK, 52), players)


def by_side(points, table):
    """A list by seat, added up by side."""
    sides = [0] * table.sides
    for seat, value in enumerate(points):
        sides[rules.side_of(seat, table.partners)] += value
    return sides


def packed(values, bits):
    return sum(value << (bits * place) for place, value in enumerate(values))


def unturned(cards, lane):
    """The cards of a set whose suits were turned."""
    return {card_of(deck.unturned_card(card_number(card), lane)) for card in set_to_cards(cards)}


def none_is_nobody(side):
    return NOBODY if side is None else side


def bits_of(calls):
    return sum(1 << call for call in calls)


# Where is R9? ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 18))
def test_every_rule_has_a_readable_function_a_jitted_twin_of_the_same_name_and_tests(number):
    names = rulebook_functions()[number]
    assert len(names) == 1
    twin = own_twins()[names[0]]
    assert jitted_name(twin).__doc__.startswith(f"R{number}: ")
    assert PLAIN or hasattr(twin, "py_func"), "the twin is compiled"
    for files in ("test_rules.py", "test_twins.py"):
        assert re.search(rf"^def test_r{number}_", (TESTS / files).read_text(encoding="utf-8"), re.M), files


def test_there_are_seventeen_rules_and_no_others():
    assert sorted(rulebook_functions()) == list(range(1, 18))
    numbers = [
        match[1] for twin in own_twins().values() if (match := re.match(r"R(\d+): ", jitted_name(twin).__doc__ or ""))
    ]
    assert sorted(map(int, numbers)) == sorted([*range(1, 18), 8]), "R8 is also the pitch itself"


# The small steps -------------------------------------------------------------------------------------


@jitted
def count_and_ends(cards):
    return popcount(cards), lowest(cards), highest(cards)


def test_the_bit_instructions_count_and_find_cards():
    rng = random.Random(0)
    for _ in range(CASES):
        numbers = rng.sample(range(63), rng.randint(1, 20))
        cards = sum(1 << number for number in numbers)
        assert count_and_ends(cards) == (len(numbers), min(numbers), max(numbers))


def test_sets_of_cards_round_trip():
    rng = random.Random(1)
    for _ in range(CASES):
        cards = rng.sample(DECK, rng.randint(0, 52))
        assert set(set_to_cards(cards_to_set(cards))) == set(cards)
        assert bytes(packed_deck(cards_to_set(cards)).view(np.uint8)[: len(cards)]) == bytes(
            sorted(map(card_number, cards))
        )


def test_turning_puts_trump_on_top_and_keeps_every_card():
    for lane in range(4):
        for card in DECK:
            turned = deck.turn(1 << card_number(card), lane)
            assert turned == 1 << deck.turned_card(card_number(card), lane)
            assert (turned & TRUMPS != 0) == (card.suit == lane)
            assert unturned(turned, lane) == {card}
    rng = random.Random(2)
    for _ in range(CASES):
        cards, lane = rng.sample(DECK, 20), rng.randrange(4)
        assert unturned(deck.turn(cards_to_set(cards), lane), lane) == set(cards)


def test_trick_points_are_counted_alike():
    rng = random.Random(3)
    for _ in range(CASES):
        cards = rng.sample(DECK, rng.randint(0, 52))
        assert deck.trick_points(cards_to_set(cards)) == rules.trick_points(cards)


# R1 to R3 --------------------------------------------------------------------------------------------


def test_r1_the_same_numbers_may_sit_down():
    for players, partners in itertools.product(range(-1, 12), (False, True)):
        assert deck.may_sit_down(players, int(partners)) == rules.may_sit_down(players, partners)


def test_r2_the_same_deck():
    assert set(set_to_cards(deck.full_deck())) == set(rules.full_deck())
    assert deck.full_deck() == ALL_CARDS


def word(key, counter):
    """SplitMix64 once more, from the paper."""
    z = (key + GAMMA * counter) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def shuffled_in_plain_python(cards, seats, key, deal):
    """Six cards for each of these seats, drawn as `deal_hands` draws them; and how often all was drawn anew."""
    for attempt in range(9):
        left, hands, fair = [card_number(card) for card in cards], [], True
        for seat in seats:
            drawn, hand = word(key, 8 * deal + seat + (attempt << 60)), []
            for fraction in (drawn >> 32, drawn % 2**32):
                ways = 1
                for _ in range(3):
                    ways *= len(left)
                    fraction *= len(left)
                    place, fraction = fraction >> 32, fraction % 2**32
                    hand.append(card_of(left[place]))
                    left[place] = left[-1]
                    left.pop()
                fair = fair and fraction >= 2**32 % ways
            hands.append(hand)
        if fair:
            return hands, attempt
    raise AssertionError("never fair")


def dealt_by_the_engine(cards, first, players, key, deal):
    desk = new_desk()
    deck.deal_hands(
        packed_deck(cards_to_set(cards)), desk[0], desk[0].view(np.uint8), desk[1], first, players,
        len(cards), np.uint64(key), deal,
    )  # fmt: skip
    return [set(set_to_cards(int(cards))) for cards in desk[1][first:players]]


def two_packets(hands):
    """The order in which these hands come off the top of the deck."""
    return [card for start in (0, 3) for hand in hands for card in hand[start : start + 3]]


def test_r3_the_same_six_cards_each_in_two_packets():
    rng = random.Random(4)
    for case in range(CASES):
        players, key, deal = 2 + case % 6, rng.getrandbits(64), rng.getrandbits(rng.choice([4, 20, 56]))
        hands, _ = shuffled_in_plain_python(DECK, range(players), key, deal)
        at_the_table = rules.deal_hands(two_packets(hands), players)
        assert [set(hand) for hand in at_the_table] == dealt_by_the_engine(DECK, 0, players, key, deal)


def test_r3_the_others_are_dealt_from_the_cards_that_one_hand_leaves():
    rng = random.Random(5)
    for case in range(CASES):
        players, key, deal = 2 + case % 6, rng.getrandbits(64), rng.getrandbits(40)
        mine = set(rng.sample(DECK, 6))
        rest = [card for card in DECK if card not in mine]
        hands, _ = shuffled_in_plain_python(rest, range(1, players), key, deal)
        assert [set(hand) for hand in hands] == dealt_by_the_engine(rest, 1, players, key, deal)


@pytest.mark.parametrize("seat", range(4))
def test_r3_a_word_that_would_favour_some_hands_is_drawn_anew(seat):
    # SplitMix64 maps 0 to 0, and the word 0 leaves the rest 0: the first rest that is not fair.
    key = -GAMMA * seat & MASK64
    hands, redrawn = shuffled_in_plain_python(DECK, range(4), key, 0)
    assert redrawn == 1
    assert [set(hand) for hand in hands] == dealt_by_the_engine(DECK, 0, 4, key, 0)


# R4 to R7 --------------------------------------------------------------------------------------------

AUCTION_HOUSES = [
    Rules(players=players, partners=partners, lowest_bid=lowest_bid, dealer_may_steal=steal, stuck_dealer=stuck)
    for (players, partners), lowest_bid, steal, stuck in itertools.product(TABLES, (1, 2), STEALS, STUCK)
]


def test_r4_the_same_calls_are_legal_in_every_seat_after_every_bid():
    for table in AUCTION_HOUSES:
        house = house_of(table)
        for position, bid in itertools.product(range(table.players), range(5)):
            calls = rules.legal_calls(table, position, bid)
            if calls:
                assert auction.legal_calls(house, position, bid) == bits_of(calls), (table, position, bid)


def test_r5_the_same_bids_end_the_auction():
    for table, bid in itertools.product(AUCTION_HOUSES, range(5)):
        assert auction.ends_auction(bid, house_of(table)) == rules.ends_auction(bid, table)


def test_r6_the_same_bids_may_be_stolen():
    for table, bid in itertools.product(AUCTION_HOUSES, range(5)):
        assert auction.may_steal(bid, house_of(table)) == rules.may_steal(bid, table)


def test_r7_a_stuck_dealer_has_the_same_calls():
    for table in AUCTION_HOUSES:
        assert auction.stuck_calls(house_of(table)) == bits_of(rules.stuck_calls(table))


@policy(CALL)
def scripted(view):
    """Say what was written down for this seat."""
    return entry(view.notes, view.seat)


def hold(table, *calls):
    """An auction in which everybody says what is written here: its record and its tally."""
    script = np.array([*calls, *[9] * 7], np.int32)
    bidder = Found("scripted", scripted, lambda _: script, "test", "")
    seating = Seating(table, (find(PLAY, "random"),) * table.players, (bidder,) * table.players)
    keys, tally, log = Keys.of(7), Tally(), new_log()
    simulating.simulate_deals(
        seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
        keys.deal, keys.luck, 0, 1, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
    )  # fmt: skip
    return record_of(table, log), tally


NOBODY_PITCHES = (None, 0)
GOLDEN_AUCTIONS = [
    # house rules, calls in speaking order (four players), the pitcher and the bid, whether stolen
    ({}, (1, 0, 2, 2), (3, 2), True),
    ({}, (0, 3, 0, 3), (3, 3), True),
    ({}, (1, 2, 3, 0), (2, 3), False),
    ({}, (1, 0, 0, 1), (3, 1), True),
    ({}, (0, 0, 2, 3), (3, 3), False),
    ({}, (0, 4), (1, 4), False),
    ({}, (0, 0, 0, 2), (3, 2), False),
    ({}, (0, 0, 0, 4), (3, 4), False),
    ({"partners": True}, (0, 2, 0, 2), (3, 2), True),
    ({"dealer_may_steal": False}, (0, 2, 0, 3), (3, 3), False),
    ({"dealer_may_steal": False}, (0, 2, 0, 0), (1, 2), False),
    ({"dealer_may_steal": False}, (3, 4), (1, 4), False),
    ({"dealer_may_steal": "any"}, (0, 4, 0, 4), (3, 4), True),
    ({"dealer_may_steal": "any"}, (4, 0, 0, 0), (0, 4), False),
    ({"dealer_may_steal": "any"}, (0, 2, 0, 2), (3, 2), True),
    ({"dealer_may_steal": "only_4"}, (4, 0, 0, 4), (3, 4), True),
    ({"dealer_may_steal": "only_4"}, (0, 2, 0, 3), (3, 3), False),
    ({"dealer_may_steal": "only_4"}, (2, 3, 0, 0), (1, 3), False),
    ({"lowest_bid": 2}, (2, 0, 0, 2), (3, 2), True),
    ({"stuck_dealer": "throw_in_next"}, (0, 0, 0, 0), NOBODY_PITCHES, False),
    ({"stuck_dealer": "throw_in_same"}, (0, 0, 0, 0), NOBODY_PITCHES, False),
    ({"stuck_dealer": "throw_in_next"}, (0, 0, 0, 2), (3, 2), False),
]


@pytest.mark.parametrize(("named", "calls", "contract", "stolen"), GOLDEN_AUCTIONS)
def test_golden_auctions(named, calls, contract, stolen):
    table = Rules(**named)
    record, tally = hold(table, *calls)
    assert tuple(call["bid"] for call in record["auction"]) == calls
    pitcher, bid = contract
    assert tally.by_seat[:, simulating.SEAT_PITCHER].tolist() == [int(seat == pitcher) for seat in range(7)]
    assert tally.by_bid[:, simulating.BID_DEALS].tolist() == [int(0 < bid == made) for made in range(5)]
    assert tally.totals[simulating.THROWN_IN] == (pitcher is None)
    assert tally.totals[simulating.STOLEN] == stolen
    assert tally.totals[simulating.STUCK] == (not any(calls[:3]))


ILLEGAL_AUCTIONS = [
    ({}, (2, 2), "R4"),
    ({}, (3, 1), "R4"),
    ({}, (5,), "R4"),
    ({}, (-1,), "R4"),
    ({"lowest_bid": 2}, (1,), "R4"),
    ({"dealer_may_steal": "any"}, (0, 4, 4), "R4"),
    ({"dealer_may_steal": False}, (0, 2, 0, 2), "R6"),
    ({"dealer_may_steal": "only_4"}, (0, 2, 0, 2), "R6"),
    ({"dealer_may_steal": "any"}, (0, 4, 0, 3), "R4"),
    ({}, (0, 0, 0, 0), "R7"),
    ({}, (0, 0, 0, 1), "R7"),
    ({"stuck_dealer": "throw_in_same"}, (0, 0, 0, 1), "R7"),
]


@pytest.mark.parametrize(("named", "calls", "rule"), ILLEGAL_AUCTIONS)
def test_golden_calls_that_no_rule_allows_are_refused(named, calls, rule):
    with pytest.raises(IllegalCall):
        hold(Rules(**named), *calls)
    at_the_table = Deal(Rules(**named), 3, random_hands(random.Random(0), 4))
    for seat, call in enumerate(calls[:-1]):
        at_the_table.call(seat, call)
    with pytest.raises(rules.Violation) as broken:
        at_the_table.call(len(calls) - 1, calls[-1])
    assert broken.value.rule == rule


# R8 to R10 -------------------------------------------------------------------------------------------


def test_r8_the_first_card_names_the_same_trump():
    for card in DECK:
        assert play.trump_of(card_number(card)) == rules.trump_of(card)


def offered_by_the_engine(hand, led, trump, strict):
    """The legal cards, by the twin: suits turned so that trump is on top."""
    suit = 0 if led is None else deck.suit_cards_of(deck.turned_card(card_number(Card(0, led)), trump))
    legal = play.legal_cards(deck.turn(cards_to_set(hand), trump), suit, int(strict))
    return unturned(legal, trump)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("trump", range(4))
def test_r9_legality_exhausted_the_same_cards_are_offered_in_every_small_position(trump, strict):
    for number in (1, 2, 3):
        for hand, led in itertools.product(itertools.combinations(SMALL_DECK, number), (None, 0, 1, 2, 3)):
            offered = offered_by_the_engine(hand, led, trump, strict)
            assert offered == set(rules.legal_cards(hand, led, trump, strict)), (hand, led, trump, strict)


def test_r9_the_same_cards_are_offered_from_whole_hands():
    rng = random.Random(9)
    for _ in range(CASES):
        hand = rng.sample(DECK, rng.randint(1, 6))
        led, trump, strict = rng.choice([None, 0, 1, 2, 3]), rng.randrange(4), rng.random() < 0.5
        assert offered_by_the_engine(hand, led, trump, strict) == set(rules.legal_cards(hand, led, trump, strict))


def test_r9_what_a_card_shows_about_voids():
    for led, trump, card, strict in itertools.product(range(4), range(4), DECK, (0, 1)):
        top = deck.turned_card(card_number(card), trump)
        first = deck.turned_card(card_number(Card(0, led)), trump)
        excused = play.excuses(deck.suit_cards_of(first), strict)
        shown = play.shown_void(1 << top, excused, play.trump_of(first))
        threw_off = card.suit != led and (card.suit != trump or strict)
        assert shown == (1 << (led - trump + 3) % 4 if threw_off else 0)


@policy(CARD)
def wayward(view):
    """Keep the rules while I hold many cards; with three or two play any of them, allowed or not."""
    cards = view.legal if popcount(view.hand) > 3 else view.hand
    for _ in range(draw(view, 0, popcount(cards))):
        cards &= cards - 1
    return lowest(cards)


def test_r9_the_engine_refuses_exactly_the_cards_that_the_rules_refuse():
    rng = random.Random(10)
    met = set()
    for case in range(CASES):
        table = random_rules(rng)
        calls = [0] * (table.players - 1) + [2]
        met |= play_waywardly(table, calls, seed=case)
    refused = {tuple(position) for *position, allowed in met if not allowed}
    # Trump led, the suit led in hand, a trump in hand, strict; who holds a trump led holds a trump.
    possible = {(led, True, trump, strict) for led, trump, strict in itertools.product((False, True), repeat=3)}
    possible -= {(True, True, False, strict) for strict in (False, True)}
    assert refused <= possible, "only who holds the suit led is ever refused a card"
    assert PLAIN or refused == possible, "and every such position came up"


def play_waywardly(table, calls, seed):
    """Play one deal until a card is refused; the readable rules must refuse it too. Answers the positions met."""
    script = np.array([*calls, *[9] * 7], np.int32)
    bidder = Found("scripted", scripted, lambda _: script, "test", "")
    player = Found("wayward", wayward, no_notes, "test", "")
    seating = Seating(table, (player,) * table.players, (bidder,) * table.players)
    keys, tally, log = Keys.of(seed), Tally(), new_log()
    refused = False
    try:
        simulating.simulate_deals(
            seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
            keys.deal, keys.luck, 0, 1, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
        )  # fmt: skip
    except IllegalCard:
        refused = True
    record = record_of(table, log)
    at_the_table = Deal(table, table.players - 1, [[rules_card(text) for text in hand] for hand in record["hands"]])
    for seat, call in enumerate(calls):
        at_the_table.call(seat, call)
    luck = word(int(keys.luck), 0) >> 2 & ~127
    met = set()
    for played, (seat, text) in enumerate([*record["plays"], (None, None)]):
        if at_the_table.over:
            break
        seat = at_the_table.to_play if seat is None else seat
        position = position_of(at_the_table, seat)
        if played and len(at_the_table.held[seat]) > 1:
            card = wayward_card(at_the_table, seat, luck + played)
            met.add((*position, card in at_the_table.legal_cards()))
            if card not in at_the_table.legal_cards():
                assert refused, record
                assert text is None, record
                return met
            assert text == str(card), (record, played)
        at_the_table.play(seat, rules_card(text))
    assert not refused, record
    return met


def wayward_card(deal, seat, luck):
    """The card that `wayward` plays here: its own draw, in plain Python."""
    cards = deal.legal_cards() if len(deal.held[seat]) > 3 else deal.held[seat]
    upward = sorted(cards, key=lambda card: deck.turned_card(card_number(card), deal.trump))
    return upward[word(luck, 1) * len(cards) >> 64]


def position_of(deal, seat):
    """What matters for R9: trump led, the suit led in hand, a trump in hand, strict."""
    led = deal.trick[0].suit if deal.trick else None
    suits = {card.suit for card in deal.held[seat]}
    return led is not None and led == deal.trump, led in suits, deal.trump in suits, deal.rules.follow == "strict"


def rules_card(text):
    return Card("23456789TJQKA".index(text[0]), "SHDC".index(text[1]))


def winner_by_the_engine(cards, trump):
    """The place of the winning card, by the twin, one card after the other."""
    first = deck.turned_card(card_number(cards[0]), trump)
    best, winner = 0, 0
    for place, card in enumerate(cards):
        bit = 1 << deck.turned_card(card_number(card), trump)
        best, winner = play.trick_winner(best, winner, bit, place, deck.suit_cards_of(first))
    return winner


def test_r10_the_same_card_wins_of_any_two():
    for trump, cards in itertools.product(range(4), itertools.permutations(SMALL_DECK if PLAIN else DECK, 2)):
        assert winner_by_the_engine(cards, trump) == rules.trick_winner(cards, trump)


def test_r10_the_same_card_wins_every_trick():
    rng = random.Random(11)
    for _ in range(CASES):
        cards, trump = rng.sample(DECK, rng.randint(2, 7)), rng.randrange(4)
        assert winner_by_the_engine(cards, trump) == rules.trick_winner(cards, trump)


# What a seat sees --------------------------------------------------------------------------------------


@jitted
def mixed(numbers):
    """One number that depends on all of these."""
    seen = 0
    for number in numbers:
        seen = (seen * 31 + number % 65521) % 65521
    return seen


@jitted
def chosen(cards, seen):
    """One of these cards, by what was seen."""
    for _ in range(seen % popcount(cards)):
        cards &= cards - 1
    return lowest(cards)


@jitted
def mixed_page(view):
    """One number that depends on all calls and all tricks that everybody has heard and seen."""
    seen = 0
    for seat in range(7):
        seen = (seen * 31 + call_heard(view, seat) + 1) % 65521
    for trick in range(6):
        seen = (seen * 31 + trick_played(view, trick) % 65521) % 65521
    return seen


@policy(CARD)
def by_sight(view):
    """Play a card that depends on everything in the view, and on everything on the page."""
    return chosen(view.legal, mixed((mixed(view[:14]), mixed_page(view))))


def page_of(deal, plays):
    """What everybody has heard and seen, as the engine writes it, told by the readable rules."""
    page = np.zeros(LENGTH - PUBLIC, np.int64)
    page[CALLS - PUBLIC] = sum(bid + 1 << 4 * seat for seat, bid in enumerate(deal.calls))
    for place, (_, card) in enumerate(plays):
        trick, number = divmod(place, deal.rules.players)
        so_far = page[PLAYS - PUBLIC + trick] if number else 1
        card = deck.turned_card(card_number(card), deal.trump)
        page[PLAYS - PUBLIC + trick] = int(so_far) << CARD_BITS | int(card)
    return page


@policy(CALL)
def by_ear(view):
    """Make a call that depends on everything heard and held."""
    heard = (
        view.hand, view.seat, view.highest, view.bidder + 1, view.calls, view.legal, view.players, view.partners,
        view.low_to_holder, view.strict, view.lowest_bid, view.luck,
    )  # fmt: skip
    return chosen(view.legal, mixed(heard))


def bid_view(deal, luck):
    """What the next seat to speak hears and holds, told by the readable rules; `notes` left out."""
    table, seat = deal.rules, len(deal.calls)
    house = house_of(table)
    bidder = NOBODY if deal.bidder is None else deal.bidder
    return BidView(
        cards_to_set(deal.hands[seat]), seat, deal.bid, bidder, packed([call + 1 for call in deal.calls], 4),
        bits_of(deal.legal_calls()), house.players, house.partners, house.low_to_holder, house.strict,
        house.lowest_bid, None, luck + 64 + seat,
    )  # fmt: skip


def facts(deal):
    """What stays the same all deal, packed."""
    house = house_of(deal.rules)
    switches = house.partners + 2 * house.low_to_holder + 4 * house.strict
    return deal.pitcher + 8 * deal.bid + 64 * house.players + 512 * switches


def card_view(deal, voids, luck, page):
    """What the next seat to play sees, told by the readable rules."""
    table, seat, lane = deal.rules, deal.to_play, 3 if deal.trump is None else deal.trump
    side = rules.side_of(deal.pitcher, table.partners)
    mates = [place for place in range(table.players) if rules.side_of(place, table.partners) == side]
    leader = (seat - len(deal.trick)) % table.players
    ahead = rules.trick_winner(deal.trick, deal.trump) if deal.trick else 0
    led = [card for card in DECK if deal.trick and card.suit == deal.trick[0].suit]

    def turned(cards):
        return deck.turn(cards_to_set(cards), lane)

    return View(
        turned(deal.held[seat]), turned(deal.legal_cards()), turned(deal.trick), turned(led),
        turned(deal.trick[ahead : ahead + 1]), turned(card for pile in deal.piles for card in pile),
        turned(card for mate in mates for card in deal.piles[mate]),
        packed(by_side([rules.trick_points(pile) for pile in deal.piles], table), 8),
        packed([bits_of((suit - lane + 3) % 4 for suit in out) for out in voids], 4),
        seat, (leader + ahead) % table.players, table.players - 1 - len(deal.trick), facts(deal),
        luck + deal.cards_played, 0, page if PLAIN else page.ctypes.data,
    )  # fmt: skip


def walk_by_what_is_seen(deal, luck):
    """The deal that `by_ear` and `by_sight` make of these hands, walked by the readable rules: calls and plays."""
    calls, plays, voids = [], [], [set() for _ in deal.hands]
    while deal.to_speak is not None:
        view = bid_view(deal, luck)
        heard = [*view[:3], view.bidder + 1, *view[4:11], view.luck]
        calls.append(deal.legal_calls()[mixed(tuple(heard)) % len(deal.legal_calls())])
        deal.call(deal.to_speak, calls[-1])
    while deal.to_play is not None:
        seat, lane = deal.to_play, 3 if deal.trump is None else deal.trump
        page = page_of(deal, plays)
        view = card_view(deal, voids, luck, page)
        number = chosen(view.legal, mixed((mixed(tuple(view)[:14]), mixed_page(view))))
        card = card_of(deck.unturned_card(number, lane))
        if (
            deal.trick
            and card.suit != deal.trick[0].suit
            and (card.suit != deal.trump or deal.rules.follow == "strict")
        ):
            voids[seat].add(deal.trick[0].suit)
        plays.append((seat, card))
        deal.play(seat, card)
    return calls, plays


def test_a_seat_sees_its_hand_the_table_and_what_has_been_shown_and_nothing_else():
    rng = random.Random(13)
    player, bidder = (Found("test", function, no_notes, "test", "") for function in (by_sight, by_ear))
    for case in range(CASES // 3):
        table = random_rules(rng)
        seating = Seating(table, (player,) * table.players, (bidder,) * table.players)
        record = replay(seating, case, case)
        hands = [[rules_card(text) for text in hand] for hand in record["hands"]]
        luck = word(int(Keys.of(case).luck), case) >> 2 & ~127
        calls, plays = walk_by_what_is_seen(Deal(table, table.players - 1, hands), luck)
        assert [call["bid"] for call in record["auction"]] == calls, record
        assert record["plays"] == [[seat, str(card)] for seat, card in plays], record


# R11 to R15 ------------------------------------------------------------------------------------------


def test_r11_the_same_sides_get_high_low_and_jack():
    rng = random.Random(12)
    for _ in range(CASES):
        table = random_rules(rng)
        hands = random_hands(rng, table.players)
        trump = rng.choice(hands[0]).suit
        piles = [[] for _ in hands]
        for trick in zip(*hands, strict=True):
            piles[rng.randrange(table.players)] += trick
        seats = rules.high_low_jack(piles, hands, trump, table)
        expected = [NOBODY if seat is None else rules.side_of(seat, table.partners) for seat in seats]
        dealt, taken = np.zeros(8, np.int64), np.zeros(8, np.int64)
        for seat, (hand, pile) in enumerate(zip(hands, piles, strict=True)):
            dealt[seat] = cards_to_set(hand)
            taken[rules.side_of(seat, table.partners)] |= deck.turn(cards_to_set(pile), trump)
        in_play = int(np.bitwise_or.reduce(taken))
        assert list(scoring.high_low_jack(dealt, taken, house_of(table), in_play, trump)) == expected


@pytest.mark.parametrize("most", [3, 10, 40])
def test_r12_the_same_side_gets_game_and_ties_are_broken_alike(most):
    rng = random.Random(most)
    for _ in range(CASES):
        table = random_rules(rng)
        points = [rng.randint(0, most) for _ in range(table.sides)]
        side = rng.randrange(table.sides)
        expected = none_is_nobody(rules.game_point(points, side, table))
        assert scoring.game_point(packed(points, 8), side, house_of(table)) == expected, (points, side, table)


def test_r13_points_are_counted_alike():
    for winners in itertools.product((None, 0, 1, 2), repeat=4):
        by_the_book = rules.points_won(*winners, 3)
        numbers = [none_is_nobody(side) for side in winners]
        assert tuple(scoring.points_won(*numbers, side) for side in range(3)) == by_the_book
        for side in range(3):
            won = [1 << k for k, winner in enumerate(winners) if winner == side]
            assert scoring.points_set(*numbers, side) == sum(won)


def test_r14_the_same_score_change_for_every_number_of_points_bid_and_tricks():
    for smudge, bid, points, tricks in itertools.product((False, True), (1, 2, 3, 4), range(5), range(7)):
        table = Rules(players=2, smudge=smudge)
        house = house_of(table)
        pitchers, others = rules.score_change((points, 4 - points), 0, bid, tricks, table)
        assert scoring.score_change(points, True, bid, tricks == 6, house) == pitchers
        assert scoring.score_change(4 - points, False, bid, tricks == 6, house) == others


def test_r15_the_same_sides():
    for (players, partners), seat in itertools.product(TABLES, range(7)):
        if seat < players:
            assert deck.side_of(seat, int(partners)) == rules.side_of(seat, partners)
            house = house_of(Rules(players=players, partners=partners))
            assert scoring.sides_of(house) == Rules(players=players, partners=partners).sides


# R16 and R17 -----------------------------------------------------------------------------------------


def test_r16_the_same_player_deals_next():
    for (players, partners), stuck, thrown_in in itertools.product(TABLES, STUCK, (False, True)):
        table = Rules(players=players, partners=partners, stuck_dealer=stuck)
        for dealer in range(players):
            by_the_book = rules.next_dealer(dealer, table, thrown_in)
            assert scoring.next_dealer(dealer, players, thrown_in, stuck == "throw_in_same") == by_the_book


WINNING = {"pitcher_only": scoring.PITCHER_ONLY, "pitcher_made": scoring.PITCHER_MADE, "anyone": scoring.ANYONE}


def test_r17_the_same_side_wins_the_game():
    rng = random.Random(17)
    winners = set()
    for _ in range(2 * CASES):
        table = random_rules(rng)
        sides = range(table.sides)
        scores = [rng.randint(table.target - 4, table.target + 2) for _ in sides]
        if table.end_after is not None:
            table = Rules(**table.to_dict() | {"end_after": None})
        thrown_in = rng.random() < 0.1
        pitcher, made = (None, None) if thrown_in else (rng.choice(sides), rng.random() < 0.6)
        points = [None if thrown_in else rng.choice([None, *sides]) for _ in range(4)]
        expected = none_is_nobody(rules.game_winner(scores, pitcher, made, points, table))
        numbers = [none_is_nobody(side) for side in points]
        winner = scoring.game_winner(
            np.array(scores, np.int64), table.sides, none_is_nobody(pitcher), bool(made), *numbers,
            table.target, WINNING[table.winning],
        )  # fmt: skip
        assert winner == expected, (scores, pitcher, made, points, table)
        winners.add((table.winning, winner == NOBODY, winner == pitcher))
    assert len(winners) >= 7


# Without the compiler --------------------------------------------------------------------------------


@pytest.mark.skipif(PLAIN, reason="it is switched off already")
@pytest.mark.slow
def test_everything_is_the_same_with_the_compiler_switched_off():
    files = [str(TESTS / name) for name in ("test_engine.py", "test_twins.py")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:]
