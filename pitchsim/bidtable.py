"""What every trump holding is worth, and what to bid with it: the side cards averaged over what can be dealt."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.advice import CALL_NAMES, grid_situations, seat_for_advice, table_in_words
from pitchsim.calls import calls_of, in_one_letter
from pitchsim.cardbox import CardBox
from pitchsim.cards import HAND_SIZE, RANKS, Card, quoted
from pitchsim.checkpoint import Journal, part_of
from pitchsim.deck import LANE_BITS, cards_to_set
from pitchsim.errors import InputError
from pitchsim.holdings import (
    PASS_VALUE,
    TOP_X,
    all_holdings,
    frequency_of,
    high_exact,
    holding_name,
    read_holding,
    side_in_words,
    spelled,
)
from pitchsim.kernels.holdings import trump_holding
from pitchsim.leading import Aim, Best, Lead, Leader, Pitched
from pitchsim.report import Report, Table, deals_in_words, engine_in_words, percent, signed
from pitchsim.rules import HIGHEST_BID, Rules
from pitchsim.seating import Keys, Seating, in_threads
from pitchsim.simulation import progress_bar

PRECISION, QUICK_PRECISION = 0.01, 0.05
SHOWN = 40
"""Rows that a player sees when there are more and he did not say how many."""

FILLERS = [LANE_BITS * suit + RANKS.index(rank) for rank in "65" for suit in range(3)]
"""Side cards with which a holding is shown to a bidding policy: of all cards, nobody bids on a lone five or six."""

CHUNK = 8

COLUMNS = (
    *("holding", "players", "frequency", "lead", "points", "points_se", "high", "high_exact", "low", "jack", "game"),
    *("p1", "p2", "p3", "p4", "ev1", "ev2", "ev3", "ev4", "pass_value", "ceiling", "deals"),
    *("next_lead", "behind", "behind_se"),
)
Cell = tuple[int, int]
"""A seat (from 0) and the highest bid so far."""


# Calls ----------------------------------------------------------------------------------------------


def filled(hand: int) -> int:
    """A hand of six: these cards, and side cards that nobody would bid on."""
    for card in FILLERS:
        if hand.bit_count() < HAND_SIZE:
            hand |= 1 << card
    return hand


# One row ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One holding: the best card to pitch, what it brings, and the calls."""

    ranks: int
    best: Best
    calls: dict[Cell, int]

    @property
    def name(self) -> str:
        """The holding, as in AK4."""
        return holding_name(self.ranks)

    def ceiling(self, lowest_bid: int, pass_value: float) -> int:
        """The highest bid that brings more than a pass; 0: none."""
        bids = range(lowest_bid, HIGHEST_BID + 1)
        return max((bid for bid in bids if self.best.lead.score_change(bid) > pass_value), default=0)

    def to_dict(self, rules: Rules, pass_value: float) -> dict[str, Any]:
        """All columns."""
        best, next_card = self.best, self.best.next_card
        gap, figures = best.gap, best.lead.figures()
        return {
            "holding": self.name,
            "players": rules.players,
            "frequency": frequency_of(self.ranks),
            "lead": RANKS[best.lead.card.rank],
            "points": figures.pop("points"),
            "points_se": figures.pop("points_se"),
            "high": figures.pop("high"),
            "high_exact": high_exact(self.ranks, rules),
            **figures,
            "pass_value": pass_value,
            "ceiling": self.ceiling(rules.lowest_bid, pass_value),
            "deals": best.lead.deals,
            "next_lead": None if next_card is None else RANKS[next_card.rank],
            "behind": gap.mean,
            "behind_se": gap.se,
            **{f"call_{seat + 1}_{highest}": CALL_NAMES[call] for (seat, highest), call in self.calls.items()},
        }


def columns_of(rules: Rules) -> list[str]:
    """The columns of a table."""
    calls = [f"call_{situation.seat + 1}_{situation.highest}" for situation in grid_situations(rules, 0)]
    return [*COLUMNS, *calls]


# The table -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """Which rows of a table are shown: of one holding with x's, sorted by a column, and how many."""

    holding: str | None = None
    line: int = TOP_X
    sort: str | None = None
    top: int | None = None
    leads: bool = False


