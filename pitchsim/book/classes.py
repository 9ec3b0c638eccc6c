"""The classes of six-card hands: two hands are one class when renaming the suits turns one into the other.

20,358,520 hands are 962,988 classes. A class is named by its canonical hand: the longest suit is spades, then
hearts, diamonds, clubs; of two suits as long, the one with the higher cards comes first.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from pitchsim.cards import HAND_SIZE, RANKS, SUITS
from pitchsim.deck import LANE_BITS, SUIT_CARDS

HANDS = 20_358_520
RENAMINGS = 24
LANES = np.arange(len(SUITS)) * LANE_BITS
LENGTHS = np.array([holding.bit_count() for holding in range(SUIT_CARDS + 1)])
HOLDINGS = [np.flatnonzero(length == LENGTHS) for length in range(HAND_SIZE + 1)]
"""All holdings of one suit, by the number of cards."""
SHAPES = [
    (first, second, third, fourth)
    for first in range(HAND_SIZE, 0, -1)
    for second in range(first + 1)
    for third in range(second + 1)
    for fourth in range(third + 1)
    if first + second + third + fourth == HAND_SIZE
]
"""How long the four suits of a hand can be, longest first."""


def holdings_of(hands: ArrayLike) -> np.ndarray:
    """Take hands apart into their four holdings, spades first."""
    return np.asarray(hands, np.int64)[..., None] >> LANES & SUIT_CARDS


def order_of_suits(hands: ArrayLike) -> np.ndarray:
    """The suits of each hand as its canonical hand has them: longest first, then the higher cards.

    Which of two suits with the same ranks comes first does not matter; it is the one that is first in SUITS.
    """
    held = holdings_of(hands)
    return np.argsort(-(LENGTHS[held] << len(RANKS) | held), axis=-1, kind="stable")


def canonical(hands: ArrayLike) -> np.ndarray:
    """The hands that name the classes of these hands.

    >>> from pitchsim.cards import format_suit_by_suit, parse_hand
    >>> from pitchsim.deck import cards_to_set, set_to_cards
    >>> format_suit_by_suit(set_to_cards(int(canonical(cards_to_set(parse_hand("2.AK4.T.J"))))))
    'AK4.J.T.2'
    """
    held = np.take_along_axis(holdings_of(hands), order_of_suits(hands), axis=-1)
    return (held << LANES).sum(axis=-1)


@cache
def all_classes() -> np.ndarray:
    """Every canonical hand, as sorted int64 numbers; the place of a hand here is the number of its class."""
    hands = np.sort(np.concatenate(list(_hands_by_shape())))
    hands.flags.writeable = False
    return hands


def _hands_by_shape() -> Iterator[np.ndarray]:
    """The canonical hands of each shape, suit by suit; a suit as long as the one before must not be higher."""
    for shape in SHAPES:
        hands = last = HOLDINGS[shape[0]]
        for lane in range(1, len(SUITS)):
            length, before = shape[lane], shape[lane - 1]
            held = np.broadcast_to(HOLDINGS[length], (len(hands), len(HOLDINGS[length])))
            fits = held <= last[:, None] if length == before else np.ones(held.shape, bool)
            hands = (hands[:, None] | held << LANES[lane])[fits]
            last = held[fits]
        yield hands


def class_of(hands: ArrayLike) -> np.ndarray:
    """The numbers of the classes of these hands, from 0."""
    return np.searchsorted(all_classes(), canonical(hands))


def size_of(hands: ArrayLike) -> np.ndarray:
    """How many hands are in the class of each of these hands: 24 unless suits are alike."""
    held = np.sort(holdings_of(hands), axis=-1)
    alike = run = np.ones(held.shape[:-1], np.int64)
    for suit in range(1, len(SUITS)):
        run = np.where(held[..., suit] == held[..., suit - 1], run + 1, 1)
        alike = alike * run
    return RENAMINGS // alike
