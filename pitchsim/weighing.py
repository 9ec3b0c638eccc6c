"""Weigh the calls of one seat: every legal call is tried on the same deals, and those deals fit the calls heard.

The other hands are dealt at random and kept when they fit: a seat makes the call of its bidding policy, and with a
small chance any of the five calls whatever. Deals are counted apart by how many of the calls heard the policy would
not have made (strata); a stratum that is hopelessly unlikely is thinned out while dealing, and weighted up again
here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from pitchsim.deck import ALL_CARDS, packed_deck
from pitchsim.engine import SWEPT, new_desk
from pitchsim.kernels.weighing import (
    CALL_COLUMNS,
    FIRST_PRODUCT,
    IS_MADE,
    IS_PITCHER,
    MOST_STRATA,
    OWN,
    OWN_SQUARED,
    TRIAL_COLUMNS,
    VALUE,
    count_trials,
    lay_trials,
    weigh_calls,
)
from pitchsim.lanes.engine import AT_ONCE, LANES, Desks
from pitchsim.log import new_log
from pitchsim.rules import Rules, legal_calls
from pitchsim.seating import Keys, Seating, in_threads, watched
from pitchsim.simulation import progress_bar
from pitchsim.statistics import TOO_CLOSE, Estimate, effective_count, is_settled, looks, share, weighted

FIRST_LOOK = 16_384
MOST_DEALS = 1 << 30
BATCH = 1_024
PILOT = 1 << 16
PATIENCE = 64
"""A batch gives up after this many times the proposals that it should need."""
FEWEST = 30
"""With fewer effective deals than this a standard error means nothing, so every choice is too close to call."""
ENOUGH = 1_000
"""Effective deals without which no run stops early: standard errors from fewer are not to be trusted so far out."""
KEEP_ALL = 1 << 62
BATCH_SPAN = 32
"""Bits of a deal's number that are left to one batch."""
PROPOSAL_COST, DEAL_COST = 0.15, 5.0
"""Microseconds, roughly: dealing and asking the bidders, and playing all the alternatives out."""


@dataclass(frozen=True)
class Situation:
    """A hand, the seat it is in (from 0 in speaking order), and the calls heard before."""

    hand: int
    seat: int
    heard: tuple[int, ...]

    @property
    def highest(self) -> int:
        """The highest bid so far, 0 when all passed."""
        return max(self.heard, default=0)

    @property
    def bidder(self) -> int:
        """Whose the highest bid is (the dealer's steal comes last, so the first of equals); -1: nobody's."""
        return self.heard.index(self.highest) if self.highest else -1

    @property
    def packed(self) -> int:
        """The calls heard as the kernels want them."""
        return sum((call + 1) << (4 * seat) for seat, call in enumerate(self.heard))


