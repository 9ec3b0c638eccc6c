"""A trump holding by itself, and every contract of a deal: what bidding tables and thresholds are made from."""

import numpy as np

from pitchsim.auction import NOBODY, hold_auction
from pitchsim.cards import RANKS
from pitchsim.deck import (
    ALL_CARDS,
    DECK_WORDS,
    HAND_SIZE,
    INDEX,
    LANE_BITS,
    REDRAW,
    SIDE_LUCK,
    TRUMP_LANE,
    WORDS_PER_DEAL,
    deal_hands,
    packed_deck,
    side_of,
)
from pitchsim.engine import (
    CUBE,
    DEALT,
    NUMBERS,
    POLICY_PITCHES,
    TABLE,
    VALUES,
    changes_of,
    laid_out,
    note_hands,
    play_deal,
)
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, inlined, int8, int64, kernel, popcount, types, uint64
from pitchsim.kernels.laying import DESKS, LUCKS, lay_ready, points_on
from pitchsim.log import BID, CALLS, DEAL, PITCHER
from pitchsim.play import pitch
from pitchsim.scoring import points_set
from pitchsim.stream import PICKS_A_HALF, half_of, luck_of, pick, rest, unfair, word

SIDE_CARDS = 3 * len(RANKS)
"""The cards that are not trumps; a deck without a holding has them in front."""

HIGHEST_BID = 4
CONTRACTS = types.Array(int8, 4, "C")
CALLS_HEARD, CONTRACT, OUTCOME_COLUMNS = range(3)


def trump_holding(ranks: int) -> int:
    """The cards of this set of ranks in the top lane, where trumps live."""
    return ranks << (LANE_BITS * TRUMP_LANE)


def deck_without(holding: int) -> np.ndarray:
    """The deck that `pitch_holding` deals from: 39 side cards, then the trumps that the holding leaves."""
    return packed_deck(ALL_CARDS & ~holding)


@inlined
def deal_side_cards(deck, scratch_words, scratch, number, side_cards, left, key, deal):
    """Draw `number` of the `side_cards` at the front of the deck of `left` cards, and close the gap: returns them.

    Six places are picked whatever the number, so that `unfair` can tell whether they were drawn fairly.
    """
    side = int64(0)
    fair = False
    attempt = int64(0)
    while not fair:
        for k in range(DECK_WORDS):
            scratch_words[k] = deck[k]
        draws = word(key, deal * WORDS_PER_DEAL + SIDE_LUCK + attempt * REDRAW)
        side = int64(0)
        fair = True
        for part in range(HAND_SIZE // PICKS_A_HALF):
            half = half_of(draws, part)
            for step in range(part * PICKS_A_HALF, (part + 1) * PICKS_A_HALF):
                place = pick(half, side_cards - step) & INDEX
                half = rest(half, side_cards - step)
                if step < number:
                    side |= int64(1) << int64(scratch[place])
                    scratch[place] = scratch[(side_cards - step - 1) & INDEX]
            fair = fair and not unfair(half, side_cards - part * PICKS_A_HALF)
        attempt += 1
    for step in range(number):
        scratch[(side_cards - 1 - step) & INDEX] = scratch[(left - 1 - step) & INDEX]
    return side


@kernel(
    types.void(
        NUMBERS, HOUSE, NUMBERS, int64, NUMBERS, NUMBERS, uint64, uint64, int64, int64,
        TABLE, TABLE, NUMBERS,
    )
)  # fmt: skip
def pitch_holding(
    line, house, deck, holding, bids, leads, key, luck_key, first, count, tally, desk, log
):  # fmt: skip
    """Seat 0 pitches a holding of trumps (top lane) with side cards at random, for each pair of `bids` and `leads`.

    `deck` is `deck_without(holding)`. A lead of POLICY_PITCHES is what the play policy pitches when it is
    shown the holding alone. Adds to `tally`, one row of LEAD_COLUMNS a pair; all pairs meet the same deals.
    """
    line = borrowed(line)
    room_words, room, dealt, hands, piles = laid_out(desk)
    scratch_words = borrowed(desk[VALUES])
    scratch = borrowed(scratch_words.view(np.uint8))
    log = borrowed(log)
    held = popcount(holding)
    left = int64(52 - HAND_SIZE)
    for deal in range(first, first + count):
        log[DEAL] = deal
        side = deal_side_cards(deck, scratch_words, scratch, HAND_SIZE - held, int64(SIDE_CARDS), 52 - held, key, deal)
        deal_hands(scratch_words, room_words, room, dealt, 1, house.players, left, key, deal)
        luck = luck_of(luck_key, deal)
        for row in range(len(bids)):
            lead = leads[row]
            if lead == POLICY_PITCHES:
                dealt[0] = holding
                lead = pitch(line, house, dealt, int64(0), bids[row], luck, log)
            dealt[0] = holding | side
            note_hands(dealt, house.players, log)
            high, low, jack, game, _, _ = play_deal(
                line, house, dealt, hands, piles, int64(0), bids[row], lead, luck, log
            )
            tally[row, points_set(high, low, jack, game, 0)] += 1


@inlined
def keep_changes(changes, deal, pitcher, bid, high, low, jack, game, tricks, house):
    """Fill in what every seat scores under one contract of a deal."""
    pitchers_side = side_of(pitcher, house.partners)
    for seat in range(house.players):
        side = side_of(seat, house.partners)
        change = changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house)
        changes[deal, pitcher, bid - 1, seat] = change


