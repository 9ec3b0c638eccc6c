"""A player who plays every legal card with equal chance."""

from pitchsim.jit import policy
from pitchsim.view import CARD, any_card


@policy(CARD)
def random(view):
    """Play any legal card, all with the same chance; the pitch is any of the six cards."""
    return any_card(view.legal, view.luck)
