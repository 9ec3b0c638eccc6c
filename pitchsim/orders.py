"""How a policy plays, in a card player's words: which cards `expert` leads, follows with and pitches, in order."""

import inspect
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pitchsim.bidding import BIDDING
from pitchsim.bidding.thresholds import HIGHEST_BID, best_leads, expected_scores, table_name
from pitchsim.cards import RANKS
from pitchsim.errors import InputError
from pitchsim.plugins import Found, find
from pitchsim.policies import PLAY, expert
from pitchsim.policies.expert import (
    CARDS_LEFT,
    CLASS_OF,
    CLASSES,
    FOLLOW,
    KINDS,
    LEAD,
    OWN_TRUMPS,
    PLACES,
    STAKES,
    WHOSE_TRICK,
    WINS,
    Term,
    column_names,
)
from pitchsim.report import Report, Table
from pitchsim.rules import Rules

TYPICAL = {
    "lowest trump seen 4-6",
    "2 behind may trump",
    "a defender, pitcher plays before the last",
    "1 trump",
    "4 cards left",
    "2 behind",
}
"""What is taken for granted where an order does not say otherwise; one word of each list of the tables."""

LED = ("plain suit led", "trump led")

NOT_SEEN = {"trick_winner": ("t2-4", "t7-9!", "tT-A!"), "holder": ("t2-3!", "t4-6!", "t7-9!", "tT-A!")}
"""Classes of cards that are not there while the lowest trump seen is typical."""

MARKS = "t = trump, ! = below all trumps seen"
SIGNS = f"{MARKS}, + wins the trick so far, - does not; 2 behind = two play after me"

HOLDINGS_SHOWN = (
    "A", "K", "Q", "J", "AK", "A2", "K3", "KJ", "QJ", "J3", "AK4", "A42", "AJ2", "AT4", "KQ5", "K53", "KJ5", "QJT",
    "Q43", "J53", "T43", "432", "AKJ2", "AQ43", "KJ32", "QT53", "J532", "8532",
)  # fmt: skip
"""Holdings whose best lead is shown."""


def liking_of(term: Term, rows: dict[str, list[int]], given: set[str], wins: str, like: str) -> float:
    """What one table says of a class of cards in a situation: the mean of its kinds where it tells them apart."""
    numbers = rows.get("; ".join(_word(axis, given) for axis in term.moments + term.rows))
    if numbers is None:
        return 0.0
    columns = itertools.product(*(_words(axis, wins, like) for axis in term.columns))
    return float(np.mean([numbers[_places(term)[" ".join(filter(None, column))]] for column in columns]))


@cache
def _places(term: Term) -> dict[str, int]:
    """Where the columns of a table stand, by name."""
    return {name: place for place, name in enumerate(column_names(term))}


def _words(axis: Sequence[str], wins: str, like: str) -> list[str]:
    """The words of a list that are about this class of cards, winning or not."""
    if axis == WINS:
        return [wins]
    if axis == CLASSES:
        return [like]
    half = CLASS_OF[len(KINDS) :] if like.endswith("!") else CLASS_OF[: len(KINDS)]
    return [kind for kind, number in zip(KINDS, half, strict=True) if CLASSES[number] == like]


def _word(axis: Sequence[str], given: set[str]) -> str:
    """The word of a list that the moment names, or the typical one, or the first."""
    return next(word for wanted in (given, TYPICAL, axis) for word in axis if word in wanted)


def order_of(terms: Sequence[Term], file: str, given: set[str], shapes: Sequence[tuple[str, str]]) -> list[str]:
    """Classes of cards, the most liked first: `+` before those that win the trick, `-` before those that do not."""
    tables = expert.tables_in(file)
    totals = {
        shape: sum(liking_of(term, tables[term.name]["rows"], given, *shape) for term in terms) for shape in shapes
    }
    signs = {"wins": "+", "loses": "-"} if terms is FOLLOW else {}
    return [signs.get(wins, "") + like for wins, like in sorted(shapes, key=lambda shape: -totals[shape])]


def shown_classes(rules: Rules) -> list[str]:
    """The classes of cards that an order names."""
    return [like for like in CLASSES if like not in NOT_SEEN[rules.low_goes_to]]


