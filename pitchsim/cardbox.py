"""The bid table on one page: some sixty kinds of holdings, as players name them, for the card box.

A kind names the ace, king, queen, jack, ten and deuce that a holding has, and calls the rest x. Rare kinds, and kinds
with which one bids alike, are put together along a fixed road: the deuce becomes an x, then the ten, then a queen
beside an ace or a king; then any number of further x's is the same. Of all ways to stop on that road the one is taken,
step by step, that blurs the bids least.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pitchsim.advice import CALL_NAMES, table_in_words
from pitchsim.calls import in_one_letter
from pitchsim.cards import RANKS
from pitchsim.holdings import frequency_of, spelled
from pitchsim.report import Report, Table, engine_in_words, percent, signed

if TYPE_CHECKING:
    from pitchsim.bidtable import BidTable, Row

MOST_KINDS = 60
NAMED = "AKQJT2"
BECOME_X = "2TQ"
"""In this order names are given up; the queen only beside an ace or a king."""

HOPELESS = -0.3
"""Points below which nobody bids: how far below does not matter when kinds are put together."""

CALL_WEIGHT = 0.15
"""What a call of one more or less counts for, in points, when kinds are put together."""

EXAMPLES = ("AKQ", "JT2", "A962")
"""Holdings whose place on the page is told."""

ALIKE = 0.9
"""A call that fewer holdings of a kind than this have in common is marked."""

FIGURES = ("points", "high", "low", "jack", "game", "p1", "p2", "p3", "p4", "ev1", "ev2", "ev3", "ev4")
PRINT_STYLE = """<style>
@page { margin: 9mm; }
body { font-size: 13px; line-height: 1.25; max-width: none; margin: 1em auto; width: fit-content; }
table { font-size: 12px; margin: .5em 0; }
th, td { padding: .5px .7em; white-space: nowrap; border-bottom: none; }
tbody tr:nth-child(odd) { background: #f0efe6; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h4 { margin: .4em 0; font-weight: normal; }
p { margin: .3em 0; max-width: 68em; }
@media print {
  body { margin: 0; padding: 0; width: 100%; font-size: 7.6pt; line-height: 1.2; }
  table { width: 100%; font-size: 8pt; } th, td { padding: 0 .4em; } p { max-width: none; }
}
</style>"""


class Kind(NamedTuple):
    """The named cards, highest first, how many x's, and whether more x's are the same kind."""

    named: str
    small: int
    or_more: bool = False

    @staticmethod
    def of(holding: str) -> "Kind":
        """The kind of one holding, nothing given up yet.

        >>> Kind.of("AJ92")
        Kind(named='AJ2', small=1, or_more=False)
        """
        named = "".join(rank for rank in holding if rank in NAMED)
        return Kind(named, len(holding) - len(named))

    @property
    def wider(self) -> "Kind | None":
        """The next kind on the road, which holds this one; None at its end."""
        if not self.or_more:
            for rank in BECOME_X:
                if rank in self.named and (rank != "Q" or "A" in self.named or "K" in self.named):
                    return Kind(self.named.replace(rank, ""), self.small + 1)
            return self._replace(or_more=True)
        least = 0 if self.named else 1
        return self._replace(small=self.small - 1) if self.small > least else None

    @property
    def road(self) -> "Iterator[Kind]":
        """All wider kinds."""
        kind = self.wider
        while kind is not None:
            yield kind
            kind = kind.wider


class Blur:
    """How far the bids of some holdings are apart: sums from which the spread is found."""

    def __init__(self) -> None:
        """Begin with no holdings."""
        self.weight, self.squares = 0.0, 0.0
        self.sums: Any = 0.0
        self.rows: list[int] = []

    def add(self, row: int, weight: float, point: np.ndarray) -> None:
        """Add one holding."""
        self.rows.append(row)
        self.weight += weight
        self.sums = self.sums + weight * point
        self.squares += weight * float(point @ point)

    def with_others(self, others: "Sequence[Blur]") -> "Blur":
        """All of these together."""
        whole = Blur()
        for part in (self, *others):
            whole.rows += part.rows
            whole.weight += part.weight
            whole.sums = whole.sums + part.sums
            whole.squares += part.squares
        return whole

    @property
    def spread(self) -> float:
        """The weighted sum of squared distances from the mean."""
        return self.squares - float(np.dot(self.sums, self.sums)) / self.weight if self.weight else 0.0


def put_together(rows: "Sequence[Row]", most: int = MOST_KINDS) -> dict[Kind, list[int]]:
    """Find the kinds of the page, and which rows belong to each.

    A kind is given up only when no narrower one is left, so that each holding belongs to the first listed kind on
    its road.
    """
    kinds: dict[Kind, Blur] = {}
    for place, row in enumerate(rows):
        kinds.setdefault(Kind.of(row.name), Blur()).add(place, frequency_of(row.ranks), _bids_of(row))
    while (step := _cheapest_step(kinds, most)) is not None:
        given_up, wider = step
        parts = [kinds.pop(kind) for kind in given_up]
        kinds[wider] = kinds.get(wider, Blur()).with_others(parts)
    return {kind: sorted(blur.rows) for kind, blur in kinds.items()}


def _cheapest_step(kinds: dict[Kind, Blur], most: int) -> tuple[list[Kind], Kind] | None:
    """Which kinds to give up next, and for which wider one: that which blurs the bids least for each row saved."""
    inner = {wider for kind in kinds for wider in kind.road}
    leaves = defaultdict(list)
    for kind in kinds:
        if kind not in inner and kind.wider is not None:
            leaves[kind.wider].append(kind)
    choices: list[tuple[float, list[Kind], Kind]] = []
    for wider, narrow in leaves.items():
        groups = [[kind] for kind in narrow] if wider in kinds else [narrow]
        for group in groups:
            target, parts = kinds.get(wider, Blur()), [kinds[kind] for kind in group]
            saved = len(group) - (wider not in kinds)
            if saved == 0:
                return group, wider  # Another name for the same holdings.
            cost = target.with_others(parts).spread - target.spread - sum(part.spread for part in parts)
            choices.append((cost / saved, group, wider))
    if len(kinds) <= most or not choices:
        return None
    _, group, wider = min(choices)
    return group, wider


def _bids_of(row: "Row") -> np.ndarray:
    """What matters for bidding: what bids of 2, 3 and 4 score, and all calls."""
    scores = [max(row.best.lead.score_change(bid), HOPELESS) for bid in (2, 3, 4)]
    calls = [CALL_WEIGHT * call for call in row.calls.values()]
    return np.array([*scores, *calls])


@dataclass(frozen=True)
class KindRow:
    """One kind: its name, how often it comes up, the best card to pitch, mean figures and the calls."""

    name: str
    frequency: float
    lead: str
    points_se: float
    figures: dict[str, float]
    calls: dict[tuple[int, int], tuple[int, float]]


def kind_row(kind: Kind, listed: "dict[Kind, list[int]]", rows: "Sequence[Row]") -> KindRow:
    """Average over the holdings of a kind, each as often as it comes up."""
    members = [rows[place] for place in listed[kind]]
    weights = np.array([frequency_of(row.ranks) for row in members])
    share = weights / weights.sum()
    figures = [row.best.lead.figures() for row in members]
    leads: dict[str, float] = defaultdict(float)
    for row, part in zip(members, share, strict=True):
        rank = RANKS[row.best.lead.card.rank]
        leads[rank if rank in kind.named else "x"] += float(part)
    ses = np.array([figure["points_se"] or 0.0 for figure in figures])
    return KindRow(
        _name_of(kind, listed, members),
        float(weights.sum()),
        max(leads, key=lambda lead: leads[lead]),
        sqrt(float(share**2 @ ses**2)),
        {name: float(share @ [figure[name] for figure in figures]) for name in FIGURES},
        {cell: _common_call(cell, members, share) for cell in members[0].calls},
    )


def _common_call(cell: tuple[int, int], members: "Sequence[Row]", share: np.ndarray) -> tuple[int, float]:
    """The call that most of these holdings make, and how many of them do."""
    made = np.array([row.calls[cell] for row in members])
    parts = [float(share[made == call].sum()) for call in range(len(CALL_NAMES))]
    return int(np.argmax(parts)), max(parts)


def _name_of(kind: Kind, listed: "dict[Kind, list[int]]", members: "Sequence[Row]") -> str:
    """As a player writes it: A J x x+; with a plus only where longer holdings belong to it."""
    least = kind.small
    if kind.or_more and kind._replace(or_more=False) in listed:
        least += 1
    longer = any(row.ranks.bit_count() > len(kind.named) + least for row in members)
    return " ".join([*spelled(kind.named).split(), *"x" * least]) + "+" * longer


@dataclass
class CardBox(Report):
    """The bid table on one page; `kinds` are its rows."""

    table: "BidTable"
    kinds: list[KindRow]
    places: dict[str, KindRow]

    @staticmethod
    def of(table: "BidTable", most: int = MOST_KINDS) -> "CardBox":
        """Condense a whole bid table."""
        listed = put_together(table.holdings, most)
        order = sorted(listed, key=lambda kind: (_length(kind, listed), [NAMED.index(rank) for rank in kind.named]
                                                 + [len(NAMED)] * (kind.small + 1)))  # fmt: skip
        kinds = [kind_row(kind, listed, table.holdings) for kind in order]
        rows = table.holdings
        places = {rows[place].name: row for kind, row in zip(order, kinds, strict=True) for place in listed[kind]}
        return CardBox(table, kinds, places)

    def to_dict(self) -> dict[str, Any]:
        """All rows, and what they hold for."""
        whole = self.table.to_dict()
        return {name: value for name, value in whole.items() if name != "rows"} | {
            "rows": [self._record(row) for row in self.kinds]
        }

    def _record(self, row: KindRow) -> dict[str, Any]:
        """One row with raw values."""
        calls = {f"call_{seat + 1}_{over}": CALL_NAMES[call] for (seat, over), (call, _) in row.calls.items()}
        return {
            "kind_of_holding": row.name,
            "players": self.table.rules.players,
            "frequency": row.frequency,
            "lead": row.lead,
            "points": row.figures["points"],
            "points_se": row.points_se,
            **{name: row.figures[name] for name in FIGURES[1:]},
            **calls,
        }

    def tables(self) -> list[Table]:
        """One row a kind."""
        records = [self._record(row) for row in self.kinds]
        return [Table("kind", list(records[0]), [list(record.values()) for record in records])]

    def headline(self, symbols: bool = False) -> str:
        """What the page is."""
        return f"What to bid and what to pitch: {table_in_words(self.table.rules)}"

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The page."""
        rules = self.table.rules
        seats = [self.table.seat_name(seat) for seat in range(rules.players)]
        columns = ["trumps", "1 in", "pitch", "points", "2+", "3+", "4", "as 2", "as 3", "as 4", *seats]
        title = f"Under each seat: the calls over {self.table.bids_in_words()} (- a pass, s a steal)"
        align = dict.fromkeys(seats, "left") | {"trumps": "left", "pitch": "left"}
        return [Table("kind", columns, [self._read(row) for row in self.kinds], title, align)]

    def _read(self, row: KindRow) -> list[str]:
        """One row as a player reads it."""
        return [
            row.name,
            f"{1 / row.frequency:,.0f}",
            spelled(row.lead),
            f"{row.figures['points']:.1f}",
            *(percent(row.figures[name], 0) for name in ("p2", "p3", "p4")),
            *(signed(row.figures[f"ev{bid}"], 1) for bid in (2, 3, 4)),
            *(self._calls(row, seat) for seat in range(self.table.rules.players)),
        ]

    def _calls(self, row: KindRow, seat: int) -> str:
        """The calls of one seat."""
        made = [
            (in_one_letter(call, over), share) for (other, over), (call, share) in row.calls.items() if other == seat
        ]
        return " ".join(call + "*" * (share < ALIKE) for call, share in made)

    def notes(self, symbols: bool = False) -> list[str]:
        """How to read the page, and how it was made."""
        how = self.table.notes()[-1].partition("; +/-")[0]
        se = max(row.points_se for row in self.kinds)
        shown = [holding for holding in EXAMPLES if holding in self.places]
        found = "; ".join(f"{spelled(holding)} is {self.find(holding).name}" for holding in shown)
        return [
            "x is any card that the line does not name, x+ as many or more. To find your trumps, take the first of "
            "these that is listed: as they are, x for what is not A K Q J 10 2; their 2 called x too; their 10 too; "
            f"their queen too, beside an ace or a king; then fewer x and a +. So {found}.",
            "1 in: one hand of so many has it in a given suit. points: won as pitcher. 2+: how often at least two. "
            "as 2: the score change of a bid of 2. *: most of these holdings, not all.",
            *(["A 1 with next to nothing is worth as much as a pass: somebody takes it over."] * self._bids_of_1()),
            f"The calls are those of {self.table.bidding}, for the trumps alone; good side cards are worth more.",
            f"{how}; points are known to {se:.3f} or better (one standard error), if all play like that. "
            f"{engine_in_words(self.table.engine)}",
        ]

    def find(self, holding: str) -> KindRow:
        """The line of the page on which a holding stands, as in AK4.

        Raises KeyError for what is no holding.
        """
        return self.places[holding]

    def _bids_of_1(self) -> bool:
        """Whether seat 1 opens with 1 on hands that are worth nothing."""
        return any(row.calls[0, 0][0] == 1 and row.figures["ev1"] < 0 for row in self.kinds)

    def to_html(self) -> str:
        """A page to print."""
        return super().to_html().replace("</head>", PRINT_STYLE + "\n</head>")


def _length(kind: Kind, listed: "dict[Kind, list[int]]") -> int:
    """How many trumps a kind has at least."""
    return len(kind.named) + kind.small + (kind.or_more and kind._replace(or_more=False) in listed)
