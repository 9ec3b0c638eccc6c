"""A fitted player: small tables say how much each card is to be liked in each situation, and the most liked is played.

The liking of a card is the sum of five whole numbers: each comes from a table of its own (`LEAD`, `FOLLOW`), whose row
is chosen by the moment and one thing that matters in it, and whose column by the card. `scripts/fit_expert.py` fits
them to what the cards bring when the deals are played out; the numbers lie in `data/expert-N.json` by the names that
are used here.
"""

import itertools
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from math import prod
from typing import Any, NamedTuple

import numpy as np

from pitchsim.bidding.thresholds import HIGHEST_BID, HOLDINGS, best_leads, expected_scores, table_name
from pitchsim.cards import RANKS
from pitchsim.deck import (
    LANE_BITS,
    SUIT_CARDS,
    TRUMP_JACK,
    TRUMP_LANE,
    TRUMPS,
    side_mask,
    trick_points,
)
from pitchsim.jit import entry, int64, jitted, lowest, policy, popcount, small_entry
from pitchsim.policies.sound import seats_to_act
from pitchsim.rules import Rules
from pitchsim.view import CARD, bid, low_to_holder, partners, pitcher, pitching, players

# What rows and columns are called --------------------------------------------------------------------

CARDS_LEFT = ("2 cards left", "3 cards left", "4 cards left", "5 cards left", "6 cards left")
BEHIND = ("last to play", "1 behind", "2 behind", "3 or more behind")
OWN_TRUMPS = ("no trump", "1 trump", "2 trumps", "3 or more trumps")
LOWEST_SEEN = ("no trump seen", "lowest trump seen 2-3", "lowest trump seen 4-6", "lowest trump seen 7 or more")
MAY_TRUMP = ("nobody behind may trump", "1 behind may trump", "2 behind may trump", "3 or more behind may trump")
PLACES = (
    "a defender, pitcher plays before the last",
    "a defender, pitcher plays last",
    "the pitcher",
    "the pitcher's partner",
)
STAKES = ("nothing at stake", "3-9 trick points", "10 or more trick points, or Low", "jack at stake")
WHOSE_TRICK = (
    "a defender wins, pitcher to come",
    "a defender wins, pitcher beaten",
    "pitcher's side wins",
    "I am the pitcher and a defender wins",
    "my partner wins",
    "my partner is the pitcher and a defender wins",
)
WINS = ("loses", "wins")
"""Whether a card beats the trick so far."""
KINDS = tuple(RANKS) + tuple("t" + rank for rank in RANKS)
CLASSES = (
    *("2-5", "6-9", "T", "J", "Q-K", "A"),
    *("t2-4", "t5-9", "tT", "tJ", "tQ-K", "tA"),
    *("t2-3!", "t4-6!", "t7-9!", "tT-A!"),
)
"""Cards much alike; those with `!` are lower than every trump seen, and Low may be won with them."""


def _class_of() -> np.ndarray:
    """Which of CLASSES each of KINDS is in; in the second half when it is lower than every trump seen."""
    of_kind = np.zeros((2, len(KINDS)), np.int64)
    for number, name in enumerate(CLASSES):
        first, _, last = name.strip("t!").partition("-")
        suit = len(RANKS) * name.startswith("t")
        lows = [1] if name.endswith("!") else [0, 1]
        of_kind[lows, suit + RANKS.index(first) : suit + RANKS.index(last or first) + 1] = number
    return of_kind.reshape(-1)


CLASS_OF = _class_of()


