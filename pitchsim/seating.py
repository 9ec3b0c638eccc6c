"""Who sits where: the policies of a table, ready for the kernels, and how a run is cut up, seeded and reported."""

import contextlib
import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pitchsim.auction import IllegalCall
from pitchsim.bidding import BIDDING
from pitchsim.cards import Card
from pitchsim.deck import card_of, set_to_cards, unturned_card
from pitchsim.engine import SEATS, call_of
from pitchsim.errors import InputError, RunError
from pitchsim.house import House, house_of
from pitchsim.jit import PLAIN, addresses, source_hash
from pitchsim.log import BID, CALLS, HANDS, PITCHER, PLAYS, TRUMP_SUIT, cards_of_trick
from pitchsim.play import AT_RANDOM, IllegalCard
from pitchsim.plugins import Found, Kind, find
from pitchsim.policies import PLAY
from pitchsim.policies.random import random
from pitchsim.question import AUTO, LANES, LARGEST_SEED, SCALAR
from pitchsim.records import make_record, score
from pitchsim.rules import Rules
from pitchsim.view import CALL, CARD

if TYPE_CHECKING:
    from pitchsim.lanes.engine import LaneTable

Result = TypeVar("Result")
CHUNK = 1 << 14
AHEAD = 4
"""Chunks handed out ahead for each thread: enough to keep all busy, few enough for runs without end."""


@dataclass(frozen=True)
class Seating:
    """The players of a table in speaking order: `play` and `bidding` have one policy a seat.

    `pitching`, where given, are the play policies of the seats when they are on the pitcher's side.
    """

    rules: Rules
    play: tuple[Found, ...]
    bidding: tuple[Found, ...]
    pitching: tuple[Found, ...] | None = None
    engine: str = AUTO

    @cached_property
    def lanes(self) -> "LaneTable | None":
        """The same players 64 deals at a time; None where only the scalar engine can seat them, or is asked for.

        Raises InputError where 64 lanes are asked for in vain.
        """
        from pitchsim.lanes.choice import lane_table

        if PLAIN and self.engine != LANES:
            return None  # What is not compiled is for reading: one deal at a time.
        return lane_table(self.rules, [*self.play, *(self.pitching or ())], self.engine)

    @cached_property
    def played_by(self) -> np.ndarray:
        """Who plays by the second and third policy of `lanes`: bits of seats counted from the pitcher, by pitcher."""
        from pitchsim.lanes.choice import played_by

        play, pitching = ([policy.name for policy in policies] for policies in (self.play, self.pitching or self.play))
        return played_by(self.rules, play, pitching, self.lanes.program.policies if self.lanes else play[:1])

    def lanes_for(self, pitcher: int) -> "LaneTable | None":
        """The same for one pitcher alone."""
        return None if self.lanes is None else replace(self.lanes, played_by=tuple(self.played_by[pitcher]))

    @property
    def engine_used(self) -> str:
        """Which engine plays: lanes or scalar."""
        return SCALAR if self.lanes is None else LANES

    @cached_property
    def house(self) -> House:
        """The rules as the kernels want them."""
        return house_of(self.rules)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Which program, rules and policies these are: what a run that goes on must find again."""
        found = [*self.play, *(self.pitching or ()), *self.bidding]
        digest = hashlib.sha256()
        for policy in found:
            digest.update(policy.mark(self.rules))
            if policy.source.endswith(".py"):
                digest.update(Path(policy.source).read_bytes())
        return {
            "program": source_hash(),
            "play": [policy.name for policy in (*self.play, *(self.pitching or ()))],
            "bidding": [policy.name for policy in self.bidding],
            "rules": self.rules.to_dict(),
            "tables": digest.hexdigest()[:16],
        }

    @cached_property
    def line(self) -> Any:
        """Where the play policies are, seven seats whatever the number of players: one kernel serves all."""
        return self._line(self.play, self._tables)

    @cached_property
    def pitching_line(self) -> Any:
        """Where the policies of the pitcher's side are, seven seats."""
        return self.line if self.pitching is None else self._line(self.pitching, self._pitching_tables)

    @cached_property
    def bidders(self) -> Any:
        """Where the bidding policies are, seven seats."""
        return addresses(_padded([found.function for found in self.bidding]), CALL)

    @cached_property
    def _tables(self) -> tuple[np.ndarray, ...]:
        """The tables that the play policies brought along, kept alive here."""
        return _tables_of(self.play, self.rules)

    @cached_property
    def _pitching_tables(self) -> tuple[np.ndarray, ...]:
        """The same for the pitcher's side."""
        return _tables_of(self.pitching or self.play, self.rules)

    @cached_property
    def _bidding_tables(self) -> tuple[np.ndarray, ...]:
        """The same for the bidders."""
        return _tables_of(self.bidding, self.rules)

    @cached_property
    def notes(self) -> Any:
        """Where the bidders' tables are: int64 addresses, one a seat (in plain Python the tables)."""
        return _places(self._bidding_tables)

    @staticmethod
    def _line(play: Sequence[Found], tables: Sequence[np.ndarray]) -> Any:
        """Where these policies are, seven seats, and behind them (from NOTES on) their tables.

        Those at random the engine plays itself.
        """
        line = addresses(_padded([found.function for found in play]), CARD)
        if PLAIN:
            return [*line, None, *tables, None]
        line[[found.function is random for found in _padded(play)]] = AT_RANDOM
        return np.concatenate([line, [0], _places(tables), [0]])


def _tables_of(policies: Sequence[Found], rules: Rules) -> tuple[np.ndarray, ...]:
    """The tables that these policies bring along, seven seats."""
    return _padded([np.ascontiguousarray(found.notes(rules)) for found in policies])


