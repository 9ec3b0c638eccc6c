"""From which worth of a hand on does one bid?

Makes `pitchsim/data/thresholds.csv`: the thresholds of the bidding policy `thresholds`, where the dealer may steal and
where he may not, for each number of players, partners, and Low to the winner or the holder. Run it with
`python scripts/make_thresholds.py`; the same file comes out on any number of threads. What a holding is worth is read
from `pitchsim/data/holdings.npz`, which `scripts/fit_expert.py` makes.

Every deal is played with every seat as pitcher of every bid; then auctions cost next to nothing. The
thresholds move towards those of the best deviator (a single seat that wants points, while everybody else bids as
before) until he gains nothing that counts. The columns `gain` and `se` say what the best deviator still gains, in
points a deal averaged over the seats, on deals that he has not seen. With four players and a dealer who steals the
thresholds are those of an equilibrium over classes of hands; the script finds only the one on a bid of 1.
"""

import argparse
import csv
import io
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import pitchsim
from pitchsim.auction import NOBODY
from pitchsim.bidding import thresholds as policy
from pitchsim.bidding.thresholds import (
    FOUR,
    HIGHEST_BID,
    HOLDINGS,
    JUMP,
    LAST,
    LAST_OVER_PARTNER,
    NEVER,
    ONE,
    OVER,
    OVER_PARTNER,
    THOUSANDTHS,
    THRESHOLDS,
    TWO,
    arrange,
    row_name,
    table_name,
)
from pitchsim.contracts import play_every_contract
from pitchsim.deck import LANE_BITS, SUIT_CARDS
from pitchsim.engine import SEATS, new_desk
from pitchsim.kernels.holdings import (
    CALLS_HEARD,
    CONTRACT,
    OUTCOME_COLUMNS,
    hear_auctions,
)
from pitchsim.log import new_log
from pitchsim.rules import Rules
from pitchsim.seating import Keys, Seating, in_threads, seat_players
from pitchsim.storage import whole_file

SEED = 2024
PLAY = "expert"
DEALS = 200_000
"""Deals played with every contract: half to find the thresholds, half to measure what a deviator gains."""
BIDS = np.arange(1, HIGHEST_BID + 1)
STEP = 50
GRID = np.arange(-1000, 4000 + STEP, STEP)
"""Thresholds that are tried, in thousandths."""
ROUNDS = 10
AS_GOOD = 0.2
"""A difference, in thousandths of a point a deal, that is as good as nothing."""

START = (600, 600, 1200, 600, 3300, 500, 1200, 1500)
GIVEN = {"4-winner"}
"""Where the thresholds are kept; only that on a bid of 1 is found."""
FOLDER = Path(pitchsim.__file__).parent / "data"
CONFIGURATIONS = [
    Rules(players=players, partners=partners, low_goes_to=low)
    for players, partners in [*((n, False) for n in range(2, 8)), (4, True)]
    for low in ("trick_winner", "holder")
]

FOR_PARTNERS = (OVER_PARTNER, LAST_OVER_PARTNER)
YES, NO = NEVER, -NEVER
WANTED_BID = {ONE: 1, TWO: 2, JUMP: 3, OVER: 3, FOUR: 4}


def stream_of(rules: Rules, holding: int) -> int:
    """Every holding of every configuration has its own deals."""
    return CONFIGURATIONS.index(rules) * 2 * HOLDINGS + holding