@dataclass
class BidTable(Report):
    """The bid table: one row a holding, in `rows`."""

    rules: Rules
    play: str
    bidding: str
    others: str | None
    side: tuple[Card, ...]
    aim: Aim
    pass_value: float
    seed: int
    shown: Shown
    engine: str
    holdings: list[Row] = field(default_factory=list)
    notices: Sequence[str] = ()

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        """The rows that are shown, sorted."""
        records = [row.to_dict(self.rules, self.pass_value) for row in self.holdings]
        column = self.shown.sort
        if column is not None:
            words = isinstance(records[0][column], str)
            records.sort(key=lambda record: _rank_order(record[column]) if words else [-(record[column] or 0)])
        return records[: self.shown.top]

    @property
    def _records_to_read(self) -> list[dict[str, Any]]:
        """Those that a player sees: not thousands, unless he says so."""
        return self._records if self.shown.top is not None else self._records[:SHOWN]

    def to_dict(self) -> dict[str, Any]:
        """All rows, and what they hold for."""
        return {
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "play": self.play,
            "bidding": self.bidding,
            "others": self.others,
            "side": side_in_words(self.side) or None,
            "precision": self.aim.precision if self.aim.deals is None else None,
            "pass_value": self.pass_value,
            "seed": self.seed,
            "engine": self.engine,
            "rows": self._records,
            **({"leads": self.lead_records()} if self.shown.leads else {}),
        }

    def shown_rows(self) -> list[Row]:
        """The holdings that are shown, in that order."""
        rows = {row.name: row for row in self.holdings}
        return [rows[record["holding"]] for record in self._records]

    def tables(self) -> list[Table]:
        """One row a holding; with leads, one row for every card that could be pitched."""
        tables = [Table("holding", list(self._records[0]), [list(record.values()) for record in self._records])]
        if self.shown.leads:
            leads = self.lead_records()
            tables.append(Table("lead", list(leads[0]), [list(record.values()) for record in leads]))
        return tables

    def lead_records(self) -> list[dict[str, Any]]:
        """Every card that could be pitched, and how far it is behind the best, on the same deals."""
        shown = {record["holding"] for record in self._records}
        return [record for row in self.holdings if row.name in shown for record in _leads_of(row)]

    # For readers ---------------------------------------------------------------------------------------

    def headline(self, symbols: bool = False) -> str:
        """What the whole pattern brings, or what the table is."""
        if self.shown.holding is None:
            return f"Bid table: {len(self.holdings):,} trump holdings; {table_in_words(self.rules)}."
        name = self.shown.holding + (f" beside {side_in_words(self.side)}" if self.side else "")
        chance = sum(frequency_of(row.ranks) for row in self.holdings)
        points, se = self._mean_points()
        evs = [(bid, self._mean(lambda lead, bid=bid: lead.score_change(bid))) for bid in (2, 3, 4)]
        return (
            f"{name}: {points:.2f} points as pitcher (+/- {error_in_words(se) or 'unknown'}); a bid of "
            + ", ".join(f"{bid} scores {signed(value)}" for bid, value in evs)
            + f". One hand in {1 / chance:,.0f} has these trumps in a given suit."
        )

    def seat_name(self, seat: int) -> str:
        """A seat (from 0) as a heading."""
        return "dealer" if seat == self.rules.players - 1 else f"seat {seat + 1}"

    def bids_in_words(self) -> str:
        """The highest bids that a seat may have heard, in the order of the calls."""
        highest = sorted({highest for _, highest in self.holdings[0].calls} - {0})
        return ", ".join(["nothing", *(f"a {bid}" for bid in highest)])

    def card_box(self) -> "CardBox":
        """The whole table on one page.

        Raises InputError for a part of a table.
        """
        if self.shown != Shown() or self.side:
            raise InputError("the card box is made of the whole table; leave out holding, side, leads, sort and top")
        return CardBox.of(self)

    def _mean(self, of: Any) -> float:
        """The mean over the holdings of a pattern, which all come up alike."""
        return float(np.mean([of(row.best.lead) for row in self.holdings]))

    def _mean_points(self) -> tuple[float, float | None]:
        """The points of the pattern, with their standard error."""
        ses = [row.best.lead.points.se for row in self.holdings]
        known = [se for se in ses if se is not None]
        error = sqrt(sum(se * se for se in known)) / len(ses) if len(known) == len(ses) else None
        return self._mean(lambda lead: lead.points.mean), error

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """What a player reads."""
        records = self._records_to_read
        calls = {row.name: row.calls for row in self.holdings}
        seats = range(self.rules.players)
        columns = ["trumps", "1 in", "pitch", "points", "+/-", "High", "Low", "Jack", "Game", "2+", "3+", "4"]
        columns += ["as 2", "as 3", "as 4", "up to", *(self.seat_name(seat) for seat in seats)]
        rows = [_read_by_players(record, calls[record["holding"]], self.rules) for record in records]
        title = f"Under each seat: the calls over {self.bids_in_words()} (- a pass, s a steal)"
        align = dict.fromkeys((self.seat_name(seat) for seat in seats), "left")
        tables = [Table("holding", columns, rows, title, align | {"trumps": "left", "pitch": "left"})]
        return [*tables, _table_of_leads(self.lead_records())] if self.shown.leads else tables

    def notes(self, symbols: bool = False) -> list[str]:
        """Method, deals, seed."""
        hidden = len(self._records) - len(self._records_to_read)
        deals = [row.best.lead.deals for row in self.holdings]
        side = f"side cards {side_in_words(self.side)} and others" if self.side else "side cards"
        others = f", others {self.others}" if self.others else ""
        how = (
            f"{table_in_words(self.rules)}; {side} at random. {deals_in_words(deals)} a row, "
            f"seed {self.seed}, play {self.play}, bidding {self.bidding}{others}; +/- is one standard error, and "
            f"leaves out how well the players play. {engine_in_words(self.engine)}"
        )
        usual = ", about what a pass brings to the first of four players" if self.pass_value == PASS_VALUE else ""
        up_to = (
            f"up to: the highest bid that scores more than {self.pass_value:g}{usual} (--pass-value). "
            f"The calls are those of {self.bidding}, as a rule for hands like this one: advise weighs your very hand, "
            "side cards and all."
        )
        more = (
            [f"{hidden:,} more rows: --top {len(self._records)}, --format csv or --out shows them."] if hidden else []
        )
        return [*more, up_to, how]