class Term(NamedTuple):
    """One table: what it is about, the moments that it tells apart, what else its rows and its columns are."""

    name: str
    moments: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many moments, rows for each, and columns it has."""
        moments, rows, columns = (prod(map(len, axes)) for axes in self[1:])
        return moments, rows, columns


LEADING, FOLLOWING = (CARDS_LEFT[:4],), (CARDS_LEFT, BEHIND)
LEAD = (
    Term("lead: own trumps", LEADING, (OWN_TRUMPS,), (CLASSES,)),
    Term("lead: lowest trump seen", LEADING, (LOWEST_SEEN,), (CLASSES,)),
    Term("lead: who may trump", LEADING, (MAY_TRUMP,), (CLASSES,)),
    Term("lead: my place", LEADING, (PLACES,), (CLASSES,)),
)
FOLLOW = (
    Term("follow: own trumps", FOLLOWING, (OWN_TRUMPS,), (CLASSES,)),
    Term("follow: lowest trump seen", FOLLOWING, (LOWEST_SEEN,), (CLASSES,)),
    Term("follow: whose trick", FOLLOWING, (WHOSE_TRICK,), (CLASSES,)),
    Term("follow: stake", FOLLOWING, (STAKES,), (WINS, CLASSES)),
    Term("follow: the card", FOLLOWING, (), (WINS, KINDS)),
)
TERMS = LEAD + FOLLOW
NUMBERS_A_CARD = len(FOLLOW)
STARTS = tuple(int(start) for start in np.cumsum([0, *(prod(term.shape) for term in TERMS)]))
L0, L1, L2, L3, F0, F1, F2, F3, F4, NOTHING = STARTS
LIKINGS = NOTHING + 1
"""A card that is led has one number less than one that follows; instead it has the last, which is 0."""
KINDS_OF, CLASSES_OF = len(KINDS), len(CLASSES)
LEAD_BITS = 4
"""Behind the tables stands what pitching each holding is worth, for each bid, and in the low bits the rank to lead."""
OPENINGS = -(-LIKINGS // 4)
LENGTH = OPENINGS + HIGHEST_BID * HOLDINGS
"""The notes are int32: likings, four bytes of one number each, then the openings."""
MOST_LIKING = 255
"""No card is liked more: its numbers are bytes, and so is their sum."""


# What is looked at -----------------------------------------------------------------------------------


class Situation(NamedTuple):
    """Where the five rows begin, and the sets that every card is compared with."""

    row0: int
    row1: int
    row2: int
    row3: int
    row4: int
    below: int
    led: int


@jitted
def my_place(view, behind_me):
    """Which of PLACES I lead from; the pitcher plays so many seats behind me."""
    mate = (view.seat ^ pitcher(view)) & side_mask(partners(view)) == 0
    last = int64(behind_me == players(view) - 1)
    return int64(2) + int64(behind_me != 0) if mate else last


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
    stake = int64(2) if low_here else stake
    return int64(3) if view.table & TRUMP_JACK != 0 else stake


@jitted
def whose_trick(view, behind_me):
    """Which of WHOSE_TRICK it is; the pitcher plays so many seats behind me."""
    mask = side_mask(partners(view))
    mate = (view.seat ^ pitcher(view)) & mask == 0
    pitchers = int64((view.winner ^ pitcher(view)) & mask == 0)
    mine = (view.winner ^ view.seat) & mask == 0
    to_come = int64(behind_me - 1 < view.to_act)
    trick = int64(3) + 2 * int64(behind_me != 0) if mate else max(2 * pitchers, 1 - to_come)
    return int64(4) if mine else trick


@jitted
def situation_of(view):
    """What the tables want to know of the moment."""
    seen = (view.gone | view.table) & TRUMPS
    winners_low = low_to_holder(view) == 0
    below = (seen & -seen) - 1 if seen != 0 else int64(TRUMPS)
    below = below & TRUMPS if winners_low else int64(0)
    low = lowest_seen(seen)
    own = min(popcount(view.hand & TRUMPS), 3)
    left = popcount(view.hand) - 2
    behind_me = pitcher(view) - view.seat
    behind_me += players(view) & -int64(behind_me < 0)
    if view.led == 0:
        may_trump = min(popcount(seats_to_act(view) & ~(view.voids >> TRUMP_LANE)), 3)
        return Situation(
            L0 + (left * 4 + own) * CLASSES_OF,
            L1 + (left * 4 + low) * CLASSES_OF,
            L2 + (left * 4 + may_trump) * CLASSES_OF,
            L3 + (left * 4 + my_place(view, behind_me)) * CLASSES_OF,
            int64(NOTHING), below, int64(0),
        )  # fmt: skip
    moment = left * 4 + min(view.to_act, 3)
    stake = stake_of(view, winners_low and view.table & (seen & -seen) != 0)
    return Situation(
        F0 + (moment * 4 + own) * CLASSES_OF,
        F1 + (moment * 4 + low) * CLASSES_OF,
        F2 + (moment * 6 + whose_trick(view, behind_me)) * CLASSES_OF,
        F3 + (moment * 4 + stake) * 2 * CLASSES_OF,
        F4 + moment * 2 * KINDS_OF,
        below, view.led | TRUMPS,
    )  # fmt: skip


@jitted
def places_of(view, situation, card):
    """Where the five numbers of a card stand in the notes."""
    bit = int64(1) << card
    kind = (card & (LANE_BITS - 1)) + len(RANKS) * int64(card >> 4 == TRUMP_LANE)
    like = CLASS_OF[kind + KINDS_OF * int64(bit & situation.below != 0)]
    if situation.led == 0:
        return (
            situation.row0 + like, situation.row1 + like, situation.row2 + like, situation.row3 + like,
            situation.row4,
        )  # fmt: skip
    wins = int64(bit & situation.led > view.best)
    return (
        situation.row0 + like, situation.row1 + like, situation.row2 + like,
        situation.row3 + wins * CLASSES_OF + like, situation.row4 + wins * KINDS_OF + kind,
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
    most = int64(-1)
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
    are gone. When I follow I look at what lies on the table, whose trick it is, how many play after me, and how many
    trumps I hold: I take tens, Low and the jack home when that looks safe, win cheap tricks with aces and tens, and
    else throw a small plain card. What comes before what is weighed by five numbers a card.
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
    return ["; ".join(words) for words in itertools.product(*term.moments, *term.rows)]


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
    numbers = np.zeros(4 * OPENINGS, np.uint8)
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
