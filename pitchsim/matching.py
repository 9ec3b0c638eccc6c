"""Policies against each other: the same deals, and every policy in every seat."""

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import entry_points
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from pitchsim.advice import table_in_words
from pitchsim.bidding import BIDDING
from pitchsim.checkpoint import Checkpoint, part_of
from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import SEATS, new_desk
from pitchsim.errors import InputError
from pitchsim.house import Ending, ending_of
from pitchsim.jit import PLAIN
from pitchsim.kernels.matching import (
    CHANGE,
    CHANGE_SQUARED,
    COLUMNS,
    CONTRACT_COLUMNS,
    DEALER,
    DEALS,
    DIFFERENCE,
    MADE,
    PITCHES,
    PLACE_COLUMNS,
    POINTS,
    STOPPED,
    TOTALS,
    WHOLE_GAME,
    WINS,
    WINS_SQUARED,
    lay_round,
    new_sheet,
    play_games,
    settle_round,
    share_games,
)
from pitchsim.lanes.choice import seats_of
from pitchsim.lanes.engine import AT_ONCE, Desks
from pitchsim.log import new_log
from pitchsim.play import NOTES
from pitchsim.plugins import Kind, find
from pitchsim.policies import PLAY
from pitchsim.question import DEFAULT_DEALS, MOST_DEALS
from pitchsim.report import Report, Table, engine_in_words, percent, signed
from pitchsim.rules import Rules
from pitchsim.seating import CHUNK, Keys, Seating, in_threads, threads_of, watched
from pitchsim.simulation import progress_bar
from pitchsim.statistics import TOO_CLOSE, Estimate, estimate, looks, share

FIRST_LOOK = 250
SLOW_POLICIES, SLOW_DEALS = ("search",), 400
"""Policies that think for milliseconds over each card, and how many deals a match with one of them has as a rule."""

FEWEST_DEALS = 30
"""With fewer deals a standard error is a guess itself, and nothing is clear."""

MOST_GAME_DEALS = 10_000
"""A game that is not over after so many deals is stopped."""

ONE_DEAL = Ending(target=0, winning=0, end_after=1, same_again=0, most_deals=1)
"""A deal alone is a game of one deal."""

DEALS_STREAM, GAMES_STREAM = 0, 1
"""Streams of the seed: the deals are those of `simulate`, the games have their own."""

PATIENCE = 0.5
"""Seconds for a batch of chunks: slow policies get small chunks, so that the bar moves and little is lost."""
CHUNKS_AHEAD = 8
COLUMN_NAMES = (
    *("policy", "deals", "score_change", "se", "difference", "difference_se", "points_pitcher", "made"),
    *("games", "game_wins", "game_wins_se"),
)


# Who plays whom -------------------------------------------------------------------------------------


def read_contestant(name: str, usual_bidding: str) -> tuple[str, str]:
    """Read PLAY or PLAY/BIDDING; in both a name may have a colon, and a file's name slashes.

    The last slash with a play policy before it and a bidding policy behind it stands between them.
    """
    name = name.strip()
    for place in reversed([place for place, letter in enumerate(name) if letter == "/"]):
        play, bidding = name[:place].strip(), name[place + 1 :].strip()
        if _looks_like(PLAY, play) and _looks_like(BIDDING, bidding):
            return play, bidding
    if _looks_like(PLAY, name) or "/" not in name:
        return name, usual_bidding
    play, _, bidding = name.rpartition("/")
    return play.strip(), bidding.strip()


def _looks_like(kind: Kind, name: str) -> bool:
    """Whether this may name a policy: a known one, one with settings, or place:function."""
    place, colon, attribute = name.rpartition(":")
    known = {*kind.built_in, *(point.name for point in entry_points(group=kind.group))}
    return name in known or name.partition(":")[0] in known or bool(colon and place and attribute.isidentifier())


