"""What a list of measured frequencies shows, and which layers are one kind, with the noise of 32 bits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from clockhands.check.form import LayerForm
from clockhands.check.probe.hf.schedule import schedule
from clockhands.check.probe.hf.steadied import steadied
from clockhands.formulas.frequencies import by_parts_inv_freq, default_inv_freq

NOISE = 4e-8
"""Relative, of an angle that is computed in 32 bits."""


def noisy(speeds: np.ndarray, seed: int) -> np.ndarray:
    return speeds * (1 + np.random.default_rng(seed).normal(0, NOISE, len(speeds)))


@pytest.mark.parametrize("seed", range(6))
def test_a_base_is_read_from_all_hands_that_nothing_scales(seed: int) -> None:
    """Llama 4 Scout: base 500000, hands that finish no turn in 8192 tokens 16 times slower, none blended."""
    plain = np.asarray(default_inv_freq(128, 5e5))
    slowed = np.where(plain * 8192 < 2 * np.pi, plain / 16, plain)
    found = schedule(noisy(slowed, seed))
    assert (found.rope_theta, found.rope_type, found.scaling) == (500000.0, None, {"factor": 16.0})


@pytest.mark.parametrize("seed", range(3))
def test_a_blend_keeps_its_name_under_noise(seed: int) -> None:
    """Llama 3.1: factor 8, bands of 1 and 4 turns in 8192 tokens."""
    speeds = by_parts_inv_freq(
        128, 5e5, factor=8.0, original_max_position_embeddings=8192, slow=1.0, fast=4.0
    )
    found = schedule(noisy(np.asarray(speeds), seed))
    assert (found.rope_theta, found.rope_type, found.scaling) == (500000.0, "llama3", {"factor": 8.0})


ONE = LayerForm(
    layers=(0,), family="rope", inv_freq=(1.0, 0.01, 1e-4), rope_theta=1e4, window=21, source="measured"
)


def test_layers_that_differ_in_last_digits_are_one_kind() -> None:
    near = replace(ONE, layers=(1,), inv_freq=(1.0, 0.01000001, 1e-4), rope_theta=10001.0)
    assert steadied([ONE, near])[1] == replace(ONE, layers=(1,))


@pytest.mark.parametrize(
    "other",
    [
        replace(ONE, layers=(1,), inv_freq=(1.0, 0.0101, 1e-4)),
        replace(ONE, layers=(1,), window=None),
        replace(ONE, layers=(1,), inv_freq=(1.0, 0.01)),
        LayerForm(layers=(1,), family="none", source="measured"),
    ],
    ids=["another speed", "no window", "fewer hands", "nothing turns"],
)
def test_layers_that_differ_in_more_stay_apart(other: LayerForm) -> None:
    assert steadied([ONE, other]) == [ONE, other]
