"""From whole-number tallies to estimates: every one with its standard error, and a rule for when to stop."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

CLEAR = 3.5
"""Standard errors by which one must lead to stop early. Looking at every doubling of the deals with 3.5 is wrong some
0.4 % of the time; looking all the time with 1.96 would be wrong about half of the time."""

TIE = 0.01
"""Points below which a difference does not matter to a player."""

TOO_CLOSE = 2.0
"""Below so many standard errors of their difference two calls are too close to call."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error (both None when there was nothing to count)."""

    mean: float | None
    se: float | None


def estimate(total: float, squares: float, count: float) -> Estimate:
    """The mean of `count` numbers from their sum and the sum of their squares."""
    return Estimate(*mean_and_error(total, squares, count)) if count else Estimate(None, None)


def mean_and_error(total: float, squares: float, count: float) -> tuple[float, float | None]:
    """The same as two plain numbers, of something that was counted."""
    mean = total / count
    spread = squares / count - mean * mean
    if count <= 1:
        return mean, None
    return mean, math.sqrt(spread / count) if spread > 0.0 else 0.0


def score_as_pitcher(at_least: Sequence[float], bid: int, deals: float, swept: float = 0.0) -> Estimate:
    """The score change as pitcher of a bid (R14), from the chances of at least 1, 2, 3, 4 points in so many deals.

    `swept`: the chance of a made 4 that is worth 5, where the house smudges.
    """
    reach = (1.0, *at_least, 0.0)
    outcomes = [(points if points >= bid else -bid, reach[points] - reach[points + 1]) for points in range(5)]
    if bid == 4:
        outcomes += [(5, swept), (4, -swept)]
    mean, squares = (sum(chance * change**power for change, chance in outcomes) for power in (1, 2))
    return estimate(deals * mean, deals * squares, deals)


def share(count: float, of: float) -> float | None:
    """A share; None when there was nothing to share."""
    return count / of if of else None


def estimated_share(count: int, of: int) -> Estimate:
    """A share with its standard error: the mean of so many noughts and ones."""
    return estimate(count, count, of)


def ratio(total: float, squares: float, of: float, of_squares: float, products: float) -> Estimate:
    """A total as a share of another that varies from deal to deal too, from their sums, squares and products."""
    if of == 0:
        return Estimate(None, None)
    mean = total / of
    return Estimate(mean, math.sqrt(max(squares - 2 * mean * products + mean * mean * of_squares, 0.0)) / of)


def wilson(count: float, of: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a share: honest near 0 and 1 too (Wilson, JASA 22, 1927)."""
    if of == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = (count + z * z / 2) / (of + z * z)
    half = z / (of + z * z) * math.sqrt(max(count * (of - count), 0.0) / of + z * z / 4)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def weighted(weights: np.ndarray, counts: np.ndarray, totals: np.ndarray, squares: np.ndarray) -> Estimate:
    """The mean over strata in which every deal has the same weight; arrays have one entry a stratum."""
    mass = float(weights @ counts)
    if mass == 0:
        return Estimate(None, None)
    mean = float(weights @ totals) / mass
    spread = float(weights**2 @ (squares - 2 * mean * totals + mean * mean * counts))
    return Estimate(mean, math.sqrt(max(spread, 0.0)) / mass if counts.sum() > 1 else None)


def effective_count(weights: np.ndarray, counts: np.ndarray) -> float:
    """How many equally weighted deals would say as much (Kish)."""
    squared = float(weights**2 @ counts)
    return float(weights @ counts) ** 2 / squared if squared else 0.0


@cache
def lead_needed(rivals: int) -> float:
    """Standard errors needed against each of several rivals, so that together they err no more than one would."""
    error = 1 - NormalDist().cdf(CLEAR)
    return NormalDist().inv_cdf(1 - error / max(rivals, 1))


def is_settled(differences: Sequence[tuple[float, float]]) -> bool:
    """Whether the best is clear: each rival is behind by enough, or so near that it does not matter.

    `differences`: the best minus each rival, with standard errors of these paired differences.
    """
    needed = lead_needed(len(differences))
    return all(gap >= needed * se or abs(gap) + needed * se <= TIE for gap, se in differences)


def looks(first: int, last: int) -> list[int]:
    """The few numbers of deals at which one looks: doublings up to the last."""
    counts = []
    while first < last:
        counts.append(first)
        first *= 2
    return [*counts, last]
