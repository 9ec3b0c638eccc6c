"""A sound player: knows what is at stake in a trick, and in which order to part with cards."""

import re

import numpy as np
from numba import int64

from pitchsim.cards import RANKS
from pitchsim.deck import (
    ALL_CARDS,
    HAND_SIZE,
    LANE_BITS,
    SPREAD,
    SUIT_CARDS,
    TENS,
    TRUMP_JACK,
    TRUMP_LANE,
    TRUMPS,
)
from pitchsim.jit import highest, jitted, lowest, policy
from pitchsim.view import CARD, leading, on_pitchers_side, pitching, unseen, winning_cards

SUIT_WORTH = np.array([12, 10, 8, 8, 8, 8, 8, 9, 13, 24, 18, 25, 38])
"""What a card from deuce to ace is worth to a trump suit: length counts, and the ace, the jack and Low count more."""

LEAD_ORDERS = (
    # Defender: plain cards that nobody beats, then small ones; trumps last.
    "+A +J-K -2-9 +2-9 -J-K -T +T +t2-A t2-A",
    # Pitcher: trumps from the top, then good plain cards.
    "+tA ^+t5-K ^tT-K t5-9 tJ +A +J-K -2-9 +2-9 -J-K tA t2-4 T",
)
FOLLOW_ORDERS = (
    # Nothing at stake, others still to act: keep what is worth something.
    "-2-9 -J-K +J-K +2-9 +A t5-9 -A t2-4 tQ-A tJ T tT",
    # Nothing at stake, last to act: win what one can cheaply.
    "+tJ +T +tT +J-A +t2-4 -2-9 +2-9 -J-K t5-9 tQ-A T t2-T tJ",
    # Something at stake, others still to act: take it, high enough to hold it.
    "+tA +tQ-K +A +t5-9 +t2-4 +J-K -2-9 -J-K +tT +tJ -A t5-9 t2-4 tQ-A T tT tJ",
    # Something at stake, last to act: take it cheaply.
    "+tJ +T +tT +J-A +t2-A +2-9 -2-9 -J-K -A t5-9 t2-4 tQ-A T tT tJ",
)
HIGHEST_FIRST = 1 << 63 >> 16


STEP = re.compile(r"(\^?)([+-]?)(t?)([2-9TJQKA])(?:-([2-9TJQKA]))?")


def cards_of_step(suits, first, last):
    """The cards that a step of an order names: plain ones, or trumps (`t`), from one rank to another."""
    span = range(RANKS.index(first), RANKS.index(last or first) + 1)
    cards = sum(SPREAD << rank for rank in span)
    return cards & (TRUMPS if suits == "t" else ALL_CARDS & ~TRUMPS)


def book_of(orders):
    """Write orders down for looking up: for each step the good cards and the other cards that it names."""
    longest = max(len(order.split()) for order in orders)
    book = np.zeros((len(orders), longest + 1, 2), np.int64)
    book[:, longest] = ALL_CARDS
    for row, order in enumerate(orders):
        for place, step in enumerate(order.split()):
            top, sign, *named = STEP.fullmatch(step).groups()
            cards = cards_of_step(*named) | (HIGHEST_FIRST if top else 0)
            book[row, place] = [cards if sign != "-" else 0, cards if sign != "+" else HIGHEST_FIRST & cards]
    return book


BOOK = book_of(LEAD_ORDERS + FOLLOW_ORDERS)
STEPS = BOOK.shape[1]


@jitted
def first_in_order(row, legal, good):
    """The first card that I part with in this order; of several in one step the lowest, unless it says the highest."""
    chosen = int64(0)
    for place in range(STEPS - 1, -1, -1):
        step = (int(BOOK[row, place, 0]) & good) | (int(BOOK[row, place, 1]) & ~good)
        step = step & (legal | HIGHEST_FIRST)
        chosen = step if step & legal != 0 else chosen
    cards = chosen & ~HIGHEST_FIRST
    return highest(cards) if chosen & HIGHEST_FIRST != 0 else lowest(cards)


@jitted
def trump_worth(hand, lane):
    """How good a trump suit this would be: the worth of its cards added up."""
    cards = (hand >> (LANE_BITS * lane)) & SUIT_CARDS
    total = int64(0)
    for _ in range(HAND_SIZE):
        total += int(SUIT_WORTH[lowest(cards)]) if cards != 0 else 0
        cards = cards & (cards - 1)
    return total


@jitted
def best_suit(hand):
    """The lane that makes the best trump suit."""
    best = int64(-1)
    choice = int64(0)
    for lane in range(4):
        worth = trump_worth(hand, lane)
        choice = lane if worth > best else choice
        best = max(best, worth)
    return choice


@jitted
def opening(trumps):
    """The first lead from these trumps (ranks as bits): the top one, but the king under the ace, and never a lone
    high jack."""
    top = highest(trumps)
    below = trumps ^ (1 << top)
    second = highest(below) if below != 0 else top
    if top == 12:
        return second if second == 11 else top
    return second if top == 9 or top == 8 else top


@jitted
def masters(view):
    """My cards that no unseen card of their suit beats."""
    good = int64(0)
    for lane in range(TRUMP_LANE + 1):
        suit = SUIT_CARDS << (LANE_BITS * lane)
        out = unseen(view) & suit
        good |= view.hand & suit & (ALL_CARDS if out == 0 else ~((1 << highest(out)) - 1))
    return good


@jitted
def at_stake(view):
    """Whether the trick holds the jack of trumps, a ten, or the lowest trump so far."""
    lowest_trump = (view.gone | view.table) & TRUMPS
    lowest_trump = lowest_trump & -lowest_trump
    return view.table & (TRUMP_JACK | TENS | lowest_trump) != 0


@policy(CARD)
def sound(view):
    """Pull trumps, take what is worth taking, and part with cards in a sensible order."""
    if pitching(view):
        lane = best_suit(view.hand)
        return LANE_BITS * lane + opening((view.hand >> (LANE_BITS * lane)) & SUIT_CARDS)
    if leading(view):
        return first_in_order(int64(on_pitchers_side(view)), view.legal, masters(view))
    row = 2 + 2 * int64(at_stake(view)) + int64(view.to_act == 0)
    return first_in_order(row, view.legal, winning_cards(view))