@inlined
def deal_for_contracts(deck, room_words, room, house, dealt, key, deal, hands_dealt, log):
    """Deal, and keep the hands (row `deal` of `hands_dealt`)."""
    log[DEAL] = deal
    deal_hands(deck, room_words, room, dealt, 0, house.players, int64(52), key, deal)
    note_hands(dealt, house.players, log)
    for seat in range(house.players):
        hands_dealt[deal, seat] = dealt[seat]


@kernel(types.void(NUMBERS, HOUSE, NUMBERS, uint64, uint64, int64, int64, TABLE, CONTRACTS, TABLE, NUMBERS))
def play_contracts(line, house, deck, key, luck_key, first, count, hands_dealt, changes, desk, log):
    """Play every deal with every seat as pitcher of every bid, and keep all score changes.

    Fills row `deal` of `hands_dealt` (by seat) and of `changes` (pitcher, bid - 1, seat).
    """
    line = borrowed(line)
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    for deal in range(first, first + count):
        deal_for_contracts(deck, room_words, room, house, dealt, key, deal, hands_dealt, log)
        luck = luck_of(luck_key, deal)
        for pitcher in range(house.players):
            for bid in range(1, HIGHEST_BID + 1):
                high, low, jack, game, _, tricks = play_deal(
                    line, house, dealt, hands, piles, int64(pitcher), int64(bid), int64(POLICY_PITCHES), luck, log
                )
                keep_changes(changes, deal, pitcher, bid, high, low, jack, game, tricks, house)


@kernel(
    types.int64(
        NUMBERS, HOUSE, NUMBERS, TABLE, uint64, uint64, int64, int64, TABLE, DESKS, LUCKS, CUBE, TABLE, NUMBERS,
    )
)  # fmt: skip
def lay_contracts(
    line, house, deck, played_by, key, luck_key, first, count, hands_dealt, desks, lucks, places, desk, log
):  # fmt: skip
    """Lay every deal ready with every seat as pitcher of every bid; bids on which the same card is led share a place.

    Fills `places` (deal from `first` on, pitcher, bid - 1) and returns how many places are taken.
    """
    line = borrowed(line)
    room_words, room, dealt, _hands, _piles = laid_out(desk)
    leads = borrowed(desk[VALUES])
    log = borrowed(log)
    taken = int64(0)
    for deal in range(first, first + count):
        deal_for_contracts(deck, room_words, room, house, dealt, key, deal, hands_dealt, log)
        luck = luck_of(luck_key, deal)
        for pitcher in range(house.players):
            for bid in range(1, HIGHEST_BID + 1):
                log[PITCHER] = pitcher
                log[BID] = bid
                card = pitch(line, house, dealt, int64(pitcher), int64(bid), luck, log)
                leads[bid] = card
                place = int64(-1)
                for other in range(1, bid):
                    if leads[other] == card:
                        place = places[deal - first, pitcher, other - 1]
                if place < 0:
                    lay_ready(desks, lucks, played_by, taken, house, dealt, int64(pitcher), card, luck)
                    place = taken
                    taken += 1
                places[deal - first, pitcher, bid - 1] = place
    return taken


@kernel(types.void(HOUSE, int64, int64, DESKS, CUBE, CONTRACTS))
def read_contracts(house, first, count, desks, places, changes):
    """Keep the score changes that follow from the points on the desks."""
    for deal in range(first, first + count):
        for pitcher in range(house.players):
            for bid in range(1, HIGHEST_BID + 1):
                place = places[deal - first, pitcher, bid - 1]
                high, low, jack, game, _, tricks = points_on(desks, place, house, int64(pitcher))
                keep_changes(changes, deal, int64(pitcher), int64(bid), high, low, jack, game, tricks, house)


@kernel(types.void(NUMBERS, NUMBERS, HOUSE, TABLE, uint64, int64, int64, TABLE, TABLE, NUMBERS))
def hear_auctions(bidders, notes, house, hands_dealt, luck_key, first, count, outcomes, desk, log):
    """Hold the auction of deals that are already dealt.

    Fills row `deal` of `outcomes`: all calls (as `BidView.calls`), and the contract: 4 x pitcher + bid - 1,
    or NOBODY when the hand is thrown in.
    """
    dealt = borrowed(desk[DEALT])
    log = borrowed(log)
    bidders = borrowed(bidders)
    for deal in range(first, first + count):
        for seat in range(house.players):
            dealt[seat] = hands_dealt[deal, seat]
        pitcher, bid = hold_auction(
            bidders, notes, house, dealt, int64(0), int64(0), int64(NOBODY), int64(0), luck_of(luck_key, deal), log
        )
        outcomes[deal, CALLS_HEARD] = log[CALLS]
        outcomes[deal, CONTRACT] = HIGHEST_BID * pitcher + bid - 1 if pitcher != NOBODY else NOBODY
