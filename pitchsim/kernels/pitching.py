"""Deals with a given pitcher and no auction."""

from pitchsim.deck import HAND_SIZE, deal_hands
from pitchsim.engine import (
    NUMBERS,
    TABLE,
    count_lead,
    laid_out,
    note_hands,
    play_deal,
)
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, int64, kernel, types, uint64
from pitchsim.log import DEAL
from pitchsim.scoring import points_set
from pitchsim.stream import luck_of


@kernel(types.void(HOUSE, NUMBERS, uint64, int64, int64, NUMBERS, TABLE))
def deal_only(house, deck, key, first, count, check, desk):
    """Deal hands and do nothing with them: what `bench` calls dealing alone."""
    room_words, room, dealt, _hands, _piles = laid_out(desk)
    for deal in range(first, first + count):
        deal_hands(deck, room_words, room, dealt, 0, house.players, int64(52), key, deal)
        for seat in range(house.players):
            check[seat] ^= dealt[seat]


@kernel(
    types.void(
        NUMBERS,
        HOUSE,
        NUMBERS,
        int64,
        int64,
        NUMBERS,
        uint64,
        uint64,
        int64,
        int64,
        TABLE,
        TABLE,
        NUMBERS,
    )
)
def pitch_deals(line, house, deck, hand, bid, leads, key, luck_key, first, count, tally, desk, log):
    """Seat 0 is the pitcher and leads each of `leads` on the same deals (`hand` 0: dealt like the others).

    Adds to `tally` (see `count_lead`), one row a lead.
    """
    line = borrowed(line)
    room_words, room, dealt, hands, piles = laid_out(desk)
    log = borrowed(log)
    own = int64(0) if hand == 0 else int64(1)
    left = int64(52) - own * HAND_SIZE
    for deal in range(first, first + count):
        log[DEAL] = deal
        deal_hands(deck, room_words, room, dealt, own, house.players, left, key, deal)
        if own == 1:
            dealt[0] = hand
        note_hands(dealt, house.players, log)
        luck = luck_of(luck_key, deal)
        for row in range(len(leads)):
            high, low, jack, game, _points, tricks = play_deal(
                line, house, dealt, hands, piles, int64(0), bid, leads[row], luck, log
            )
            count_lead(tally, row, points_set(high, low, jack, game, 0), tricks, house)