def error_in_words(error: float | None) -> str:
    """A figure with three decimals; nothing for what one deal does not tell."""
    return "" if error is None else f"{error:.3f}"


def _leads_of(row: Row) -> list[dict[str, Any]]:
    """Every card of a holding, best first."""
    trial = row.best.trial
    place = {trial.cards.leads[k] % LANE_BITS: k for k in range(len(trial.cards.leads))}
    best = place[row.best.lead.card.rank]
    records = []
    for k in trial.ranking(range(len(trial.cards.leads))):
        lead = Lead.counted(row.best.lead.card, trial.tally[k])
        gap = trial.gap(best, k) if k != best else None
        records.append(
            {
                "holding": row.name,
                "lead": RANKS[trial.cards.leads[k] % LANE_BITS],
                **lead.figures(),
                "behind": gap.mean if gap else 0.0,
                "behind_se": gap.se if gap else 0.0,
                "deals": lead.deals,
            }
        )
    return records


def _table_of_leads(records: Sequence[dict[str, Any]]) -> Table:
    """The cards to pitch as a player reads them."""
    rows = [
        [
            spelled(record["holding"]), spelled(record["lead"]),
            *(error_in_words(record[name]) for name in ("points", "points_se", "behind", "behind_se")),
            *(percent(record[name], 0) for name in ("high", "low", "jack", "game")),
            *(signed(record[f"ev{bid}"]) for bid in (2, 3, 4)),
        ]
        for record in records
    ]  # fmt: skip
    columns = ["trumps", "pitch", "points", "+/-", "behind", "+/- ", "High", "Low", "Jack", "Game", "as 2", "as 3"]
    title = "Every card that could be pitched, on the same deals"
    return Table("lead", [*columns, "as 4"], rows, title, {"trumps": "left", "pitch": "left"})


def _read_by_players(record: dict[str, Any], calls: dict[Cell, int], rules: Rules) -> list[str]:
    """One row as a player reads it."""
    return [
        spelled(record["holding"]),
        f"{1 / record['frequency']:,.0f}",
        spelled(record["lead"]),
        f"{record['points']:.2f}",
        error_in_words(record["points_se"]),
        *(percent(record[name], 0) for name in ("high", "low", "jack", "game", "p2", "p3", "p4")),
        *(signed(record[f"ev{bid}"]) for bid in (2, 3, 4)),
        str(record["ceiling"] or "pass"),
        *(calls_in_words(calls, seat) for seat in range(rules.players)),
    ]


