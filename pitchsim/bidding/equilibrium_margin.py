"""The same player for whom the others' points count against his own: made as `equilibrium` is."""

import numpy as np

from pitchsim.bidding.equilibrium import notes_of, planned_call
from pitchsim.jit import policy
from pitchsim.rules import Rules
from pitchsim.view import CALL


@policy(CALL)
def equilibrium_margin(view):
    """Bid as equilibrium does, but for my points minus the mean of the others' (with a partner: ours minus theirs).

    In a card player's words: a point less for the others is worth something to me too, so I do not bid 1 for nothing,
    and I would rather be set than let the dealer have it cheap.
    """
    return planned_call(view)


def notes(rules: Rules) -> np.ndarray:
    """What `equilibrium-margin` brings along (int32)."""
    return notes_of(rules, margin=True)
