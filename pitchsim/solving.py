"""The last tricks with open cards: everybody plays for his own score, and sees all hands."""

from pitchsim.deck import HAND_SIZE, TRUMP_LANE, side_mask, side_of
from pitchsim.engine import changes_of
from pitchsim.jit import int64, jitted, lowest
from pitchsim.play import legal_cards
from pitchsim.position import put_card
from pitchsim.scoring import game_point, high_low_jack, sides_of

LINES, SIDES = 43, 8
"""Room for the values of every position on the way: one row a card, one column a side."""


@jitted
def final_changes(dealt, piles, house, in_play, position, pitcher, bid, changes):
    """Fill `changes` with the score changes of all sides at the end of a deal (suits turned in `dealt` too)."""
    high, low, jack = high_low_jack(dealt, piles, house, in_play, int64(TRUMP_LANE))
    pitchers_side = side_of(pitcher, house.partners)
    game = game_point(position.points, pitchers_side, house)
    for side in range(sides_of(house)):
        changes[side] = changes_of(side, pitchers_side, bid, high, low, jack, game, position.tricks, house)


@jitted
def solve(dealt, hands, piles, house, in_play, position, pitcher, bid, log, values, depth):
    """Fill row `depth` of `values` with the score changes of all sides when everybody plays for his own.

    Of cards that bring the same, the first by number is played: plain suits before trumps, low before high.
    `hands` and `piles` are left as they were.
    """
    if position.trick == HAND_SIZE:
        final_changes(dealt, piles, house, in_play, position, pitcher, bid, values[depth])
        return
    side = position.seat & side_mask(house.partners)
    best = int64(-99)
    cards = legal_cards(hands[position.seat], position.led, house.strict)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        after = put_card(position, hands, piles, card, house, log)
        solve(dealt, hands, piles, house, in_play, after, pitcher, bid, log, values, depth + 1)
        hands[position.seat] |= int64(1) << card
        piles[after.winner & side_mask(house.partners)] &= ~(after.gone & ~position.gone)
        if values[depth + 1, side] > best:
            best = values[depth + 1, side]
            for other in range(sides_of(house)):
                values[depth, other] = values[depth + 1, other]
