"""What changes with 2, 3, ... 7 players? The same house rules at every table, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pitchsim.advice import GRID_PILOT, Cell, cell_entry, lead_alone, seat_for_advice, table_in_words
from pitchsim.cards import Card, format_card, format_hand, sort_hand
from pitchsim.deck import HAND_SIZE, cards_to_set
from pitchsim.engine import LEAD_BID, SEATS
from pitchsim.kernels.simulating import (
    ACE,
    BID_DEALS,
    BID_MADE,
    DEUCE,
    GAME,
    JACK,
    SEAT_PITCHER,
    STOLEN,
    STUCK,
    THROWN_IN,
)
from pitchsim.leading import Lead, best_lead
from pitchsim.question import DEFAULT_STUDY_DEALS
from pitchsim.report import Report, Table, deals_in_words, engine_in_words, percent, signed
from pitchsim.rules import HIGHEST_BID, PASS, Rules
from pitchsim.seating import Keys
from pitchsim.simulation import CALL_NAMES, Simulation, simulate
from pitchsim.statistics import Estimate, estimated_share, score_as_pitcher
from pitchsim.weighing import Effort, Situation, Weigher

TABLES = range(2, SEATS + 1)
"""The numbers of players that are compared."""
DECK_SIZE = 52
BIDS = range(1, HIGHEST_BID + 1)
HAND_DEALS = 65_536
CALL_DEALS, CALL_PROPOSALS = 16_384, 1_000_000
"""The most deals for each call that a hand could make, and the most that are dealt to find some that fit."""
OVER = 2
"""The bid over which the dealer is asked."""


@dataclass(frozen=True)
class Line:
    """One figure at every number of players, as a player reads it; with `errors` its errors stand below it."""

    label: str
    found: Sequence[Estimate | None]
    write: Callable[[float | None], str] = percent
    errors: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it never happens at any table."""
        return not any(figure is not None and figure.mean for figure in self.found)

    def rows(self) -> list[list[str]]:
        """The figures, and the errors where they are asked for."""
        cells = [self.write(None if figure is None else figure.mean) for figure in self.found]
        below = ["" if figure is None or not figure.se else f"{100 * figure.se:.1f}%" for figure in self.found]
        return [[self.label, *cells], *([["+/-", *below]] if self.errors else [])]


@dataclass(frozen=True)
class HandAt:
    """What one hand is worth at one table: its best card to pitch, and the calls for it in three situations."""

    lead: Lead
    first: Cell
    dealer: Cell
    dealer_over: Cell

    @property
    def cells(self) -> dict[str, Cell]:
        """The three situations by the names of their columns."""
        return {"first": self.first, "dealer": self.dealer, f"dealer_over_{OVER}": self.dealer_over}

    def score_change(self, bid: int) -> Estimate:
        """The score change as pitcher of this bid (R14), from the chances of at least so many points."""
        return score_as_pitcher(self.lead.at_least, bid, self.lead.deals, self.lead.swept)

    def figures(self) -> dict[str, Estimate]:
        """All that is simulated, by the names of the columns."""
        found = {"hand_points": self.lead.points}
        for bid, chance in zip(BIDS, self.lead.at_least, strict=True):
            found[f"hand_p{bid}"] = estimated_share(round(chance * self.lead.deals), self.lead.deals)
        return found | {f"hand_ev{bid}": self.score_change(bid) for bid in BIDS}

    def to_dict(self) -> dict[str, Any]:
        """The columns of this hand."""
        found: dict[str, Any] = {"hand_lead": str(self.lead.card), **_with_errors(self.figures())}
        for name, cell in self.cells.items():
            answer = cell.to_dict()
            found |= {f"hand_call_{name}": answer["call"], f"hand_call_{name}_too_close": answer["too_close"]}
        return found


