"""Each statistic against numbers that come from elsewhere: published tables, or all cases gone through."""

import itertools
import math
from statistics import NormalDist

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.experiments import statistics as st
from clockhands.experiments.statistics.ranks import NEMENYI


def test_the_median_is_not_moved_by_one_lucky_seed():
    assert st.summary([0.0, 0.0, 0.0, 0.0, 1.0]) == (0.0, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("successes", "tries", "low", "high"),
    [  # Newcombe 1998, Statistics in Medicine 17, p. 857, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(successes, tries, low, high):
    assert st.wilson(successes, tries) == pytest.approx((low, high), abs=5e-5)


def test_wilson_ends_where_a_share_ends():
    assert st.wilson(4, 4)[1] == 1.0
    assert st.wilson(0, 4)[0] == 0.0
    with pytest.raises(ClockhandsError, match="successes is 5"):
        st.wilson(5, 4)


@pytest.mark.parametrize("differences", [[0.3], [0.1, -0.2, 0.4], [1, 2, 3, -1, 5, 0.5], [0, 0, 1, 1, -1]])
def test_sign_flips_are_all_gone_through(differences):
    measured = abs(sum(differences))
    patterns = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) >= measured - 1e-9
        for signs in itertools.product((-1, 1), repeat=len(differences))
    ]
    assert st.sign_flip(differences) == pytest.approx(sum(patterns) / len(patterns))


def test_fishers_darwin_example():
    """Fisher 1935, section 21: 1,726 of 2^15 arrangements reach 314 in absolute value, with 863 + 863."""
    darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sum(darwin) == 314
    assert st.sign_flip(darwin) == pytest.approx(1726 / 2**15)


def test_many_pairs_are_sampled_near_the_exact_answer():
    differences = np.tile([1.0, -1.0], 11)[:21]  # sum 1: every pattern of an odd count is as far from 0
    assert st.sign_flip(differences) == 1.0
    lopsided = [1.0] * 16 + [-1.0] * 5  # sum 11: at most 5 or at least 16 of 21 equal signs
    exact = 2 * sum(math.comb(21, k) for k in range(6)) / 2**21
    assert st.sign_flip(lopsided) == pytest.approx(exact, rel=0.02)


def test_how_few_seeds_decide_nothing():
    assert st.smallest_p(3) == st.sign_flip([1.0, 2.0, 3.0]) == 0.25
    assert [st.seeds_needed(count) for count in (1, 2, 5, 6)] == [6, 7, 8, 8]
    for count in range(1, 40):
        needed = st.seeds_needed(count)
        assert count * st.smallest_p(needed) <= 0.05 < count * st.smallest_p(needed - 1)


def brute_wilcoxon(ranks, positive):
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(ranks))
    ]
    measured = min(positive, sum(ranks) - positive)
    return min(1.0, 2 * sum(each <= measured for each in sums) / len(sums))


def test_wilcoxon_with_and_without_ties():
    assert st.wilcoxon([1, -2, 3, 4, 5, 6, 7]) == pytest.approx(brute_wilcoxon(range(1, 8), 26))
    tied = [2.5, 2.5, 2.5, 2.5, 5.0, 1.0 - 1.0]  # four of equal size, one larger, one 0
    assert st.wilcoxon([1, 1, -1, 1, 3, 0]) == pytest.approx(brute_wilcoxon(tied[:5], 12.5))
    assert st.wilcoxon([0.0, 0.0]) == 1.0


@pytest.mark.parametrize(
    ("pairs", "smaller_sum"),
    [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (12, 13), (15, 25)],
    # Wilcoxon and Wilcox 1964: largest sums of ranks with p of at most 0.05, two-sided
)
def test_wilcoxon_reaches_the_published_critical_values(pairs, smaller_sum):
    def with_sum(total):
        signs, left = np.ones(pairs), total
        for rank in range(pairs, 0, -1):
            if rank <= left:
                signs[rank - 1], left = -1, left - rank
        return st.wilcoxon(signs * np.arange(1, pairs + 1))

    assert with_sum(smaller_sum) <= 0.05 < with_sum(smaller_sum + 1)


