"""A casual player: takes what is worth taking as cheaply as he can, and throws off what costs him least."""

from pitchsim.deck import (
    ACES,
    JACKS,
    KINGS,
    LANE_BITS,
    QUEENS,
    SUIT_CARDS,
    TENS,
    TRUMP_JACK,
    TRUMPS,
    trick_points,
)
from pitchsim.jit import highest, int64, jitted, lowest, policy, popcount
from pitchsim.view import CARD, leading, pitching, winning_cards

HONOURS = ACES | KINGS | QUEENS | JACKS | TENS


@jitted
def cheapest(cards):
    """The card that one misses least: a small plain card, then a plain honour, a ten last, then the lowest trump."""
    plain = cards & ~TRUMPS
    small = plain & ~HONOURS
    no_ten = plain & ~TENS
    best = plain if plain != 0 else cards
    best = no_ten if no_ten != 0 else best
    best = small if small != 0 else best
    return lowest(best)


@jitted
def longest_suit(hand):
    """The lane of the longest suit; of two equally long ones the one with the higher cards."""
    best = int64(-1)
    choice = int64(0)
    for lane in range(4):
        cards = (hand >> (LANE_BITS * lane)) & SUIT_CARDS
        worth = popcount(cards) << LANE_BITS | cards
        choice = lane if worth > best else choice
        best = max(best, worth)
    return choice


@policy(CARD)
def greedy(view):
    """Pitch the top of the longest suit; lead high; take cheaply what holds something; else throw off what is cheap.

    In a card player's words: my trump is my longest suit and I begin with its best card. When I lead later I lead
    my highest trump, or without trumps my highest card. When the trick on the table holds three trick points or
    more, or the jack of trumps, or I am last to play, I take it with the lowest card that does. Otherwise I throw
    the card that I miss least: a small plain card before an honour, tens last, trumps only when I must.
    """
    if pitching(view):
        lane = longest_suit(view.hand)
        return highest(view.hand & (SUIT_CARDS << (LANE_BITS * lane)))
    if leading(view):
        return highest(view.legal)
    winning = winning_cards(view)
    worth_it = trick_points(view.table) >= 3 or view.table & TRUMP_JACK != 0 or view.to_act == 0
    if winning != 0 and worth_it:
        return lowest(winning)
    return cheapest(view.legal)
