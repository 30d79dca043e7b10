"""Men's bound on the base. Numbers of reference 2.4, and a direct sum of cosines."""

import numpy as np
import pytest

from clockhands.analysis.base_bound import base_bound, first_negative
from clockhands.errors import ClockhandsError


def directly(d, base, length):
    """The first m below ``length`` whose plain sum of cosines is negative, else infinity."""
    speeds = base ** (-np.arange(0, d, 2) / d)
    for m in range(length):
        if sum(np.cos(m * speed) for speed in speeds) < 0:
            return float(m)
    return float("inf")


@pytest.mark.parametrize(
    ("model", "base", "d", "first"),
    [
        ("Llama 2, Mistral 0.1", 1e4, 128, 1707),
        ("Llama 3", 5e5, 128, 18438),
        ("CodeLlama, Qwen 2", 1e6, 128, 27115),
        ("Qwen3-2507", 5e6, 128, 82999),
        ("gpt-oss", 1.5e5, 64, 2774),
        ("DeepSeek V3", 1e4, 64, 725),
        ("Gemma 2", 1e4, 256, 2653),
        ("SmolLM2", 1e5, 64, 3616),
        ("ModernBERT", 1.6e5, 64, 5205),
        ("GPT-NeoX", 1e4, 24, 223),
    ],
)
def test_where_models_turn_negative(model, base, d, first):
    assert first_negative(d, base, first + 5) == first, model
    assert first_negative(d, base, first) == float("inf")


def test_it_is_the_plain_sum_of_cosines():
    for base in (50.0, 900.0, 2500.0):
        assert first_negative(16, base, 300) == directly(16, base, 300)


@pytest.mark.parametrize(
    ("length", "low", "high", "smallest", "largest"),  # the smallest: Su's list at kexue.fm/archives/10122
    [
        (512, 1e3, 3e4, 2.066e3, 2.934e3),
        (1024, 2e3, 5e4, 4.3e3, 6.02e3),
        (2048, 5e3, 1e5, 1.16e4, 2.276e4),
        (4096, 2e4, 8e4, 2.7e4, 5.88e4),
        (8192, 7e4, 4.5e5, 8.4e4, 3.943e5),
    ],
)
def test_the_smallest_base_that_passes_is_below_the_largest_that_fails(length, low, high, smallest, largest):
    found = base_bound(128, length, low, high, points=300)
    assert found.smallest_passing == pytest.approx(smallest, rel=4e-3)
    assert found.largest_failing == pytest.approx(largest, rel=1e-3)
    assert not found.monotone


def test_islands_narrower_than_a_step_are_found():
    """At 4096 a step of this grid jumps over the bases around 26,965 that pass."""
    found = base_bound(128, 4096, 2e4, 8e4, points=300)
    bases, passes = found.first_negative.axes[0].values, np.isinf(found.first_negative.values)
    assert len(bases) > 300
    assert set(np.geomspace(2e4, 8e4, 300)) <= set(bases)
    assert bases[passes][0] < 27_000 < 28_600 < bases[passes][1]


def test_edges_are_narrowed_down_to_where_the_answer_changes():
    found = base_bound(128, 512, 1e3, 1e4, points=100)
    for edge, inside in ((found.smallest_passing, -1), (found.largest_failing, 1)):
        near = edge * (1 + 2e-5 * inside)
        assert (first_negative(128, edge, 512) == np.inf) != (first_negative(128, near, 512) == np.inf)


def test_the_grid_is_given_back_with_its_units():
    found = base_bound(16, 64, 10.0, 1e3, points=5)
    assert found.first_negative.axes[0].values == pytest.approx(np.geomspace(10, 1e3, 5))
    assert found.first_negative.values.tolist() == [
        directly(16, base, 64) for base in np.geomspace(10, 1e3, 5)
    ]
    assert found.first_negative.unit.en == "tokens"


def test_all_may_pass_and_all_may_fail():
    passing = base_bound(16, 2, 10.0, 1e3, points=3)
    assert (passing.smallest_passing, passing.largest_failing, passing.monotone) == (10.0, None, True)
    failing = base_bound(16, 100_000, 10.0, 20.0, points=3)
    assert failing.smallest_passing is None
    assert failing.largest_failing == pytest.approx(20.0)


@pytest.mark.parametrize("bad", [(16, 64, 10.0, 10.0, 3), (16, 64, -1.0, 10.0, 3), (16, 64, 1.0, 9.0, 1)])
def test_bad_input_is_refused(bad):
    with pytest.raises(ClockhandsError):
        base_bound(*bad)
