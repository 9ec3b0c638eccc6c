"""A player who bids by eye, as beginners do: he counts the honours and the length of his best suit."""

from pitchsim.deck import LANE_BITS, SUIT_CARDS
from pitchsim.jit import highest, int64, jitted, lowest, policy, popcount
from pitchsim.view import CALL

LOW_ONES, JACK, KING, ACE = 0b11, 1 << 9, 1 << 11, 1 << 12


@jitted
def bid_by_eye(ranks):
    """What a suit looks good for: ace 2, king 1, deuce or three 1, jack with two more 1, every card above two 1."""
    length = popcount(ranks)
    points = 2 * popcount(ranks & ACE) + popcount(ranks & KING) + int64(ranks & LOW_ONES != 0)
    points += int64(ranks & JACK != 0 and length >= 3) + max(length - 2, 0)
    return int64(points >= 2) + int64(points >= 3) + int64(points >= 5) + int64(points >= 7)


@policy(CALL)
def casual(view):
    """Count the honours and the length of the best suit, and bid that much whoever sits where.

    In a card player's words: the ace is two, the king one, a deuce or three one for Low, the jack one when I hold
    three or more of the suit, and every card above two is one. Two of these are good for a bid of 1, three for 2,
    five for 3, seven for 4. I bid that when nobody has bid as much; what the others may hold, and that the dealer may
    take it from me, I do not think about. As the dealer I take a bid that my hand is good for, stuck I bid 2.
    """
    wish = int64(0)
    for lane in range(4):
        wish = max(wish, bid_by_eye((view.hand >> (LANE_BITS * lane)) & SUIT_CARDS))
    within = view.legal & ((2 << wish) - 1)
    return highest(within) if within != 0 else lowest(view.legal)
