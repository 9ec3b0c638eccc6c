"""From whole-number tallies to estimates: against numpy, scipy, brute force, and simulated equals."""

import math

import numpy as np
import pytest
from scipy import stats

from pitchsim.statistics import (
    CLEAR,
    TIE,
    effective_count,
    estimate,
    is_settled,
    lead_needed,
    looks,
    share,
    weighted,
    wilson,
)


def sums(values):
    """What a kernel adds up: the sum, the sum of squares, the count."""
    return int(values.sum()), int((values * values).sum()), len(values)


# Means and shares -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_an_estimate_is_the_mean_and_its_standard_error(seed):
    values = np.random.default_rng(seed).integers(-4, 6, 500 + seed)
    answer = estimate(*sums(values))
    assert answer.mean == pytest.approx(values.mean(), rel=1e-12)
    assert answer.se == pytest.approx(values.std() / math.sqrt(len(values)), rel=1e-12)


def test_an_estimate_is_not_a_whole_number_by_division():
    assert estimate(1, 1, 2).mean == 0.5
    assert estimate(-1, 1, 2).mean == -0.5
    assert share(1, 2) == 0.5


def test_an_estimate_of_nothing_is_nothing_and_one_of_a_single_deal_has_no_error():
    assert (estimate(0, 0, 0).mean, estimate(0, 0, 0).se) == (None, None)
    assert (estimate(3, 9, 1).mean, estimate(3, 9, 1).se) == (3.0, None)
    assert estimate(4 * 7, 16 * 7, 7).se == 0
    assert share(3, 0) is None


