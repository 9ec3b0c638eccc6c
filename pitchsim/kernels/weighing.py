"""Every legal call and every lead, tried on deals that fit the calls heard."""

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
from pitchsim.jit import boolean, borrowed, inlined, int64, kernel, plain_twin, types, uint64
from pitchsim.kernels.laying import BLOCK_BITS, DESKS, LUCKS, lay_ready, points_on
from pitchsim.log import BID, CALLS, DEAL, PITCHER
from pitchsim.play import NOTES, pitch
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


@inlined
def find_deal(
    bidders, notes, house, deck, hand, room_words, room, dealt, seat, heard, accept,
    key, luck_key, chance_key, deal, log,
):  # fmt: skip
    """Deal the other hands; returns the stratum of the deal (MOST_STRATA: it is not kept), and its luck."""
    log[DEAL] = deal
    log[PITCHER] = NOBODY
    deal_hands(deck, room_words, room, dealt, 1, house.players, int64(52 - HAND_SIZE), key, deal)
    for other in range(seat):
        dealt[other] = dealt[other + 1]
    dealt[seat] = hand
    note_hands(dealt, house.players, log)
    luck = luck_of(luck_key, deal)
    stratum = mismatches(bidders, notes, house, dealt, seat, heard, luck, luck_of(chance_key, deal), accept, log)
    return stratum, luck


@inlined
def call_out(bidders, notes, house, dealt, seat, call, heard, highest_bid, bidder, luck, log):
    """Let this seat make a call, and those behind it theirs; returns the pitcher (NOBODY: thrown in) and the bid."""
    mine = call > 0
    log[PITCHER] = NOBODY
    return hold_auction(
        bidders, notes, house, dealt, seat + 1,
        call if mine else highest_bid, seat if mine else bidder, heard | ((call + 1) << (4 * seat)), luck, log,
    )  # fmt: skip


@inlined
def count_call(tally, values, stratum, row, seat, pitcher, bid, high, low, jack, game, tricks, margin, house):
    """Add what a call has led to, and keep its value among `values`; a deal thrown in (NOBODY) is worth nothing."""
    own = int64(0)
    value = int64(0)
    if pitcher != NOBODY:
        my_side = side_of(seat, house.partners)
        pitchers_side = side_of(pitcher, house.partners)
        own = changes_of(my_side, pitchers_side, bid, high, low, jack, game, tricks, house)
        value = own
        if margin:
            sides = sides_of(house)
            value = sides * own
            for side in range(sides):
                value -= changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
        if pitcher == seat:
            tally[stratum, row, IS_PITCHER] += 1
            tally[stratum, row, IS_MADE] += int64(points_won(high, low, jack, game, my_side) >= bid)
    values[row] = value
    tally[stratum, row, OWN] += own
    tally[stratum, row, OWN_SQUARED] += own * own
    tally[stratum, row, VALUE] += value


@inlined
def count_products(tally, values, stratum, calls):
    """Add the products of the values of all calls on one deal."""
    for row in range(calls):
        for other in range(calls):
            tally[stratum, row, FIRST_PRODUCT + other] += values[row] * values[other]


@inlined
def count_lead(tally, stratum, row, seat, high, low, jack, game, tricks, house):
    """Add what a lead has won."""
    my_side = side_of(seat, house.partners)
    won = points_set(high, low, jack, game, my_side)
    tally[stratum, row, won] += 1
    tally[stratum, row, SWEPT] += int64(smudges(won, tricks, my_side, house))


