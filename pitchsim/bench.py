"""How fast is it on this machine? Whole deals, compile time left out, in ratio to plain Python in the same run."""

import random as plain_random
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from pitchsim.cards import Card, parse_card
from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import LEAD_COLUMNS, POLICY_PITCHES, new_desk
from pitchsim.kernels.pitching import deal_only, pitch_deals
from pitchsim.log import new_log
from pitchsim.policies import PLAY
from pitchsim.question import AUTO, LANES, SCALAR
from pitchsim.report import Report, Table
from pitchsim.rules import FEWEST_PLAYERS, MOST_PLAYERS, Deal, Rules, deal_hands, full_deck, legal_cards
from pitchsim.seating import Keys, Seating, record_of, seat_players, threads_of

Work = Callable[[int, int], object]
Place = tuple[str, str, int]
"""What is measured: policy, engine, number of players."""
Row = tuple[int, Place]
"""On so many threads."""
DEALING = "deal"
REPEATS = 5
SECONDS = 0.04
"""One measurement lasts about so long; the median of five is told."""
PLAIN_DEALS = 60
BID = 2
SHORT = 100
"""Nanoseconds below which a tenth is told."""

THINKER = "search:worlds=160"
"""So slow that it is measured with one number of players, on one thread."""
USUAL_PLAYERS = 4
CHOICES_FROM = 40
"""Deals from which the decisions of a deal are counted."""


