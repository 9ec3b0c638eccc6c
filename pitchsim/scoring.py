"""The score of a deal, R11 to R17, for the kernels.

Sides are seats in speaking order, or two teams: seats 0 and 2 are side 0.
"""

from pitchsim.deck import TRUMP_JACK, TRUMPS, side_of, turn
from pitchsim.jit import highest, inlined, int64, jitted, lowest

NOBODY = -1
PITCHER_ONLY, PITCHER_MADE, ANYONE = range(3)
MOST_SIDES = 7


@jitted
def sides_of(house):
    """How many sides there are: two teams, or everybody for himself."""
    return 2 if house.partners != 0 else house.players


@inlined
def holder_of(card, dealt, house, lane):
    """The side to which this trump was dealt (`dealt`: the hands before any suit was turned)."""
    side = int64(NOBODY)
    for seat in range(house.players):
        if turn(dealt[seat], lane) & card != 0:
            side = side_of(seat, house.partners)
    return side


@inlined
def high_low_jack(dealt, piles, house, in_play, lane):
    """R11: who gets High, Low and Jack: the winners of those cards (the house may leave Low with its holder)."""
    trumps = in_play & TRUMPS
    high_card = int64(1) << highest(trumps)
    low_card = trumps & -trumps
    high = low = jack = int64(0)
    for side in range(MOST_SIDES):  # Always seven, the rest empty: unrolled, it takes half the time.
        pile = piles[side]
        high |= int64(pile & high_card != 0) << side
        low |= int64(pile & low_card != 0) << side
        jack |= int64(pile & TRUMP_JACK != 0) << side
    # Each is now one bit, that of the side; with none the highest bit is place -1, which is NOBODY.
    high, low, jack = highest(high), highest(low), highest(jack)
    if house.low_to_holder != 0:
        low = holder_of(low_card, dealt, house, lane)
    return high, low, jack


@jitted
def game_point(points, pitchers_side, house):
    """R12: the side with the most trick points gets Game; on a tie nobody (some houses: the pitcher's one rival)."""
    most = int64(0)
    for side in range(MOST_SIDES):
        most = max(most, (points >> (8 * side)) & 255)
    tied = int64(0)
    for side in range(MOST_SIDES):
        tied |= int64((points >> (8 * side)) & 255 == most) << side
    tied &= (1 << sides_of(house)) - 1
    if tied & (tied - 1) == 0:
        return lowest(tied)
    rival = tied & ~(int64(1) << pitchers_side)
    if house.tie_to_opponent != 0 and rival != tied and rival & (rival - 1) == 0:
        return lowest(rival)
    return int64(NOBODY)


@jitted
def points_won(high, low, jack, game, side):
    """R13: each point is counted by itself, so a lone trump is both High and Low, and a lone jack three points."""
    return int64(high == side) + int64(low == side) + int64(jack == side) + int64(game == side)


@jitted
def points_set(high, low, jack, game, side):
    """Which of the four points this side won: High 1, Low 2, Jack 4, Game 8, added up."""
    return int64(high == side) | int64(low == side) << 1 | int64(jack == side) << 2 | int64(game == side) << 3


@jitted
def score_change(points, is_pitcher, bid, swept, house):
    """R14: the pitcher who wins what he bid scores all that he won, else minus his bid; the others what they won."""
    if not is_pitcher:
        return points
    if points < bid:
        return -bid
    if house.smudge != 0 and bid == 4 and swept:
        return points + 1
    return points


@jitted
def next_dealer(dealer, players, thrown_in, same_again):
    """R16: the deal passes to the left, except that some houses let the same dealer deal again after a throw-in."""
    return dealer if thrown_in and same_again else (dealer + 1) % players


@inlined
def game_winner(scores, sides, pitchers_side, made, high, low, jack, game, target, winning):
    """R17: the pitcher's side wins when it stands at the target after the deal; houses may ask for more, or less."""
    if pitchers_side != NOBODY and scores[pitchers_side] >= target and (made or winning != PITCHER_MADE):
        return pitchers_side
    if winning == ANYONE:
        for side in (high, low, jack, game):
            if side != NOBODY and scores[side] >= target:
                return side
        for side in range(sides):
            if scores[side] >= target:
                return int64(side)
    return int64(NOBODY)