@kernel(
    types.void(
        NUMBERS, NUMBERS, NUMBERS, NUMBERS, HOUSE, NUMBERS, int64, int64, int64, int64, int64, NUMBERS, NUMBERS,
        NUMBERS, boolean, uint64, uint64, uint64, int64, int64, int64, CUBE, CUBE, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def weigh_calls(
    defenders, pitchers, bidders, notes, house, deck, hand, seat, heard, highest_bid, bidder, calls, leads,
    accept, margin, key, luck_key, chance_key, first, quota, limit, call_tally, lead_tally, counts, desk, log,
):  # fmt: skip
    """Try every call and every lead on `quota` deals that fit the calls heard, looking at `limit` deals at most.

    Deals `first`, `first` + 1, ... are looked at; each is tried with all alternatives. Adds to `call_tally` (strata,
    calls, CALL_COLUMNS) and `lead_tally` (strata, leads, 17: the last for all six tricks); `counts` gets the deals
    kept by stratum and, last, how many were looked at. The value of a call is the own score change or, with `margin`,
    that times (sides - 1) minus the others' changes.
    """
    line = borrowed(desk[LINE])
    defenders = borrowed(defenders)
    pitchers = borrowed(pitchers)
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    values = borrowed(desk[VALUES])
    kept = int64(0)
    deal = first
    while kept < quota and deal < first + limit:
        stratum, luck = find_deal(
            bidders, notes, house, deck, hand, room_words, room, dealt, seat, heard, accept,
            key, luck_key, chance_key, deal, log,
        )  # fmt: skip
        deal += 1
        if stratum == MOST_STRATA:
            continue
        kept += 1
        counts[stratum] += 1
        for row in range(len(calls)):
            high = low = jack = game = int64(NOBODY)
            tricks = int64(0)
            pitcher, bid = call_out(
                bidders, notes, house, dealt, seat, calls[row], heard, highest_bid, bidder, luck, log
            )
            if pitcher != NOBODY:
                line = by_role(defenders, pitchers, line, pitcher, house)
                high, low, jack, game, _points, tricks = play_deal(
                    line, house, dealt, hands, piles, pitcher, bid, int64(POLICY_PITCHES), luck, log
                )
            count_call(
                call_tally, values, stratum, row, seat, pitcher, bid, high, low, jack, game, tricks, margin, house
            )
        count_products(call_tally, values, stratum, len(calls))
        for row in range(len(leads)):
            log[CALLS] = heard | ((LEAD_BID + 1) << (4 * seat))
            line = by_role(defenders, pitchers, line, seat, house)
            high, low, jack, game, _points, tricks = play_deal(
                line, house, dealt, hands, piles, seat, int64(LEAD_BID), leads[row], luck, log
            )
            count_lead(lead_tally, stratum, row, seat, high, low, jack, game, tricks, house)
    counts[MOST_STRATA] += deal - first


# 64 deals at a time -------------------------------------------------------------------------------------

TRIAL_STRATUM, FIRST_CALL = range(2)
CALL_PITCHER, CALL_BID, CALL_DESK, CALL_NUMBERS = range(4)
FIRST_LEAD = FIRST_CALL + MOST_CALLS * CALL_NUMBERS
TRIAL_COLUMNS = FIRST_LEAD + HAND_SIZE
"""A row a deal: its stratum; of each call who pitches, for which bid, and on which desk it is played; the leads' desks.
"""


@inlined
def desk_for(
    desks, lucks, played_by, house, dealt, pitcher, card, luck, plays, first, ready
):  # fmt: skip
    """The desk on which this pitcher leads this card, laid ready when it is none of `first` .. `ready` - 1.

    The cards that fall depend on nothing else, so calls and leads that come to the same share a desk.
    """
    play = pitcher << 6 | card
    place = first
    while place < ready and plays[place - first] != play:
        place += 1
    if place == ready:
        plays[place - first] = play
        lay_ready(desks, lucks, played_by, place, house, dealt, pitcher, card, luck)
    return place


@kernel(
    types.UniTuple(int64, 3)(
        NUMBERS, NUMBERS, NUMBERS, HOUSE, NUMBERS, int64, int64, int64, int64, int64, NUMBERS, NUMBERS,
        NUMBERS, TABLE, uint64, uint64, uint64, int64, int64, int64, DESKS, LUCKS, TABLE, NUMBERS, TABLE, NUMBERS,
    )
)  # fmt: skip
def lay_trials(
    pitchers, bidders, notes, house, deck, hand, seat, heard, highest_bid, bidder, calls, leads,
    accept, played_by, key, luck_key, chance_key, first, quota, limit, desks, lucks, trials, counts, desk, log,
):  # fmt: skip
    """Look for deals as `weigh_calls` does, and lay what is to be played ready for 64 lanes, until the desks are full.

    Fills a row of `trials` a deal, adds to `counts`; returns deals kept, desks laid ready, and deals looked at.
    """
    pitchers = borrowed(pitchers)
    room_words, room, dealt, _hands, _piles = laid_out(desk)
    log = borrowed(log)
    bidders = borrowed(bidders)
    notes = borrowed(notes)
    plays = borrowed(desk[VALUES])
    full = (desks.shape[0] << BLOCK_BITS) - len(calls) - len(leads)
    kept, ready = int64(0), int64(0)
    deal = first
    while kept < min(quota, len(trials)) and ready <= full and deal < first + limit:
        stratum, luck = find_deal(
            bidders, notes, house, deck, hand, room_words, room, dealt, seat, heard, accept,
            key, luck_key, chance_key, deal, log,
        )  # fmt: skip
        deal += 1
        if stratum == MOST_STRATA:
            continue
        trial = borrowed(trials[kept])
        trial[TRIAL_STRATUM] = stratum
        kept += 1
        counts[stratum] += 1
        shared = ready
        for row in range(len(calls)):
            pitcher, bid = call_out(
                bidders, notes, house, dealt, seat, calls[row], heard, highest_bid, bidder, luck, log
            )
            place = FIRST_CALL + row * CALL_NUMBERS
            trial[place + CALL_PITCHER] = pitcher
            trial[place + CALL_BID] = bid
            if pitcher != NOBODY:
                log[PITCHER] = pitcher
                log[BID] = bid
                card = pitch(pitchers, house, dealt, pitcher, bid, luck, log)
                where = desk_for(desks, lucks, played_by, house, dealt, pitcher, card, luck, plays, shared, ready)
                trial[place + CALL_DESK] = where
                ready += int64(where == ready)
        for row in range(len(leads)):
            where = desk_for(desks, lucks, played_by, house, dealt, seat, leads[row], luck, plays, shared, ready)
            trial[FIRST_LEAD + row] = where
            ready += int64(where == ready)
    counts[MOST_STRATA] += deal - first
    return kept, ready, deal - first


@kernel(types.void(HOUSE, int64, int64, int64, boolean, int64, DESKS, TABLE, CUBE, CUBE, TABLE))
def count_trials(house, seat, calls, leads, margin, count, desks, trials, call_tally, lead_tally, desk):
    """Add the points that lie on the desks of `count` deals to the tallies of `calls` calls and of the leads."""
    values = borrowed(desk[VALUES])
    for number in range(count):
        trial = borrowed(trials[number])
        stratum = trial[TRIAL_STRATUM]
        for row in range(calls):
            high = low = jack = game = int64(NOBODY)
            tricks = int64(0)
            place = FIRST_CALL + row * CALL_NUMBERS
            pitcher, bid = trial[place + CALL_PITCHER], trial[place + CALL_BID]
            if pitcher != NOBODY:
                high, low, jack, game, _points, tricks = points_on(desks, trial[place + CALL_DESK], house, pitcher)
            count_call(
                call_tally, values, stratum, row, seat, pitcher, bid, high, low, jack, game, tricks, margin, house
            )
        count_products(call_tally, values, stratum, calls)
        for row in range(leads):
            high, low, jack, game, _points, tricks = points_on(desks, trial[FIRST_LEAD + row], house, seat)
            count_lead(lead_tally, stratum, row, seat, high, low, jack, game, tricks, house)
