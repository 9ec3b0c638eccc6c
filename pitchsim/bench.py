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
    """Measure dealing alone and the built-in policies (or one), for 2-7 players (or one number), on one thread and on
    all.

    Raises InputError for a policy that there is not.
    """
    numbers = range(FEWEST_PLAYERS, MOST_PLAYERS + 1) if players is None else [players]
    names = list(PLAY.built_in) if play is None else [play]
    counts = sorted({1, threads_of(threads)}) if threads is None else [threads]
    speeds = []
    for number in numbers:
        seatings = {name: seat_players(Rules(players=number), [name], ["passive"]) for name in names}
        dealt = _plain_seconds(number, dealing_only=True)
        played = _plain_seconds(number, dealing_only=False)
        for count in counts:
            with ThreadPoolExecutor(count) as pool:
                deals, seconds = _timed(_dealing(number), count, pool)
                speeds.append(Speed(DEALING, number, count, deals, seconds, dealt * deals / seconds))
                for name, seating in seatings.items():
                    deals, seconds = _timed(_playing(seating), count, pool)
                    speeds.append(Speed(name, number, count, deals, seconds, played * deals / seconds))
    order = [DEALING, *names]
    return Bench(sorted(speeds, key=lambda speed: (speed.threads, speed.players, order.index(speed.policy))))


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


def _timed(work: Callable[[int, int], None], threads: int, pool: ThreadPoolExecutor) -> tuple[int, float]:
    """Deals and seconds: the median of some runs, each long enough to be measured."""
    each = 20_000
    work(0, each)
    start = time.perf_counter()
    work(0, each)
    each = max(int(each * SECONDS / (time.perf_counter() - start)), 1_000)
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        list(pool.map(lambda part: work(part * each, each), range(threads)))
        seconds.append(time.perf_counter() - start)
    return each * threads, statistics.median(seconds)


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
