"""Every card that could be pitched, on the same deals, and how much the points differ."""

import numpy as np

from pitchsim.deck import HAND_SIZE, deal_hands
from pitchsim.engine import LEAD_BID, NUMBERS, TABLE, VALUES, count_lead, laid_out, note_hands, play_deal
from pitchsim.house import HOUSE
from pitchsim.jit import borrowed, int64, kernel, popcount, types, uint64
from pitchsim.kernels.holdings import deal_side_cards
from pitchsim.log import DEAL
from pitchsim.scoring import points_set
from pitchsim.stream import luck_of


@kernel(
    types.void(
        NUMBERS, HOUSE, NUMBERS, int64, int64, NUMBERS, uint64, uint64, int64, int64, TABLE, TABLE, TABLE, NUMBERS,
    )
)  # fmt: skip
def try_leads(line, house, deck, held, side_cards, leads, key, luck_key, first, count, tally, squares, desk, log):
    """Seat 0 is the pitcher and leads each of `leads` on the same deals.

    It holds the cards `held`, and what is missing to six is dealt to it from the first `side_cards` cards of `deck`
    (which are all that are not held). Adds to `tally` (see `count_lead`), one row a lead, and to `squares` those of the
    gaps in points between leads (lead, one before it).
    """
    line = borrowed(line)
    room_words, room, dealt, hands, piles = laid_out(desk)
    # Free again once the hands are dealt: first the deck without the side cards, then the points with each lead.
    values = borrowed(desk[VALUES])
    scratch = borrowed(values.view(np.uint8))
    log = borrowed(log)
    number = popcount(held)
    for deal in range(first, first + count):
        log[DEAL] = deal
        side = deal_side_cards(deck, values, scratch, HAND_SIZE - number, side_cards, 52 - number, key, deal)
        deal_hands(values, room_words, room, dealt, 1, house.players, int64(52 - HAND_SIZE), key, deal)
        dealt[0] = held | side
        note_hands(dealt, house.players, log)
        luck = luck_of(luck_key, deal)
        for row in range(len(leads)):
            high, low, jack, game, _, tricks = play_deal(
                line, house, dealt, hands, piles, int64(0), int64(LEAD_BID), leads[row], luck, log
            )
            won = points_set(high, low, jack, game, 0)
            count_lead(tally, row, won, tricks, house)
            values[row] = popcount(won)
        for row in range(len(leads)):
            for other in range(row):
                gap = values[row] - values[other]
                squares[row, other] += gap * gap