class Contracts:
    """Deals that have been played with every seat as pitcher of every bid."""

    def __init__(self, seating: Seating, worth: np.ndarray, deals: int, threads: int) -> None:
        """Play them."""
        self.seating, self.worth, self.deals = seating, worth, deals
        self.players = seating.rules.players
        self.keys = Keys.of(SEED, stream_of(seating.rules, 0))
        self.hands = np.zeros((deals, SEATS), np.int64)
        self.changes = np.zeros((deals, self.players, HIGHEST_BID, self.players), np.int8)
        for _ in in_threads(self.play, 0, deals, threads):
            pass
        lanes = self.hands[:, : self.players, None] >> (LANE_BITS * np.arange(4)) & SUIT_CARDS
        self.worth_by_seat = worth[lanes].max(axis=2)
        self.threads = threads

    def play(self, first: int, count: int) -> None:
        """Play some of the deals."""
        play_every_contract(self.seating, self.keys, first, count, self.hands, self.changes)

    def auctions(self, by_seat: list[list[int]], first: int, count: int) -> np.ndarray:
        """How the auctions end when the seats have these thresholds."""
        tables = [arrange(thresholds, self.worth) for thresholds in by_seat]
        places = np.array([table.ctypes.data for table in tables])
        outcomes = np.zeros((self.deals, OUTCOME_COLUMNS), np.int64)

        def hear(start: int, size: int) -> None:
            hear_auctions(
                self.seating.bidders, places, self.seating.house, self.hands, self.keys.luck, start, size,
                outcomes, new_desk(), new_log(),
            )  # fmt: skip

        for _ in in_threads(hear, first, count, self.threads):
            pass
        return outcomes[first : first + count]

    def points(self, contracts: np.ndarray, seat: int, first: int) -> np.ndarray:
        """The score changes of a seat under the contracts of deals from `first` on."""
        changes = self.changes[first : first + len(contracts)].reshape(len(contracts), -1, self.players)
        return np.where(contracts == NOBODY, 0, changes[np.arange(len(contracts)), contracts, seat]).astype(np.int64)


def with_deviator(common: list[int], own: list[int], seat: int) -> list[list[int]]:
    """One seat has thresholds of its own."""
    return [own if other == seat else common for other in range(SEATS)]


def highest_heard(calls: np.ndarray, seat: int) -> np.ndarray:
    """The highest bid that a seat heard."""
    return np.max([np.maximum((calls >> (4 * other) & 15) - 1, 0) for other in range(seat)] + [0 * calls], axis=0)


def worth_at(contracts: Contracts, place: int, seat: int, calls: np.ndarray) -> np.ndarray:
    """The worth that a threshold is held against, deal by deal."""
    worth = contracts.worth_by_seat[: len(calls), seat]
    if place in WANTED_BID:
        return worth[:, WANTED_BID[place] - 1]
    steals = place != OVER_PARTNER and contracts.seating.rules.dealer_may_steal in (True, "any")
    bid = np.clip(highest_heard(calls, seat) + (0 if steals else 1), 1, HIGHEST_BID)
    return worth[np.arange(len(calls)), bid - 1]


def gains_by_value(contracts: Contracts, common: list[int], own: list[int], place: int, count: int) -> np.ndarray:
    """What each value in GRID of one of a deviator's thresholds brings, against never acting on it.

    Since everybody speaks once, a deal ends in one of two ways, as the worth is above the threshold or below:
    both are tried, and the differences added up from the highest worth downward.
    """
    by_step = np.zeros(len(GRID) + 1)
    dealer = contracts.players - 1
    for seat in [dealer] if place in (LAST, LAST_OVER_PARTNER) else range(dealer):
        ends = [
            contracts.auctions(
                with_deviator(common, [answer if k == place else value for k, value in enumerate(own)], seat),
                0,
                count,
            )
            for answer in (YES, NO)
        ]
        yes, no = (contracts.points(end[:, CONTRACT], seat, 0) for end in ends)
        worth = worth_at(contracts, place, seat, ends[0][:, CALLS_HEARD])
        by_step += np.bincount(np.searchsorted(GRID, worth, side="right"), yes - no, len(GRID) + 1)
    return THOUSANDTHS / (count * contracts.players) * by_step[:0:-1].cumsum()[::-1]


def best_response(
    contracts: Contracts, common: list[int], places: list[int], count: int, as_good: float = AS_GOOD
) -> list[int]:
    """The thresholds of the best deviator, one by one, twice over; of good values the nearest to the common one."""
    own = list(common)
    for place in places * 2:
        gains = gains_by_value(contracts, common, own, place, count)
        values = GRID[gains >= gains.max() - as_good]
        own[place] = int(values[np.argmin(np.abs(values - common[place]))])
    return own


