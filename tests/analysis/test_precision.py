"""What 16 and 32 bits leave of positions. Numbers from reference 2.8."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.precision import angle_error, distinct_positions, rounded
from clockhands.errors import ClockhandsError


@pytest.mark.parametrize(
    ("n", "precision", "distinct", "clash", "shift"),
    [
        (256, "bf16", 256, None, 0),
        (4096, "bf16", 769, (256, 257), 8),
        (8192, "bf16", 897, (256, 257), 16),
        (131_072, "bf16", 1409, (256, 257), 256),
        (2049, "fp16", 2049, None, 0),
        (4096, "fp16", 3073, (2048, 2049), 1),
        (4096, "fp32", 4096, None, 0),
    ],
)
def test_positions_that_stay_apart(n, precision, distinct, clash, shift):
    found = distinct_positions(n, precision)
    assert (found.distinct, found.first_clash, found.worst_shift) == (distinct, clash, shift)
    assert found.distinct == len(set(found.rounded.values.tolist()))


def test_named_examples_of_bfloat16():
    assert rounded([257, 259, 511, 4097, 255], "bf16").tolist() == [256, 260, 512, 4096, 255]


def test_fp16_ends_at_65504():
    found = distinct_positions(70_000, "fp16")
    assert np.isinf(found.rounded.values[-1])
    assert found.rounded.values[65_504] == 65_504
    assert found.worst_shift == np.inf


def by_definition(value, bits):
    """Nearest number with ``bits`` significant bits, ties to even, by scaling to an integer."""
    if value == 0:
        return 0.0
    exponent = np.floor(np.log2(abs(value))) - (bits - 1)
    return float(np.rint(value / 2.0**exponent) * 2.0**exponent)


@given(st.floats(-1e4, 1e4).map(lambda x: float(np.float32(x))).filter(lambda x: x == 0 or abs(x) > 1e-3))
def test_rounding_by_its_definition(value):
    assert rounded(value, "bf16").item() == by_definition(value, 8)
    assert rounded(value, "fp16").item() == by_definition(value, 11)
    assert rounded(value, "fp32").item() == value


def test_rounding_keeps_what_is_no_number():
    found = rounded([np.nan, np.inf, -np.inf, -0.0], "bf16")
    assert np.isnan(found[0])
    assert found[1:3].tolist() == [np.inf, -np.inf]
    assert np.signbit(found[3])
    assert rounded(3.39e38, "bf16").item() == pytest.approx(3.39e38, rel=0.01)
    assert rounded(3.4e38, "bf16").item() == np.inf
    assert rounded([[1.0, 2.0]], "fp16").shape == (1, 2)


def test_angles_in_float32_go_wrong_far_out():
    w = 5e5 ** (-np.arange(0, 128, 2) / 128)
    found = angle_error(w, [4095, 131_071, 1_048_575], "fp32")
    assert found.tip.values[2] == pytest.approx(3.9e-2, rel=0.05)  # reference 2.8
    assert found.tip.values[1] == pytest.approx(1.9e-3, rel=0.15)
    assert (found.tip.values <= found.angle.values * (1 + 1e-9)).all()


def test_errors_of_one_hand_are_those_of_its_parts():
    found = angle_error([1.0], [257, 300], "bf16")
    assert found.angle.values.tolist() == [1.0, 0.0]  # 257 becomes 256
    expected = max(abs(np.sin(256) - np.sin(257)), abs(np.cos(256) - np.cos(257)))
    assert found.tip.values[0] == pytest.approx(expected, rel=1e-9)
    assert angle_error([0.1], [1], "fp32").angle.values[0] == pytest.approx(abs(float(np.float32(0.1)) - 0.1))


def test_the_product_is_rounded_too():
    w, p = float(np.float32(0.1)), 3.0
    expected = abs(float(np.float32(np.float32(w) * np.float32(p))) - w * p)
    assert angle_error([w], [p], "fp32").angle.values[0] == pytest.approx(expected, rel=1e-6)


def test_overflow_is_infinitely_wrong():
    found = angle_error([1.0, 0.0], [10, 70_000], "fp16")
    assert found.angle.values.tolist() == [0.0, np.inf]
    assert found.tip.values[1] == np.inf


def test_unknown_precision():
    with pytest.raises(ClockhandsError, match="did you mean 'bf16'"):
        rounded([1.0], "bf61")
    with pytest.raises(ClockhandsError, match="number of positions"):
        distinct_positions(0, "bf16")
