"""Deal and play many deals, and add up what happened."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import SEATS, new_desk
from pitchsim.errors import InputError
from pitchsim.kernels.simulating import (
    ACE,
    BID_CHANGE,
    BID_COLUMNS,
    BID_DEALS,
    BID_MADE,
    BID_POINTS,
    CALLS_AND_SPOKEN,
    CALLS_SQUARED,
    CALLS_THERE_ARE,
    CONTRACT_COLUMNS,
    DEUCE,
    GAME,
    HIGH,
    JACK,
    LOW,
    PITCHER_SQUARED,
    POINTS_SQUARED,
    SEAT_CALLS,
    SEAT_CHANGE,
    SEAT_COLUMNS,
    SEAT_PITCHER,
    SEAT_SQUARED,
    SPOKEN_SQUARED,
    STOLEN,
    STUCK,
    THROWN_IN,
    TOTAL_DEALS,
    TOTALS,
    TRICK_POINTS,
    TRICK_POINTS_SQUARED,
    count_deals,
    lay_deals,
    simulate_deals,
)
from pitchsim.lanes.engine import AT_ONCE, Desks
from pitchsim.log import new_log
from pitchsim.question import DEFAULT_DEALS, MOST_DEALS
from pitchsim.report import Report, Table, engine_in_words, percent, signed
from pitchsim.rules import Rules
from pitchsim.seating import Keys, Seating, in_threads, record_of, seat_players, watched
from pitchsim.statistics import Estimate, estimate, ratio, share

FIRST_LOOK = 10_000
BAR_DELAY = 1.0
POINT_NAMES = ("high", "low", "jack", "game")
CALL_NAMES = ("pass", "1", "2", "3", "4")


@dataclass
class Tally:
    """What the deals added up to: `by_bid` (5, BID_COLUMNS), `by_seat` (7, SEAT_COLUMNS), `totals`; whole numbers."""

    by_bid: np.ndarray = field(default_factory=lambda: np.zeros((5, BID_COLUMNS), np.int64))
    by_seat: np.ndarray = field(default_factory=lambda: np.zeros((SEATS, SEAT_COLUMNS), np.int64))
    totals: np.ndarray = field(default_factory=lambda: np.zeros(TOTALS, np.int64))

    def add(self, other: "Tally") -> None:
        """Add another run to this one."""
        self.by_bid += other.by_bid
        self.by_seat += other.by_seat
        self.totals += other.totals


@dataclass
class Simulation(Report):
    """What happened in a run of deals; `tally` holds the whole numbers behind every figure."""

    seating: Seating
    seed: int
    tally: Tally
    notices: Sequence[str] = ()

    @property
    def deals(self) -> int:
        """How many deals were dealt."""
        return int(self.tally.totals[TOTAL_DEALS])

    def seat_change(self, seat: int) -> Estimate:
        """The score change of a seat (from 0 in speaking order) per deal."""
        row = self.tally.by_seat[seat]
        return estimate(int(row[SEAT_CHANGE]), int(row[SEAT_SQUARED]), self.deals)

    @property
    def pitcher_change(self) -> Estimate:
        """The score change of the pitcher per deal that was played."""
        total = int(self.tally.by_bid[:, BID_CHANGE].sum())
        return estimate(total, int(self.tally.totals[PITCHER_SQUARED]), self.played)

    @property
    def pitcher_points(self) -> Estimate:
        """The points that the pitcher wins per deal that was played."""
        total = int(self.tally.by_bid[:, BID_POINTS].sum())
        return estimate(total, int(self.tally.totals[POINTS_SQUARED]), self.played)

    @property
    def trick_points(self) -> Estimate:
        """The trick points in play, per deal that was played."""
        totals = self.tally.totals
        return estimate(int(totals[TRICK_POINTS]), int(totals[TRICK_POINTS_SQUARED]), self.played)

    def call_share(self, call: int) -> Estimate:
        """How much of all that is called is this call (0: a pass)."""
        calls, totals = self.tally.by_seat[:, SEAT_CALLS:], self.tally.totals
        sums = (totals[CALLS_SQUARED + call], calls.sum(), totals[SPOKEN_SQUARED], totals[CALLS_AND_SPOKEN + call])
        return ratio(int(calls[:, call].sum()), *(int(number) for number in sums))

    def calls_of(self, seat: int) -> list[float | None]:
        """How often a seat (from 0) passes, bids 1, 2, 3, 4, of the times that it speaks."""
        calls = self.tally.by_seat[seat, SEAT_CALLS:]
        return [share(int(calls[call]), int(calls.sum())) for call in range(CALLS_THERE_ARE)]

    @property
    def played(self) -> int:
        """How many deals were not thrown in."""
        return self.deals - int(self.tally.totals[THROWN_IN])

    def _share(self, column: int) -> float | None:
        return share(int(self.tally.totals[column]), self.deals)

    def to_dict(self) -> dict[str, Any]:
        """All figures; shares are of deals unless named otherwise."""
        tally, rules = self.tally, self.seating.rules
        bids = tally.by_bid.sum(axis=0)
        by_bid = {
            str(bid): {
                "deals": int(row[BID_DEALS]),
                "made": share(int(row[BID_MADE]), int(row[BID_DEALS])),
                "points": share(int(row[BID_POINTS]), int(row[BID_DEALS])),
                "score_change": share(int(row[BID_CHANGE]), int(row[BID_DEALS])),
            }
            for bid, row in enumerate(tally.by_bid)
            if row[BID_DEALS]
        }
        seats = []
        for seat in range(rules.players):
            change = self.seat_change(seat)
            pitcher = share(int(tally.by_seat[seat, SEAT_PITCHER]), self.deals)
            seats.append({"seat": seat + 1, "pitcher": pitcher, "score_change": change.mean, "se": change.se})
        return {
            "deals": self.deals,
            "seed": self.seed,
            "players": rules.players,
            "rules": rules.to_dict(),
            "play": [found.name for found in self.seating.play],
            "bidding": [found.name for found in self.seating.bidding],
            "engine": self.seating.engine_used,
            "pitcher": {
                "points": share(int(bids[BID_POINTS]), self.played),
                "made": share(int(bids[BID_MADE]), self.played),
                "score_change": self.pitcher_change.mean,
                "se": self.pitcher_change.se,
                "by_bid": by_bid,
            },
            "thrown_in": self._share(THROWN_IN),
            "stolen": self._share(STOLEN),
            "stuck": self._share(STUCK),
            "seats": seats,
            "points": dict(zip(POINT_NAMES, map(self._share, (HIGH, LOW, JACK, GAME)), strict=True)),
            "trick_points_in_play": self._share(TRICK_POINTS),
            "in_play": {"ace": self._share(ACE), "jack": self._share(JACK), "deuce": self._share(DEUCE)},
            "calls": [
                {"seat": seat + 1, **dict(zip(CALL_NAMES, self.calls_of(seat), strict=True))}
                for seat in range(rules.players)
            ],
        }

    def tables(self) -> list[Table]:
        """Four tables: by seat, by bid, the calls by seat, and the totals."""
        answer = self.to_dict()
        seats = Table(
            "seat", ["seat", "pitcher", "score_change", "se"], [list(row.values()) for row in answer["seats"]]
        )
        bids = [[int(bid), *row.values()] for bid, row in answer["pitcher"]["by_bid"].items()]
        totals = {name: answer[name] for name in ("thrown_in", "stolen", "stuck", "trick_points_in_play")}
        totals |= {f"points_{name}": value for name, value in answer["points"].items()}
        totals |= {f"pitcher_{name}": answer["pitcher"][name] for name in ("points", "made", "score_change", "se")}
        totals |= {f"{card}_in_play": value for card, value in answer["in_play"].items()}
        return [
            seats,
            Table("bid", ["bid", "deals", "made", "points", "score_change"], bids),
            Table("call", ["seat", *CALL_NAMES], [list(row.values()) for row in answer["calls"]]),
            Table("total", ["name", "value"], [list(item) for item in totals.items()]),
        ]

    def headline(self, symbols: bool = False) -> str:
        """The pitcher's fate in one line."""
        if not self.played:
            return f"{self.deals:,} deals, all thrown in."
        answer = self.to_dict()["pitcher"]
        return (
            f"The pitcher wins {answer['points']:.2f} points, makes {percent(answer['made'])} of the bids and scores "
            f"{signed(answer['score_change'])} a deal."
        )

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """By seat and by bid, as a player reads them."""
        answer = self.to_dict()
        dealer = len(answer["seats"])
        seats = [
            [
                f"{row['seat']} (dealer)" if row["seat"] == dealer else str(row["seat"]),
                percent(row["pitcher"]),
                signed(row["score_change"], 3),
                _plus_minus(row["se"]),
            ]
            for row in answer["seats"]
        ]
        bids = [
            [
                bid,
                percent(row["deals"] / self.deals),
                percent(row["made"]),
                f"{row['points']:.2f}",
                signed(row["score_change"]),
            ]
            for bid, row in answer["pitcher"]["by_bid"].items()
        ]
        happened = [
            ["dealer steals", percent(answer["stolen"])],
            ["dealer is stuck", percent(answer["stuck"])],
            ["thrown in", percent(answer["thrown_in"])],
            *([f"{name.title()} is won", percent(answer["points"][name])] for name in POINT_NAMES),
            *([f"{card} of trumps is in play", percent(answer["in_play"][card])] for card in ("ace", "deuce")),
            ["trick points in play", f"{answer['trick_points_in_play']:.2f}"],
        ]
        calls = [[row[0], *map(percent, self.calls_of(seat))] for seat, row in enumerate(seats)]
        return [
            Table("seat", ["seat", "pitcher", "score change", "+/-"], seats),
            Table("call", ["seat calls", *CALL_NAMES], calls),
            Table("bid", ["final bid", "of deals", "made", "points", "score change"], bids),
            Table("total", ["of all deals", ""], happened),
        ]

    def notes(self, symbols: bool = False) -> list[str]:
        """Method, deals, seed."""
        play, bidding = (" ".join(_names(found)) for found in (self.seating.play, self.seating.bidding))
        return [
            f"{self.deals:,} deals, seed {self.seed}, play {play}, bidding {bidding}; +/- is one standard error. "
            f"{engine_in_words(self.seating.engine_used)}"
        ]