@dataclass
class Weighing:
    """Whole-number tallies of the deals kept so far, by stratum, and the weight of a deal of each stratum."""

    calls: tuple[int, ...]
    leads: tuple[int, ...]
    weights: np.ndarray
    margin_parts: int
    call_tally: np.ndarray = field(init=False)
    lead_tally: np.ndarray = field(init=False)
    counts: np.ndarray = field(default_factory=lambda: np.zeros(MOST_STRATA + 1, np.int64))
    looked: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing counted."""
        self.call_tally = np.zeros((MOST_STRATA, max(len(self.calls), 1), CALL_COLUMNS), np.int64)
        self.lead_tally = np.zeros((MOST_STRATA, max(len(self.leads), 1), SWEPT + 1), np.int64)

    def empty(self) -> "Weighing":
        """Another one of the same shape, to be added to this one."""
        return Weighing(self.calls, self.leads, self.weights, self.margin_parts)

    def add(self, other: "Weighing") -> None:
        """Add the deals of another batch."""
        self.call_tally += other.call_tally
        self.lead_tally += other.lead_tally
        self.counts += other.counts

    @property
    def kept(self) -> np.ndarray:
        """Deals kept, by stratum."""
        return self.counts[:MOST_STRATA]

    @property
    def deals(self) -> int:
        """How many deals were kept."""
        return int(self.kept.sum())

    @property
    def proposals(self) -> int:
        """How many deals were looked at to keep these."""
        return int(self.counts[MOST_STRATA])

    @property
    def effective(self) -> float:
        """How many deals of equal weight say as much."""
        return effective_count(self.weights, self.kept)

    def own(self, row: int) -> Estimate:
        """The own score change of a call."""
        tally = self.call_tally[:, row]
        return weighted(self.weights, self.kept, tally[:, OWN], tally[:, OWN_SQUARED])

    def value(self, row: int) -> Estimate:
        """The value of a call, in units of the objective."""
        tally = self.call_tally[:, row]
        return self._scaled(weighted(self.weights, self.kept, tally[:, VALUE], tally[:, FIRST_PRODUCT + row]))

    def difference(self, row: int, other: int) -> Estimate:
        """The value of a call minus that of another, on the same deals."""
        first, second = self.call_tally[:, row], self.call_tally[:, other]
        squares = first[:, FIRST_PRODUCT + row] - 2 * first[:, FIRST_PRODUCT + other] + second[:, FIRST_PRODUCT + other]
        return self._scaled(weighted(self.weights, self.kept, first[:, VALUE] - second[:, VALUE], squares))

    def _scaled(self, whole: Estimate) -> Estimate:
        """From whole numbers to points: a margin was counted in parts."""
        if whole.mean is None or whole.se is None:
            return whole
        return Estimate(whole.mean / self.margin_parts, whole.se / self.margin_parts)

    def pitcher_and_made(self, row: int) -> tuple[float | None, float | None]:
        """The chance to become pitcher by a call, and to make it then."""
        tally = self.call_tally[:, row]
        pitcher = float(self.weights @ tally[:, IS_PITCHER])
        made = float(self.weights @ tally[:, IS_MADE])
        return share(pitcher, float(self.weights @ self.kept)), share(made, pitcher)

    def ranking(self) -> list[int]:
        """Rows of the calls, best first; of equals the lower call."""
        return sorted(range(len(self.calls)), key=lambda row: -(self.value(row).mean or 0.0))

    def settled(self) -> bool:
        """Whether the best call is clear by the stopping rule."""
        best, *rivals = self.ranking()
        gaps = [self.difference(best, rival) for rival in rivals]
        return is_settled([(gap.mean or 0.0, gap.se or 0.0) for gap in gaps])

    def too_close(self) -> bool:
        """Whether the best two calls are too close to call."""
        best, *rivals = self.ranking()
        if not rivals:
            return False
        gap = self.difference(best, rivals[0])
        if gap.mean is None or gap.se is None or self.effective < FEWEST:
            return True
        return gap.mean <= TOO_CLOSE * gap.se


@dataclass(frozen=True)
class Effort:
    """How many deals: the first look, the most deals, the most proposals; or a standard error to reach.

    `early`: whether to stop when one call is clear. `pilot`: deals that only show how common the calls heard are.
    """

    first: int
    deals: int
    proposals: int | None = None
    precision: float | None = None
    early: bool = True
    pilot: int = PILOT


@dataclass(frozen=True)
class Weigher:
    """Everything that stays the same while one hand is weighed."""

    seating: Seating
    keys: Keys
    margin: bool = False
    error_chance: float = 0.01
    threads: int | None = None
    progress: bool = False

    @property
    def rules(self) -> Rules:
        """The rules at this table."""
        return self.seating.rules

    @property
    def odds_against_error(self) -> float:
        """How many times likelier a call is when the policy makes it than when it does not."""
        any_call = self.error_chance / 5
        return (1 - self.error_chance + any_call) / any_call

    def weigh(self, situation: Situation, leads: Sequence[int], effort: Effort) -> Weighing:
        """Try every legal call, and every lead, on deals that fit what was heard."""
        calls = legal_calls(self.rules, situation.seat, situation.highest)
        accept, weights, rate = self._filter(situation, effort.pilot)
        parts = self.rules.sides - 1 if self.margin else 1
        total = Weighing(tuple(calls), tuple(leads), weights, parts)
        most = effort.deals
        if effort.proposals is not None:
            most = min(most, max(int(effort.proposals * rate), 64))
        batch = 0
        for goal in looks(min(effort.first, most), most):
            with progress_bar(goal - batch * BATCH, "deals", self.progress) as advance:
                for size, part in self._batches(situation, total, accept, rate, batch, goal):
                    total.add(part)
                    advance(size)
            batch = -(-goal // BATCH)
            total.looked.append(goal)
            if len(calls) > 1 and self._may_stop(total, effort):
                break
        return total

    def _may_stop(self, total: Weighing, effort: Effort) -> bool:
        """Stop early when one call is clearly best, or the wanted standard error is reached."""
        if effort.precision is None:
            return effort.early and total.effective >= ENOUGH and total.settled()
        best, second = total.ranking()[:2]
        se = total.difference(best, second).se
        return se is not None and se < effort.precision

    def _batches(
        self, situation: Situation, total: Weighing, accept: np.ndarray, rate: float, done: int, goal: int
    ) -> Iterator[tuple[int, Weighing]]:
        """Batches `done`, ... up to `goal` deals, on some threads; each has deal numbers of its own."""
        deck = packed_deck(ALL_CARDS & ~situation.hand)

        def work(first: int, quota: int) -> Weighing:
            part = total.empty()
            limit = int(quota / rate * PATIENCE) + BATCH
            self._kernel(situation, part, accept, (1 + first // BATCH) << BATCH_SPAN, quota, limit, deck)
            return part

        return in_threads(work, done * BATCH, goal - done * BATCH, self.threads, BATCH)

    def _filter(self, situation: Situation, proposals: int) -> tuple[np.ndarray, np.ndarray, float]:
        """Chances to keep a deal of each stratum (in 2**62), the weights of those kept, and the share that is kept.

        A pilot run counts how common the strata are. With nothing heard there is only one.
        """
        if not situation.heard:
            return np.full(MOST_STRATA, KEEP_ALL, np.int64), np.ones(MOST_STRATA), 1.0
        everything = np.full(MOST_STRATA, KEEP_ALL, np.int64)
        pilot = Weighing((), (), np.ones(MOST_STRATA), 1)
        self._kernel(situation, pilot, everything, 0, proposals, proposals, packed_deck(ALL_CARDS & ~situation.hand))
        likelihood = self.odds_against_error ** -np.arange(MOST_STRATA, dtype=float)
        counts = pilot.kept / proposals
        cuts = [cut for cut in range(len(situation.heard) + 1) if counts[cut] > 0]
        cut = max(cuts, key=lambda cut: _worth(cut, likelihood, counts))
        chance = np.minimum(likelihood / likelihood[cut], 1.0)
        accept = np.maximum((chance * KEEP_ALL).astype(np.int64), 1)
        weights = likelihood / (accept / KEEP_ALL)
        return accept, weights / weights[cut], float(np.minimum(chance, 1) @ counts)

    def _kernel(
        self,
        situation: Situation,
        part: Weighing,
        accept: np.ndarray,
        first: int,
        quota: int,
        limit: int,
        deck: np.ndarray,
    ) -> None:
        """Weigh one batch: `quota` deals that fit, of deals `first`, ... at most `limit`; adds to `part`."""
        work = self._one_by_one if self.seating.lanes is None else self._in_lanes
        situated = (
            self.seating.bidders, self.seating.notes, self.seating.house, deck, situation.hand, situation.seat,
            situation.packed, situation.highest, situation.bidder, np.array(part.calls, np.int64),
            np.array(part.leads, np.int64), accept,
        )  # fmt: skip
        work(situated, part, first, quota, limit)

    def _one_by_one(self, situated: tuple, part: Weighing, first: int, quota: int, limit: int) -> None:
        """Play one deal after the other."""
        log = new_log()
        with watched(self.seating, log):
            weigh_calls(
                self.seating.line, self.seating.pitching_line, *situated,
                self.margin, self.keys.deal, self.keys.luck, self.keys.keep, first, quota, limit,
                part.call_tally, part.lead_tally, part.counts, new_desk(), log,
            )  # fmt: skip

    def _in_lanes(self, situated: tuple, part: Weighing, first: int, quota: int, limit: int) -> None:
        """Play 64 deals at a time: as many as there are desks for, until there are enough."""
        log, lanes, house, seat = new_log(), self.seating.lanes, self.seating.house, situated[5]
        assert lanes is not None
        desks, trials = Desks(AT_ONCE), np.zeros((BATCH, TRIAL_COLUMNS), np.int64)
        while quota > 0 and limit > 0:
            with watched(self.seating, log):
                kept, ready, looked = lay_trials(
                    self.seating.pitching_line, *situated, self.seating.played_by,
                    self.keys.deal, self.keys.luck, self.keys.keep, first, quota, limit,
                    desks.bytes, desks.lucks, trials, part.counts, new_desk(), log,
                )  # fmt: skip
            lanes.play_desks(desks.bytes[: -(-ready // LANES)])
            count_trials(
                house, seat, len(part.calls), len(part.leads), self.margin, kept, desks.bytes, trials,
                part.call_tally, part.lead_tally, new_desk(),
            )  # fmt: skip
            first, quota, limit = first + looked, quota - kept, limit - looked


def _worth(cut: int, likelihood: np.ndarray, counts: np.ndarray) -> float:
    """Effective deals for a microsecond when strata from `cut` on are thinned out to the weight of stratum `cut`."""
    chance = np.minimum(likelihood / likelihood[cut], 1.0)
    kept = chance * counts
    cost = PROPOSAL_COST + DEAL_COST * kept.sum()
    return effective_count(likelihood / chance, kept) / cost