def test_holm_steps_down_and_never_falls():
    p = [0.0125, 0.4, 0.02, 0.013]
    assert st.holm(p) == pytest.approx([0.05, 0.4, 0.05, 0.05])
    assert st.holm([0.6, 0.9]) == [1.0, 1.0]


def range_quantile(share, count):
    """Where the range of ``count`` normal numbers lies below with chance ``share``, by integration."""
    x = np.linspace(-9, 9, 6001)
    normal = NormalDist()
    at = np.array([normal.cdf(each) for each in x])
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    def chance(width):
        above = np.interp(x + width, x, at, right=1.0)
        return count * np.trapezoid(density * (above - at) ** (count - 1), x)

    low, high = 0.5, 8.0
    for _ in range(40):
        low, high = ((low + high) / 2, high) if chance((low + high) / 2) < share else (low, (low + high) / 2)
    return low


@pytest.mark.parametrize("level", list(NEMENYI))
def test_nemenyis_constants_are_quantiles_of_the_range(level):
    for count, constant in enumerate(NEMENYI[level], start=2):
        assert range_quantile(1 - float(level), count) / math.sqrt(2) == pytest.approx(constant, abs=1.1e-3)


def test_the_published_critical_difference():
    """Demšar 2006, section 3.2.2: four algorithms on 14 data sets differ from 1.25 ranks on at 0.05."""
    assert st.critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert st.mean_ranks([[3.0, 2.0, 1.0], [1.0, 1.0, 0.0]]) == [1.25, 1.75, 3.0]
    with pytest.raises(ClockhandsError, match="2 to 10"):
        st.critical_difference(11, 3)


def test_the_bootstrap_is_seeded_and_draws_seeds_before_items():
    """Two seeds at 0 and 1 with no spread inside: a drawn mean is 0, 1/2 or 1, with chances 1/4, 1/2, 1/4."""
    scores = np.repeat([[0.0], [1.0]], 50, axis=1)
    found = st.bootstrap(scores, np.mean, level=0.6)
    assert found == st.bootstrap(scores, np.mean, level=0.6)
    assert found == (0.5, 0.0, 1.0)


def test_the_bootstrap_agrees_with_theory_where_there_is_one():
    """Of a mean: half-width 1.96 sqrt(between (n - 1)/n / n + within / (n m)) for many seeds."""
    generator = np.random.default_rng(5)
    scores = generator.normal(size=(40, 1)) + generator.normal(size=(40, 10))
    found = st.bootstrap(scores, np.mean, resamples=4000)
    between, within = scores.mean(axis=1).var(), scores.var(axis=1).mean()
    half = 1.96 * math.sqrt(between / 40 + within / 400)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.06)
    assert not st.Interval(0.1, -0.2, 0.3).excludes_zero
    assert st.Interval(-2.0, -3.0, -1.0).excludes_zero


def test_items_that_all_seeds_share_are_drawn_once():
    """What is hard about an item is hard for each seed: more seeds make the mean no surer."""
    item = np.random.default_rng(6).normal(size=40)
    scores = np.tile(item, (8, 1))
    half = 1.96 * item.std() / math.sqrt(40)
    found = st.bootstrap(scores, np.mean, shared=True)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)
    apart = st.bootstrap(scores, np.mean)
    assert apart.high - apart.low == pytest.approx(2 * half / math.sqrt(8), rel=0.05)


@pytest.mark.parametrize("pairs", [7, 14])
def test_the_detectable_effect_is_detected_as_often_as_it_says(pairs):
    effect = st.minimum_detectable_effect(pairs, deviation=2.0)
    generator = np.random.default_rng(77)
    found = [st.sign_flip(2 * generator.standard_normal(pairs) + effect) <= 0.05 for _ in range(300)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.07)  # three standard errors
    assert st.minimum_detectable_effect(5) == math.inf


def test_what_is_not_finite_is_refused():
    with pytest.raises(ClockhandsError, match="contain nan"):
        st.sign_flip([0.1, float("nan")])
    with pytest.raises(ClockhandsError, match="shape"):
        st.summary([])