def _places(tables: Sequence[np.ndarray]) -> Any:
    """Where these tables are (in plain Python the tables themselves)."""
    return list(tables) if PLAIN else np.array([table.ctypes.data for table in tables], np.int64)


def _padded(things: Sequence) -> tuple:
    """Fill up to seven seats."""
    return tuple(things) + (things[-1],) * (SEATS - len(things))


def seat_players(rules: Rules, play: Sequence[str], bidding: Sequence[str], engine: str = AUTO) -> Seating:
    """Seat the policies of these names: one name for all, or one a seat 1..n.

    Raises InputError for a policy that there is not, or a number of names that does not fit.
    """
    return Seating(rules, _seated(PLAY, rules, play), _seated(BIDDING, rules, bidding), engine=engine)


def _seated(kind: Kind, rules: Rules, names: Sequence[str]) -> tuple[Found, ...]:
    """One policy for every seat."""
    if len(names) not in (1, rules.players):
        wanted = f"one for all, or {rules.players}, one for each seat"
        raise InputError(f"{len(names)} names of {kind.noun}s given for {rules.players} players; give {wanted}")
    found = {name: find(kind, name) for name in names}
    seats = tuple(names) if len(names) > 1 else tuple(names) * rules.players
    return tuple(found[name] for name in seats)


@dataclass(frozen=True)
class Keys:
    """The streams of a seed: for the cards, for the policies' own luck, and for which deals are kept."""

    deal: np.uint64
    luck: np.uint64
    keep: np.uint64

    @staticmethod
    def of(seed: int, stream: int = 0) -> "Keys":
        """The keys of one of the independent streams of a seed.

        Raises InputError for a seed outside 0 .. 2**63 - 1.
        """
        if not 0 <= seed <= LARGEST_SEED:
            raise InputError(f"the seed is {seed}; give a whole number from 0 to 2^63 - 1")
        return Keys(*np.random.SeedSequence(seed, spawn_key=(stream,)).generate_state(3, np.uint64))


def threads_of(threads: int | None) -> int:
    """How many threads to use: as many as asked for, else all cores that this process may use."""
    if threads is not None:
        return threads
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def in_threads(
    work: Callable[[int, int], Result], first: int, count: int, threads: int | None, chunk: int = CHUNK
) -> Iterator[tuple[int, Result]]:
    """Do `work(first, count)` chunk by chunk, on some threads; yields chunk sizes and results in order.

    Nothing that is added up depends on the number of threads, since a deal depends on its number alone.
    """
    spans = ((start, min(chunk, first + count - start)) for start in range(first, first + count, chunk))
    workers = threads_of(threads)
    if workers == 1 or count <= chunk:
        yield from ((span[1], work(*span)) for span in spans)
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[tuple[int, Future[Result]]] = deque()
    try:
        for span in spans:
            waiting.append((span[1], pool.submit(work, *span)))
            if len(waiting) >= AHEAD * workers:
                size, future = waiting.popleft()
                yield size, future.result()
        while waiting:
            size, future = waiting.popleft()
            yield size, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def watched(seating: Seating, log: np.ndarray) -> Iterator[None]:
    """Tell which policy failed, and in which deal: as a record that the referee reads."""
    try:
        yield
    except (KeyboardInterrupt, MemoryError, SystemError):
        raise
    except Exception as error:
        raise RunError(blame(seating, log, error)) from error


def blame(seating: Seating, log: np.ndarray, error: Exception) -> str:
    """One sentence about a policy that failed, with the deal in which it did."""
    if log[PITCHER] >= 0 and log[CALLS] == 0:
        # A pitcher without an auction: he has bid, and the others have passed.
        calls = (int(log[BID]) * (seat == log[PITCHER]) for seat in range(seating.rules.players))
        log[CALLS] = sum((call + 1) << (4 * seat) for seat, call in enumerate(calls))
    record = record_of(seating.rules, log)
    seat = score(record).get("next", {}).get("seat", 0)
    playing = bool(record["auction"]) and log[PITCHER] >= 0
    kind, found = (PLAY, seating.play) if playing else (BIDDING, seating.bidding)
    illegal = isinstance(error, IllegalCard | IllegalCall)
    what = f"an illegal {'card' if playing else 'call'}" if illegal else f"{type(error).__name__} ({error})"
    answered = "answered" if illegal else "raised"
    return f"the {kind.noun} {found[seat].name!r} {answered} {what} in {json.dumps(record)}"


def record_of(rules: Rules, log: np.ndarray) -> dict[str, Any]:
    """The deal at hand as a record, as far as it went; seat k of the record is seat k + 1 in speaking order."""
    hands = [set_to_cards(int(log[HANDS + seat])) for seat in range(rules.players)]
    calls = [call for seat in range(rules.players) if (call := int(call_of(int(log[CALLS]), seat))) >= 0]
    plays = _plays_of(log, hands) if log[PITCHER] >= 0 else []
    return make_record(rules, rules.players - 1, hands, calls, plays)


def _plays_of(log: np.ndarray, hands: Sequence[Sequence[Card]]) -> list[tuple[int, Card]]:
    """Who played what: the engine keeps the cards in order, and a card tells whose it was."""
    lane = int(log[TRUMP_SUIT])
    owner = {card: seat for seat, hand in enumerate(hands) for card in hand}
    played = [card for trick in log[PLAYS:] for card in cards_of_trick(int(trick))]
    cards = [card_of(unturned_card(card, lane)) for card in played]
    return [(owner[card], card) for card in cards]
