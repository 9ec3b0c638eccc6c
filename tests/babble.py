"""A bidder for the tests that makes any legal call."""

from pitchsim.jit import policy, popcount
from pitchsim.view import CALL, draw


@policy(CALL)
def babble(view):
    """Make any legal call, all with the same chance."""
    left = draw(view, 0, popcount(view.legal))
    for call in range(5):
        if (view.legal >> call) & 1:
            if left == 0:
                return call
            left -= 1
    return 0
