"""A player who plays every legal card with equal chance."""

from pitchsim.jit import lowest, policy, popcount
from pitchsim.view import CARD, draw


@policy(CARD)
def random(view):
    """Play any legal card, all with the same chance; the pitch is any of the six cards."""
    cards = view.legal
    left = draw(view, 0, popcount(cards))
    # Five steps whatever was drawn: a loop of `left` steps is mispredicted and takes 8 ns more a card.
    for step in range(5):
        cards = cards & (cards - 1) if step < left else cards
    return lowest(cards)
