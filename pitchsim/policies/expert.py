"""A fitted player: small tables say how much each card is to be liked in each situation, and the most liked is played.

The liking of a card is the sum of five whole numbers: each comes from a table of its own (`LEAD`, `FOLLOW`), whose row
is chosen by a cheap situation and whose column by the card. `scripts/fit_expert.py` fits them to what the cards
bring when the deals are played out; the numbers lie in `data/expert-N.json` by the names that are used here.
"""

import itertools
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba import int64

from pitchsim.bidding.thresholds import HIGHEST_BID, HOLDINGS, best_leads, expected_scores, table_name
from pitchsim.cards import RANKS
from pitchsim.deck import (
    ALL_CARDS,
    LANE_BITS,
    SUIT_CARDS,
    TRUMP_JACK,
    TRUMP_LANE,
    TRUMPS,
    side_mask,
    suit_cards_of,
    trick_points,
)
from pitchsim.jit import entry, jitted, lowest, policy, popcount, small_entry
from pitchsim.policies.sound import seats_to_act
from pitchsim.rules import Rules
from pitchsim.view import CARD, bid, low_to_holder, partners, pitcher, pitching, players

# What rows and columns are called --------------------------------------------------------------------

SIDES = ("defender", "pitcher", "pitcher's partner")
CARDS_LEFT = ("2 cards left", "3 cards left", "4 cards left", "5 cards left", "6 cards left")
LATE = ("4 or more cards left", "2 or 3 cards left")
OWN_TRUMPS = ("no trump", "1 trump", "2 trumps", "3 or more trumps")
LOWEST_SEEN = ("no trump seen", "lowest trump seen 2-3", "lowest trump seen 4-6", "lowest trump seen 7 or more")
MAY_TRUMP = ("nobody behind may trump", "1 behind may trump", "2 behind may trump", "3 or more behind may trump")
JACK_WHERE = ("jack gone", "jack mine", "jack unseen")
PITCHERS_PLACE = ("pitcher plays before the last", "pitcher plays last")
PITCHERS_TRUMPS = ("pitcher may hold trumps", "pitcher out of trumps")
STAKES = (
    "nothing at stake",
    "3-9 trick points",
    "10 or more trick points",
    "Low at stake",
    "Low and 10 or more trick points",
    "jack at stake",
)
WHOSE_TRICK = (
    "a defender wins, pitcher to come",
    "a defender wins, pitcher beaten",
    "pitcher's side wins",
    "I am the pitcher and a defender wins",
    "my partner wins",
    "my partner is the pitcher and a defender wins",
)
BEHIND = ("last to play", "1 behind", "2 behind", "3 or more behind")
LED = ("plain suit led", "trump led")
LENGTHS = ("single", "of two", "of three or more")
HIGHER = ("none higher unseen", "1 higher unseen", "2 higher unseen", "3 or more higher unseen")
THREATS = (*(f"{number} unseen beat it" for number in range(7)), "7 or more unseen beat it")
WINS = ("loses", "wins")
"""Of a card that is led: whether a higher one of its suit is unseen; else whether it beats the trick so far."""
LOW = ("", "lowest trump")
KINDS = tuple(RANKS) + tuple("t" + rank for rank in RANKS)
CLASSES = ("2-9", "T", "J-K", "A", "t2-4", "t5-9", "tT", "tJ", "tQ-A")
CLASS_OF_KIND = np.array([0] * 8 + [1, 2, 2, 2, 3] + [4] * 3 + [5] * 5 + [6, 7, 8, 8, 8], np.int64)


class Term(NamedTuple):
    """One table: what it is about, what its rows and its columns are."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(len(axis) for axis in self.rows + self.columns)


CARDS, SHAPES = (WINS, KINDS), (WINS, LOW, CLASSES)
LEAD = (
    Term("lead: own trumps", (SIDES, CARDS_LEFT[:4], OWN_TRUMPS), CARDS),
    Term("lead: lowest trump seen", (SIDES, LOWEST_SEEN), SHAPES),
    Term("lead: who may trump", (SIDES, MAY_TRUMP), SHAPES),
    Term("lead: length of the suit", (SIDES, LATE), (LENGTHS, HIGHER, CLASSES)),
    Term("lead: the pitcher", (SIDES, PITCHERS_PLACE, PITCHERS_TRUMPS), SHAPES),
)
FOLLOW = (
    Term("follow: stake and whose trick", (STAKES, WHOSE_TRICK), CARDS),
    Term("follow: own trumps", (SIDES, CARDS_LEFT, OWN_TRUMPS), SHAPES),
    Term("follow: jack", (WHOSE_TRICK, JACK_WHERE), SHAPES),
    Term("follow: what beats it", (BEHIND,), (THREATS, WINS, CLASSES, LED)),
    Term("follow: length of the suit", (LOWEST_SEEN,), (LENGTHS, *SHAPES)),
)
TERMS = LEAD + FOLLOW
STARTS = tuple(int(start) for start in np.cumsum([0, *(term.size for term in TERMS)]))
L0, L1, L2, L3, L4, F0, F1, F2, F3, F4, LIKINGS = STARTS
WIDE, NARROW, CLASSES_OF = len(WINS) * len(KINDS), len(WINS) * len(LOW) * len(CLASSES), len(CLASSES)
LEAD_BITS = 4
"""Behind the tables stands what pitching each holding is worth, for each bid, and in the low bits the rank to lead."""
OPENINGS = -(-LIKINGS // 4)
LENGTH = OPENINGS + HIGHEST_BID * HOLDINGS
"""The notes are int32: likings, four bytes of one number each, then the openings."""
MOST_LIKING = 127


# What is looked at -----------------------------------------------------------------------------------


class Situation(NamedTuple):
    """Where the five rows begin, and the sets that every card is compared with."""

    row0: int
    row1: int
    row2: int
    row3: int
    row4: int
    unseen: int
    trumps_unseen: int
    below: int
    led: int


@jitted
def my_side(view):
    """0 a defender, 1 the pitcher, 2 the pitcher's partner."""
    mate = int64((view.seat ^ pitcher(view)) & side_mask(partners(view)) == 0)
    return 2 * mate - int64(view.seat == pitcher(view))


