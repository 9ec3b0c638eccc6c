"""One deal played out: the steps that all kernels share, and the types of what they are given."""

import numpy as np

from pitchsim.deck import HAND_SIZE, side_of, turned_card
from pitchsim.jit import borrowed, inlined, int64, jitted, types
from pitchsim.log import BID, HANDS, LENGTH, PITCHER, PLAYS, TRUMP_SUIT
from pitchsim.play import pitch, play_cards, trump_of, turn_hands
from pitchsim.scoring import MOST_SIDES, game_point, high_low_jack, points_won, score_change

SEATS = 7
NUMBERS = types.int64[::1]
TABLE = types.int64[:, ::1]
CUBE = types.int64[:, :, ::1]

POLICY_PITCHES = -1
"""In a list of leads: the play policy chooses the card itself."""

LEAD_COLUMNS = 16
"""A row of leads counts deals by the set of points that the pitcher won (bits: High 1, Low 2, Jack 4, Game 8)."""

SWEPT = LEAD_COLUMNS
"""Where a tally of leads has one column more, and the house smudges: all four points, and all six tricks too."""

LEAD_BID = 2
"""Cards to pitch are compared as after a bid of 2: a defender may play otherwise against another bid."""

ROOM, LINE, DEALT, HANDS_HELD, PILES, VALUES, DESK_ROWS = range(7)


def new_desk() -> np.ndarray:
    """The working memory of one kernel call, owned by its caller: one row of sixteen numbers for each use."""
    return np.zeros((DESK_ROWS, 16), np.int64)


@inlined
def laid_out(desk):
    """The rows that every kernel needs: room for the deck as words and as bytes, hands dealt, hands held, piles."""
    room_words = borrowed(desk[ROOM])
    room = borrowed(room_words.view(np.uint8))
    return room_words, room, borrowed(desk[DEALT]), borrowed(desk[HANDS_HELD]), borrowed(desk[PILES])


@inlined
def play_deal(line, house, dealt, hands, piles, pitcher, bid, lead, luck, log):
    """Pitch and play one deal.

    Returns the sides that get High, Low, Jack, Game, then trick points and tricks by side (packed).
    """
    log[PITCHER] = pitcher
    log[BID] = bid
    for place in range(PLAYS, LENGTH):
        log[place] = 0
    card = lead
    if lead == POLICY_PITCHES:
        card = pitch(line, house, dealt, pitcher, bid, luck, log)
    lane = trump_of(card)
    log[TRUMP_SUIT] = lane
    in_play = turn_hands(dealt, hands, piles, house.players, lane)
    points, tricks = play_cards(line, house, hands, piles, pitcher, bid, turned_card(card, lane), luck, log)
    high, low, jack = high_low_jack(dealt, piles, house, in_play, lane)
    game = game_point(points, side_of(pitcher, house.partners), house)
    return high, low, jack, game, points, tricks


@inlined
def smudges(won, tricks, side, house):
    """Whether a side has won all four points and all six tricks, in a house where that is worth more."""
    return house.smudge != 0 and won == LEAD_COLUMNS - 1 and (tricks >> (4 * side)) & 15 == HAND_SIZE


@inlined
def count_lead(tally, row, won, tricks, house):
    """Add a deal to a tally of leads: the set of points that side 0 won with its tricks (packed by side)."""
    tally[row, won] += 1
    if tally.shape[1] > SWEPT and smudges(won, tricks, int64(0), house):
        tally[row, SWEPT] += 1


@inlined
def note_hands(dealt, players, log):
    """Write the hands down, so that a deal in which a policy fails can be shown."""
    for seat in range(players):
        log[HANDS + seat] = dealt[seat]


@jitted
def all_trick_points(points):
    """The trick points of all sides together."""
    total = int64(0)
    for side in range(MOST_SIDES):
        total += (points >> (8 * side)) & 255
    return total


@jitted
def changes_of(side, pitchers_side, bid, high, low, jack, game, tricks, house):
    """The score change of one side."""
    won = points_won(high, low, jack, game, side)
    swept = (tricks >> (4 * side)) & 15 == HAND_SIZE
    return score_change(won, side == pitchers_side, bid, swept, house)


@jitted
def call_of(calls, seat):
    """What this seat has called, -1 before it has spoken."""
    return ((calls >> (4 * seat)) & 15) - 1
