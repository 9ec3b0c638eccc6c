"""What the engine writes down of the deal at hand: int64 places of one small array."""

import numpy as np

HANDS, DEAL = 0, 7
"""Places for the writer alone: nobody at the table sees them."""

PUBLIC = 8
"""From here on stands what everybody at the table has heard and seen; policies are shown this part."""

CALLS, PITCHER, BID, TRUMP_SUIT = range(PUBLIC, PUBLIC + 4)
PLAYS = 16
LENGTH = 24
CARD_BITS = 6


def new_log() -> np.ndarray:
    """An empty page: hands from HANDS on, one a seat (suits not turned); tricks from PLAYS on.

    A trick is a 1 followed by the numbers of its cards (suits turned), CARD_BITS each, in the order played; 0 before
    it began.
    """
    return np.zeros(LENGTH, np.int64)


def cards_of_trick(trick: int) -> list[int]:
    """The card numbers of a trick, in the order played."""
    cards: list[int] = []
    while trick > 1:
        cards.insert(0, trick % (1 << CARD_BITS))
        trick >>= CARD_BITS
    return cards
