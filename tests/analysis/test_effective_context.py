"""Windows of any bias. Of ALiBi they are the closed forms of reference 2.10."""

import numpy as np
import pytest

from clockhands.analysis.bias import windows
from clockhands.analysis.effective_context import effective_context, widened_window
from clockhands.errors import ClockhandsError
from clockhands.formulas.slopes import alibi_bias, alibi_slopes

SLOPES = alibi_slopes(8)


def test_alibi_has_the_windows_of_its_closed_form():
    found, closed = effective_context(lambda d: alibi_bias(d, SLOPES), 10_000).windows, windows(SLOPES)
    assert found.holds_99.values.tolist() == [10, 19, 37, 74, 148, 295, 590, 1179]
    assert found.holds_95.values.tolist() == [6, 12, 24, 48, 96, 192, 384, 767]
    for field in ("mean_distance", "effective_keys"):
        np.testing.assert_allclose(getattr(found, field).values, getattr(closed, field).values, rtol=1e-9)
    np.testing.assert_array_equal(found.half_life.values, np.ceil(closed.half_life.values))


def test_a_flat_bias_has_a_window_as_long_as_the_text():
    for length in (100, 1000):
        found = effective_context(lambda d: np.zeros((1, d.size)), length)
        assert found.windows.holds_99.values.tolist() == [0.99 * length]
        assert found.windows.effective_keys.values[0] == pytest.approx(length)
        assert found.windows.half_life.values.tolist() == [np.inf]
        np.testing.assert_allclose(found.weights.values, 1 / length)


def test_a_closed_window_is_seen_and_a_bump_far_out_counts():
    closed = effective_context(lambda d: np.where(d < 5, 0.0, -np.inf)[None], 50).windows
    assert (closed.holds_99.values[0], closed.half_life.values[0]) == (5, 5)
    bump = effective_context(lambda d: np.where(d == 30, 3.0, -9.0)[None], 50).windows
    assert (bump.holds_95.values[0], bump.half_life.values[0]) == (31, 31)


def test_large_numbers_do_not_overflow():
    assert effective_context(lambda d: 1e6 - 1.0 * d[None], 50).windows.holds_99.values[0] == 5


def test_content_widens_the_window():
    s = np.array([0.5, 0.25])
    assert widened_window(s, 0).values.tolist() == windows(s).holds_99.values.tolist()
    assert widened_window(s, 3.0).values.tolist() == np.ceil((np.log(100) + 6) / s).tolist()
    with pytest.raises(ClockhandsError, match="score_range is -1"):
        widened_window(s, -1)


def test_a_head_that_sees_nothing_is_refused():
    with pytest.raises(ClockhandsError, match="sees nothing"):
        effective_context(lambda d: np.full((1, d.size), -np.inf), 3)
