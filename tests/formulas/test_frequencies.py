"""Frequencies: published wavelengths, the articles' experiments, and laws of each schedule."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.errors import ClockhandsError
from clockhands.formulas import (
    banded_inv_freq,
    default_inv_freq,
    from_rope_parameters,
    layer_theta,
    mixed_inv_freq,
    sinusoid_inv_freq,
)

even = st.integers(1, 64).map(lambda half: 2 * half)
bases = st.floats(1.5, 1e8)


@pytest.mark.parametrize(
    ("rotary_dim", "theta", "longest"),  # model tables: 2 pi theta ** ((d - 2) / d), tokens
    [
        (128, 1e4, 54410.1),  # Llama-2
        (64, 1e4, 47117.2),  # GPT-J
        (24, 1e4, 29164),  # GPT-NeoX-20B, a quarter of 96
        (256, 1e6, 5.64033e6),  # Gemma-3, global layers
        (64, 1e5, 438460),  # SmolLM2
        (128, 5e5, 2.5592e6),  # Llama-3
    ],
)
def test_longest_wavelength_of_known_models(rotary_dim: int, theta: float, longest: float) -> None:
    assert 2 * math.pi / default_inv_freq(rotary_dim, theta)[-1] == pytest.approx(longest, rel=5e-6)


def test_partial_rotation_has_its_exponents_over_the_rotated_part() -> None:
    # Exponents over the whole head of 256 would end at 0.10746: 471 rad apart at position 1000.
    assert default_inv_freq(64)[-1] == pytest.approx(1.3335e-4, rel=1e-4)


@given(even, bases)
def test_default_is_geometric_from_one(rotary_dim: int, theta: float) -> None:
    hands = default_inv_freq(rotary_dim, theta)
    assert hands.shape == (rotary_dim // 2,)
    assert hands[0] == 1
    expected = [math.exp(-2 * i / rotary_dim * math.log(theta)) for i in range(rotary_dim // 2)]
    np.testing.assert_allclose(hands, expected, rtol=1e-12)


def test_both_exponents() -> None:
    np.testing.assert_allclose(sinusoid_inv_freq(8), [1, 0.1, 0.01, 0.001])
    inclusive = sinusoid_inv_freq(8, exponent="i/(d/2-1)")  # the variant of tensor2tensor and fairseq
    np.testing.assert_allclose(inclusive, [1, 0.0464, 0.00215, 0.0001], rtol=5e-3)
    assert inclusive[-1] == pytest.approx(1e-4, rel=1e-12)


@pytest.mark.parametrize("exponent", ["2i/d", "i/(d/2-1)"])
@pytest.mark.parametrize("width", [1, 2])
def test_a_single_hand_turns_one_radian_a_token(exponent, width: int) -> None:
    assert sinusoid_inv_freq(width, exponent=exponent).tolist() == [1.0]


def test_odd_width_divides_by_the_width_itself() -> None:
    np.testing.assert_allclose(sinusoid_inv_freq(5), [1, 1e4**-0.4, 1e4**-0.8], rtol=1e-12)


def test_mixed_average_of_the_clock_hand_article() -> None:
    hands = mixed_inv_freq(32)
    assert 2 * math.pi / hands.min() == pytest.approx(1234.68, abs=0.005)
    neighbours = math.sqrt(sum(4 * math.sin(w / 2) ** 2 for w in hands))
    assert neighbours == pytest.approx(1.63541, abs=5e-6)
    similarity = [np.cos(k * hands).mean() for k in (1, 2, 3, 5, 10, 50, 99, 181, 361)]
    published = [0.916419, 0.708519, 0.473851, 0.200753, -0.041240, 0.165422, -0.028356, 0.611, 0.540]
    np.testing.assert_allclose(similarity[:7], published[:7], atol=6e-7)
    np.testing.assert_allclose(similarity[7:], published[7:], atol=6e-4)


@given(even, bases, st.floats(0, 2), st.floats(0, 2), st.floats(0.001, 0.5))
def test_mixed_is_the_weighted_sum(d: int, theta: float, a: float, c: float, end: float) -> None:
    hands = mixed_inv_freq(d, theta, linear_weight=a, log_weight=c, linear_end=end)
    linear = np.linspace(1, end, d // 2)
    np.testing.assert_allclose(hands, a * linear + c * default_inv_freq(d, theta), rtol=1e-12, atol=1e-15)


@given(even, bases)
def test_bands_without_a_linear_share_are_the_default(rotary_dim: int, theta: float) -> None:
    bands = banded_inv_freq(rotary_dim, theta, linear_share=0)
    np.testing.assert_allclose(bands, default_inv_freq(rotary_dim, theta), rtol=1e-12)


def test_bands_are_a_true_mix() -> None:
    hands = banded_inv_freq(16)
    linear = np.linspace(1, 0.01, 4)
    log = 1e4 ** (-7 / 8 * np.arange(1, 5) / 4)
    np.testing.assert_allclose(hands, sorted([*linear, *log], reverse=True), rtol=1e-12)


@given(st.integers(3, 64), bases, st.floats(0, 1))
def test_bands_are_sorted_and_number_what_was_asked(pairs: int, theta: float, share: float) -> None:
    hands = banded_inv_freq(2 * pairs, theta, linear_share=share)
    assert hands.shape == (pairs,)
    assert hands[0] == 1
    assert (np.diff(hands) <= 0).all()
    if round(pairs * share) < pairs - 1:
        assert hands[-1] <= default_inv_freq(2 * pairs, theta)[-1] * (1 + 1e-12)


def test_half_a_hand_is_rounded_up() -> None:
    hands = banded_inv_freq(10)  # five pairs: 2.5, so three linear hands
    assert np.isclose(hands[:, None], np.linspace(1, 0.01, 3)).sum() == 3


def test_bands_all_linear() -> None:
    np.testing.assert_allclose(banded_inv_freq(10, linear_share=1), np.linspace(1, 0.01, 5), rtol=1e-12)


def test_layers_follow_a_geometric_path_and_its_reverse() -> None:
    there = [layer_theta(layer, 5, 1e2, 1e6) for layer in range(5)]
    np.testing.assert_allclose(there, [1e2, 1e3, 1e4, 1e5, 1e6], rtol=1e-12)
    back = [layer_theta(layer, 5, 1e6, 1e2) for layer in range(5)]
    np.testing.assert_allclose(back, there[::-1], rtol=1e-12)
    assert layer_theta(0, 1, 123.0, 1e6) == 123.0


@pytest.mark.parametrize("schedule", [default_inv_freq, mixed_inv_freq, banded_inv_freq])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradient_reaches_the_base(schedule, dtype: torch.dtype) -> None:
    theta = torch.tensor(500.0, dtype=dtype, requires_grad=True)
    hands = schedule(12, theta)
    assert hands.dtype == dtype
    hands.sum().backward()
    step = 1e-3
    slope = (schedule(12, 500 + step).sum() - schedule(12, 500 - step).sum()) / (2 * step)
    assert theta.grad is not None
    assert theta.grad.item() == pytest.approx(slope, rel=1e-4)


def test_gradient_reaches_weights_and_layer_ends() -> None:
    weights = torch.tensor([0.5, 0.5], dtype=torch.float64, requires_grad=True)
    mixed_inv_freq(8, 1e4, linear_weight=weights[0], log_weight=weights[1]).sum().backward()
    linear, log = np.linspace(1, 0.01, 4).sum(), default_inv_freq(8).sum()
    np.testing.assert_allclose(weights.grad, [linear, log], rtol=1e-12)
    ends = torch.tensor([10.0, 1000.0], dtype=torch.float64, requires_grad=True)
    layer_theta(1, 3, ends[0], ends[1]).backward()  # sqrt(10 * 1000)
    np.testing.assert_allclose(ends.grad, [100 / 20, 100 / 2000], rtol=1e-12)


# rope parameters -------------------------------------------------------------------------------------------


def test_longrope_takes_its_list_by_the_length_of_the_text() -> None:
    asked = {
        "rope_type": "longrope", "rope_theta": 100.0, "short_factor": [1.0, 2.0], "long_factor": [4.0, 5.0],
        "original_max_position_embeddings": 8, "factor": 4.0,
    }  # fmt: skip
    for length, wanted in ((None, [1.0, 0.05]), (8, [1.0, 0.05]), (9, [0.25, 0.02])):
        speeds, magnitude = from_rope_parameters(asked, head_dim=4, seq_len=length)
        np.testing.assert_allclose(speeds, wanted)
        assert magnitude == pytest.approx(math.sqrt(1 + math.log(4) / math.log(8)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rope_type": "yran"}, "rope_type is 'yran': did you mean 'yarn'"),
        ({"rope_type": "linear"}, "needs factor, and it is missing"),
        ({"rope_type": "llama3", "factor": 8.0}, "needs original_max_position_embeddings"),
        ({"full": {"rope_type": "default"}}, "layer_type is None: give one"),
    ],
)
def test_rope_parameters_that_say_too_little(asked: dict, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        from_rope_parameters(asked, head_dim=8)


SAID = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}
TYPES: dict[str, dict] = {
    "default": {},
    "axial": {},
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 4.0, "original_max_position_embeddings": 64},
    "yarn": {**SAID, "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 0.5},
    "longrope": {**SAID, "short_factor": [1.0] * 4, "long_factor": [2.0] * 4},
    "llama3": {**SAID, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "proportional": {"partial_rotary_factor": 0.5, "factor": 2.0},
}
NO_NUMBERS = (True, "4", -1, math.nan, math.inf, [-1], 10**400)
"""What a configuration may hold where a number above 0 is meant."""


@pytest.mark.parametrize("kind", TYPES)
def test_numbers_of_a_configuration_are_refused_with_their_name(kind: str) -> None:
    fair = {"rope_theta": 1e4, "partial_rotary_factor": 1.0, **TYPES[kind], "rope_type": kind}
    sizes = {"head_dim": 8, "max_position_embeddings": 64}
    assert np.isfinite(from_rope_parameters(fair, **sizes)[0]).all()
    for name in (each for each in fair if each not in ("rope_type", *UNREAD.get(kind, ()))):
        for value in NO_NUMBERS:
            with pytest.raises(ClockhandsError, match=name) as caught:
                from_rope_parameters({**fair, name: value}, **sizes)
            assert "请" in caught.value.text.zh


UNREAD = {"dynamic": ("original_max_position_embeddings",), "axial": ("partial_rotary_factor",)}
"""Numbers that a type does not read: transformers 5.24 takes the trained length of dynamic from its sizes."""


@pytest.mark.parametrize(
    ("asked", "sizes", "said"),
    [
        (None, {}, "rope_parameters are None, but they must be a dictionary"),
        ([("rope_type", "yarn")], {}, "must be a dictionary"),
        ({}, {"head_dim": 0}, "head_dim is 0"),
        ({}, {"head_dim": 64.0}, "head_dim is 64.0"),
        ({}, {"seq_len": -1}, "seq_len is -1"),
        ({"partial_rotary_factor": 2.0}, {}, "partial_rotary_factor is 2.0.*above 0 and at most 1"),
        ({**SAID, "rope_theta": 1.0}, {}, "rope_theta is 1.0.*above 1"),
        ({**SAID, "truncate": "no"}, {}, "truncate is 'no'"),
        ({**SAID, "attention_factor": "1"}, {}, "attention_factor is '1'"),
        (
            TYPES["longrope"] | {"rope_type": "longrope", "short_factor": [1.0]},
            {},
            "has 1 numbers, but 4 pairs",
        ),
        (
            TYPES["longrope"] | {"rope_type": "longrope", "long_factor": 3},
            {},
            "long_factor is 3, but .* a list",
        ),
        (TYPES["llama3"] | {"rope_type": "llama3", "high_freq_factor": 1.0}, {}, "must be the smaller one"),
    ],
)
def test_rope_parameters_that_make_no_sense(asked: object, sizes: dict, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as caught:
        from_rope_parameters(asked, **{"head_dim": 8, **sizes})
    assert "请" in caught.value.text.zh


def test_null_in_a_configuration_is_nothing_said() -> None:
    for kind, name in (("linear", "partial_rotary_factor"), ("proportional", "factor"), ("yarn", "mscale")):
        fair = {key: value for key, value in TYPES[kind].items() if key != name} | {"rope_type": kind}
        without, null = (from_rope_parameters(each, head_dim=8) for each in (fair, {**fair, name: None}))
        np.testing.assert_array_equal(without[0], null[0])
        assert without[1] == null[1]
