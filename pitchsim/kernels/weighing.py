"""Every legal call and every lead, tried on deals that fit the calls heard."""

from numba import boolean, int64, types, uint64

from pitchsim.auction import NOBODY, hold_auction, speak
from pitchsim.deck import HAND_SIZE, deal_hands, side_of
from pitchsim.engine import (
    CUBE,
    LEAD_BID,
    LINE,
    NUMBERS,
    POLICY_PITCHES,
    SWEPT,
    TABLE,
    VALUES,
    call_of,
    changes_of,
    laid_out,
    note_hands,
    play_deal,
    smudges,
)
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, inlined, kernel, plain_twin
from pitchsim.log import CALLS, DEAL, PITCHER
from pitchsim.play import NOTES
from pitchsim.scoring import points_set, points_won, sides_of
from pitchsim.stream import luck_of

# Columns of a row of calls.
OWN, OWN_SQUARED, VALUE, IS_PITCHER, IS_MADE, FIRST_PRODUCT = range(6)
MOST_CALLS = 5
CALL_COLUMNS = FIRST_PRODUCT + MOST_CALLS

MOST_STRATA = 7
"""Deals are kept apart by how many of the calls heard the bidding policy would not have made: 0 to 6."""


def _plain_by_role(defenders, pitchers, line, pitcher, house):
    """The plain twin of `by_role`."""
    side = side_of(pitcher, house.partners)
    chosen = [pitchers if side_of(seat, house.partners) == side else defenders for seat in range(NOTES)]
    return [chosen[place % NOTES][place] for place in range(len(defenders))]


@plain_twin(_plain_by_role)
@inlined
def by_role(defenders, pitchers, line, pitcher, house):
    """Seat the policies of the pitcher's side and of the defenders; returns `line`, filled."""
    side = side_of(pitcher, house.partners)
    for seat in range(house.players):
        on_side = side_of(seat, house.partners) == side
        line[seat] = pitchers[seat] if on_side else defenders[seat]
        line[seat + NOTES] = pitchers[seat + NOTES] if on_side else defenders[seat + NOTES]
    return line


@inlined
def mismatches(bidders, notes, house, dealt, seat, heard, luck, chance, accept, log):
    """How many of the calls heard the bidding policies would not have made with these hands; MOST_STRATA: not kept.

    Deals with that many are kept with chance `accept[that many]` / 2**62, so hopeless ones are left early.
    """
    wrong = int64(0)
    high = int64(0)
    bidder = int64(NOBODY)
    calls = int64(0)
    for other in range(seat):
        log[CALLS] = calls
        call = call_of(heard, other)
        wrong += int64(speak(bidders, notes, house, dealt, int64(other), high, bidder, calls, luck) != call)
        if chance >= accept[wrong]:
            return int64(MOST_STRATA)
        calls |= (call + 1) << (4 * other)
        if call > 0:
            high = call
            bidder = int64(other)
    return wrong


@kernel(
    types.void(
        NUMBERS, NUMBERS, NUMBERS, NUMBERS, HOUSE, NUMBERS, int64, int64, int64, int64, int64,
        NUMBERS, NUMBERS, NUMBERS, boolean, uint64, uint64, uint64, int64, int64, int64,
        CUBE, CUBE, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def weigh_calls(
    defenders, pitchers, bidders, notes, house, deck, hand, seat, heard, highest_bid, bidder,
    calls, leads, accept, margin, key, luck_key, chance_key, first, quota, limit,
    call_tally, lead_tally, counts, desk, log,
):  # fmt: skip
    """Deals that fit the calls heard, with every legal call and every lead tried on each of them.

    `pitchers` are the policies of the seats when they are on the pitcher's side, `defenders` when they are not.
    Proposals start at deal `first` and end when `quota` deals are kept or `limit` are dealt. Adds to `call_tally`
    (strata, calls, CALL_COLUMNS), `lead_tally` (strata, leads, SWEPT + 1) and `counts` (kept, by stratum; last:
    proposals). A value is the own score change, or with `margin` (sides - 1) x own minus the sum of the others.
    """
    defenders = borrowed(defenders)
    pitchers = borrowed(pitchers)
    line = borrowed(desk[LINE])
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    values = borrowed(desk[VALUES])
    sides = sides_of(house)
    my_side = side_of(seat, house.partners)
    kept = int64(0)
    deal = first
    while kept < quota and deal < first + limit:
        log[DEAL] = deal
        log[PITCHER] = NOBODY
        deal_hands(deck, room_words, room, dealt, 1, house.players, int64(52 - HAND_SIZE), key, deal)
        for other in range(seat):
            dealt[other] = dealt[other + 1]
        dealt[seat] = hand
        note_hands(dealt, house.players, log)
        luck = luck_of(luck_key, deal)
        stratum = mismatches(bidders, notes, house, dealt, seat, heard, luck, luck_of(chance_key, deal), accept, log)
        deal += 1
        if stratum == MOST_STRATA:
            continue
        kept += 1
        counts[stratum] += 1
        for row in range(len(calls)):
            call = calls[row]
            so_far = heard | ((call + 1) << (4 * seat))
            mine = call > 0
            pitcher, bid = hold_auction(
                bidders, notes, house, dealt, seat + 1,
                call if mine else highest_bid, seat if mine else bidder, so_far, luck, log,
            )  # fmt: skip
            own = int64(0)
            value = int64(0)
            if pitcher != NOBODY:
                line = by_role(defenders, pitchers, line, pitcher, house)
                high, low, jack, game, _points, tricks = play_deal(
                    line, house, dealt, hands, piles, pitcher, bid, int64(POLICY_PITCHES), luck, log
                )
                pitchers_side = side_of(pitcher, house.partners)
                own = changes_of(my_side, pitchers_side, bid, high, low, jack, game, tricks, house)
                value = own
                if margin:
                    value = sides * own
                    for side in range(sides):
                        value -= changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
                if pitcher == seat:
                    call_tally[stratum, row, IS_PITCHER] += 1
                    call_tally[stratum, row, IS_MADE] += int64(points_won(high, low, jack, game, my_side) >= bid)
            values[row] = value
            call_tally[stratum, row, OWN] += own
            call_tally[stratum, row, OWN_SQUARED] += own * own
            call_tally[stratum, row, VALUE] += value
        for row in range(len(calls)):
            for other in range(len(calls)):
                call_tally[stratum, row, FIRST_PRODUCT + other] += values[row] * values[other]
        for row in range(len(leads)):
            log[CALLS] = heard | ((LEAD_BID + 1) << (4 * seat))
            line = by_role(defenders, pitchers, line, seat, house)
            high, low, jack, game, _points, tricks = play_deal(
                line, house, dealt, hands, piles, seat, int64(LEAD_BID), leads[row], luck, log
            )
            won = points_set(high, low, jack, game, my_side)
            lead_tally[stratum, row, won] += 1
            lead_tally[stratum, row, SWEPT] += int64(smudges(won, tricks, my_side, house))
    counts[MOST_STRATA] += deal - first