def test_the_standard_error_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(1)
    samples = rng.choice([-2, 0, 1, 4], p=[0.3, 0.3, 0.3, 0.1], size=(4_000, 400))
    truth = -0.6 + 0.3 + 0.4
    answers = [estimate(*sums(sample)) for sample in samples]
    covered = np.mean([abs(answer.mean - truth) <= 1.96 * answer.se for answer in answers])
    assert 0.935 < covered < 0.965


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (0, 50), (50, 50), (3, 10), (517, 1_000), (1, 10**9)])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
def test_wilsons_interval_is_that_of_scipy(count, of, confidence):
    expected = stats.binomtest(count, of).proportion_ci(confidence, method="wilson")
    assert wilson(count, of, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilsons_interval_of_nothing_is_everything():
    assert wilson(0, 0) == (0.0, 1.0)


# Weights ------------------------------------------------------------------------------------------------


def random_strata(rng):
    """Values in strata, one weight for each stratum, one of them empty."""
    weights = np.array([1.0, 1.0, 0.002, 0.3])
    return weights, [rng.integers(-4, 5, size) for size in (400, 130, 900, 0)]


@pytest.mark.parametrize("seed", range(5))
def test_a_weighted_mean_is_that_of_the_single_deals(seed):
    weights, strata = random_strata(np.random.default_rng(seed))
    totals, squares, counts = (np.array(column) for column in zip(*map(sums, strata), strict=True))
    answer = weighted(weights, counts, totals, squares)
    values, each = np.concatenate(strata), np.repeat(weights, counts)
    mean = np.average(values, weights=each)
    assert answer.mean == pytest.approx(mean, rel=1e-12)
    assert answer.se == pytest.approx(math.sqrt((each**2 * (values - mean) ** 2).sum()) / each.sum(), rel=1e-9)
    assert effective_count(weights, counts) == pytest.approx(each.sum() ** 2 / (each**2).sum())


def test_with_equal_weights_it_is_the_plain_estimate():
    rng = np.random.default_rng(3)
    strata = [rng.integers(-4, 5, size) for size in (40, 130, 9)]
    totals, squares, counts = (np.array(column) for column in zip(*map(sums, strata), strict=True))
    for weight in (1.0, 0.01, 250.0):
        answer = weighted(np.full(3, weight), counts, totals, squares)
        plain = estimate(*sums(np.concatenate(strata)))
        assert (answer.mean, answer.se) == pytest.approx((plain.mean, plain.se), rel=1e-9)
        assert effective_count(np.full(3, weight), counts) == pytest.approx(179)


def test_the_weighted_error_covers_the_truth_when_rare_deals_are_thinned_out():
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(3_000):
        # Common deals (values about -1) are kept one in ten, with ten times the weight of the rare ones (about 2).
        rare = rng.random(3_000) < 0.1
        values = np.where(rare, 2, -1) + rng.integers(-2, 3, 3_000)
        kept = rare | (rng.random(3_000) < 0.1)
        parts = [sums(values[rare]), sums(values[kept & ~rare])]
        totals, squares, counts = (np.array(column) for column in zip(*parts, strict=True))
        answer = weighted(np.array([1.0, 10.0]), counts, totals, squares)
        covered.append(abs(answer.mean - -0.7) <= 1.96 * answer.se)
    assert 0.935 < np.mean(covered) < 0.965


def test_nothing_kept_is_no_estimate():
    none = np.zeros(3)
    assert weighted(np.ones(3), none, none, none).mean is None
    assert effective_count(np.ones(3), none) == 0


# When to stop ---------------------------------------------------------------------------------------------


def test_looks_are_doublings_up_to_the_last():
    assert looks(4_096, 32_768) == [4_096, 8_192, 16_384, 32_768]
    assert looks(1_000, 3_000) == [1_000, 2_000, 3_000]
    assert looks(500, 500) == looks(900, 500) == [500]
    assert len(looks(4_096, 2**30)) < 20


def test_against_several_rivals_the_lead_must_be_larger():
    assert lead_needed(1) == pytest.approx(CLEAR)
    for rivals in (2, 3, 4):
        assert stats.norm.sf(lead_needed(rivals)) * rivals == pytest.approx(stats.norm.sf(CLEAR))
    assert lead_needed(1) < lead_needed(2) < lead_needed(4) < 4.2


def test_it_is_settled_when_every_rival_is_well_behind_or_as_good_as_equal():
    assert is_settled([(0.4, 0.1)])
    assert not is_settled([(0.34, 0.1)])
    assert is_settled([(0.4, 0.1), (0.5, 0.1)])
    assert not is_settled([(0.4, 0.1), (0.1, 0.1)])
    assert is_settled([(0.5 * TIE, 0.1 * TIE)])
    assert not is_settled([(0.5 * TIE, 0.2 * TIE)])
    assert is_settled([(0.0, 0.0)])
    assert is_settled([])


def averages_at_looks(rng, runs, means, at):
    """Averages of what calls of these values bring, run by run, at every look."""
    totals, seen = np.zeros((runs, len(means))), 0
    for goal in at:
        size = goal - seen
        totals, seen = totals + rng.normal(0, 1.3 * math.sqrt(size), totals.shape) + size * np.array(means), goal
        yield goal, totals / goal


def wrongly_settled(means, runs, seed):
    """How often the rule stops with a call as clearly best that is worse than another by more than a tie."""
    rng, stopped = np.random.default_rng(seed), np.zeros(runs, bool)
    wrong = np.zeros(runs, bool)
    best_mean = max(means)
    for goal, averages in averages_at_looks(rng, runs, means, looks(4_096, 131_072)):
        se = math.sqrt(2) * 1.3 / math.sqrt(goal)
        for run in np.flatnonzero(~stopped):
            best = averages[run].argmax()
            gaps = [(averages[run][best] - other, se) for place, other in enumerate(averages[run]) if place != best]
            if is_settled(gaps):
                stopped[run] = True
                clear = min(gap for gap, _ in gaps) >= lead_needed(len(gaps)) * se
                wrong[run] = clear and (best_mean - means[best] > 0 or means.count(best_mean) > 1)
    return wrong.mean(), stopped.mean()


@pytest.mark.parametrize("means", [[0.0, 0.0], [0.0, 0.0, 0.0], [0.2, 0.2, 0.0, -0.3, -1.0]])
def test_equals_are_called_clear_in_less_than_one_run_of_a_hundred(means):
    assert wrongly_settled(means, 4_000, 5)[0] < 0.01


def test_a_call_that_is_a_little_worse_is_hardly_ever_called_clearly_best():
    assert wrongly_settled([0.0, 0.02], 4_000, 6)[0] < 0.003


def test_a_clear_difference_is_found_early():
    wrong, stopped = wrongly_settled([0.0, 0.3, -0.2], 1_000, 7)
    assert wrong == 0
    assert stopped == 1
