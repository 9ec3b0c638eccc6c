"""A player who never bids unless he must."""

from pitchsim.jit import policy
from pitchsim.view import CALL


@policy(CALL)
def passive(view):
    """Always pass; when stuck as the dealer, bid 2 (or throw the hand in where the house allows it)."""
    return 0 if view.legal & 1 else 2