def leads_in_order(rules: Rules) -> list[list[str]]:
    """What is led, by place, own trumps, and cards left."""
    file = expert.file_name(rules)
    places = PLACES if rules.partners else PLACES[rules.players == 2 : 3]
    rows = []
    for place, trumps, left in itertools.product(places, OWN_TRUMPS, (CARDS_LEFT[2], CARDS_LEFT[0])):
        held = [like for like in shown_classes(rules) if trumps != OWN_TRUMPS[0] or not like.startswith("t")]
        order = order_of(LEAD, file, {place, trumps, left}, [(WINS[0], like) for like in held])
        rows.append([place, trumps, left, " ".join(order)])
    return rows


def follows_in_order(rules: Rules, led: str) -> list[list[str]]:
    """What is played to a plain suit or to a trump: whose trick it is, what is at stake, whether somebody is behind.

    Only moments that can be: nobody is last while the pitcher is to come, and no plain card beats a trump.
    """
    file = expert.file_name(rules)
    tricks = WHOSE_TRICK if rules.partners else WHOSE_TRICK[:4]
    classes = shown_classes(rules)
    trumps = [like for like in classes if like.startswith("t")]
    rows = []
    for trick, stake, behind in itertools.product(tricks, STAKES, ("last to play", "2 behind")):
        if trick == WHOSE_TRICK[0] and behind == "last to play":
            continue
        winners = trumps if led == LED[1] or stake == STAKES[-1] else classes
        losers = trumps if led == LED[1] else classes
        shapes = [("wins", like) for like in winners] + [("loses", like) for like in losers]
        rows.append([trick, stake, behind, " ".join(order_of(FOLLOW, file, {trick, stake, behind}, shapes))])
    return rows


def pitches(rules: Rules) -> list[list[Any]]:
    """What is pitched from some holdings, and what they score as pitcher of each bid."""
    worth, leads = expected_scores(table_name(rules)), best_leads(table_name(rules))
    rows = []
    for holding in HOLDINGS_SHOWN:
        ranks = sum(1 << RANKS.index(rank) for rank in holding)
        rows.append([holding, RANKS[leads[ranks]], *(f"{score / 1000:+.2f}" for score in worth[ranks])])
    return rows


@dataclass
class Shown(Report):
    """One policy, told in full."""

    name: str
    description: str
    rules: Rules

    def to_dict(self) -> dict[str, Any]:
        """The description, and the orders where it has some."""
        tables = {table.kind: table.records() for table in self.tables()[1:]}
        return {"policy": self.name, "description": self.description, "players": self.rules.players, **tables}

    def headline(self, symbols: bool = False) -> str:
        """What it says of itself."""
        return f"{self.name}: {self.description}"

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The orders."""
        return self.tables()[1:]

    def tables(self) -> list[Table]:
        """The description, then what is pitched, led and followed with."""
        told = [Table("policy", ["policy", "description"], [[self.name, self.description]])]
        if self.name != "expert":
            return told
        scores = [f"worth as {bid}" for bid in range(1, HIGHEST_BID + 1)]
        return [
            *told,
            Table("pitch", ["trumps", "pitch", *scores], pitches(self.rules), "What is pitched"),
            Table(
                "lead",
                ["place", "own trumps", "left", "these cards first"],
                leads_in_order(self.rules),
                f"What is led ({MARKS}; with everything else as it mostly is)",
            ),
            Table(
                "follow",
                ["trick so far", "at stake", "behind", "these cards first"],
                follows_in_order(self.rules, LED[0]),
                f"What is played to a plain suit ({SIGNS})",
            ),
            Table(
                "follow_trump",
                ["trick so far", "at stake", "behind", "these cards first"],
                follows_in_order(self.rules, LED[1]),
                f"What is played to a trump by those who hold some ({SIGNS})",
            ),
        ]


def in_full(found: Found) -> str:
    """Everything that a policy says of itself, in one line."""
    text = inspect.getdoc(getattr(found.function, "py_func", found.function)) or "It says nothing of itself."
    return " ".join(text.split())


def show(name: str, rules: Rules) -> Shown:
    """Tell one policy in full.

    Raises InputError for a name that there is not.
    """
    for kind in (PLAY, BIDDING):
        try:
            return Shown(name, in_full(find(kind, name)), rules)
        except InputError:
            if kind is BIDDING:
                known = ", ".join([*PLAY.built_in, *BIDDING.built_in])
                raise InputError(f"there is no policy {name!r}; there are {known}") from None
    raise AssertionError
