"""Large tables brought down: against loops written the slow way."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.plots.decimate import block_means, envelope, toeplitz_means

GENERATOR = np.random.default_rng(3)


@pytest.mark.parametrize(
    ("shape", "most"), [((7, 9), (3, 4)), ((10, 1), (4, 5)), ((6, 6), (6, 6)), ((5, 8), (1, 1))]
)
def test_block_means_are_means_of_blocks(shape: tuple[int, int], most: tuple[int, int]) -> None:
    values = GENERATOR.normal(size=shape)
    means, (rows, columns) = block_means(values, most)
    assert means.shape[0] <= most[0]
    assert means.shape[1] <= most[1]
    for i in range(means.shape[0]):
        for j in range(means.shape[1]):
            block = values[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns]
            assert means[i, j] == pytest.approx(block.mean(), abs=1e-12)


def test_a_fast_wave_averages_out_instead_of_making_moire() -> None:
    wave = np.sin(np.arange(100_000) * 3.0)[None]
    means, _ = block_means(wave, (1, 500))
    assert np.abs(means).max() < 0.02
    assert np.abs(wave[:, ::200]).max() > 0.9  # what taking every n-th value would have drawn


@pytest.mark.parametrize(("count", "most"), [(5, 8), (7, 3), (50, 7), (64, 16)])
@pytest.mark.parametrize("causal", [True, False])
def test_toeplitz_means_equal_the_means_of_the_whole_map(count: int, most: int, causal: bool) -> None:
    curve = GENERATOR.normal(size=2 * count - 1)
    if causal:
        curve[: count - 1] = np.nan
    whole = np.array([[curve[i - j + count - 1] for j in range(count)] for i in range(count)])
    means, step = toeplitz_means(curve, count, most)
    assert len(means) <= most
    for i in range(len(means)):
        for j in range(len(means)):
            block = whole[i * step : (i + 1) * step, j * step : (j + 1) * step]
            seen = block[np.isfinite(block)]
            if len(seen):
                assert means[i, j] == pytest.approx(seen.mean(), abs=1e-10)
            else:
                assert np.isnan(means[i, j])


def test_an_envelope_keeps_every_peak() -> None:
    values = np.zeros(10_000)
    values[4321], values[77] = 5.0, -3.0
    starts, low, high = envelope(values, 100)
    assert len(starts) == 100
    assert (low.min(), high.max()) == (-3.0, 5.0)
    assert starts[high.argmax()] <= 4321 < starts[high.argmax()] + 100