def _names(found: Sequence[Any]) -> list[str]:
    """One name when all seats have the same."""
    names = [policy.name for policy in found]
    return names[:1] if len(set(names)) == 1 else names


def _plus_minus(se: float | None) -> str:
    """A standard error in text."""
    return "" if se is None else f"{se:.4f}"


def simulate(
    rules: Rules,
    play: Sequence[str],
    bidding: Sequence[str],
    deals: int | None = None,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    first: int = 0,
    engine: str = "auto",
) -> Simulation:
    """Deal, call, play and score; by default 100,000 deals.

    `first` is the number of the first deal, so that any deal of a seed can be had alone. With `precision` the run stops
    at the first doubling at which the standard error of every seat's score change is below it (`deals` is then the
    most). Raises InputError for what cannot be, RunError when a policy fails.
    """
    seating = seat_players(rules, play, bidding, engine)
    keys = Keys.of(seed)
    if precision is None:
        return Simulation(seating, seed, _run(seating, keys, first, deals or DEFAULT_DEALS, threads, progress))
    most = deals or MOST_DEALS
    answer = Simulation(seating, seed, Tally())
    goal = min(FIRST_LOOK, most)
    while True:
        answer.tally.add(_run(seating, keys, first + answer.deals, goal - answer.deals, threads, progress))
        worst = max(answer.seat_change(seat).se or math.inf for seat in range(rules.players))
        if worst < precision or goal == most:
            return answer
        goal = min(2 * goal, most)