def gain_of(contracts: Contracts, common: list[int], own: list[int], first: int, count: int) -> tuple[float, float]:
    """What a deviator gains, in thousandths of a point a deal, averaged over the seats; and its standard error."""
    base = contracts.auctions([common] * SEATS, first, count)[:, CONTRACT]
    total = np.zeros(count, np.int64)
    for seat in range(contracts.players):
        ends = contracts.auctions(with_deviator(common, own, seat), first, count)[:, CONTRACT]
        total += contracts.points(ends, seat, first) - contracts.points(base, seat, first)
    scale = THOUSANDTHS / contracts.players
    return float(total.mean() * scale), float(total.std() / np.sqrt(count) * scale)


def settle(contracts: Contracts) -> tuple[list[int], list[int]]:
    """Move the thresholds half-way to the best deviator's, again and again; those that leave him least, and his."""
    name = row_name(contracts.seating.rules)
    half = contracts.deals // 2
    places = [k for k in range(len(START)) if contracts.seating.rules.partners or k not in FOR_PARTNERS]
    common, seen = list(START), []
    for _ in range(ROUNDS):
        own = best_response(contracts, common, [ONE] if name in GIVEN else places, half)
        gain, _ = gain_of(contracts, common, own, 0, half)
        seen.append((gain, common))
        if own == common:
            break
        common = [a + STEP * round((b - a) / 2 / STEP + 0.1 * np.sign(b - a)) for a, b in zip(common, own, strict=True)]
    common = min(seen)[1]
    return common, best_response(contracts, common, places, half, as_good=0)


def row_of(contracts: Contracts) -> dict[str, str]:
    """The line of thresholds for one set of rules, with what the best deviator gains on deals that he has not seen."""
    common, own = settle(contracts)
    fresh = contracts.deals // 2
    gain, se = gain_of(contracts, common, own, fresh, contracts.deals - fresh)
    ends = contracts.auctions([common] * SEATS, 0, contracts.deals)[:, CONTRACT]
    dealer = contracts.points(ends, contracts.players - 1, 0).mean()
    values = [f"{value / THOUSANDTHS:.2f}" for value in common] + [f"{dealer:.3f}"]
    named = {"rules": row_name(contracts.seating.rules)} | dict(zip(THRESHOLDS, values, strict=True))
    return named | {"gain": f"{gain / THOUSANDTHS:.4f}", "se": f"{se / THOUSANDTHS:.4f}"}


def made(rules: Rules, share: int, threads: int) -> list[dict[str, str]]:
    """The thresholds for some rules, with and without stealing."""
    seating = seat_players(rules, [PLAY], ["thresholds"])
    contracts = Contracts(seating, policy.expected_scores(table_name(rules)), DEALS // share, threads)
    rows = [row_of(contracts)]
    contracts.seating = seat_players(replace(rules, dealer_may_steal=False), [PLAY], ["thresholds"])
    return [*rows, row_of(contracts)]


def write(rows: dict[str, dict[str, str]], about: str) -> None:
    """Write the file, in the order of CONFIGURATIONS."""
    names = [name for rules in CONFIGURATIONS if (name := table_name(rules)) in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[names[0]]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows[name + steals] for name in names for steals in ("", "-no-steal"))
    with whole_file(FOLDER / "thresholds.csv") as file:
        file.write(f"# {about}\n{text.getvalue()}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--only",
        choices=[table_name(rules) for rules in CONFIGURATIONS],
        help="one table, as 4-winner, 7-holder or partners-winner; the others are kept",
    )
    options.add_argument("--share", type=int, default=1, help="only 1/SHARE of the deals, to try something")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    rows = dict(policy.threshold_rows())
    for rules in CONFIGURATIONS:
        name = table_name(rules)
        if chosen.only in (None, name):
            rows |= {row["rules"]: row for row in made(rules, chosen.share, chosen.threads)}
    about = (
        f"made by scripts/make_thresholds.py: pitchsim {pitchsim.__version__}, seed {SEED}, play {PLAY}, "
        f"{DEALS // chosen.share} deals"
    )
    write(rows, about)
    print(f"{time.process_time():.0f} s of CPU time")


if __name__ == "__main__":
    main()