@dataclass
class PlayersStudy(Report):
    """One run of deals for each number of players, and what a hand is worth at each of these tables."""

    runs: Sequence[Simulation]
    cards: tuple[Card, ...] | None = None
    hands: Sequence[HandAt] = ()
    notices: Sequence[str] = ()

    @property
    def play(self) -> str:
        """How all of them play."""
        return self.runs[0].seating.play[0].name

    @property
    def bidding(self) -> str:
        """How all of them bid."""
        return self.runs[0].seating.bidding[0].name

    @property
    def house(self) -> str:
        """The tables in a few words."""
        _, _, house = table_in_words(self.runs[0].seating.rules).partition(", ")
        return f"{TABLES[0]} to {TABLES[-1]} players, {house}"

    @property
    def deals_in_words(self) -> str:
        """How many deals each table played."""
        return f"{deals_in_words([run.deals for run in self.runs])} for each number of players"

    @cached_property
    def figures(self) -> list[dict[str, Estimate]]:
        """All that is simulated, a dictionary by name for each number of players."""
        return [figures_of(run) for run in self.runs]

    @cached_property
    def table_rows(self) -> list[dict[str, Any]]:
        """One row for each number of players, as in JSON and CSV."""
        rows = []
        for place, (run, found) in enumerate(zip(self.runs, self.figures, strict=True)):
            players = run.seating.rules.players
            row = {"players": players, "deals": run.deals, **_with_errors(found)}
            row["given_card_in_play"] = HAND_SIZE * players / DECK_SIZE
            rows.append(row | (self.hands[place].to_dict() if self.hands else {}))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The rows, and what was played."""
        rules = self.runs[0].seating.rules.to_dict()
        return {
            "rules": {name: value for name, value in rules.items() if name not in ("players", "partners")},
            "play": self.play,
            "bidding": self.bidding,
            "engine": self.runs[0].seating.engine_used,
            "seed": self.runs[0].seed,
            "hand": None if self.cards is None else format_hand(self.cards, ten="T"),
            "rows": self.table_rows,
        }

    def tables(self) -> list[Table]:
        """One row for each number of players."""
        return [Table("players", list(self.table_rows[0]), [list(row.values()) for row in self.table_rows])]

    def headline(self, symbols: bool = False) -> str:
        """What changes from the smallest table to the largest."""
        first, last = self.table_rows[0], self.table_rows[-1]
        if first["points_pitcher"] is None or last["points_pitcher"] is None:
            return "All deals were thrown in."
        said = (
            f"From {first['players']} players to {last['players']} the jack of trumps is in play in "
            f"{percent(first['jack_in_play'], 0)} to {percent(last['jack_in_play'], 0)} of the deals; the pitcher wins "
            f"{first['points_pitcher']:.2f} to {last['points_pitcher']:.2f} points and makes "
            f"{percent(first['made'], 0)} to {percent(last['made'], 0)} of the bids."
        )
        if self.cards is None:
            return said
        hand = format_hand(self.cards, symbols=symbols)
        return f"{said}\n{hand} is worth {first['hand_points']:.2f} to {last['hand_points']:.2f} points as pitcher."

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """What a player reads: a column for each number of players."""
        answer = [
            self._table("What each seat scores, points a deal", self._seats("seat", _signed)),
            self._table("How often each seat is the pitcher", self._seats("pitcher")),
            self._table("What is called, of all calls", [self._line(call, f"called_{call}") for call in CALL_NAMES]),
            self._table("How the auction ends", self._auction()),
            self._table("The pitcher", self._pitcher()),
            self._table("What is in play", self._cards()),
        ]
        return [*answer, self._hand(symbols)] if self.hands else answer

    def notes(self, symbols: bool = False) -> list[str]:
        """Method, deals, seed, and how sure the figures are."""
        deals = (
            f"{self.house}. {self.deals_in_words}, seed {self.runs[0].seed}, play {self.play}, bidding {self.bidding}. "
            f"{self._how_sure()} {engine_in_words(self.runs[0].seating.engine_used)}"
        )
        return [deals, self._about_the_hand()] if self.hands else [deals]

    def _how_sure(self) -> str:
        """How large the errors are; a single deal tells nothing of them."""
        if min(run.deals for run in self.runs) == 1:
            return "With one deal the standard errors are not known."
        return (
            f"Standard errors are at most {self._worst(in_points=True):.4f} for points and "
            f"{self._worst(in_points=False):.2%} for shares, but where +/- says otherwise."
        )

    def _about_the_hand(self) -> str:
        """How the figures of the hand were found."""
        counts = [cell.weighing.deals for hand in self.hands for cell in hand.cells.values()]
        played = self.hands[0].lead.deals
        worst = max(figure.se or 0.0 for hand in self.hands for figure in hand.figures().values())
        sure = "their standard errors are not known" if played == 1 else f"standard errors at most {worst:.3f}"
        fit = "that fits" if max(counts) == 1 else "that fit"
        return (
            f"The hand: {deals_in_words([played])} for each card to pitch, no auction behind it, {sure}; its calls on "
            f"{deals_in_words(counts)} {fit} what was heard (? = too close to call)."
        )

    def _worst(self, in_points: bool) -> float:
        """The largest standard error of the points, or of the shares that have none below them in the text."""
        return max(
            figure.se or 0.0
            for found in self.figures
            for name, figure in found.items()
            if name.startswith(IN_POINTS) == in_points and not name.startswith(("made_", "trick_points"))
        )

    # What a player reads ----------------------------------------------------------------------------

    def _table(self, title: str, lines: Sequence[Line]) -> Table:
        """A table of these lines without the empty ones."""
        columns = ["players", *(str(row["players"]) for row in self.table_rows)]
        rows = [row for line in lines if not line.is_empty for row in line.rows()]
        return Table(title, columns, rows, title, align=dict.fromkeys(columns[1:], "right"))

    def _line(self, label: str, name: str, write: Callable[[float | None], str] = percent, **how: Any) -> Line:
        """The figure of this name at every table."""
        return Line(label, [found.get(name) for found in self.figures], write, **how)

    def _seats(self, name: str, write: Callable[[float | None], str] = percent) -> list[Line]:
        """A figure of every seat: those before the dealer in speaking order, the dealers of all tables in one line."""
        dealer = Line("dealer", [found[f"{name}_{players}"] for players, found in self._by_table()], write)
        before = [
            Line(
                f"seat {seat}{' (speaks first)' * (seat == 1)}",
                [found[f"{name}_{seat}"] if seat < players else None for players, found in self._by_table()],
                write,
            )
            for seat in range(1, SEATS)
        ]
        return [*before, dealer]

    def _by_table(self) -> list[tuple[int, dict[str, Estimate]]]:
        """The numbers of players with their figures."""
        return [(run.seating.rules.players, found) for run, found in zip(self.runs, self.figures, strict=True)]

    def _auction(self) -> list[Line]:
        """Final bids, and what the dealer does."""
        bids = [self._line(f"final bid {bid}", f"final_bid_{bid}") for bid in BIDS]
        others = (("dealer steals", "stolen"), ("dealer is stuck", "stuck"), ("thrown in", "thrown_in"))
        return bids + [self._line(label, name) for label, name in others]

    def _pitcher(self) -> list[Line]:
        """What the pitcher wins, and how often that is enough."""
        return [
            self._line("points", "points_pitcher", _points),
            self._line("makes the bid", "made"),
            *(self._line(f"makes a {bid}", f"made_{bid}", errors=True) for bid in BIDS),
        ]

    def _cards(self) -> list[Line]:
        """What is in play, and Game."""
        given = [Estimate(row["given_card_in_play"], None) for row in self.table_rows]
        trumps = [self._line(f"{card} of trumps", f"{card}_in_play") for card in ("ace", "jack", "deuce")]
        return [
            Line("any given card", given),
            *trumps,
            self._line("trick points", "trick_points_in_play", _points),
            self._line("Game is won", "game_won"),
        ]

    def _hand(self, symbols: bool) -> Table:
        """What the hand is worth at every table."""
        named = [hand.figures() for hand in self.hands]
        lines: list[tuple[str, str, Callable[[float | None], str]]] = [("points as pitcher", "hand_points", _points)]
        lines += [(f"{bid}{'+' * (bid < HIGHEST_BID)} points", f"hand_p{bid}", percent) for bid in BIDS]
        lines += [(f"score of a bid of {bid}", f"hand_ev{bid}", _signed) for bid in BIDS]
        shown = [Line(label, [found[name] for found in named], write).rows()[0] for label, name, write in lines]
        cards = [format_card(hand.lead.card, symbols=symbols) for hand in self.hands]
        calls = [[cell_entry(hand.cells[name].to_dict()) for hand in self.hands] for name in self.hands[0].cells]
        labels = ("call, speaking first", "call, dealer, all passed", f"call, dealer, over a {OVER}")
        rows = [["pitch", *cards], *shown, *([label, *row] for label, row in zip(labels, calls, strict=True))]
        title = f"What {format_hand(self.cards or (), symbols=symbols)} is worth"
        table = self._table(title, [])
        return Table("hand", table.columns, rows, title, align=table.align)


# Figures --------------------------------------------------------------------------------------------

IN_POINTS = ("seat_", "points_")
CARDS = {"ace": ACE, "jack": JACK, "deuce": DEUCE}


def figures_of(run: Simulation) -> dict[str, Estimate]:
    """Everything that one run tells, by the names of the columns; every table has all columns."""
    players, tally, nothing = run.seating.rules.players, run.tally, Estimate(None, None)

    def of_deals(column: int) -> Estimate:
        return estimated_share(int(tally.totals[column]), run.deals)

    def of_played(column: int) -> Estimate:
        return estimated_share(int(tally.totals[column]), run.played)

    def pitcher(seat: int) -> Estimate:
        return estimated_share(int(tally.by_seat[seat, SEAT_PITCHER]), run.deals)

    seats, deals, made = range(SEATS), tally.by_bid[:, BID_DEALS], tally.by_bid[:, BID_MADE]
    found = {f"seat_{seat + 1}": run.seat_change(seat) if seat < players else nothing for seat in seats}
    found |= {f"pitcher_{seat + 1}": pitcher(seat) if seat < players else nothing for seat in seats}
    found |= {"points_pitcher": run.pitcher_points, "made": estimated_share(int(made.sum()), run.played)}
    found |= {f"made_{bid}": estimated_share(int(made[bid]), int(deals[bid])) for bid in BIDS}
    found |= {"stuck": of_deals(STUCK), "stolen": of_deals(STOLEN), "thrown_in": of_deals(THROWN_IN)}
    found |= {f"final_bid_{bid}": estimated_share(int(deals[bid]), run.deals) for bid in BIDS}
    found |= {f"called_{name}": run.call_share(call) for call, name in enumerate(CALL_NAMES)}
    found |= {"trick_points_in_play": run.trick_points, "game_won": of_played(GAME)}
    return found | {f"{card}_in_play": of_played(column) for card, column in CARDS.items()}


def _with_errors(found: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Every figure, and its error behind it."""
    columns: dict[str, float | None] = {}
    for name, figure in found.items():
        columns |= {name: figure.mean, f"{name}_se": figure.se}
    return columns


