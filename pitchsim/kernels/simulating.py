"""Whole deals, auction included."""

from numba import int64, types, uint64

from pitchsim.auction import NOBODY, hold_auction
from pitchsim.deck import deal_hands, side_of
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
from pitchsim.jit import borrowed, jitted, kernel
from pitchsim.log import CALLS, DEAL, PITCHER
from pitchsim.scoring import points_won
from pitchsim.stream import luck_of

# Rows and columns of the tallies of `simulate_deals`.
BID_DEALS, BID_MADE, BID_POINTS, BID_CHANGE, BID_COLUMNS = range(5)
SEAT_PITCHER, SEAT_CHANGE, SEAT_SQUARED, SEAT_COLUMNS = range(4)
TOTAL_DEALS, THROWN_IN, STOLEN, STUCK, HIGH, LOW, JACK, GAME, TRICK_POINTS, PITCHER_SQUARED, TOTALS = range(11)


@jitted
def highest_before_dealer(calls, players):
    """The highest bid that the dealer heard, 0 when all passed."""
    most = int64(0)
    for seat in range(players - 1):
        most = max(most, call_of(calls, seat))
    return most


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
        totals[TRICK_POINTS] += all_trick_points(points)
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
                totals[PITCHER_SQUARED] += change * change
