"""What is left by precision and length. Numbers of reference 2.8."""

import numpy as np
import pytest

from clockhands.analysis.precision import angle_error
from clockhands.analysis.precision_by_length import precision_by_length

SPEEDS = 5e5 ** (-np.arange(0, 128, 2) / 128)


def test_positions_told_apart_by_precision_and_length():
    found = precision_by_length([1.0], [256, 4096, 8192, 32768, 131072])
    assert found.distinct.values[0].tolist() == [256, 769, 897, 1153, 1409]
    assert found.distinct.values[2].tolist() == [256, 4096, 8192, 32768, 131072]
    assert [axis.name.en for axis in found.distinct.axes] == ["precision", "length"]


@pytest.mark.parametrize(("position", "error"), [(4095, 8.9e-5), (131_071, 1.9e-3), (1_048_575, 3.9e-2)])
def test_fp32_angles_far_out(position, error):
    at = float(angle_error(SPEEDS, [position], "fp32").tip.values[0])
    assert 0.99 * error < at < 1.6 * error  # the reference looks at the cosine alone
    worst = precision_by_length(SPEEDS, [position + 1], ["fp32"])
    assert worst.tip.values[0, 0] >= at


def test_the_worst_of_the_places_looked_at_is_the_worst_there_is():
    found = precision_by_length(SPEEDS, [300, 5000], ["bf16", "fp16"])
    for column, length in enumerate((300, 5000)):
        for row, precision in enumerate(("bf16", "fp16")):
            all_of_them = angle_error(SPEEDS, np.arange(length), precision)
            assert found.angle.values[row, column] == pytest.approx(all_of_them.angle.values.max(), rel=0.03)


def test_fp16_overflows():
    assert precision_by_length([1.0], [70_000], ["fp16"]).angle.values[0, 0] == np.inf