def _signed(number: float | None) -> str:
    """A score change."""
    return signed(number, 3)


def _points(number: float | None) -> str:
    """Points, or trick points."""
    return "" if number is None else f"{number:.2f}"


# The study ------------------------------------------------------------------------------------------


def players_study(
    rules: Rules,
    play: str,
    bidding: str,
    hand: Sequence[Card] | None = None,
    deals: int | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    engine: str = "auto",
) -> PlayersStudy:
    """Play the same house rules with 2 to 7 players, and ask what a hand is worth at each of these tables.

    The players of `rules` do not matter. Raises InputError for a policy that there is not, RunError when one fails.
    """
    tables = [replace(rules, players=players) for players in TABLES]
    usual = DEFAULT_STUDY_DEALS if precision is None else None
    runs = [
        simulate(table, [play], [bidding], deals or usual, precision, seed, threads, progress, engine=engine)
        for table in tables
    ]
    if hand is None:
        return PlayersStudy(runs)
    most = deals or HAND_DEALS
    hands = [_hand_at(table, play, bidding, hand, min(most, HAND_DEALS), seed, threads, engine) for table in tables]
    return PlayersStudy(runs, sort_hand(hand), hands)


def _hand_at(
    rules: Rules, play: str, bidding: str, hand: Sequence[Card], deals: int, seed: int, threads: int | None, engine: str
) -> HandAt:
    """Pitch every card of the hand, and weigh its calls; a larger table deals the same hands to those it shares."""

    def weigher(seat: int) -> Weigher:
        return Weigher(seat_for_advice(rules, seat, [play], [bidding], None, engine), Keys.of(seed), threads=threads)

    cards, dealer, most = cards_to_set(hand), rules.players - 1, min(deals, CALL_DEALS)
    effort = Effort(most, most, CALL_PROPOSALS, early=False, pilot=GRID_PILOT)
    situations = [Situation(cards, 0, ()), Situation(cards, dealer, (PASS,) * dealer)]
    situations.append(Situation(cards, dealer, (PASS,) * (dealer - 1) + (OVER,)))
    lead = best_lead(lead_alone(weigher(0), situations[0], sort_hand(hand), deals), LEAD_BID)
    cells = [Cell(asked.seat, asked.highest, weigher(asked.seat).weigh(asked, (), effort)) for asked in situations]
    return HandAt(lead, *cells)