def _run(seating: Seating, keys: Keys, first: int, count: int, threads: int | None, progress: bool) -> Tally:
    """Deals `first` .. `first` + `count` - 1."""
    deck = packed_deck(ALL_CARDS)

    def in_lanes(start: int, size: int) -> Tally:
        tally, log, lanes = Tally(), new_log(), seating.lanes
        desks = Desks(AT_ONCE)
        contracts = np.zeros((AT_ONCE, CONTRACT_COLUMNS), np.int64)
        for first in range(start, start + size, AT_ONCE):
            number = min(AT_ONCE, start + size - first)
            with watched(seating, log):
                lay_deals(
                    seating.line, seating.bidders, seating.notes, seating.house, deck, seating.played_by,
                    keys.deal, keys.luck, first, number, desks.bytes, desks.lucks, contracts,
                    tally.by_seat, tally.totals, new_desk(), log,
                )  # fmt: skip
            assert lanes is not None
            lanes.play_desks(desks.first(number))
            count_deals(seating.house, number, desks.bytes, contracts, tally.by_bid, tally.by_seat, tally.totals)
        return tally

    def one_by_one(start: int, size: int) -> Tally:
        tally, log = Tally(), new_log()
        with watched(seating, log):
            simulate_deals(
                seating.line, seating.bidders, seating.notes, seating.house, deck,
                keys.deal, keys.luck, start, size, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
            )  # fmt: skip
        return tally

    work = one_by_one if seating.lanes is None else in_lanes
    total = Tally()
    with progress_bar(count, "deals", progress) as advance:
        for size, tally in in_threads(work, first, count, threads):
            total.add(tally)
            advance(size)
    return total