def calls_in_words(calls: dict[Cell, int], seat: int) -> str:
    """The calls of a seat over nothing, a 1, a 2, ...; a dash is a pass, s a steal.

    >>> calls_in_words({(0, 0): 2, (1, 0): 0, (1, 1): 1, (1, 2): 3}, 1)
    '- s 3'
    """
    return " ".join(in_one_letter(call, over) for (other, over), call in calls.items() if other == seat)


def _rank_order(text: str) -> list[int]:
    """Sort words of ranks and calls: long ones later, high cards first."""
    return [len(text), *(len(RANKS) - RANKS.index(letter) if letter in RANKS else -1 for letter in text)]


def bid_table(
    rules: Rules,
    play: Sequence[str] = ("expert",),
    bidding: Sequence[str] = ("equilibrium",),
    others: str | None = None,
    shown: Shown | None = None,
    aim: Aim | None = None,
    side: Sequence[Card] = (),
    pass_value: float = PASS_VALUE,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    out: Path | None = None,
    card_box: bool = False,
    engine: str = "auto",
) -> "BidTable | CardBox":
    """Every holding that is asked for: the best card to pitch, what it brings, and the calls.

    With `out` the answer is written there, and until then the run keeps beside it what it has done, and goes on from
    that. A holding's deals depend on the seed and the holding alone.

    Raises InputError for a policy or a column that there is not, RunError when a policy fails.
    """
    seating = seat_for_advice(rules, 0, play, bidding, others, engine)
    aim, shown = aim or Aim(PRECISION), shown or Shown()
    answer = BidTable(
        rules, ",".join(play), ",".join(bidding), others, tuple(side), aim, pass_value, seed, shown, seating.engine_used
    )
    asked = all_holdings() if shown.holding is None else read_holding(shown.holding, shown.line)
    asked = [ranks for ranks in asked if ranks.bit_count() + len(side) <= HAND_SIZE]
    if not asked:
        raise InputError("that many trumps and side cards together are more than six; give fewer")
    if shown.sort is not None and shown.sort not in columns_of(rules):
        raise InputError(f"there is no column {quoted(shown.sort)}; there are {', '.join(columns_of(rules))}")
    keys, beside = Keys.of(seed), cards_to_set(side)
    leader = Leader.at(seating, keys)
    # The caller's own policy speaks in every seat: nobody else is asked.
    bidders = Seating(rules, seating.play, seating.bidding[:1] * rules.players)
    run = {"run": "pitchsim table", **seating.identity, **asdict(aim), "seed": seed, "side": side_in_words(side)}
    with Journal(None if out is None else part_of(out), run) as kept:
        done = {part["ranks"]: part["best"] for part in kept.parts}
        if done:
            answer.notices = [f"went on after {len(done):,} holdings of an interrupted run ({kept.path})"]
        todo = [ranks for ranks in asked if ranks not in done]

        def work(first: int, count: int) -> list[tuple[int, Best]]:
            holdings = todo[first : first + count]
            return [(ranks, leader.choose(Pitched.holding(ranks, beside), ranks, aim)) for ranks in holdings]

        found = {ranks: Best.again(Pitched.holding(ranks, beside), best) for ranks, best in done.items()}
        with progress_bar(len(todo), "holdings", progress) as advance:
            for size, several in in_threads(work, 0, len(todo), threads, CHUNK):
                for ranks, best in several:
                    found[ranks] = best
                    if out is not None:
                        kept.add({"ranks": ranks, "best": best.to_dict()})
                advance(size)
        answer.holdings = [row_of(ranks, found[ranks], bidders, beside, keys) for ranks in asked]
        report = answer.card_box() if card_box else answer
        if out is not None:
            report.write(out)
            kept.remove()
    return report


def row_of(ranks: int, best: Best, bidders: Seating, side: int, keys: Keys) -> Row:
    """One holding with its calls."""
    made = calls_of(bidders, filled(trump_holding(ranks) | side), keys.luck)
    return Row(ranks, best, {(call.seat, call.highest): call.call for call in made})
