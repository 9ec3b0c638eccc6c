"""Hands laid ready for the engine of 64 lanes, and what it has left on the desks: steps for the kernels.

A desk is 64 bytes a row, one for each of 64 deals; seats count from the pitcher (see `pitchsim.desk`).
"""

from pitchsim import desk as rows
from pitchsim.deck import HAND_SIZE, side_of
from pitchsim.jit import inlined, int64, jitted, lowest, types, uint8

DESKS = uint8[:, :, ::1]
"""Desks: block of 64 deals, row, lane."""
LUCKS = types.int64[:, ::1]
"""The same memory as numbers of 64 bits: block, place."""
FIRST_CARD, PLAYED_BY, DEALT, LUCK = rows.FIRST_CARD, rows.PLAYED_BY, rows.DEALT, rows.LUCK
HIGH, LOW, JACK, GAME, SWEPT, TRICK_POINTS = (
    rows.HIGH, rows.LOW, rows.JACK, rows.GAME, rows.SWEPT, rows.TRICK_POINTS,
)  # fmt: skip
SIDE_BITS = 8
BLOCK_BITS, LANE = 6, 63


@inlined
def lay_ready(desks, lucks, played_by, number, house, dealt, pitcher, card, luck):
    """Lay deal `number` of the desks ready: the pitcher's hand first, the card that he leads, who plays how."""
    block, lane = number >> BLOCK_BITS, number & LANE
    desks[block, FIRST_CARD, lane] = card
    for place in range(played_by.shape[1]):
        desks[block, PLAYED_BY + place, lane] = played_by[pitcher, place]
    lucks[block, (LUCK << 3) + place_of_luck(lane)] = luck
    row = DEALT
    for place in range(house.players):
        seat = pitcher + place
        hand = dealt[seat - (house.players & -int64(seat >= house.players))]
        for slot in range(HAND_SIZE):
            desks[block, row + slot, lane] = lowest(hand)
            hand &= hand - 1
        row += HAND_SIZE


@jitted
def place_of_luck(lane):
    """Where the luck of a lane stands among the words (see `vectors.LANE_OF_WORD`)."""
    number = 4 * (lane >> 3 & 1) + (lane & 3)
    return 8 * number + 2 * (lane >> 4) + ((lane & 7) >> 2)


@jitted
def side_from(side, pitcher, house):
    """The side, counted from seat 0, that is `side` counted from the pitcher; -1 for nobody."""
    if side >= SIDE_BITS:
        return int64(-1)
    seat = side + pitcher
    return int64(side_of(seat - (house.players & -int64(seat >= house.players)), house.partners))


@inlined
def points_on(desks, number, house, pitcher):
    """What `engine.play_deal` returns: the sides of High, Low, Jack, Game; all trick points; and the tricks.

    Of the tricks (packed) only those of the pitcher's side are told, and only when it won all six.
    """
    block, lane = number >> BLOCK_BITS, number & LANE
    high = side_from(int64(desks[block, HIGH, lane]), pitcher, house)
    low = side_from(int64(desks[block, LOW, lane]), pitcher, house)
    jack = side_from(int64(desks[block, JACK, lane]), pitcher, house)
    game = side_from(int64(desks[block, GAME, lane]), pitcher, house)
    swept = int64(desks[block, SWEPT, lane] != 0)
    tricks = (HAND_SIZE * swept) << (4 * side_of(pitcher, house.partners))
    return high, low, jack, game, int64(desks[block, TRICK_POINTS, lane]), tricks
