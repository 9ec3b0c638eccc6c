"""Which card to pitch: all on the same deals, those clearly behind dropped early, and the best played out anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from pitchsim.cards import SUITS, Card
from pitchsim.deck import ALL_CARDS, LANE_BITS, TRUMP_LANE, card_of, packed_deck
from pitchsim.engine import LEAD_COLUMNS, SWEPT, new_desk
from pitchsim.kernels.holdings import SIDE_CARDS, trump_holding
from pitchsim.kernels.leading import try_leads
from pitchsim.lanes.engine import LaneTable
from pitchsim.log import new_log
from pitchsim.play import NOTES
from pitchsim.rules import HIGHEST_BID
from pitchsim.seating import Keys, Seating, watched
from pitchsim.statistics import TIE, Estimate, effective_count, estimate, lead_needed, mean_and_error, weighted

POINT_NAMES = ("high", "low", "jack", "game")
POINTS_OF_SET = np.array([won.bit_count() for won in range(LEAD_COLUMNS)])
TOTALS = np.array(
    [
        [1, points, points**2, *(won >> point & 1 for point in range(4)), *(points >= least for least in range(1, 5))]
        for won, points in enumerate(POINTS_OF_SET.tolist())
    ]
)
"""What deals by the set of points won add up to: deals, points, their squares; High, Low, Jack and Game; so many
points or more."""

FEWEST = 128
"""Deals before anything is said about a lead."""

TRIED = 0.5
"""Leads are compared on so many deals, divided by the square of the standard error that is asked for."""

MOST_TRIED = 1 << 20
"""So many deals tell the leads apart, whatever else is asked for."""

SPARE = 1.02
"""Times as many deals as what was seen so far makes one expect, so that they mostly are enough."""

SPAN = 32
"""Bits of a deal's number that are left to one set of cards."""

FRESH = 1 << (SPAN - 1)
"""The best lead is played out on deals from here on. It was chosen on others, so that luck in being chosen counts
for nothing."""


@dataclass(frozen=True)
class Lead:
    """What pitching one card brings: points, chances of High, Low, Jack, Game, and of at least 1, 2, 3, 4 points."""

    card: Card
    deals: int
    effective: float
    points: Estimate
    chances: tuple[float, float, float, float]
    at_least: tuple[float, float, float, float]
    swept: float = 0.0

    @staticmethod
    def of(card: Card, weights: np.ndarray, kept: np.ndarray, tally: np.ndarray) -> "Lead":
        """From `tally` (strata, LEAD_COLUMNS): deals by the set of points that the pitcher won.

        Where the house smudges a last column says how often all six tricks were won with all four points.
        """
        mass = float(weights @ kept)
        swept = float(weights @ tally[:, SWEPT] / mass) if tally.shape[1] > SWEPT else 0.0
        tally = tally[:, :LEAD_COLUMNS]
        by_set = weights @ tally  # Divided last, so that what is certain is exactly 1.
        totals, squares = tally @ POINTS_OF_SET, tally @ POINTS_OF_SET**2
        won = np.arange(LEAD_COLUMNS)
        chances = tuple(float(by_set[won >> k & 1 == 1].sum() / mass) for k in range(4))
        at_least = tuple(float(by_set[points <= POINTS_OF_SET].sum() / mass) for points in range(1, 5))
        points = weighted(weights, kept, totals, squares)
        return Lead(card, int(kept.sum()), effective_count(weights, kept), points, chances, at_least, swept)  # type: ignore[arg-type]

    @staticmethod
    def counted(card: Card, tally: np.ndarray) -> "Lead":
        """From `tally` (LEAD_COLUMNS, or one more), every deal counting alike: the same as `of`, and much sooner."""
        deals, total, squares, *counts = (tally[:LEAD_COLUMNS] @ TOTALS).tolist()
        mean = total / deals
        spread = max(squares - 2 * mean * total + mean * mean * deals, 0.0)
        points = Estimate(mean, sqrt(spread) / deals if deals > 1 else None)
        high, low, jack, game, one, two, three, four = (count / deals for count in counts)
        swept = int(tally[SWEPT]) / deals if len(tally) > SWEPT else 0.0
        return Lead(card, deals, float(deals), points, (high, low, jack, game), (one, two, three, four), swept)

    def score_change(self, bid: int) -> float:
        """The score change as pitcher of this bid (R14): what is won when it is enough, else minus the bid.

        A 4 with all six tricks is worth one more where the house smudges.
        """
        enough = self.at_least[bid - 1]
        more = self.swept if bid == HIGHEST_BID else 0.0
        return bid * enough + sum(self.at_least[bid:]) + more - bid * (1 - enough)

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        named = dict(zip(POINT_NAMES, self.chances, strict=True))
        return {
            "lead": str(self.card),
            "trump": SUITS[self.card.suit],
            "deals": self.deals,
            "points": self.points.mean,
            "points_se": self.points.se,
            **named,
            "p_at_least": {str(points + 1): chance for points, chance in enumerate(self.at_least)},
        }

    def figures(self) -> dict[str, Any]:
        """The same as one row of a table: p1 .. p4, and the score change as pitcher of each bid, ev1 .. ev4."""
        return {
            "points": self.points.mean,
            "points_se": self.points.se,
            **dict(zip(POINT_NAMES, self.chances, strict=True)),
            **{f"p{points + 1}": chance for points, chance in enumerate(self.at_least)},
            **{f"ev{bid}": self.score_change(bid) for bid in range(1, 5)},
        }


