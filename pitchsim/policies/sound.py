"""A sound player: pulls trumps from the top, knows what is at stake, and in which order to part with cards."""

import re

import numpy as np

from pitchsim.cards import ACE, JACK, KING, RANKS, TEN
from pitchsim.deck import HAND_SIZE, LANE_BITS, SUIT_CARDS, TENS, TRUMP_JACK, TRUMP_LANE, TRUMPS, side_of
from pitchsim.jit import highest, int64, jitted, lowest, policy, popcount
from pitchsim.view import (
    CARD,
    leading,
    low_to_holder,
    on_my_side,
    on_pitchers_side,
    partners,
    pitcher,
    pitching,
    players,
    winning_cards,
)

SUIT_WORTH = np.array([13, 10, 10, 10, 10, 10, 11, 12, 15, 27, 19, 25, 38])
"""What a card from deuce to ace is worth to a trump suit: length counts, and the ace, the jack and Low count more."""

# An order names cards, the one to play first before the others: plain cards `2-9`, trumps `t2-9`, lowest rank first, or
# with `^` highest rank first; `+` only those that would win the trick as it stands, `-` only those that would not.
# A card player's rules of thumb to begin with; simulated matches then showed which step comes before which.

LEADS = (
    # A defender without a trump.
    "2-9 J-A T",
    "^2-A",
    # A defender with one trump.
    "tQ-K t7-9 2-9 J-A T t2-6 tA tT-J",
    "^2-A tQ-A t2-9 tT-J",
    # A defender with several trumps.
    "^tQ-K ^t7-9 2-9 T-A ^t2-6 tA tT-J",
    "^tQ-K 2-9 T-A ^t5-9 tA tT-J ^t2-4",
    # The pitcher's side without a trump.
    "2-9 T-A",
    "^2-A",
    # The pitcher's side with one trump.
    "2-9 T-A tQ-A t2-J",
    "2-9 T-A tQ-A t2-J",
    # The pitcher's side with several trumps: pull them from the top.
    "^tQ-A ^t7-9 T-A 2-9 ^t2-6 tT-J",
    "^tQ-A ^t4-9 2-9 T-A tT-J ^t2-3",
)
"""What to lead: two orders a situation, with more than three cards in hand, and with three or less."""

FOLLOWS = (
    # A defender, another defender wins, nobody may trump any more.
    "+t2-3 +T-A -T 2-9 -J-A +t4-J ^-t4-9 tQ-A ^-t2-3 -tT-J",
    "+t2-3 ^+T-A +t4-J 2-9 -J-A -T +tQ-A ^-t2-9 -tT-K",
    # The same, somebody may still trump.
    "+2-A -2-9 -J-A -T ^t2-9 tQ-A tT-J",
    "^+T-A ^+t3-J 2-9 -J-A -T +tQ-A ^-t3-9 -tT-K t2",
    # A defender, the pitcher's side wins, nobody may trump any more.
    "+T +t2-3 ^+J-A +2-9 -2-9 +t4-6 -J-A +tT-J -T +t7-9 ^-t4-9 tQ-A -tT ^-t2-3 -tJ",
    "+t2-6 ^+T-A +t7-A 2-9 -J-A -T ^-t4-9 -tT ^-t2-3 -tQ-K -tJ",
    # The same, somebody may still trump.
    "+2-9 -2-9 +T-A -J-A +t2-J -T ^-t3-9 tQ-A -t2 -tT-J",
    "^+J-A +t2-T 2-9 -J-A T +tJ-A ^-t4-9 -tT ^-t2-3 -tQ-K -tJ",
    # The pitcher's side, a defender wins, nobody may trump any more.
    "^+2-T +t2 +J-A -2-9 +t3 +t4-J -J-A -T ^-t3-9 tQ-A -t2 -tT-J",
    "+t2-3 ^+8-A +tJ-A +t4-T 2-9 -J-A -T ^-t2-9 -tT-K",
    # The same, somebody may still trump.
    "+2-A -2-9 +t3-9 +tT -J-A -T tQ-A +tJ ^-t3-9 t2 -tT-J",
    "^+t3-A ^+4-A 2-9 -J-A -T ^-t3-9 -tQ-K -tT-J t2",
    # My partner wins, nobody may trump any more.
    "T t2 J-A 2-9 t3-9 tT-J tQ-A",
    "t2-3 T-A 2-9 t4-A",
    # The same, somebody may still trump.
    "2-9 J-A T t3-9 tQ-A tT-J t2",
    "+t5-A 2-9 J-A T t2-4 t5-A",
)
"""What to follow with: two orders a situation, nothing at stake in the trick, and something at stake."""

SMALL = (1 << TEN) - 1
"""Two to nine, as ranks."""

STEP = re.compile(r"(?P<top>\^?)(?P<sign>[+-]?)(?P<suit>t?)(?P<low>[2-9TJQKA])(-(?P<high>[2-9TJQKA]))?")
LANES = range(TRUMP_LANE + 1)
CARDS = LANE_BITS * len(LANES)
UNNAMED = 127


def places_of(step):
    """Where the cards that a step names stand in a row of the book, the one to play first at the front."""
    match = STEP.fullmatch(step)
    assert match is not None, step
    named = match.groupdict()
    ranks = range(RANKS.index(named["low"]), RANKS.index(named["high"] or named["low"]) + 1)
    wins = {"+": [1], "-": [0], "": [0, 1]}[named["sign"]]
    lanes = [TRUMP_LANE] if named["suit"] else LANES[:TRUMP_LANE]
    in_order = reversed(ranks) if named["top"] else ranks
    return [[CARDS * win + LANE_BITS * lane + rank for win in wins for lane in lanes] for rank in in_order]


