"""Work out an equilibrium of the auction: plans from which nobody gains by deviating.

Deals are dealt and played with every seat as pitcher of every bid; then any auction over them costs next to nothing.
Since everybody speaks once, what a call is worth against the plans of the others can be added up exactly over these
deals, for all situations and classes of hands at once. Calls that would have been worth more are called more often
(regret matching: Hart and Mas-Colell, Econometrica 68, 2000; with the last round counted twice: Farina, Kroer,
Sandholm, AAAI 2021), and the later rounds are averaged, so that it settles.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pitchsim.bidding import thresholds
from pitchsim.contracts import play_every_contract
from pitchsim.engine import SEATS
from pitchsim.errors import RunError
from pitchsim.jit import PLAIN
from pitchsim.kernels.contracts import CALL, HERE, ROOM_FOR_SEATS, expect_auctions, worth_of_hands
from pitchsim.kernels.holdings import HIGHEST_BID
from pitchsim.plans import CALLS, WHOLE, Heard, Mix, Plans, after, plan_name, situations
from pitchsim.rules import Rules, ends_auction, legal_calls
from pitchsim.seating import Keys, in_threads, seat_players
from pitchsim.simulation import progress_bar

PLAY = "expert"
"""Who plays the cards in the deals from which plans are made."""
SEED = 2025
DEALS = 1 << 16
"""Deals for a table whose plans do not come with the program; half as many where six or seven play: it takes longer."""
ROUNDS, MOST_ROUNDS = 48, 192
ENOUGH = 0.002
"""After every so many rounds it is seen whether anybody still gains more than this by deviating."""
CHUNK = 1 << 12
TREMBLE = 0.002
"""How often any call is made whatever the plan, so that every situation comes about and has a sensible plan."""
AVERAGED = 4
"""Round t counts t**AVERAGED in the average."""
CLEARLY, SELDOM = 0.03, 0.00005
"""A class that misses so many points when it comes to it has no plan worth keeping, and may better make its best call;
with less than so many of the deals nobody can tell which that is."""
RARE = 5
"""Chances below so many 255ths are left out of a plan."""
SMALLEST_CLASS = 0.003
"""A class with less than this share of the hands is joined to its neighbour."""
CLASS_SAMPLE = 20_000

BY_TWO = [*range(-1500, 300, 200), *range(300, 3000, 100)]
BY_THREE = [*range(400, 1700, 100), 1800, 2100, 2400, 2700]
BY_FOUR = [*range(1500, 4000, 400)]
"""Where classes of hands begin, in thousandths of a point as pitcher of a 2, 3, 4, before small ones are joined."""


@dataclass
class Played:
    """Deals that have been played with every seat as pitcher of every bid, and what the hands in them should score.

    `changes` (deal, contract, seat): the score changes; `worth` (deal, seat, bid - 1): thousandths of a point.
    """

    changes: np.ndarray
    worth: np.ndarray

    def part(self, first: int, count: int) -> "Played":
        """Some of the deals."""
        return Played(self.changes[first : first + count], self.worth[first : first + count])


def play_deals(rules: Rules, play: str, seed: int, deals: int, threads: int | None = None) -> Played:
    """Deal, and play every contract.

    Raises RunError when the play policy fails.
    """
    seating = seat_players(rules, [play], ["passive"])
    keys, players = Keys.of(seed), rules.players
    hands = np.zeros((deals, SEATS), np.int64)
    changes = np.zeros((deals, players, HIGHEST_BID, players), np.int8)
    worth = np.zeros((deals, players, HIGHEST_BID), np.int64)
    notes = thresholds.notes(rules)

    def work(first: int, count: int) -> None:
        play_every_contract(seating, keys, first, count, hands, changes)
        worth_of_hands(notes if PLAIN else notes.ctypes.data, seating.house, hands, first, count, worth)

    for _ in in_threads(work, 0, deals, threads, CHUNK):
        pass
    return Played(changes.reshape(deals, players * HIGHEST_BID, players), worth.astype(np.int32))


def payments_of(played: Played, rules: Rules, margin: bool) -> tuple[np.ndarray, int]:
    """What every contract pays to every seat (deal, contract, seat), and how many of that are a point."""
    own, parts = played.changes.astype(np.int16), 1
    if margin and rules.partners:
        own = own - own[..., [1, 0, 1, 0]]
    elif margin:
        own, parts = rules.players * own - own.sum(axis=2, keepdims=True), rules.players - 1
    payments = np.zeros((*own.shape[:2], ROOM_FOR_SEATS), np.int8)
    payments[..., : rules.players] = own
    return payments, parts


def fitting_bounds(worth: np.ndarray) -> tuple[list[int], list[int], list[int]]:
    """The bounds of the classes, so that none holds too few of the hands."""
    bounds = (list(BY_TWO), list(BY_THREE), list(BY_FOUR))
    hands = worth.reshape(-1, HIGHEST_BID)
    while True:
        shares = np.bincount(classes_of(bounds, hands), minlength=1 + sum(map(len, bounds))) / len(hands)
        if shares.min() >= SMALLEST_CLASS or len(shares) == 2:
            return bounds
        # Class k begins at bound k - 1; taking a bound away joins the class to the one below (its bid, or a lower).
        place = max(int(shares.argmin()), 1) - 1
        for column in bounds:
            if place < len(column):
                del column[place]
                break
            place -= len(column)


def classes_of(bounds: tuple[list[int], list[int], list[int]], worth: np.ndarray) -> np.ndarray:
    """The class of each hand; `worth` has four numbers a hand."""
    first, classes = 0, np.zeros(worth.shape[:-1], np.uint8)
    for column, begins in enumerate(bounds, start=1):
        above = np.searchsorted(begins, worth[..., column], side="right")
        classes = np.where(above > 0, first + above, classes)
        first += len(begins)
    return classes.astype(np.uint8)


@dataclass
class Tree:
    """All auctions that the rules allow: what was heard, who speaks, and what follows each call."""

    rules: Rules

    @cached_property
    def heard(self) -> list[Heard]:
        """Every situation, in speaking order."""
        return situations(self.rules)

    @cached_property
    def speakers(self) -> np.ndarray:
        """Who speaks in each situation."""
        return np.array([heard.seat for heard in self.heard])

    @cached_property
    def steps(self) -> np.ndarray:
        """Every call that the rules allow: the situation, the call, the situation or the end behind it, the speaker."""
        places = {heard: place for place, heard in enumerate(self.heard)}
        steps = []
        for heard, place in places.items():
            for call in legal_calls(self.rules, heard.seat, heard.highest):
                there = after(self.rules, heard, call)
                ended = there.seat == self.rules.players or ends_auction(call, self.rules)
                steps.append([place, call, len(places) + self._end(there) if ended else places[there], heard.seat])
        return np.array(steps, np.uint64)

    def _end(self, heard: Heard) -> int:
        """The contract, or the throw-in behind all contracts."""
        if heard.highest == 0:
            return self.rules.players * HIGHEST_BID
        return heard.bidder * HIGHEST_BID + heard.highest - 1

    @cached_property
    def any_call(self) -> np.ndarray:
        """Every legal call that may be sensible, all alike (situation, 1, call).

        Who speaks last takes the bid as cheaply as he can: bidding more only makes it harder, but for a smudge.
        """
        legal = np.zeros((len(self.heard), 1, CALLS))
        legal[self.steps[:, HERE], 0, self.steps[:, CALL]] = 1
        if not self.rules.smudge:
            last = self.speakers == self.rules.players - 1
            bids = legal[last, :, 1:]
            legal[last, :, 1:] = bids * (np.cumsum(bids, axis=2) == 1)
        return legal / legal.sum(axis=2, keepdims=True)


@dataclass
class Table:
    """Deals, classes of hands and payments: everything against which plans are held."""

    tree: Tree
    classes: np.ndarray
    number: int
    payments: np.ndarray
    parts: int
    threads: int | None = None

    def __post_init__(self) -> None:
        """Thrown in, a hand brings nothing, or, where the same dealer deals again, what a deal brings."""
        self.thrown_in = np.zeros((1, ROOM_FOR_SEATS), np.float32)

    def expect(self, plans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What each call is worth (situation, class, call), times the chance of the situation; what seats get."""
        tree, deals = self.tree, len(self.classes)
        by_class = np.ascontiguousarray(plans.transpose(1, 0, 2), np.float32)

        def work(first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
            worth, means = np.zeros(by_class.shape), np.zeros(tree.rules.players)
            size = len(tree.heard)
            expect_auctions(
                tree.steps, self.classes, self.payments, self.thrown_in, by_class, first, count, worth, means,
                np.zeros(size, np.float32), np.zeros((size + self.payments.shape[1] + 1, ROOM_FOR_SEATS), np.float32),
            )  # fmt: skip
            return worth, means

        worth, means = np.zeros(by_class.shape), np.zeros(tree.rules.players)
        for _, (some_worth, some_means) in in_threads(work, 0, deals, self.threads, CHUNK):
            worth += some_worth
            means += some_means
        if tree.rules.stuck_dealer == "throw_in_same":
            self.thrown_in[0, : len(means)] = means / deals
        return worth.transpose(1, 0, 2) / (deals * self.parts), means / (deals * self.parts)

    def by_seat(self, gains: np.ndarray) -> np.ndarray:
        """Add up the situations of each seat."""
        return np.bincount(self.tree.speakers, gains, self.tree.rules.players)

    def better(self, worth: np.ndarray) -> np.ndarray:
        """The best response: the call that is worth most in each situation with each class."""
        return np.where(self.tree.any_call > 0, worth, -np.inf).argmax(axis=2)[..., None]

    def gain(self, worth: np.ndarray, plans: np.ndarray, calls: np.ndarray) -> np.ndarray:
        """What each seat gains, in points a decision, when it alone makes these calls instead of its plan's."""
        instead = np.take_along_axis(worth, calls, 2)[..., 0]
        return self.by_seat((instead - (worth * plans).sum(axis=2)).sum(axis=1))

    def regret(self, plans: np.ndarray) -> np.ndarray:
        """What the best response to these plans gains in each seat, over the same deals."""
        worth, _ = self.expect(plans)
        return self.gain(worth, plans, self.better(worth))


def table_of(
    rules: Rules,
    played: Played,
    bounds: tuple[list[int], list[int], list[int]],
    margin: bool,
    threads: int | None = None,
) -> Table:
    """Set the deals out with these classes of hands and one of the two aims."""
    number = 1 + sum(map(len, bounds))
    return Table(Tree(rules), classes_of(bounds, played.worth), number, *payments_of(played, rules, margin), threads)


def settle(table: Table, advance: Callable[[int], object] = lambda _: None) -> np.ndarray:
    """Plans (situation, class, call) in 255ths from which hardly anything is gained."""
    any_call = table.tree.any_call
    regrets = np.zeros((len(any_call), table.number, CALLS))
    plans, average = any_call + regrets, np.zeros(regrets.shape)
    for number in range(1, MOST_ROUNDS + 1):
        worth, _ = table.expect((1 - TREMBLE) * plans + TREMBLE * any_call)
        missed = np.where(any_call > 0, worth - (worth * plans).sum(axis=2, keepdims=True), 0)
        regrets = np.maximum(regrets + missed, 0)
        foreseen = np.maximum(regrets + missed, 0)
        total = foreseen.sum(axis=2, keepdims=True)
        plans = np.where(total > 0, foreseen / np.where(total > 0, total, 1), any_call)
        average += number**AVERAGED * plans
        advance(1)
        if number % ROUNDS == 0:
            chances = whole_chances(average / average.sum(axis=2, keepdims=True))
            if table.regret(chances / WHOLE).max() <= ENOUGH:
                break
    return made_clear(table, chances)


def made_clear(table: Table, chances: np.ndarray) -> np.ndarray:
    """The same plans, but what clearly costs a class something it does not do: it makes its best call instead.

    Over all deals that hardly matters, so the rounds may leave it in moments and classes that are rare. Where others
    could gain by it all stays as it is.
    """
    any_call = table.tree.any_call
    plans = (1 - TREMBLE) * chances / WHOLE + TREMBLE * any_call
    worth, _ = table.expect(plans)
    often = how_often(table, plans)
    calls = table.better(worth)
    missed = np.take_along_axis(worth, calls, 2)[..., 0] - (worth * chances / WHOLE).sum(axis=2)
    clearly = missed > CLEARLY * np.maximum(often, SELDOM)
    cleared = np.where(clearly[..., None], WHOLE * (calls == np.arange(CALLS)), chances)
    left, before = (table.regret(plans / WHOLE).max() for plans in (cleared, chances))
    return cleared if left <= max(before, ENOUGH) else chances


def how_often(table: Table, plans: np.ndarray) -> np.ndarray:
    """How often each situation comes about with each class (situation, class)."""
    one = replace(table, payments=np.ones_like(table.payments), parts=1)
    one.thrown_in[:] = 1
    worth, _ = one.expect(plans)
    return worth.max(axis=2)


def whole_chances(plans: np.ndarray) -> np.ndarray:
    """The same plans in 255ths; what is hardly ever called is left out."""
    kept = np.where(plans * WHOLE < RARE, 0, plans)
    exact = kept / kept.sum(axis=2, keepdims=True) * WHOLE
    whole = np.floor(exact).astype(np.int64)
    likeliest = whole.argmax(axis=2)[..., None]
    np.put_along_axis(
        whole, likeliest, np.take_along_axis(whole, likeliest, 2) + WHOLE - whole.sum(axis=2, keepdims=True), 2
    )
    return whole


def solve(
    rules: Rules,
    played: Played,
    margin: bool,
    threads: int | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> tuple[Plans, Table, np.ndarray]:
    """Plans for these rules, the table that they were found at, and the same plans as an array of chances."""
    bounds = fitting_bounds(played.worth[:CLASS_SAMPLE])
    table = table_of(rules, played, bounds, margin, threads)
    chances = settle(table, advance)
    mixes: list[list[Mix]] = [[tuple(map(int, mix)) for mix in row] for row in chances]
    plans = Plans(bounds, dict(zip(table.tree.heard, mixes, strict=True)))
    return plans, table, chances / WHOLE


def about(rules: Rules, play: str, deals: int, margin: bool, table: Table, plans: np.ndarray) -> dict[str, str]:
    """How plans were found, and what is left to gain: the head of their file."""
    import pitchsim

    _, means = table.expect(plans)
    return {
        "rules": plan_name(rules, margin=False),
        "aim": "own points minus the mean of the others'" if margin else "own points",
        "made by": f"pitchsim {pitchsim.__version__}, seed {SEED}, {deals} deals, play {play}",
        "worth by seat": " ".join(f"{mean:.3f}" for mean in means),
        "regret": f"{table.regret(plans).max():.4f}",
    }


def work_out(rules: Rules, margin: bool) -> Plans:
    """Work plans out on all cores, and say so on standard error.

    Raises RunError when it cannot be done.
    """
    if PLAIN:
        return _by_another_process(rules, margin)
    sys.stderr.write("pitchsim: working out how to bid under these house rules, once; this takes some seconds.\n")
    sys.stderr.flush()
    deals = DEALS if rules.players < 6 else DEALS // 2
    with progress_bar(ROUNDS, "rounds", True) as advance:
        plans, table, chances = solve(rules, play_deals(rules, PLAY, SEED, deals), margin, advance=advance)
    plans.about = about(rules, PLAY, deals, margin, table, chances)
    sys.stderr.write(f"pitchsim: done; nobody gains more than {plans.about['regret']} points by calling otherwise.\n")
    return plans


def _by_another_process(rules: Rules, margin: bool) -> Plans:
    """Without the compiler it would take hours: let a process that has one do it."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from pitchsim.equilibrium import work_out; "
        f"from pitchsim.rules import Rules; print(work_out({rules!r}, {margin!r}).text())"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise RunError(f"how to bid under these house rules ({plan_name(rules, margin)}) could not be worked out")
    return Plans.read(done.stdout)