@dataclass(frozen=True)
class Speed:
    """How fast one policy is with so many players on so many threads; dealing alone takes no decisions."""

    policy: str
    engine: str
    players: int
    threads: int
    deals: int
    seconds: float
    times_plain_python: float
    decisions: float | None

    @property
    def ms_per_decision(self) -> float | None:
        """How long one player thinks when he may play more than one card."""
        return None if self.decisions is None else self.seconds * self.threads / self.deals / self.decisions * 1e3

    def to_dict(self) -> dict[str, Any]:
        """As in JSON."""
        return {
            "policy": self.policy,
            "engine": self.engine,
            "players": self.players,
            "threads": self.threads,
            "deals_per_second": self.deals / self.seconds,
            "ns_per_deal": self.seconds / self.deals * 1e9,
            "deals": self.deals,
            "times_plain_python": self.times_plain_python,
            "ms_per_decision": self.ms_per_decision,
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
        """Nanoseconds a deal, for one thread and for all; then how long a decision takes."""
        return [
            self._deals(threads) for threads in sorted({speed.threads for speed in self.speeds})
        ] + self._decisions()

    def _deals(self, threads: int) -> Table:
        """Policies down, players across."""
        players = sorted({speed.players for speed in self.speeds})
        found = {
            (speed.engine, speed.policy, speed.players): speed for speed in self.speeds if speed.threads == threads
        }
        rows = []
        for engine, policy in dict.fromkeys((speed.engine, speed.policy) for speed in self.speeds):
            if policy != THINKER:
                times = [found[engine, policy, number].to_dict() for number in players]
                cells = (in_nanoseconds(row["ns_per_deal"]) for row in times)
                rows.append([engine, policy, *cells, f"{times[-1]['times_plain_python']:,.0f}"])
        title = f"Nanoseconds a deal, {threads} thread{'s' * (threads > 1)}"
        last = f"times plain Python ({players[-1]} players)"
        return Table("bench", ["engine", "policy", *(f"{number} players" for number in players), last], rows, title)

    def _decisions(self) -> list[Table]:
        """The expert beside the one who looks ahead; or the one that was asked for."""
        threads = min(speed.threads for speed in self.speeds)
        thinking = [
            speed
            for speed in self.speeds
            if speed.decisions is not None and speed.threads == threads and speed.engine == SCALAR
        ]
        players = USUAL_PLAYERS if any(speed.players == USUAL_PLAYERS for speed in thinking) else thinking[0].players
        named = [speed for speed in thinking if speed.players == players]
        if any(speed.policy == THINKER for speed in named):
            named = [speed for speed in named if speed.policy in ("expert", THINKER)]
        rows = [[speed.policy, f"{speed.ms_per_decision:.5f}", f"{speed.decisions:.1f}"] for speed in named]
        title = f"Milliseconds a decision, {players} players, {threads} thread{'s' * (threads > 1)}"
        return [Table("decision", ["policy", "milliseconds", "decisions a deal"], rows, title)]

    def notes(self, symbols: bool = False) -> list[str]:
        """What was measured."""
        return [
            "Whole deals: dealt, pitched by seat 1, played by the policy, scored; deal: dealt only. "
            "Engine: one deal at a time (scalar), or 64 side by side (lanes). "
            f"Median of {REPEATS}, compiling left out; plain Python is the readable rules with random cards. "
            "A decision: more than one card may be played."
        ]


def bench(players: int | None = None, play: str | None = None, threads: int | None = None) -> Bench:
    """Measure dealing alone and the built-in policies (or one), for 2-7 players (or one number).

    On one thread and on all, unless `threads` says how many. Raises InputError for a policy that there is not.
    """
    numbers = range(FEWEST_PLAYERS, MOST_PLAYERS + 1) if players is None else [players]
    names = [name for name in PLAY.built_in if name != THINKER.partition(":")[0]] if play is None else [play]
    counts = sorted({1, threads_of(threads)}) if threads is None else [threads]
    tables = {(name, SCALAR, number): _table(name, number, SCALAR) for name in names for number in numbers}
    thinking = (THINKER, SCALAR, players or USUAL_PLAYERS)
    if play is None:
        tables[thinking] = _table(THINKER, thinking[2], SCALAR)
    choices = {(name, number): _choices(seating) for (name, _, number), seating in tables.items()}
    in_lanes = {(name, LANES, number): _table(name, number, AUTO) for name in names for number in numbers}
    tables |= {place: seating for place, seating in in_lanes.items() if seating.lanes is not None}
    works = {(DEALING, engine, number): _dealing(number, engine) for engine, number in _tables_of(tables)}
    works |= {place: _playing(seating) for place, seating in tables.items()}
    rows = [(count, place) for count in counts for place in works if place != thinking or count == counts[0]]
    seconds, sizes = _measured(works, rows)
    plain = {number: [_plain_seconds(number, dealing_only) for dealing_only in (True, False)] for number in numbers}
    speeds = []
    for count, place in rows:
        name, engine, number = place
        deals, median = sizes[place] * count, statistics.median(seconds[count, place])
        times = plain[number][name != DEALING] * deals / median
        speeds.append(Speed(name, engine, number, count, deals, median, times, choices.get((name, number))))
    return Bench(speeds)


def _tables_of(tables: Iterable[Place]) -> list[tuple[str, int]]:
    """The engines and numbers of players at hand."""
    return list(dict.fromkeys((engine, number) for _, engine, number in tables))


def in_nanoseconds(time: float) -> str:
    """A time that a player reads: small ones with a tenth."""
    return f"{time:.1f}" if time < SHORT else f"{time:.0f}"


def _table(name: str, players: int, engine: str) -> Seating:
    """So many players who all play by this policy."""
    return seat_players(Rules(players=players), [name], ["passive"], engine)


def _measured(works: dict[Place, Work], rows: list[Row]) -> tuple[dict[Row, list[float]], dict[Place, int]]:
    """Time every row; returns the seconds, and how many deals each thread had.

    Round and round, so that a slow spell of the machine touches one of the five and not all.
    """
    sizes = {place: _size(work) for place, work in works.items()}
    seconds: dict[Row, list[float]] = {row: [] for row in rows}
    with ThreadPoolExecutor(max(count for count, _ in rows)) as pool:
        for _ in range(REPEATS):
            for count, place in rows:
                seconds[count, place].append(_timed(works[place], sizes[place], count, pool))
    return seconds, sizes


def _dealing(players: int, engine: str) -> Work:
    """Work that deals and does nothing else."""
    seating, keys, deck = _table("random", players, engine), Keys.of(1), packed_deck(ALL_CARDS)
    lanes, house, key = seating.lanes, seating.house, keys.deal
    if lanes is not None:
        return lambda first, count: lanes.pitch_deals(deck.view(np.uint8), key, keys.luck, first, count, "deal_only")
    return lambda first, count: deal_only(house, deck, key, first, count, np.zeros(8, np.int64), new_desk())


def _playing(seating: Seating) -> Callable[..., object]:
    """Work that deals and plays, seat 1 the pitcher."""
    deck, keys, leads = packed_deck(ALL_CARDS), Keys.of(1), np.array([POLICY_PITCHES], np.int64)
    lanes = seating.lanes
    if lanes is not None:
        return lambda first, count: lanes.pitch_deals(deck.view(np.uint8), keys.deal, keys.luck, first, count)

    def work(first: int, count: int, log: np.ndarray | None = None) -> None:
        tally = np.zeros((1, LEAD_COLUMNS), np.int64)
        pitch_deals(
            seating.line, seating.house, deck, 0, BID, leads, keys.deal, keys.luck, first, count,
            tally, new_desk(), new_log() if log is None else log,
        )  # fmt: skip

    return work


def _size(work: Work) -> int:
    """How many deals last long enough to be measured; one at least, of those who think long."""
    work(0, 1)  # Whatever is loaded or laid out at the first call is left out.
    deals, took = 1, 0.0
    while took < SECONDS / 4:
        deals *= 4
        start = time.perf_counter()
        work(0, deals // 4)
        took = time.perf_counter() - start
    return max(int(deals // 4 * SECONDS / took), 1)


def _choices(seating: Seating) -> float:
    """How often in a deal somebody may play more than one card."""
    work, log, total = _playing(seating), new_log(), 0
    for deal in range(CHOICES_FROM):
        work(deal, 1, log)
        plays = [(seat, parse_card(card)) for seat, card in record_of(seating.rules, log)["plays"]]
        total += _choices_in(plays, seating.rules.players)
    return total / CHOICES_FROM


def _choices_in(plays: list[tuple[int, Card]], players: int) -> int:
    """The same of one deal: what was played tells the hands."""
    choices, trump = 0, plays[0][1].suit
    for number, (seat, _) in enumerate(plays):
        held = [card for who, card in plays[number:] if who == seat]
        first = number - number % players
        led = None if number == first else plays[first][1].suit
        choices += len(legal_cards(held, led, trump, False)) > 1
    return choices


def _timed(work: Work, deals: int, threads: int, pool: ThreadPoolExecutor) -> float:
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