class progress_bar:
    """A bar on standard error that appears after a second, on a terminal only."""

    def __init__(self, total: int, unit: str, wanted: bool) -> None:
        """Count up to `total` of `unit`."""
        self.total, self.unit, self.wanted = total, unit, wanted
        self.begun, self.done = time.monotonic(), 0
        self.bar: Any = None

    def __enter__(self) -> Callable[[int], Any]:
        """Give the function that moves the bar on."""
        return self.update

    def update(self, more: int) -> None:
        """Move the bar on; it is imported when it is to be seen."""
        self.done += more
        if self.bar is not None:
            self.bar.update(more)
        elif self.wanted and time.monotonic() > self.begun + BAR_DELAY:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, initial=self.done, unit=f" {self.unit}", disable=None, leave=False)

    def __exit__(self, *unused: object) -> None:
        """Clear the bar."""
        if self.bar is not None:
            self.bar.close()


def write_records(
    rules: Rules,
    play: Sequence[str],
    bidding: Sequence[str],
    deals: int,
    seed: int,
    file: IO[str],
    progress: bool = False,
    first: int = 0,
) -> None:
    """Write deals `first`, ... of a seed down, one `pitch-deal/1` record a line: the same deals as `simulate`."""
    seating = seat_players(rules, play, bidding)
    with progress_bar(deals, "records", progress) as advance:
        for deal in range(first, first + deals):
            file.write(json.dumps(replay(seating, seed, deal), separators=(", ", ": ")) + "\n")
            advance(1)


def replay(seating: Seating, seed: int, deal: int) -> dict[str, Any]:
    """Play one deal of a seed alone, and write it down.

    Raises InputError for a deal below 0, RunError when a policy fails.
    """
    if deal < 0:
        raise InputError(f"there is no deal {deal}; deals count from 0")
    keys, tally, log = Keys.of(seed), Tally(), new_log()
    with watched(seating, log):
        simulate_deals(
            seating.line, seating.bidders, seating.notes, seating.house, packed_deck(ALL_CARDS),
            keys.deal, keys.luck, deal, 1, tally.by_bid, tally.by_seat, tally.totals, new_desk(), log,
        )  # fmt: skip
    return record_of(seating.rules, log)
