"""What moving all positions changes (reference 2.9): nothing for whatever is relative."""

import numpy as np
import pytest

from clockhands.analysis.shift_residual import shift_residual
from clockhands.errors import ClockhandsError
from clockhands.formulas import remaps
from clockhands.formulas.fire import fire_input
from clockhands.formulas.rotation import angles, rotate

SHIFTS = [1, 17, 1000]


def rotary(positions):
    q, k = np.random.default_rng(0).normal(size=(2, 1, 16))
    turned = angles(positions, 1e4 ** (-np.arange(8) / 8))
    cos, sin = np.cos(turned), np.sin(turned)
    return rotate(q + 0 * cos[:, :1], cos, sin) @ rotate(k + 0 * cos[:, :1], cos, sin).T


def test_rope_is_relative_to_rounding():
    assert shift_residual(rotary, np.arange(30), SHIFTS).values.max() < 1e-11


def test_self_extend_is_relative_only_for_whole_groups():
    def distances(positions):
        return remaps.effective_distance(remaps.self_extend(positions, positions, 4, 8))

    assert shift_residual(distances, np.arange(40), [1, 2, 3, 4, 8, 400]).values.tolist() == [
        1,
        1,
        1,
        0,
        0,
        0,
    ]


def test_fire_is_relative_up_to_its_threshold():
    def scores(positions):
        return fire_input(positions[:, None], positions[:, None] - positions, 0.1, np.asarray(512.0))

    inside, outside = shift_residual(scores, np.arange(100), [300, 1000]).values
    assert inside == 0
    assert outside == pytest.approx(np.log1p(9.9) * (1 / np.log1p(51.2) - 1 / np.log1p(109.9)), rel=1e-4)


def test_cells_that_appear_or_vanish_are_an_infinite_change():
    def seen(positions):
        return np.where(positions < 5, 1.0, np.nan)

    assert shift_residual(seen, [0, 1], [1, 4, 9]).values.tolist() == [0.0, np.inf, np.inf]


def test_minus_infinity_is_no_change_where_it_stays():
    assert shift_residual(lambda p: np.where(p < 99, -np.inf, 0.0), [0], [1]).values.tolist() == [0.0]


def test_a_shape_that_changes_is_refused():
    with pytest.raises(ClockhandsError, match="after a shift"):
        shift_residual(lambda p: np.zeros(p[0] + 1), [0], [1])