def book_of(orders):
    """Write orders down for looking up: the place of every card in every order, cards that win in the second half."""
    book = np.full((len(orders), 2 * CARDS), UNNAMED, np.int8)
    for row, order in enumerate(orders):
        alike = [places for step in order.split() for places in places_of(step)]
        for number, places in enumerate(alike):
            book[row, places] = number
    return book


BOOK = book_of(LEADS + FOLLOWS)
FIRST_FOLLOW = len(LEADS)


@jitted
def first_in_order(row, legal, winning):
    """The first of my legal cards in this order; equal ones by number."""
    best = int64((UNNAMED + 1) << LANE_BITS)
    cards = legal
    # Six steps whatever I hold: a loop that ends with the cards is mispredicted more often than it saves.
    for _ in range(HAND_SIZE):
        card = lowest(cards) & (CARDS - 1)
        wins = (winning >> card) & 1
        place = int64(BOOK[row, CARDS * wins + card]) << LANE_BITS | card
        best = min(best, place) if cards != 0 else best
        cards = cards & (cards - 1)
    return best & (CARDS - 1)


@jitted
def trump_worth(hand, lane):
    """How good a trump suit this would be: the worth of its cards added up."""
    cards = (hand >> (LANE_BITS * lane)) & SUIT_CARDS
    worth = int64(0)
    for rank in range(len(RANKS)):
        worth += ((cards >> rank) & 1) * int64(SUIT_WORTH[rank])
    return worth


@jitted
def best_suit(hand):
    """The lane that makes the best trump suit."""
    most = -1
    choice = 0
    for lane in range(TRUMP_LANE + 1):
        worth = trump_worth(hand, lane)
        better = worth > most
        choice = lane if better else choice
        most = worth if better else most
    return choice


@jitted
def opening(trumps):
    """The rank to pitch: the ace, but the king from ace-king, the queen from king-queen, else often a small one.

    The ace that stays behind the king catches the jack later. From two small ones, or under a jack or a ten, the best
    small one goes first: the honours stay for the tricks that hold something.
    """
    top = highest(trumps)
    below = trumps & ~(1 << top)
    touching = top >= KING and below >> (top - 1) != 0
    small = trumps & SMALL
    wants_small = top < ACE and (small & (small - 1) != 0 or top <= JACK)
    best_small = highest(small) if small != 0 and wants_small else top
    return top - 1 if touching else best_small


@jitted
def at_stake(view):
    """Whether the trick holds the jack of trumps, a ten, or Low as far as one can see."""
    seen = (view.gone | view.table) & TRUMPS
    low = seen & -seen if low_to_holder(view) == 0 else int64(0)
    return int64(view.table & (TRUMP_JACK | TENS | low) != 0)


@jitted
def seats_to_act(view):
    """The seats that play after me in this trick, as one bit each, four bits apart."""
    everybody = int64(0x1111111)
    after_me = (everybody & ((1 << (4 * view.to_act)) - 1)) << (4 * (view.seat + 1))
    return (after_me | after_me >> (4 * players(view))) & everybody & ((1 << (4 * players(view))) - 1)


@jitted
def may_be_trumped(view):
    """Whether somebody plays after me who has not shown to be out of trumps."""
    return int64(seats_to_act(view) & ~(view.voids >> TRUMP_LANE) != 0)


@jitted
def whose_trick(view):
    """Who wins so far: 0 another defender, 1 the pitcher's side (I defend), 2 a defender (I do not), 3 my partner."""
    pitchers_trick = side_of(view.winner, partners(view)) == side_of(pitcher(view), partners(view))
    choice = int64(2) if on_pitchers_side(view) else int64(pitchers_trick)
    return int64(3) if on_my_side(view, view.winner) else choice


@jitted
def lead_row(view):
    """The order to lead by: my side, my trumps (none, one, more), early or late."""
    trumps = min(popcount(view.hand & TRUMPS), 2)
    late = int64(popcount(view.hand) <= HAND_SIZE // 2)
    return (3 * int64(on_pitchers_side(view)) + trumps) * 2 + late


@jitted
def follow_row(view):
    """The order to follow by: whose trick it is so far, whether it may still be trumped, what is at stake."""
    return FIRST_FOLLOW + (whose_trick(view) * 2 + may_be_trumped(view)) * 2 + at_stake(view)


@policy(CARD)
def sound(view):
    """Pull trumps from the top, take what is at stake, throw the least to miss.

    In a card player's words: I make trumps of the suit with the best cards. I pitch the ace, but the king from
    ace-king, the queen from king-queen, and without the ace a small one when I hold two or when only a jack or
    ten is above it. Later the pitcher's side with several trumps pulls them with ace, king and queen, then with
    middle ones, and leads plain cards when those are gone; jack, ten and low trumps are led last. Defenders
    with several trumps lead a king or queen of them, others plain cards. Following, I look whose trick it is so
    far, whether somebody after me may trump, and what is at stake: the jack of trumps, a ten, or the lowest
    trump so far. When nobody can trump any more I bring home Low, tens and court cards; when somebody can I
    take what is at stake with a card that may hold, and keep the rest. On the pitcher's trick I throw small
    cards first, then court cards, then tens, and trumps last, the jack at the very end. On a partner's trick
    that is safe I throw the ten, and Low.
    """
    if pitching(view):
        lane = best_suit(view.hand)
        return LANE_BITS * lane + opening((view.hand >> (LANE_BITS * lane)) & SUIT_CARDS)
    if leading(view):
        return first_in_order(lead_row(view), view.legal, int64(0))
    return first_in_order(follow_row(view), view.legal, winning_cards(view))