def orders_of(players: int) -> list[tuple[int, ...]]:
    """Say in which orders so many contestants sit round the table, so that nobody always has the same neighbours.

    In all orders together everybody else is equally often one, two, ... places to the left. With 3, 5 and 7 those
    orders do in which the neighbour is always so many names further on; with 4 and 6 it takes all that there are.
    """
    if players in (3, 5, 7):
        return [tuple(step * place % players for place in range(players)) for step in range(1, players)]
    return [(0, *others) for others in permutations(range(1, players))]


def seatings_of(rules: Rules, names: int) -> list[list[tuple[int, ...]]]:
    """Say who sits where, contestants from 0 in the order of the seats: the seatings of a deal, for each order.

    As many names as players: everybody moves round the table, so that each sits in every seat once, and the order
    changes from deal to deal. Two names: the first in every seat, the second in all others. Two teams: both ways.

    Raises InputError for another number of names.
    """
    players = rules.players
    if names == players:
        return [[order[place:] + order[:place] for place in range(players)] for order in orders_of(players)]
    if names == 2 and rules.partners:
        return [[(0, 1, 0, 1), (1, 0, 1, 0)]]
    if names == 2:
        return [[tuple(int(place != seat) for place in range(players)) for seat in range(players)]]
    wanted = f"{players} for {players} players, or 2" if players > 2 else "2"
    raise InputError(f"{names} polic{'y' if names == 1 else 'ies'} given; give {wanted} (-n says how many play)")


@dataclass(frozen=True)
class Design:
    """Who plays whom: the contestants, in the order of their names, and the seatings of a deal, for each order."""

    names: tuple[str, ...]
    contestants: Seating
    orders: list[list[tuple[int, ...]]]

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self.contestants.rules

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names, numbered where two are the same."""
        counts, seen, labels = Counter(self.names), Counter[str](), []
        for name in self.names:
            seen[name] += 1
            labels.append(f"{name} #{seen[name]}" if counts[name] > 1 else name)
        return tuple(labels)

    @property
    def seatings(self) -> int:
        """In how many seatings each deal is played."""
        return len(self.orders[0])

    @cached_property
    def appearances(self) -> tuple[int, ...]:
        """How many seats each contestant has in all seatings of a deal together."""
        return tuple(sum(seating.count(place) for seating in self.orders[0]) for place in range(len(self.names)))

    @property
    def usual_deals(self) -> int:
        """How many deals a match has when nobody says: fewer with players who think long."""
        slow = any(found.name.partition(":")[0] in SLOW_POLICIES for found in self.contestants.play)
        return SLOW_DEALS if slow else DEFAULT_DEALS

    @property
    def all_bid_alike(self) -> bool:
        """Whether all contestants bid by the same policy."""
        return len({found.name for found in self.contestants.bidding}) == 1

    @property
    def all_alike(self) -> bool:
        """Whether all contestants are the same policies."""
        table = self.contestants
        return len({(play.name, bid.name) for play, bid in zip(table.play, table.bidding, strict=True)}) == 1

    @cached_property
    def who(self) -> np.ndarray:
        """The contestants in speaking order: a row for each order, seating and dealer, int64 (rows, players)."""
        by_seat = np.array([seating for order in self.orders for seating in order], np.int64)
        turned = [np.roll(by_seat, -dealer - 1, axis=1) for dealer in range(self.rules.players)]
        return np.ascontiguousarray(np.stack(turned, axis=1).reshape(-1, self.rules.players))

    @cached_property
    def lines(self) -> Any:
        """The lines of play policies for the kernel, one a row of `who`."""
        line = self.contestants.line
        rows, tables = self._rows(line), self._rows(line[NOTES:])
        if PLAIN:
            return [[*row, None, *table, None] for row, table in zip(rows, tables, strict=True)]
        gap = np.zeros((len(rows), 1), np.int64)
        return np.ascontiguousarray(np.hstack([rows, gap, tables, gap]))

    @cached_property
    def bidders(self) -> Any:
        """Where the bidding policies are, one row each."""
        return self._rows(self.contestants.bidders)

    @cached_property
    def notes(self) -> Any:
        """Where the bidders' tables are, one row each."""
        return self._rows(self.contestants.notes)

    @cached_property
    def played_by(self) -> np.ndarray:
        """Who plays by the later policies of 64 lanes, a bit a seat counted from the pitcher (row, pitcher, policy)."""
        lanes = self.contestants.lanes
        policies = lanes.program.policies if lanes else (self.contestants.play[0].name,)
        numbers = np.array([policies.index(found.name) for found in self.contestants.play])[self.who]
        return seats_of(self.rules, numbers, numbers, len(policies))

    def _rows(self, places: Any) -> Any:
        """What the contestants have, for each row of `who`, seven seats."""
        seats = np.pad(self.who, ((0, 0), (0, SEATS - self.rules.players)), mode="edge")
        return [[places[place] for place in row] for row in seats] if PLAIN else places[seats]

    def table_at(self, row: int) -> Seating:
        """Seat the contestants as in a row of `who`."""
        play, bidding = self.contestants.play, self.contestants.bidding
        at = self.who[row]
        return Seating(self.rules, tuple(play[place] for place in at), tuple(bidding[place] for place in at))


