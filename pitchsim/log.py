"""What the engine writes down of the deal at hand: int64 places of one small array."""

import numpy as np

CALLS, DEAL, PITCHER, BID, TRUMP_SUIT, PLAYED = range(6)
HANDS = 8
PLAYS = 16
LENGTH = 64


def new_log() -> np.ndarray:
    """An empty page: hands from HANDS on, one a seat (suits not turned); played card numbers
    from PLAYS on, suits turned."""
    return np.zeros(LENGTH, np.int64)


INDEX = LENGTH - 1
"""`place & INDEX` is `place`, but the compiler then knows that it is not negative."""
