"""How does one bid when everybody bids as well as he can?

Makes the plans of the bidding policies `equilibrium` and `equilibrium-margin` for the rules of the book, for a lowest
bid of 2, for a dealer who may not steal, and for Low to its holder, 2 to 7 players and partners: one readable file
each in `pitchsim/data/equilibrium`. `python scripts/make_equilibrium.py`; the same files come out on any number of
threads. `--play NAME` says who plays the cards.

The head of a file says what is left to gain, in points a decision, in the seat where it is most: `regret` by the best
response over the same classes of hands, on the deals from which the plans were made; `fresh regret` by the same
response on deals that it has not seen; `whole-hand regret` by a response that sees more of the hand than its class
(what a bid of 1, 2, 3 or 4 is worth with it, whichever helps most), again on fresh deals.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

import pitchsim
from pitchsim.equilibrium import PLAY, SEED, Played, Table, about, play_deals, solve, table_of
from pitchsim.kernels.holdings import HIGHEST_BID
from pitchsim.plans import Plans, plan_name
from pitchsim.rules import Rules
from pitchsim.storage import whole_file

DEALS = {players: 1 << (17 if players < 6 else 16) for players in range(2, 8)}
"""Deals for a solution, by players; as many more to see what is left to gain. Six or seven players take the longest."""
FOLDER = Path(pitchsim.__file__).parent / "data" / "equilibrium"
LINE_UPS = [*((players, False) for players in range(2, 8)), (4, True)]
BOOK = [Rules(players=players, partners=partners) for players, partners in LINE_UPS]
SPLIT = 3
"""Into how many parts a class is split by what a whole-hand response sees."""


def rule_sets() -> Iterator[list[Rules]]:
    """The rules whose plans come with the program; those in one list play the cards alike."""
    for rules in BOOK:
        yield [rules, replace(rules, lowest_bid=2), replace(rules, dealer_may_steal=False)]
        yield [replace(rules, low_goes_to="holder")]


def names() -> list[str]:
    """The names of all plans."""
    return [plan_name(rules, margin) for group in rule_sets() for rules in group for margin in (False, True)]


def split(table: Table, seen: np.ndarray) -> np.ndarray:
    """Split every class by something that can be seen of the hand, into parts of about the same size."""
    parts = np.zeros(table.classes.shape, np.uint8)
    for number in range(table.number):
        here = table.classes == number
        if here.any():
            steps = np.quantile(seen[here], np.arange(1, SPLIT) / SPLIT)
            parts[here] = np.searchsorted(steps, seen[here], side="right")
    return table.classes * SPLIT + parts


def gain_seeing(table: Table, fresh: Table, chances: np.ndarray, seen: list[np.ndarray]) -> float:
    """What a best response that sees this, too, gains on fresh deals, in the seat where it gains most."""
    wide = np.repeat(chances, SPLIT, axis=1)
    tables = [
        replace(one, classes=split(one, what), number=SPLIT * one.number)
        for one, what in zip((table, fresh), seen, strict=True)
    ]
    calls = tables[0].better(tables[0].expect(wide)[0])
    return float(tables[1].gain(tables[1].expect(wide)[0], wide, calls).max())


def made(rules: Rules, margin: bool, played: Played, fresh: Played, play: str, threads: int) -> Plans:
    """Plans for these rules, and what is left to gain."""
    plans, table, chances = solve(rules, played, margin, threads)
    plans.about = about(rules, play, len(played.worth), margin, table, chances)
    other = table_of(rules, fresh, plans.bounds, margin, threads)
    calls = table.better(table.expect(chances)[0])
    plans.about["fresh regret"] = f"{other.gain(other.expect(chances)[0], chances, calls).max():.4f}"
    whole = max(
        gain_seeing(table, other, chances, [deals.worth[..., bid] for deals in (played, fresh)])
        for bid in range(HIGHEST_BID)
    )
    plans.about["whole-hand regret"] = f"{whole:.4f}"
    return plans


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--only", nargs="+", choices=names(), default=names(), metavar="NAME", help=f"some of {', '.join(names())}"
    )
    options.add_argument("--play", default=PLAY, help=f"who plays the cards (default {PLAY})")
    options.add_argument("--share", type=int, default=1, help="only 1/SHARE of the deals, to try something")
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    FOLDER.mkdir(exist_ok=True)
    bar = tqdm(total=len(chosen.only), disable=None)
    for group in rule_sets():
        wanted = [
            (rules, margin) for rules in group for margin in (False, True) if plan_name(rules, margin) in chosen.only
        ]
        if not wanted:
            continue
        deals = DEALS[group[0].players] // chosen.share
        both = play_deals(group[0], chosen.play, SEED, 2 * deals, chosen.threads)
        for rules, margin in wanted:
            plans = made(rules, margin, both.part(0, deals), both.part(deals, deals), chosen.play, chosen.threads)
            with whole_file(FOLDER / f"{plan_name(rules, margin)}.csv") as file:
                file.write(plans.text())
            bar.update(1)
    bar.close()
    print(f"{time.process_time():.0f} s of CPU time")


if __name__ == "__main__":
    main()
