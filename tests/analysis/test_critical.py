"""The critical dimension and what bases reach. Numbers of reference 2.5."""

import numpy as np
import pytest

from clockhands.analysis.critical import critical_dimension, small_bases
from clockhands.analysis.spectrum import spectrum
from clockhands.errors import ClockhandsError


@pytest.mark.parametrize(
    ("model", "d", "base", "length", "dimensions"),
    [
        ("Llama 2", 128, 1e4, 4096, 92),
        ("Llama 1", 128, 1e4, 2048, 82),
        ("CodeLlama", 128, 1e6, 16384, 74),
        ("Llama 3", 128, 5e5, 8192, 70),
        ("Qwen 2", 128, 1e6, 32768, 80),
        ("Mistral 0.1", 128, 1e4, 8192, 100),
        ("DeepSeek", 64, 1e4, 4096, 46),
        ("gpt-oss", 64, 1.5e5, 4096, 36),
        ("SmolLM2", 64, 1e5, 8192, 40),
        ("Gemma 2", 256, 1e4, 8192, 200),
        ("OLMo 2", 128, 5e5, 4096, 64),
    ],
)
def test_critical_dimensions_of_models(model, d, base, length, dimensions):
    found = critical_dimension(d, base, length)
    assert (found.dimensions, found.pairs) == (dimensions, dimensions // 2), model
    assert found.pairs == spectrum(base ** (-np.arange(0, d, 2) / d), length).finished


def test_the_reach_of_a_base_is_the_wavelength_at_the_critical_dimension():
    found = critical_dimension(128, 1e4, 4096)
    assert found.reach(1e6) == pytest.approx(2 * np.pi * 1e6 ** (92 / 128))
    assert found.reach(1e4) >= 4096  # the ceiling is on the safe side


def test_no_more_dimensions_than_there_are_and_no_less_than_none():
    assert critical_dimension(64, 10.0, 10**6).dimensions == 64
    assert critical_dimension(64, 1e4, 3).dimensions == 0


def test_small_bases_turn_the_slowest_hand_by_their_angle():
    length = 4096
    for base, angle in zip(small_bases(length), (np.pi / 2, np.pi, 2 * np.pi), strict=True):
        assert length / base == pytest.approx(angle)
    assert critical_dimension(128, small_bases(length)[2], length).dimensions == 128


@pytest.mark.parametrize("bad", [(1, 1e4, 10), (64, 1.0, 10), (64, float("nan"), 10), (64, 1e4, 0)])
def test_bad_input_is_refused(bad):
    with pytest.raises(ClockhandsError, match=" is "):
        critical_dimension(*bad)
