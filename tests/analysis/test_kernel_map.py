"""Maps of windows against block means of the matrix itself, and far out against exact sums."""

from fractions import Fraction
from math import cos, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clockhands.analysis.kernel import kernel
from clockhands.analysis.kernel_map import kernel_map
from clockhands.errors import ClockhandsError

PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494")


def geometric(d, base=1e4):
    return base ** (-np.arange(0, d, 2) / d)


def window(w, rows, cols):
    """The cells of the matrix, one by one."""
    distance = np.arange(*rows)[:, None] - np.arange(*cols)
    return kernel(w, distance.reshape(-1)).values.reshape(distance.shape)


def cuts(positions, cells):
    """The ends of each block: position p is in cell floor(((p + 1) * cells - 1) / positions)."""
    cell_of = [(p * cells + cells - 1) // positions for p in range(positions)]
    return [(cell_of.index(cell), positions - cell_of[::-1].index(cell)) for cell in range(cells)]


def block_means(matrix, size):
    row_cuts, col_cuts = (cuts(length, cells) for length, cells in zip(matrix.shape, size, strict=True))
    return np.array([[matrix[a:b, c:d].mean() for c, d in col_cuts] for a, b in row_cuts])


@given(
    speeds=st.lists(st.floats(-7, 7, allow_subnormal=False) | st.just(0.0), min_size=1, max_size=4),
    rows=st.tuples(st.integers(-50, 50), st.integers(1, 40)),
    cols=st.tuples(st.integers(-50, 50), st.integers(1, 40)),
    size=st.tuples(st.integers(1, 12), st.integers(1, 12)),
)
def test_every_cell_is_the_mean_of_its_block(speeds, rows, cols, size):
    rows, cols = (rows[0], rows[0] + rows[1]), (cols[0], cols[0] + cols[1])
    found = kernel_map(speeds, rows, cols, size).values
    cells = (min(size[0], rows[1] - rows[0]), min(size[1], cols[1] - cols[0]))
    assert found.shape == cells
    np.testing.assert_allclose(found, block_means(window(speeds, rows, cols), cells), atol=1e-12)


def test_blocks_share_out_a_window_that_does_not_divide():
    w, rows, cols, size = geometric(64), (3, 106), (50, 127), (7, 11)
    found = kernel_map(w, rows, cols, size, "dot")
    np.testing.assert_allclose(found.values, 32 * block_means(window(w, rows, cols), size), atol=1e-11)
    assert found.axes[0].values.tolist() == [9.5, 24, 39, 53.5, 68, 83, 98]
    assert {stop - start for start, stop in cuts(103, 7)} == {14, 15}


def test_the_farthest_window():
    rows, cols = (-(2**51), 4 - 2**51), (2**51 - 4, 2**51)
    found = kernel_map([1.0, 0.1], rows, cols, (2, 4))
    assert found.values.shape == (2, 4)
    assert found.axes[0].values.tolist() == [0.5 - 2**51, 2.5 - 2**51]


def test_at_full_size_it_is_the_matrix():
    w = geometric(32)
    found = kernel_map(w, (5, 12), (0, 9), (100, 100))
    np.testing.assert_allclose(found.values, window(w, (5, 12), (0, 9)), atol=1e-14)
    assert [axis.values.tolist() for axis in found.axes] == [list(range(5, 12)), list(range(9))]


def test_a_million_squared_has_its_diagonal_and_its_symmetry():
    w, n = geometric(512), 10**6
    found = kernel_map(w, (0, n), (0, n), (64, 64)).values
    np.testing.assert_allclose(found, found.T, atol=1e-15)
    assert (found.argmax(axis=1) == np.arange(64)).all()
    # the block on the diagonal, from the triangle of distances
    size = n // 64
    distances = np.arange(size)
    curve = kernel(w, distances).values
    expected = (size * curve[0] + 2 * ((size - distances[1:]) * curve[1:]).sum()) / size**2
    assert abs(found[0, 0] - expected) < 1e-12


def test_a_billion_away_against_exact_sums():
    w, start = 10000 ** (-2 / 64), 10**9
    found = kernel_map([w], (start, start + 6), (0, 4), (2, 2)).values

    def hands(positions):
        exact = [Fraction(w) * p for p in positions]
        angle = [float(a - 2 * PI * round(a / (2 * PI))) for a in exact]
        return sum(map(cos, angle)) / len(angle), sum(map(sin, angle)) / len(angle)

    for i in range(2):
        for j in range(2):
            row, col = hands(range(start + 3 * i, start + 3 * i + 3)), hands(range(2 * j, 2 * j + 2))
            assert abs(found[i, j] - row[0] * col[0] - row[1] * col[1]) < 1e-15


def test_taking_every_sth_position_would_be_wrong():
    w, n, size = geometric(512), 100_000, 1024  # reference: moire errors up to 0.43
    exact = kernel_map(w, (0, n), (0, n), (size, size)).values
    sampled = kernel(w, np.arange(size) * n // size).values
    assert 0.3 < np.abs(exact[0] - sampled).max() < 0.6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": (5, 5)}, "empty"),
        ({"cols": (9, 2)}, "empty"),
        ({"size": (0, 4)}, "side of the map"),
        ({"rows": (0, 2**52)}, "end of the window"),
        ({"rows": (-(2**51) - 1, 0)}, "end of the window"),
        ({"rows": (0, 1.5)}, "end of the window"),
    ],
)
def test_bad_windows_are_refused(change, words):
    given = {"rows": (0, 10), "cols": (0, 10), "size": (4, 4)} | change
    with pytest.raises(ClockhandsError, match=words):
        kernel_map([1.0], **given)


def test_a_map_that_does_not_fit_is_refused_before_trying(monkeypatch):
    monkeypatch.setattr("clockhands.memory.available_bytes", lambda: 8 * 99)
    assert kernel_map([1.0], (0, 50), (0, 50), (9, 11)).values.shape == (9, 11)
    with pytest.raises(ClockhandsError, match="a map of 10 x 10 numbers needs 800 B"):
        kernel_map([1.0], (0, 50), (0, 50), (10, 10))


@pytest.mark.parametrize("speed", [2 * np.pi, 2 * np.pi - 1e-9, 4 * np.pi + 0.3, np.pi])
def test_hands_that_make_whole_turns_a_token_are_exact_too(speed):
    rows, columns = np.arange(10), np.arange(3, 13)
    whole = np.cos(speed * (rows[:, None] - columns))
    found = kernel_map([speed], (0, 10), (3, 13), (2, 2)).values
    means = whole.reshape(2, 5, 2, 5).mean(axis=(1, 3))
    np.testing.assert_allclose(found, means, atol=1e-9)
