"""Whole deals, auction included."""

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
from pitchsim.jit import borrowed, inlined, int64, jitted, kernel, types, uint64
from pitchsim.kernels.laying import DESKS, LUCKS, lay_ready, points_on
from pitchsim.log import BID, CALLS, DEAL, PITCHER, TRUMP_SUIT
from pitchsim.play import pitch, trump_of
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


CONTRACT_PITCHER, CONTRACT_BID, CONTRACT_TRUMPS, CONTRACT_COLUMNS = range(4)


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


@inlined
def count_auction(calls, pitcher, bid, house, by_seat, totals):
    """Count the calls of a deal, and how its auction ended."""
    before = highest_before_dealer(calls, house.players)
    count_calls(calls, house.players, by_seat, totals)
    totals[TOTAL_DEALS] += 1
    totals[STUCK] += int64(before == 0)
    totals[THROWN_IN] += int64(pitcher == NOBODY)
    totals[STOLEN] += int64(pitcher == house.players - 1 and before == bid)


@inlined
def count_play(high, low, jack, game, in_tricks, tricks, trumps, pitcher, bid, house, by_bid, by_seat, totals):
    """Count the points of a deal (`in_tricks`: all trick points, `trumps`: those dealt), and what every seat scored."""
    totals[HIGH] += int64(high != NOBODY)
    totals[LOW] += int64(low != NOBODY)
    totals[JACK] += int64(jack != NOBODY)
    totals[GAME] += int64(game != NOBODY)
    totals[ACE] += trumps >> ACE_RANK
    totals[DEUCE] += trumps & 1
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


@inlined
def deal_and_call(bidders, notes, house, deck, room_words, room, dealt, key, luck_key, deal, by_seat, totals, log):
    """Deal, and hold the auction; returns the pitcher (NOBODY: thrown in), his bid, and the luck of the deal."""
    log[DEAL] = deal
    log[PITCHER] = NOBODY
    deal_hands(deck, room_words, room, dealt, 0, house.players, int64(52), key, deal)
    note_hands(dealt, house.players, log)
    luck = luck_of(luck_key, deal)
    pitcher, bid = hold_auction(bidders, notes, house, dealt, int64(0), int64(0), int64(NOBODY), int64(0), luck, log)
    count_auction(log[CALLS], pitcher, bid, house, by_seat, totals)
    return pitcher, bid, luck


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
    for deal in range(first, first + count):
        pitcher, bid, luck = deal_and_call(
            bidders, notes, house, deck, room_words, room, dealt, key, luck_key, deal, by_seat, totals, log
        )
        if pitcher == NOBODY:
            continue
        high, low, jack, game, points, tricks = play_deal(
            line, house, dealt, hands, piles, pitcher, bid, int64(POLICY_PITCHES), luck, log
        )
        trumps = trumps_dealt(dealt, house.players, log[TRUMP_SUIT])
        count_play(
            high,
            low,
            jack,
            game,
            all_trick_points(points),
            tricks,
            trumps,
            pitcher,
            bid,
            house,
            by_bid,
            by_seat,
            totals,
        )


@kernel(
    types.void(
        NUMBERS, NUMBERS, NUMBERS, HOUSE, NUMBERS, TABLE, uint64, uint64, int64, int64,
        DESKS, LUCKS, TABLE, TABLE, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def lay_deals(
    line, bidders, notes, house, deck, played_by, key, luck_key, first, count,
    desks, lucks, contracts, by_seat, totals, desk, log,
):  # fmt: skip
    """Deal, call and pitch, and lay the deals ready for 64 lanes; adds to the tallies of the auction.

    Fills a row of `contracts` a deal: pitcher (NOBODY: thrown in), bid, trumps dealt.
    """
    line = borrowed(line)
    room_words, room, dealt, _hands, _piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    for number in range(count):
        pitcher, bid, luck = deal_and_call(
            bidders, notes, house, deck, room_words, room, dealt, key, luck_key, first + number, by_seat, totals, log
        )
        contracts[number, CONTRACT_PITCHER] = pitcher
        contracts[number, CONTRACT_BID] = bid
        if pitcher != NOBODY:
            log[PITCHER] = pitcher
            log[BID] = bid
            card = pitch(line, house, dealt, pitcher, bid, luck, log)
            contracts[number, CONTRACT_TRUMPS] = trumps_dealt(dealt, house.players, trump_of(card))
            lay_ready(desks, lucks, played_by, number, house, dealt, pitcher, card, luck)


@kernel(types.void(HOUSE, int64, DESKS, TABLE, TABLE, TABLE, NUMBERS))
def count_deals(house, count, desks, contracts, by_bid, by_seat, totals):
    """Add the points that lie on the desks to the tallies."""
    for number in range(count):
        pitcher = contracts[number, CONTRACT_PITCHER]
        if pitcher != NOBODY:
            high, low, jack, game, in_tricks, tricks = points_on(desks, number, house, pitcher)
            bid, trumps = contracts[number, CONTRACT_BID], contracts[number, CONTRACT_TRUMPS]
            count_play(high, low, jack, game, in_tricks, tricks, trumps, pitcher, bid, house, by_bid, by_seat, totals)
