"""Whole deals, auction included."""

from numba import int64, types, uint64

from pitchsim.auction import NOBODY, hold_auction
from pitchsim.cards import RANKS
from pitchsim.deck import LANE_BITS, SUIT_CARDS, deal_hands, side_of
from pitchsim.engine import (
    NUMBERS,
    POLICY_PITCHES,
    TABLE,
    all_trick_points,
    call_of,
    changes_of,
    laid_out,
    note_hands,
    play_deal,
)
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, inlined, jitted, kernel
from pitchsim.log import CALLS, DEAL, PITCHER, TRUMP_SUIT
from pitchsim.scoring import points_won
from pitchsim.stream import luck_of

CALLS_THERE_ARE = 5
ACE_RANK = len(RANKS) - 1

# Rows and columns of the tallies of `simulate_deals`.
BID_DEALS, BID_MADE, BID_POINTS, BID_CHANGE, BID_COLUMNS = range(5)
SEAT_PITCHER, SEAT_CHANGE, SEAT_SQUARED, SEAT_CALLS = range(4)
SEAT_COLUMNS = SEAT_CALLS + CALLS_THERE_ARE
"""From SEAT_CALLS on: how often the seat called pass, 1, 2, 3, 4."""

TOTAL_DEALS, THROWN_IN, STOLEN, STUCK, HIGH, LOW, JACK, GAME, TRICK_POINTS, PITCHER_SQUARED = range(10)
TRICK_POINTS_SQUARED, POINTS_SQUARED, ACE, DEUCE, SPOKEN_SQUARED = range(10, 15)
CALLS_SQUARED, CALLS_AND_SPOKEN, TOTALS = (15 + k * CALLS_THERE_ARE for k in range(3))
"""For each call from pass to 4, over the deals: the square of how often it was made in one, and that number times all
calls spoken in it; with SPOKEN_SQUARED they give the error of its share, since calls of one deal hang together."""


@jitted
def highest_before_dealer(calls, players):
    """The highest bid that the dealer heard, 0 when all passed."""
    most = int64(0)
    for seat in range(players - 1):
        most = max(most, call_of(calls, seat))
    return most


@inlined
def count_calls(calls, players, by_seat, totals):
    """Count what each seat called; after a 4 some have not spoken."""
    times, spoken = int64(0), int64(0)
    for seat in range(players):
        call = call_of(calls, seat)
        if call >= 0:
            by_seat[seat, SEAT_CALLS + call] += 1
            times += int64(1) << (4 * call)
            spoken += 1
    for call in range(CALLS_THERE_ARE):
        often = times >> (4 * call) & 15
        totals[CALLS_SQUARED + call] += often * often
        totals[CALLS_AND_SPOKEN + call] += often * spoken
    totals[SPOKEN_SQUARED] += spoken * spoken


@inlined
def trumps_dealt(dealt, players, lane):
    """The trumps that somebody was dealt, deuce to ace from bit 0 on."""
    cards = int64(0)
    for seat in range(players):
        cards |= dealt[seat]
    return cards >> (LANE_BITS * lane) & SUIT_CARDS


@kernel(
    types.void(
        NUMBERS, NUMBERS, NUMBERS, HOUSE, NUMBERS, uint64, uint64, int64, int64,
        TABLE, TABLE, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def simulate_deals(line, bidders, notes, house, deck, key, luck_key, first, count, by_bid, by_seat, totals, desk, log):
    """Deal, call, play and score deals `first` .. `first` + `count` - 1; adds to the three tallies."""
    line = borrowed(line)
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    dealer = house.players - 1
    for deal in range(first, first + count):
        log[DEAL] = deal
        log[PITCHER] = NOBODY
        deal_hands(deck, room_words, room, dealt, 0, house.players, int64(52), key, deal)
        note_hands(dealt, house.players, log)
        luck = luck_of(luck_key, deal)
        pitcher, bid = hold_auction(
            bidders, notes, house, dealt, int64(0), int64(0), int64(NOBODY), int64(0), luck, log
        )
        before = highest_before_dealer(log[CALLS], house.players)
        count_calls(log[CALLS], house.players, by_seat, totals)
        totals[TOTAL_DEALS] += 1
        totals[STUCK] += int64(before == 0)
        if pitcher == NOBODY:
            totals[THROWN_IN] += 1
            continue
        totals[STOLEN] += int64(pitcher == dealer and before == bid)
        high, low, jack, game, points, tricks = play_deal(
            line, house, dealt, hands, piles, pitcher, bid, int64(POLICY_PITCHES), luck, log
        )
        totals[HIGH] += int64(high != NOBODY)
        totals[LOW] += int64(low != NOBODY)
        totals[JACK] += int64(jack != NOBODY)
        totals[GAME] += int64(game != NOBODY)
        trumps = trumps_dealt(dealt, house.players, log[TRUMP_SUIT])
        totals[ACE] += trumps >> ACE_RANK
        totals[DEUCE] += trumps & 1
        in_tricks = all_trick_points(points)
        totals[TRICK_POINTS] += in_tricks
        totals[TRICK_POINTS_SQUARED] += in_tricks * in_tricks
        pitchers_side = side_of(pitcher, house.partners)
        for seat in range(house.players):
            side = side_of(seat, house.partners)
            change = changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
            by_seat[seat, SEAT_CHANGE] += change
            by_seat[seat, SEAT_SQUARED] += change * change
            if seat == pitcher:
                won = points_won(high, low, jack, game, side)
                by_seat[seat, SEAT_PITCHER] += 1
                by_bid[bid, BID_DEALS] += 1
                by_bid[bid, BID_MADE] += int64(won >= bid)
                by_bid[bid, BID_POINTS] += won
                by_bid[bid, BID_CHANGE] += change
                totals[POINTS_SQUARED] += won * won
                totals[PITCHER_SQUARED] += change * change