@jitted
def lowest_seen(trumps):
    """Which of LOWEST_SEEN the lowest of these trumps is."""
    rank = lowest(trumps) - LANE_BITS * TRUMP_LANE
    return int64(1) + int64(rank > 1) + int64(rank > 4) if trumps != 0 else int64(0)


@jitted
def stake_of(view, low_here):
    """Which of STAKES lies on the table."""
    points = trick_points(view.table)
    stake = int64(points > 2) + int64(points > 9)
    stake = int64(3) + int64(points > 9) if low_here else stake
    return int64(5) if view.table & TRUMP_JACK != 0 else stake


@jitted
def whose_trick(view, side, behind_me):
    """Which of WHOSE_TRICK it is."""
    mask = side_mask(partners(view))
    pitchers = int64((view.winner ^ pitcher(view)) & mask == 0)
    mine = (view.winner ^ view.seat) & mask == 0
    to_come = int64(behind_me - 1 < view.to_act) & int64(behind_me != 0)
    defenders = max(2 * pitchers, 1 - to_come)
    trick = defenders if side == 0 else 2 * side + 1
    return int64(4) if mine else trick


@jitted
def situation_of(view):
    """What the tables want to know of the moment."""
    seen = (view.gone | view.table) & TRUMPS
    unseen = ALL_CARDS & ~(view.hand | view.gone | view.table)
    trumps_unseen = popcount(unseen & TRUMPS)
    own = min(popcount(view.hand & TRUMPS), 3)
    left = popcount(view.hand) - 2
    side = my_side(view)
    jack = int64(view.hand & TRUMP_JACK != 0) + 2 * int64(unseen & TRUMP_JACK != 0)
    winners_low = low_to_holder(view) == 0
    low = lowest_seen(seen)
    below = (seen & -seen) - 1 if seen != 0 else int64(TRUMPS)
    below = below & TRUMPS if winners_low else int64(0)
    behind_me = pitcher(view) - view.seat
    behind_me += players(view) & -int64(behind_me < 0)
    if view.led == 0:
        may_trump = min(popcount(seats_to_act(view) & ~(view.voids >> TRUMP_LANE)), 3)
        may_trump = may_trump if trumps_unseen != 0 else int64(0)
        last = int64(behind_me == players(view) - 1)
        void = (view.voids >> (4 * pitcher(view) + TRUMP_LANE)) & 1
        return Situation(
            L0 + ((side * 4 + left) * 4 + own) * WIDE,
            L1 + (side * 4 + low) * NARROW,
            L2 + (side * 4 + may_trump) * NARROW,
            L3 + (side * 2 + int64(left < 2)) * 12 * CLASSES_OF,
            L4 + ((side * 2 + last) * 2 + void) * NARROW,
            unseen, trumps_unseen, below, int64(0),
        )  # fmt: skip
    trump_led = int64(view.led & TRUMPS != 0)
    stake = stake_of(view, winners_low and view.table & (seen & -seen) != 0)
    trick = whose_trick(view, side, behind_me)
    behind = min(view.to_act, 3)
    return Situation(
        F0 + (stake * 6 + trick) * WIDE,
        F1 + ((side * 5 + left) * 4 + own) * NARROW,
        F2 + (trick * 3 + jack) * NARROW,
        F3 + behind * 8 * 2 * CLASSES_OF * 2 + trump_led,
        F4 + low * 3 * NARROW,
        unseen, trumps_unseen, below, view.led | TRUMPS,
    )  # fmt: skip