def best_lead(leads: Sequence[Lead], bid: int) -> Lead:
    """The card that scores most as pitcher of this bid."""
    return max(leads, key=lambda lead: lead.score_change(bid))


def cards_of(cards: int) -> list[int]:
    """The numbers of the cards of a set, upward."""
    numbers = []
    while cards:
        lowest = cards & -cards
        numbers.append(lowest.bit_length() - 1)
        cards ^= lowest
    return numbers


@lru_cache(8)
def laid_out(held: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The deck without these cards, and their numbers, as 64 lanes want them."""
    return packed_deck(ALL_CARDS & ~held).view(np.uint8), tuple(cards_of(held))


def pitcher_first(seat: int, seating: Seating) -> Any:
    """The line of play policies with this seat first, as kernels want whose pitcher is seat 0.

    Those on the pitcher's side play as pitchers.
    """
    players = seating.rules.players
    pitching = (0, 2) if seating.rules.partners else (0,)
    order = [(seat + k) % players for k in range(players)] + [seat] * (NOTES - players)
    lines = [seating.pitching_line if k in pitching else seating.line for k in range(NOTES)]
    line = [lines[k][at + part] for part in (0, NOTES) for k, at in enumerate(order)]
    return np.array(line, np.int64) if isinstance(seating.line, np.ndarray) else line


class Pitched(NamedTuple):
    """What the pitcher holds: cards for certain, the leads to compare (card numbers), and where the rest come from.

    What is missing to six cards is dealt from the first `side_cards` cards of the deck without those held.
    """

    held: int
    leads: tuple[int, ...]
    side_cards: int

    @staticmethod
    def hand(hand: int) -> "Pitched":
        """Six cards, any of which may be pitched."""
        return Pitched(hand, tuple(cards_of(hand)), 52 - hand.bit_count())

    @staticmethod
    def holding(ranks: int, side: int = 0) -> "Pitched":
        """A holding of trumps (a set of ranks), any of which may be pitched; side cards at random, or some `side`."""
        leads = tuple(LANE_BITS * TRUMP_LANE + rank for rank in range(LANE_BITS) if ranks >> rank & 1)
        return Pitched(trump_holding(ranks) | side, leads, SIDE_CARDS - side.bit_count())


@dataclass(frozen=True)
class Aim:
    """How well the best lead shall be known: to a standard error of its points, by so many deals, or what is less.

    With `compare_all` no lead is dropped, and all are played out on the same deals.
    """

    precision: float | None = 0.01
    deals: int | None = None
    compare_all: bool = False

    @property
    def tried(self) -> int:
        """On how many deals leads are compared at the most."""
        wanted = max(FEWEST, ceil(TRIED / self.precision**2)) if self.precision else MOST_TRIED
        return min(wanted, self.deals or wanted)

    def about(self, spread: float) -> int:
        """About how many deals it takes, where the points of a deal vary so much (their variance)."""
        if self.precision is None:
            return self.deals or 0
        wanted = max(min(FEWEST * 4, self.tried), ceil(SPARE * spread / self.precision**2))
        return min(wanted, self.deals or wanted)

    def more(self, tally: np.ndarray) -> int:
        """How many deals are still wanted after these."""
        played, total, squares = (tally[:LEAD_COLUMNS] @ TOTALS[:, :3]).tolist()
        if self.precision is None:
            return (self.deals or 0) - played
        if played == 0:
            wanted = min(FEWEST * 4, self.tried)
        else:
            se = estimate(total, squares, played).se or 0.0
            short = ceil(SPARE * played * (se / self.precision) ** 2) - played
            wanted = 0 if se < self.precision else max(short, FEWEST)
        return wanted if self.deals is None else min(wanted, self.deals - played)


def points_of(tally: np.ndarray) -> Estimate:
    """The pitcher's points, from deals by the set of points won."""
    deals, total, squares = (tally[:LEAD_COLUMNS] @ TOTALS[:, :3]).tolist()
    return estimate(total, squares, deals)


@dataclass
class Trial:
    """The leads of one set of cards, compared on the same deals.

    `tally` has deals by the set of points won, `tried` and `points` the deals and points in all, one row a lead;
    `gaps` and `squares` what each lead won more than each before it, on the deals that both were tried on.
    Whole numbers in plain lists: a book is made of a million trials, and numpy takes as long for six numbers as for
    a thousand.
    """

    cards: Pitched
    tally: np.ndarray
    tried: list[int]
    points: list[int]
    gaps: list[list[int]]
    squares: list[list[int]]

    @staticmethod
    def of(cards: Pitched) -> "Trial":
        """Begin with nothing tried."""
        size = len(cards.leads)
        gaps, squares = ([[0] * size for _ in range(size)] for _ in range(2))
        return Trial(cards, np.zeros((size, SWEPT + 1), np.int64), [0] * size, [0] * size, gaps, squares)

    def add(self, rows: Sequence[int], count: int, won: np.ndarray, squares: np.ndarray) -> None:
        """Write down what these leads have won on some more deals, and the squares of the gaps between them."""
        self.tally[rows] += won
        points, squared = (won[:, :LEAD_COLUMNS] @ POINTS_OF_SET).tolist(), squares.tolist()
        for place, row in enumerate(rows):
            self.tried[row] += count
            self.points[row] += points[place]
            gaps, own = self.gaps[row], self.squares[row]
            for other in range(place):
                gaps[rows[other]] += points[place] - points[other]
                own[rows[other]] += squared[place][other]

    def gap(self, row: int, other: int) -> Estimate:
        """The points with one lead minus those with another, on the deals that both were tried on."""
        return estimate(*self._gap(row, other))

    def _gap(self, row: int, other: int) -> tuple[int, int, int]:
        """The sum and the squares of that, and the number of deals: a lead that was dropped never comes back."""
        together = min(self.tried[row], self.tried[other])
        if row > other:
            return self.gaps[row][other], self.squares[row][other], together
        return -self.gaps[other][row], self.squares[other][row], together

    def ranking(self, rows: Sequence[int]) -> list[int]:
        """These leads, most points first; of equals the higher card."""
        points, tried = self.points, self.tried
        return sorted(rows, key=lambda row: (-points[row] / tried[row] if tried[row] else 0.0, -row))

    def without_hopeless(self, rows: Sequence[int]) -> list[int]:
        """Those that are not clearly behind the best, nor surely as good as it is."""
        best, *rivals = self.ranking(rows)
        needed, left = lead_needed(len(rivals)), []
        for row in rows:
            mean, error = mean_and_error(*self._gap(best, row)) if row != best else (0.0, None)
            margin = needed * (error or 0.0)
            if row == best or (mean <= margin and mean + margin > TIE):
                left.append(row)
        return left

    def next_best(self, best: int) -> int | None:
        """The lead that is least behind the best; None when there is no other."""
        behind = {row: self._gap(best, row) for row in range(len(self.cards.leads)) if row != best}
        return min(behind, key=lambda row: (behind[row][0] / max(behind[row][2], 1), -row), default=None)


@dataclass(frozen=True)
class Best:
    """The best lead: its place among the leads that were tried, and how it was played out (`tally`)."""

    row: int
    tally: np.ndarray
    trial: Trial

    @cached_property
    def lead(self) -> Lead:
        """What it brings."""
        return Lead.counted(card_of(self.trial.cards.leads[self.row]), self.tally)

    @cached_property
    def rival(self) -> int | None:
        """The place of the lead that is least behind; None when there is no other."""
        return self.trial.next_best(self.row)

    @property
    def next_card(self) -> Card | None:
        """That card."""
        return None if self.rival is None else card_of(self.trial.cards.leads[self.rival])

    @cached_property
    def gap(self) -> Estimate:
        """How far it is behind."""
        return Estimate(None, None) if self.rival is None else self.trial.gap(self.row, self.rival)

    def to_dict(self) -> dict[str, Any]:
        """Whole numbers from which it can be had again."""
        trial = {name: getattr(self.trial, name) for name in ("tried", "points", "gaps", "squares")}
        return {"row": self.row, "tally": self.tally.tolist(), "tallies": self.trial.tally.tolist(), **trial}

    @staticmethod
    def again(cards: Pitched, kept: dict[str, Any]) -> "Best":
        """What `to_dict` has written down."""
        tally, tallies = (np.array(kept[name], np.int64) for name in ("tally", "tallies"))
        trial = (kept[name] for name in ("tried", "points", "gaps", "squares"))
        return Best(kept["row"], tally, Trial(cards, tallies, *trial))


@dataclass(frozen=True)
class Leader:
    """A pitcher at a table, who tries leads; `first` deal numbers make the answer a function of the seed alone.

    To the kernels he is seat 0; `line` and `lanes` are the table seen from there.
    """

    seating: Seating
    keys: Keys
    line: Any
    lanes: LaneTable | None

    @staticmethod
    def at(seating: Seating, keys: Keys, seat: int = 0) -> "Leader":
        """The pitcher in this seat."""
        return Leader(seating, keys, pitcher_first(seat, seating), seating.lanes_for(seat))

    def choose(self, cards: Pitched, number: int, aim: Aim) -> Best:
        """The card with most points; sets of cards with different numbers are played on different deals."""
        first = number << SPAN
        trial = self.try_all(cards, first, aim)
        row = trial.ranking([row for row, tried in enumerate(trial.tried) if tried == max(trial.tried)])[0]
        tally = trial.tally[row] if aim.compare_all else self.play_out(cards, row, first + FRESH, aim)
        return Best(row, tally, trial)

    def try_all(self, cards: Pitched, first: int, aim: Aim) -> Trial:
        """Compare the leads, and drop those that are clearly behind at every doubling of the deals."""
        trial, rows, done = Trial.of(cards), list(range(len(cards.leads))), 0
        if aim.compare_all:
            while (more := max(aim.more(row) for row in trial.tally)) > 0:
                trial.add(rows, more, *self._run(cards, rows, first + done, more))
                done += more
            return trial
        most = aim.tried
        goal = min(FEWEST, most)
        while len(rows) > 1 and done < most:
            trial.add(rows, goal - done, *self._run(cards, rows, first + done, goal - done))
            done, goal = goal, min(2 * goal, most)
            rows = trial.without_hopeless(rows)
        return trial

    def compare(self, cards: Pitched, first: int, count: int) -> np.ndarray:
        """Deals by the set of points won, one row for each of the leads."""
        return self._run(cards, range(len(cards.leads)), first, count)[0]

    def play_out(self, cards: Pitched, row: int, first: int, aim: Aim) -> np.ndarray:
        """Deals by the set of points won with this lead, until it is known well enough."""
        total, done = np.zeros(SWEPT + 1, np.int64), 0
        while (more := aim.more(total)) > 0:
            total += self._run(cards, [row], first + done, more)[0][0]
            done += more
        return total

    def _run(self, cards: Pitched, rows: Sequence[int], first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Play deals with these leads: deals by the set of points won, and squares of gaps (lead, one before it)."""
        leads = [cards.leads[row] for row in rows]
        if self.lanes is not None:
            return self._run_in_lanes(self.lanes, cards, leads, first, count)
        log, size = new_log(), len(leads)
        tally, squares = np.zeros((size, SWEPT + 1), np.int64), np.zeros((size, size), np.int64)
        with watched(self.seating, log):
            try_leads(
                self.line, self.seating.house, packed_deck(ALL_CARDS & ~cards.held), cards.held, cards.side_cards,
                np.array(leads, np.int64), self.keys.deal, self.keys.luck, first, count, tally, squares, new_desk(),
                log,
            )  # fmt: skip
        return tally, squares

    def _run_in_lanes(
        self, lanes: LaneTable, cards: Pitched, leads: Sequence[int], first: int, count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same 64 deals at a time."""
        deck, held = laid_out(cards.held)
        won, squares = lanes.try_leads(
            deck, held, cards.side_cards, leads, int(self.keys.deal), int(self.keys.luck), first, count
        )
        if not self.seating.rules.smudge:
            won[:, SWEPT] = 0
        return won, squares
