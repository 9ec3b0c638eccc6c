"""How fast is it on this machine? Whole deals, compile time left out, in ratio to plain Python in the same run."""

import random as plain_random
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import LEAD_COLUMNS, POLICY_PITCHES, new_desk
from pitchsim.kernels.pitching import deal_only, pitch_deals
from pitchsim.log import new_log
from pitchsim.policies import PLAY
from pitchsim.report import Report, Table
from pitchsim.rules import FEWEST_PLAYERS, MOST_PLAYERS, Deal, Rules, deal_hands, full_deck
from pitchsim.seating import Keys, Seating, seat_players, threads_of

DEALING = "deal"
REPEATS = 5
SECONDS = 0.04
"""One measurement lasts about so long; the median of five is told."""
PLAIN_DEALS = 60
BID = 2


@dataclass(frozen=True)
class Speed:
    """How fast one policy is with so many players on so many threads."""

    policy: str
    players: int
    threads: int
    deals: int
    seconds: float
    times_plain_python: float

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "policy": self.policy,
            "engine": "scalar",
            "players": self.players,
            "threads": self.threads,
            "deals_per_second": self.deals / self.seconds,
            "ns_per_deal": self.seconds / self.deals * 1e9,
            "deals": self.deals,
            "times_plain_python": self.times_plain_python,
        }


@dataclass
class Bench(Report):
    """Speeds by policy, players and threads."""

    speeds: list[Speed]

    def to_dict(self) -> dict[str, Any]:
        """All rows."""
        return {"rows": [speed.to_dict() for speed in self.speeds]}

    def tables(self) -> list[Table]:
        """One row a measurement."""
        rows = self.to_dict()["rows"]
        return [Table("bench", list(rows[0]), [list(row.values()) for row in rows])]

    def text_tables(self, symbols: bool = False) -> list[Table]:
        """Nanoseconds a deal: policies down, players across, for one thread and for all."""
        players = sorted({speed.players for speed in self.speeds})
        tables = []
        for threads in sorted({speed.threads for speed in self.speeds}):
            found = {(speed.policy, speed.players): speed for speed in self.speeds if speed.threads == threads}
            rows = []
            for policy in dict.fromkeys(speed.policy for speed in self.speeds):
                times = [found[policy, number].to_dict() for number in players]
                rows.append(
                    [policy, *(f"{row['ns_per_deal']:.0f}" for row in times), f"{times[-1]['times_plain_python']:,.0f}"]
                )
            title = f"Nanoseconds a deal, {threads} thread{'s' * (threads > 1)}"
            last = f"times plain Python ({players[-1]} players)"
            tables.append(Table("bench", ["policy", *(f"{number} players" for number in players), last], rows, title))
        return tables

    def notes(self, symbols: bool = False) -> list[str]:
        """What was measured."""
        return [
            "Whole deals: dealt, pitched by seat 1, played by the policy, scored; deal: dealt only. "
            f"Median of {REPEATS}, compiling left out; plain Python is the readable rules with random cards."
        ]


def bench(players: int | None = None, play: str | None = None, threads: int | None = None) -> Bench:
    """Measure dealing alone and the built-in policies (or one), for 2-7 players (or one number).

    On one thread and on all, unless `threads` says how many. Raises InputError for a policy that there is not.
    """
    numbers = range(FEWEST_PLAYERS, MOST_PLAYERS + 1) if players is None else [players]
    names = list(PLAY.built_in) if play is None else [play]
    counts = sorted({1, threads_of(threads)}) if threads is None else [threads]
    works = {(DEALING, number): _dealing(number) for number in numbers}
    works |= {
        (name, number): _playing(seat_players(Rules(players=number), [name], ["passive"]))
        for name in names
        for number in numbers
    }
    plain = {number: [_plain_seconds(number, dealing_only) for dealing_only in (True, False)] for number in numbers}
    rows = [(count, number, name) for count in counts for number in numbers for name in (DEALING, *names)]
    sizes = {place: _size(work) for place, work in works.items()}
    seconds: dict[tuple[int, int, str], list[float]] = {row: [] for row in rows}
    with ThreadPoolExecutor(max(counts)) as pool:
        # Round and round, so that a slow spell of the machine touches one of the five and not all.
        for _ in range(REPEATS):
            for count, number, name in rows:
                took = _timed(works[name, number], sizes[name, number], count, pool)
                seconds[count, number, name].append(took)
    speeds = []
    for count, number, name in rows:
        deals, median = sizes[name, number] * count, statistics.median(seconds[count, number, name])
        plainly = plain[number][name != DEALING]
        speeds.append(Speed(name, number, count, deals, median, plainly * deals / median))
    return Bench(speeds)


def _dealing(players: int) -> Callable[[int, int], None]:
    """Work that deals and does nothing else."""
    house = seat_players(Rules(players=players), ["random"], ["passive"]).house
    deck, key = packed_deck(ALL_CARDS), Keys.of(1).deal
    return lambda first, count: deal_only(house, deck, key, first, count, np.zeros(8, np.int64), new_desk())


def _playing(seating: Seating) -> Callable[[int, int], None]:
    """Work that deals and plays, seat 1 the pitcher."""
    deck, keys, leads = packed_deck(ALL_CARDS), Keys.of(1), np.array([POLICY_PITCHES], np.int64)

    def work(first: int, count: int) -> None:
        tally = np.zeros((1, LEAD_COLUMNS), np.int64)
        pitch_deals(
            seating.line, seating.house, deck, 0, BID, leads, keys.deal, keys.luck, first, count,
            tally, new_desk(), new_log(),
        )  # fmt: skip

    return work


def _size(work: Callable[[int, int], None]) -> int:
    """How many deals last long enough to be measured."""
    deals = 20_000
    work(0, deals)
    start = time.perf_counter()
    work(0, deals)
    return max(int(deals * SECONDS / (time.perf_counter() - start)), 1_000)


def _timed(work: Callable[[int, int], None], deals: int, threads: int, pool: ThreadPoolExecutor) -> float:
    """Seconds for so many deals on each thread."""
    start = time.perf_counter()
    list(pool.map(lambda part: work(part * deals, deals), range(threads)))
    return time.perf_counter() - start


def _plain_seconds(players: int, dealing_only: bool) -> float:
    """Seconds a deal of the readable rules: shuffled, and played with random cards unless only dealt."""
    chooser, rules, deck = plain_random.Random(1), Rules(players=players), full_deck()
    start = time.perf_counter()
    for _ in range(PLAIN_DEALS):
        hands = deal_hands(chooser.sample(deck, len(deck)), players)
        if not dealing_only:
            _play_plainly(Deal(rules, players - 1, hands), chooser)
    return (time.perf_counter() - start) / PLAIN_DEALS


def _play_plainly(deal: Deal, chooser: plain_random.Random) -> None:
    """Seat 1 bids 4 and everybody plays at random."""
    deal.call(0, 4)
    while deal.to_play is not None:
        cards: Sequence = deal.legal_cards()
        deal.play(deal.to_play, chooser.choice(cards))
    deal.outcome()