@jitted
def places_of(view, situation, card):
    """Where the five numbers of a card stand in the notes."""
    bit = int64(1) << card
    trump = card >> 4 == TRUMP_LANE
    kind = (card & (LANE_BITS - 1)) + 13 * int64(trump)
    like = CLASS_OF_KIND[kind]
    suit = suit_cards_of(card)
    higher = popcount(situation.unseen & suit & -(bit << 1))
    length = min(popcount(view.hand & suit), 3) - 1
    low = int64(bit & situation.below != 0)
    if situation.led == 0:
        wins = int64(higher == 0)
        shape = (wins * 2 + low) * CLASSES_OF + like
        return (
            situation.row0 + wins * 26 + kind, situation.row1 + shape, situation.row2 + shape,
            situation.row3 + (length * 4 + min(higher, 3)) * CLASSES_OF + like, situation.row4 + shape,
        )  # fmt: skip
    wins = int64(bit & situation.led > view.best)
    shape = (wins * 2 + low) * CLASSES_OF + like
    threats = min(higher + (int64(0) if trump else situation.trumps_unseen), 7)
    return (
        situation.row0 + wins * 26 + kind, situation.row1 + shape, situation.row2 + shape,
        situation.row3 + ((threats * 2 + wins) * CLASSES_OF + like) * 2, situation.row4 + length * NARROW + shape,
    )  # fmt: skip


@jitted
def liking(notes, places):
    """How much a card is to be liked: the sum of its five numbers."""
    return (
        small_entry(notes, places[0]) + small_entry(notes, places[1]) + small_entry(notes, places[2])
        + small_entry(notes, places[3]) + small_entry(notes, places[4])
    )  # fmt: skip


@jitted
def most_liked(view):
    """The card with the highest liking; of equal ones that with the highest number."""
    situation = situation_of(view)
    most = int64(-1 << 62)
    cards = view.legal
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        most = max(most, liking(view.notes, places_of(view, situation, card)) << 6 | card)
    return most & 63


@jitted
def opening(view):
    """The suit that promises most for my bid, and the card to lead from it."""
    most = int64(-1 << 62)
    choice = int64(0)
    start = OPENINGS + (bid(view) - 1) * HOLDINGS
    for lane in range(TRUMP_LANE + 1):
        worth = entry(view.notes, start + ((view.hand >> (LANE_BITS * lane)) & SUIT_CARDS))
        choice = LANE_BITS * lane + (worth & (LANE_BITS - 1)) if worth > most else choice
        most = max(worth, most)
    return choice


@policy(CARD)
def expert(view):
    """Play what has brought most, by tables that were fitted to some hundred million cards played out.

    In a card player's words: I pitch the suit that scores most at my bid, and from it the card that has scored most:
    the top from a good holding, else often a middle one. As the pitcher I go on with high trumps while I have some;
    as a defender I lead high trumps rather than low ones, court cards and tens of plain suits, small cards when those
    are gone. When I follow I look at what lies on the table, whose trick it is, how many unseen cards still beat
    mine, and where the jack is: I take tens, Low and the jack home when that looks safe, win cheap tricks with aces
    and tens, and else throw a small plain card. What comes before what is weighed by five numbers a card.
    """
    if pitching(view):
        return opening(view)
    if view.legal & (view.legal - 1) == 0:
        return lowest(view.legal)
    return most_liked(view)


# The fitted numbers ----------------------------------------------------------------------------------

LEADS = "-leads"
"""In `holdings.npz`, behind the name of a table: the ranks to pitch."""


def row_names(term: Term) -> list[str]:
    """What the rows of a table are called, in order."""
    return ["; ".join(words) for words in itertools.product(*term.rows)]


def column_names(term: Term) -> list[str]:
    """What its columns are called, in order."""
    return [" ".join(word for word in words if word) for words in itertools.product(*term.columns)]


def file_name(rules: Rules) -> str:
    """The file with the tables for so many players, or for partners."""
    return f"expert-{'partners' if rules.partners else rules.players}.json"


@cache
def tables_in(file: str) -> Mapping[str, Any]:
    """What a file of fitted numbers holds."""
    return json.loads(resources.files("pitchsim").joinpath("data", file).read_text(encoding="utf-8"))


@cache
def _likings(file: str) -> np.ndarray:
    """All tables of a file in a row; what never came up is 0."""
    numbers = np.zeros(4 * OPENINGS, np.int8)
    tables = tables_in(file)
    for term, start in zip(TERMS, STARTS, strict=False):
        place, width = {name: k for k, name in enumerate(row_names(term))}, len(column_names(term))
        for name, row in tables[term.name]["rows"].items():
            begin = start + place[name] * width
            numbers[begin : begin + width] = row
    return numbers.view(np.int32)


@cache
def _notes(file: str, table: str) -> np.ndarray:
    """The tables, then what pitching each holding is worth for each bid, with the rank to lead in the low bits."""
    openings = expected_scores(table).astype(np.int32).T << LEAD_BITS | best_leads(table)
    return np.concatenate([_likings(file), openings.reshape(-1)])


def notes(rules: Rules) -> np.ndarray:
    """What `expert` brings along: its tables and its openings (int32)."""
    return _notes(file_name(rules), table_name(rules))
