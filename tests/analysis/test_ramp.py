"""YaRN's ramp, as released and as printed. Numbers of reference 2.6."""

import numpy as np
import pytest

from clockhands.analysis.ramp import compare_yarn_ramps, slowing
from clockhands.errors import ClockhandsError


@pytest.mark.parametrize(
    ("model", "size", "exact", "used"),
    [
        ("Llama 2", (128, 1e4, 4096, 16), (20.9445, 45.0269), (20, 46)),
        ("Mistral 0.1", (128, 1e4, 8192, 16), (25.7610, 49.8434), (25, 50)),
        ("Qwen 2.5", (128, 1e6, 32768, 4), (23.5959, 39.6509), (23, 40)),
        ("DeepSeek V3", (64, 1e4, 4096, 40), (10.4722, 22.5134), (10, 23)),
        ("Ministral 3", (128, 1e6, 16384, 16), (20.3850, 36.4399), (20, 37)),
        ("Mistral 4", (64, 1e4, 8192, 128), (12.8805, 24.9217), (12, 25)),
        ("Mistral Large 4", (64, 1e4, 512, 2048), (3.2475, 15.2887), (3, 16)),
    ],
)
def test_ends_of_the_ramp(model, size, exact, used):
    found = compare_yarn_ramps(*size)
    assert found.exact == pytest.approx(exact, abs=6e-5), model
    assert found.used == used


def test_without_truncation_the_ends_stay_between_pairs():
    found = compare_yarn_ramps(64, 1.5e5, 4096, 32, truncate=False)
    assert found.used == pytest.approx((8.0928, 17.3980), abs=6e-5)


def test_the_code_is_straight_in_the_pair_and_the_paper_in_the_turns():
    d, base, length = 128, 1e4, 4096
    found = compare_yarn_ramps(d, base, length, 16)
    pair = np.arange(64)
    np.testing.assert_allclose(found.code.values, np.clip((pair - 20) / 26, 0, 1), atol=1e-12)
    turns = length * base ** (-2 * pair / d) / (2 * np.pi)
    np.testing.assert_allclose(found.paper.values, 1 - np.clip((turns - 1) / 31, 0, 1), atol=1e-12)
    code, paper = (1 - each.values * (1 - 1 / 16) for each in (found.code, found.paper))
    assert found.worst == pytest.approx(np.abs(code / paper - 1).max())
    assert found.worst > 1


def test_slowing_is_how_far_a_hand_is_on_its_way():
    assert slowing([1.0, 1.0, 1.0], [1.0, 0.625, 0.25], 4.0).values.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("bad", [([1.0], [1.0, 2.0], 2.0), ([0.0], [0.0], 2.0), ([1.0], [1.0], 1.0)])
def test_hands_that_cannot_be_compared_are_refused(bad):
    with pytest.raises(ClockhandsError, match="can't be compared"):
        slowing(*bad)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((1, 1e4, 4096, 16.0), "rotary_dim"),
        ((128, 1.0, 4096, 16.0), "rope_theta is 1.0.*above 1"),
        ((128, 1e4, None, 16.0), "the trained length"),
        ((128, 1e4, 4096, -1.0), "factor is -1.0"),
        ((128, 1e4, 4096, 16.0, 1.0, 32.0), "beta_fast is 1.0.*above 32"),
    ],
)
def test_sizes_that_make_no_ramp_are_refused(asked: tuple, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        compare_yarn_ramps(*asked)