def design_of(rules: Rules, names: Sequence[str], usual_bidding: str, engine: str = "auto") -> Design:
    """Find the policies, and say who plays whom.

    Raises InputError for a policy that there is not, or another number of names than two or the players'.
    """
    orders = seatings_of(rules, len(names))
    pairs = [read_contestant(name, usual_bidding) for name in names]
    play = {name: find(PLAY, name) for name, _ in pairs}
    bidding = {name: find(BIDDING, name) for _, name in pairs}
    contestants = Seating(
        rules, tuple(play[name] for name, _ in pairs), tuple(bidding[name] for _, name in pairs), engine=engine
    )
    return Design(tuple(name.strip() for name in names), contestants, orders)


# Adding up ------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What some games (or deals) added up to; whole numbers.

    `table` has one row a contestant, `products` the sums of products of the differences of two contestants.
    """

    contestants: int
    played: int = 0
    table: np.ndarray = field(init=False)
    products: np.ndarray = field(init=False)
    totals: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.table = np.zeros((self.contestants, COLUMNS), np.int64)
        self.products = np.zeros((self.contestants, self.contestants), np.int64)
        self.totals = np.zeros(TOTALS, np.int64)

    def add(self, other: "Tally") -> None:
        """Add another run to this one."""
        self.played += other.played
        self.table += other.table
        self.products += other.products
        self.totals += other.totals

    def to_dict(self) -> dict[str, Any]:
        """Write it down."""
        arrays = {"table": self.table, "products": self.products, "totals": self.totals}
        return {"played": self.played, **{name: array.tolist() for name, array in arrays.items()}}

    def take(self, kept: dict[str, Any]) -> None:
        """Go on from what was written down."""
        self.played = kept["played"]
        self.table[:], self.products[:], self.totals[:] = kept["table"], kept["products"], kept["totals"]


@dataclass
class Runner:
    """Plays games (or deals, as games of one deal) chunk by chunk, and keeps what it has."""

    design: Design
    ending: Ending
    keys: Keys
    tally: Tally
    threads: int | None

    def go(self, goal: int) -> Iterator[int]:
        """Play until `goal` games are played; yields how many more there are.

        Chunks grow while they are quick; the sums do not depend on how the games are cut up.
        """
        chunk, workers = 1, threads_of(self.threads)
        play = self._one_by_one if self.design.contestants.lanes is None else self._in_lanes
        while self.tally.played < goal:
            first, left = self.tally.played, goal - self.tally.played
            batch = left if chunk >= CHUNK else min(left, chunk * workers * CHUNKS_AHEAD)
            started = time.monotonic()
            for size, part in in_threads(play, first, batch, self.threads, chunk):
                self.tally.add(part)
                yield size
            if time.monotonic() - started < PATIENCE:
                chunk = min(4 * chunk, CHUNK)

    def _in_lanes(self, first: int, count: int) -> Tally:
        """Games `first` .. `first` + `count` - 1, 64 deals at a time."""
        tally = Tally(len(self.design.names), count)
        at_once = min(AT_ONCE // self.design.seatings, count)
        desks = Desks(at_once * self.design.seatings)
        for start in range(first, first + count, at_once):
            self._round_by_round(start, min(at_once, first + count - start), desks, tally)
        return tally

    def _round_by_round(self, first: int, games: int, desks: Desks, tally: Tally) -> None:
        """Play the next deal of all games that go on, until none does: nobody who calls sees the scores."""
        design, house, ending, deck = self.design, self.design.contestants.house, self.ending, packed_deck(ALL_CARDS)
        lanes = design.contestants.lanes
        assert lanes is not None
        orders, rows = len(design.orders), games * design.seatings
        places, contracts = (np.zeros((rows, columns), np.int64) for columns in (PLACE_COLUMNS, CONTRACT_COLUMNS))
        places[:, DEALER] = design.rules.players - 1
        at, log, desk, going_on = np.zeros(1, np.int64), new_log(), new_desk(), rows
        pitched, standing = new_sheet()[:2]
        while going_on:
            with _watched(design, at, log):
                ready = lay_round(
                    design.lines, design.bidders, design.notes, design.who, design.all_bid_alike, orders,
                    house, ending, deck, design.played_by, self.keys.deal, self.keys.luck, first, games,
                    places, desks.bytes, desks.lucks, contracts, pitched, at, desk, log,
                )  # fmt: skip
            lanes.play_desks(desks.first(ready))
            going_on = settle_round(
                design.who, orders, house, ending, first, games, places, desks.bytes, contracts,
                standing, tally.table, tally.totals,
            )  # fmt: skip
        share_games(
            design.who, orders, house, first, games, places,
            tally.table, tally.products, np.zeros_like(tally.table), tally.totals,
        )  # fmt: skip

    def _one_by_one(self, first: int, count: int) -> Tally:
        """Games `first` .. `first` + `count` - 1, one deal at a time."""
        design, tally = self.design, Tally(len(self.design.names), count)
        at, log, sums = np.zeros(1, np.int64), new_log(), np.zeros_like(tally.table)
        with _watched(design, at, log):
            play_games(
                design.lines, design.bidders, design.notes, design.who, len(design.orders),
                design.contestants.house, self.ending, packed_deck(ALL_CARDS), self.keys.deal, self.keys.luck,
                first, count, tally.table, tally.products, sums, tally.totals, at, new_sheet(), new_desk(), log,
            )  # fmt: skip
        return tally


@contextlib.contextmanager
def _watched(design: Design, at: np.ndarray, log: np.ndarray) -> Iterator[None]:
    """Tell which policy failed, in the seating in which it did."""
    try:
        yield
    except Exception:
        with watched(design.table_at(int(at[0])), log):
            raise


# The answer -----------------------------------------------------------------------------------------


@dataclass
class Match(Report):
    """Which policy is better, and by how much; `by_deal` and `by_game` hold the whole numbers behind every figure."""

    design: Design
    seed: int
    by_deal: Tally
    by_game: Tally
    precision: float | None = None
    notices: Sequence[str] = ()

    @property
    def deals(self) -> int:
        """How many deals were dealt, each played in every seating."""
        return self.by_deal.played

    @property
    def games(self) -> int:
        """How many games were begun, each played in every seating."""
        return self.by_game.played

    def score_change(self, contestant: int) -> Estimate:
        """The score change per deal of a contestant, the mean over his seats; one deal in all seatings is a unit."""
        row = self.by_deal.table[contestant]
        found = estimate(int(row[CHANGE]), int(row[CHANGE_SQUARED]), self.deals)
        return _divided(found, self.design.appearances[contestant])

    def difference(self, contestant: int) -> Estimate:
        """His score change minus the mean of the others at the table; minus the other team's, with partners."""
        others = 2 if self.design.rules.partners else self.design.rules.players - 1
        weights = np.zeros(len(self.design.names))
        weights[contestant] = 1 / (others * self.design.appearances[contestant])
        return self._weighed(weights)

    def lead(self, first: int, second: int) -> Estimate:
        """The score change of one contestant minus that of another, in a match in which each has a seat."""
        weights = np.zeros(len(self.design.names))
        weights[first] = 1 / (self.design.rules.players * self.design.appearances[first])
        weights[second] = -weights[first]
        return self._weighed(weights)

    def _weighed(self, weights: np.ndarray) -> Estimate:
        """A weighted sum of the contestants' differences, which were counted in whole numbers."""
        total = float(weights @ self.by_deal.table[:, DIFFERENCE])
        return estimate(total, float(weights @ self.by_deal.products @ weights), self.deals)

    def game_wins(self, contestant: int) -> Estimate:
        """The share of games that a contestant won, the mean over his seats; ties count in parts."""
        row = self.by_game.table[contestant]
        found = estimate(int(row[WINS]), int(row[WINS_SQUARED]), self.games)
        return _divided(found, WHOLE_GAME * self.design.appearances[contestant])

    def worst_error(self) -> float:
        """The largest standard error of any score change or difference."""
        each = [found.se for place in self._places for found in (self.score_change(place), self.difference(place))]
        return max(math.inf if se is None else se for se in each)

    @property
    def _places(self) -> range:
        """The contestants by number."""
        return range(len(self.design.names))

    @property
    def ranked(self) -> list[int]:
        """The contestants, the best first; of equals the one named first."""
        return sorted(self._places, key=lambda place: -(self.difference(place).mean or 0))

    @property
    def best_lead(self) -> Estimate:
        """How far the best is ahead: of the next best, or of his opponents where there are two names."""
        first, second, *_ = self.ranked
        if len(self.design.names) > 2:
            return self.lead(first, second)
        found = self.difference(0)
        return Estimate(abs(found.mean or 0), found.se)

    @property
    def too_close(self) -> bool:
        """Whether the best is ahead by no more than two standard errors, or nobody can tell yet."""
        lead = self.best_lead
        return self.deals < FEWEST_DEALS or lead.se is None or (lead.mean or 0) <= TOO_CLOSE * lead.se

    def policy_rows(self) -> list[dict[str, Any]]:
        """One row a contestant."""
        return [self._row(place) for place in self._places]

    def _row(self, place: int) -> dict[str, Any]:
        """All figures of one contestant."""
        change, difference, wins = self.score_change(place), self.difference(place), self.game_wins(place)
        pitches, points, made = (int(self.by_deal.table[place, column]) for column in (PITCHES, POINTS, MADE))
        values = (
            *(self.design.labels[place], self.deals, change.mean, change.se, difference.mean, difference.se),
            *(share(points, pitches), share(made, pitches), self.games, wins.mean, wins.se),
        )
        return dict(zip(COLUMN_NAMES, values, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The rows, and what was played."""
        rules, played = self.design.rules, self.games * self.design.seatings
        return {
            "players": rules.players,
            "rules": rules.to_dict(),
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "deals_per_game": share(int(self.by_game.totals[DEALS]), played),
            "seatings": self.design.seatings,
            "engine": self.design.contestants.engine_used,
            "too_close": self.too_close,
            "rows": self.policy_rows(),
        }

    def tables(self) -> list[Table]:
        """One row a contestant."""
        return [Table("policy", list(COLUMN_NAMES), [list(row.values()) for row in self.policy_rows()])]

    def headline(self, symbols: bool = False) -> str:
        """Who is better, by how much; and who wins the games."""
        first, second, *_ = (self.design.labels[place] for place in self.ranked)
        lead = self.best_lead
        if self.design.all_alike:
            return "Too close to call: all are the same policy."
        error = f" (+/- {lead.se:.3f})" if lead.se is not None else ""
        if self.too_close:
            found = f"Too close to call: {first} and {second} differ by {lead.mean:.3f} points a deal{error}."
        else:
            found = f"{first} is better than {second} by {lead.mean:.3f} points a deal{error}."
        return f"{found}\n{self._games_in_words()}" if self.games else found

    def _games_in_words(self) -> str:
        """Who wins how many games."""
        best = (
            0 if len(self.design.names) == 2 else max(self._places, key=lambda place: self.game_wins(place).mean or 0)
        )
        wins, label = self.game_wins(best), self.design.labels[best]
        error = f" (+/- {100 * wins.se:.2f})" if wins.se is not None else ""
        fair = percent(1 / self.design.rules.sides)
        return f"{label} wins {percent(wins.mean)} of the games{error}; a fair share is {fair}."

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """The rows, rounded."""
        against = "vs other team" if self.design.rules.partners else "vs others"
        columns = ["policy", "score change", "+/-", against, "+/-", "pitcher's points", "made"]
        columns += ["games won", "+/-"] if self.games else []
        return [Table("policy", columns, [self._text_row(row) for row in self.policy_rows()])]

    def _text_row(self, row: dict[str, Any]) -> list[str]:
        """One row as a player reads it."""
        cells = [row["policy"], signed(row["score_change"], 3), _error(row["se"])]
        cells += [signed(row["difference"], 3), _error(row["difference_se"])]
        cells += ["" if row["points_pitcher"] is None else f"{row['points_pitcher']:.2f}", percent(row["made"])]
        if self.games:
            cells += [
                percent(row["game_wins"]),
                "" if row["game_wins_se"] is None else f"{100 * row['game_wins_se']:.2f}%",
            ]
        return cells

    def notes(self, symbols: bool = False) -> list[str]:
        """Table, method, deals, seed."""
        games = f" and {self.games:,} games" if self.games else ""
        said = [
            f"{table_in_words(self.design.rules)}. {self.deals:,} deals{games}, each played in "
            f"{self.design.seatings} seatings ({self._seatings_in_words()}); seed {self.seed}; "
            "+/- is one standard error, a deal or game in all seatings together being one observation. "
            f"{engine_in_words(self.design.contestants.engine_used)}"
        ]
        bidding = {found.name for found in self.design.contestants.bidding}
        if len(bidding) == 1:
            said.append(f"All bid by {bidding.pop()}.")
        if self.precision is not None:
            said.append(f"Looked after {FIRST_LOOK:,} deals and at every doubling; stops when no error is above "
                        f"{self.precision:g}.")  # fmt: skip
        return said

    def _seatings_in_words(self) -> str:
        """How they are seated."""
        rules, (first, *others) = self.design.rules, self.design.labels
        if rules.partners and len(others) == 1:
            return f"{first} in both teams"
        if rules.players == 2:
            return "each in every seat"
        if len(others) == 1:
            return f"{first} in every seat, {rules.players - 1} {others[0]} in the others"
        beside = "with whom" if rules.partners else "beside whom"
        return f"each in every seat; who sits {beside} changes from deal to deal"


def _divided(found: Estimate, by: int) -> Estimate:
    """An estimate of something so many times smaller."""
    if found.mean is None:
        return found
    return Estimate(found.mean / by, None if found.se is None else found.se / by)


def _error(se: float | None) -> str:
    """A standard error in text."""
    return "" if se is None else f"{se:.4f}"


# The run --------------------------------------------------------------------------------------------


def match(
    rules: Rules,
    names: Sequence[str],
    usual_bidding: str,
    deals: int | None = None,
    games: int = 0,
    precision: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: bool = False,
    out: Path | None = None,
    engine: str = "auto",
) -> Match:
    """Let policies play each other, each in every seat on the same deals.

    By default 100,000 deals (400 with `search`) and no games. With `precision` the run stops at the first doubling at
    which no standard error of a score change or difference reaches it (`deals` is then the most). With `out` the
    answer is written there, and until then the run keeps beside it what it has done, and goes on from that. Raises
    InputError for what cannot be, RunError when a policy fails.
    """
    design = design_of(rules, names, usual_bidding, engine)
    if games and (rules.end_after or 0) > MOST_GAME_DEALS:
        raise InputError(f"a match plays games of at most {MOST_GAME_DEALS:,} deals, not {rules.end_after:,}")
    asked = {"deals": deals, "games": games, "precision": precision, "seed": seed}
    answer = Match(design, seed, Tally(len(names)), Tally(len(names)), precision)
    with Checkpoint(None if out is None else part_of(out), _identity(design, asked)) as kept:
        notices = []
        if kept.state is not None:
            answer.by_deal.take(kept.state["by_deal"])
            answer.by_game.take(kept.state["by_game"])
            notices.append(f"went on after {answer.deals:,} deals of an interrupted run ({kept.path})")
        _play_deals(answer, deals, threads, progress, kept)
        _play_games(answer, games, threads, progress, kept)
        answer.notices = notices + _warnings(answer)
        if out is not None:
            answer.write(out)
            kept.remove()
    return answer


def _identity(design: Design, asked: dict[str, Any]) -> dict[str, Any]:
    """Say which run this is: another seed, rule or program has nothing to do with it."""
    return {"run": "pitchsim match", "policies": list(design.names), **design.contestants.identity, **asked}


def _play_deals(answer: Match, deals: int | None, threads: int | None, progress: bool, kept: Checkpoint) -> None:
    """Play all deals, or until the errors are small enough."""
    runner = Runner(answer.design, ONE_DEAL, Keys.of(answer.seed, DEALS_STREAM), answer.by_deal, threads)
    if answer.precision is None:
        _play_on(answer, runner, deals or answer.design.usual_deals, "deals", progress, kept)
        return
    for goal in looks(FIRST_LOOK, deals or MOST_DEALS):
        if goal >= answer.deals:
            _play_on(answer, runner, goal, "deals", progress, kept)
            if answer.worst_error() < answer.precision:
                return


def _play_games(answer: Match, games: int, threads: int | None, progress: bool, kept: Checkpoint) -> None:
    """Play all games."""
    ending = ending_of(answer.design.rules, MOST_GAME_DEALS)
    runner = Runner(answer.design, ending, Keys.of(answer.seed, GAMES_STREAM), answer.by_game, threads)
    _play_on(answer, runner, games, "games", progress, kept)


def _play_on(answer: Match, runner: Runner, goal: int, unit: str, progress: bool, kept: Checkpoint) -> None:
    """Play up to a goal, and keep how far it is."""
    with progress_bar(goal, unit, progress) as advance:
        advance(runner.tally.played)
        for size in runner.go(goal):
            advance(size)
            kept.keep({"by_deal": answer.by_deal.to_dict(), "by_game": answer.by_game.to_dict()})


def _warnings(answer: Match) -> list[str]:
    """What one should know before believing the answer."""
    said = []
    if answer.design.all_alike:
        said.append("all names are the same policy, so there is nothing to tell apart")
    elif answer.deals < FEWEST_DEALS:
        said.append(f"{answer.deals} deals are too few to tell anything apart")
    elif answer.too_close:
        said.append("the answer is within two standard errors; more --deals may tell them apart")
    stopped, played = int(answer.by_game.totals[STOPPED]), answer.games * answer.design.seatings
    if stopped:
        said.append(
            f"{stopped:,} of {played:,} games were stopped after {MOST_GAME_DEALS:,} deals; most points count as won"
        )
    return said
