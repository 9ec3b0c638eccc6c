"""The classes of hands: counted by enumeration, and the same for all twenty-four renamings of the suits."""

from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitchsim.book.classes import (
    HANDS,
    LANES,
    LENGTHS,
    RENAMINGS,
    SHAPES,
    all_classes,
    canonical,
    class_of,
    holdings_of,
    order_of_suits,
    size_of,
)
from pitchsim.cards import parse_hand
from pitchsim.deck import SUIT_CARDS, cards_to_set
from pitchsim.question import CLASSES_OF_HANDS

SUIT_ORDERS = list(permutations(range(4)))
ANY_HAND = st.sets(st.integers(0, 51), min_size=6, max_size=6)


def set_of(cards):
    return sum(1 << (16 * (card // 13) + card % 13) for card in cards)


def renamed(hands, order):
    """The same hands with their suits in another order."""
    return (holdings_of(hands)[..., list(order)] << LANES).sum(axis=-1)


def slow_canonical(hand):
    """The canonical hand, in plain Python."""
    held = sorted(
        ((hand >> lane) & SUIT_CARDS for lane in (0, 16, 32, 48)), key=lambda suit: (-suit.bit_count(), -suit)
    )
    return sum(suit << 16 * lane for lane, suit in enumerate(held))


def test_there_are_962988_classes():
    classes = all_classes()
    assert len(classes) == CLASSES_OF_HANDS == 962_988
    assert np.all(np.diff(classes) > 0)
    assert classes.dtype == np.int64


def test_the_classes_hold_every_hand_once():
    assert int(size_of(all_classes()).sum()) == HANDS == comb(52, 6) == 20_358_520


def test_every_class_is_named_by_its_canonical_hand():
    classes = all_classes()
    assert np.array_equal(canonical(classes), classes)
    assert np.array_equal(class_of(classes), np.arange(CLASSES_OF_HANDS))
    assert np.all(LENGTHS[holdings_of(classes)].sum(axis=-1) == 6)


def test_burnside_counts_the_same():
    """Classes = the mean over all renamings of the hands that a renaming leaves as they are."""
    fixed = {1: comb(52, 6), 2: 0, 3: 0, 4: 0, 5: 0}
    # Two suits swapped: both have the same k ranks, and the other two the rest.
    fixed[2] = sum(comb(13, k) * comb(26, 6 - 2 * k) for k in range(4))
    fixed[3] = sum(comb(13, k) * comb(13, 6 - 2 * k - 2 * j) * 0 + comb(13, k) * comb(13, j) for k in range(4)
                   for j in [3 - k])  # fmt: skip
    fixed[4] = sum(comb(13, k) * comb(13, 6 - 3 * k) for k in range(3))
    fixed[5] = 0  # All four suits alike: six cards are not a multiple of four.
    assert (fixed[1] + 6 * fixed[2] + 3 * fixed[3] + 8 * fixed[4] + 6 * fixed[5]) // 24 == CLASSES_OF_HANDS


def test_all_renamings_of_every_class_have_its_canonical_hand():
    classes = all_classes()[::37]
    different = np.stack([renamed(classes, order) for order in SUIT_ORDERS])
    for hands in different:
        assert np.array_equal(canonical(hands), classes)
    counted = (np.diff(np.sort(different, axis=0), axis=0) > 0).sum(axis=0) + 1
    assert np.array_equal(counted, size_of(classes))


@given(ANY_HAND, st.sampled_from(SUIT_ORDERS))
def test_any_hand_and_any_renaming_of_it_are_one_class(cards, order):
    hand = set_of(cards)
    assert int(canonical(hand)) == slow_canonical(hand)
    assert int(class_of(renamed(hand, order))) == int(class_of(hand))
    assert int(size_of(renamed(hand, order))) == int(size_of(hand))


@given(ANY_HAND)
def test_the_order_of_suits_leads_to_the_canonical_hand(cards):
    hand = set_of(cards)
    order = order_of_suits(hand)
    assert sorted(order) == [0, 1, 2, 3]
    assert int(renamed(hand, order)) == int(canonical(hand))


def test_shapes_are_the_partitions_of_six_into_four():
    assert len(SHAPES) == 9
    assert all(sum(shape) == 6 and list(shape) == sorted(shape, reverse=True) for shape in SHAPES)


@pytest.mark.parametrize(
    ("hand", "size"),
    [("AKQJT9...", 4), ("AKQ.AKQ..", 6), ("AK.AK.AK.", 4), ("AK.AK.5.5", 6), ("AK4.2.J.T", 24), ("AK4..J2.T", 24)],
)
def test_a_class_is_smaller_where_suits_are_alike(hand, size):
    assert int(size_of(cards_to_set(parse_hand(hand)))) == size
    assert size <= RENAMINGS == factorial(4)
