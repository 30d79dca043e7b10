"""The clock view says of Llama 3.1 what is published of it, and nothing of what has no hands."""

from __future__ import annotations

import math

import pytest

from clockhands.check.clock_view import clock_view, plain_ladder
from clockhands.check.form import Context, LayerForm
from clockhands.formulas.frequencies import from_rope_parameters

LLAMA_3_1 = {
    "rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}  # fmt: skip


def form(head_dim: int = 128, **changed: object) -> LayerForm:
    parameters = {**LLAMA_3_1, **changed}
    inv_freq, _ = from_rope_parameters(parameters, head_dim=head_dim, max_position_embeddings=131072)
    return LayerForm(
        layers=(0,), family="rope", layout="half",
        head_dim=head_dim, rotary_dim=head_dim, rotary_dims="whole",
        rope_theta=float(parameters["rope_theta"]), rope_type=str(parameters["rope_type"]),
        inv_freq=tuple(map(float, inv_freq)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("head_dim", "factor", "parts"),
    [(128, 8.0, (29, 6, 29)), (64, 32.0, (15, 3, 14))],  # transformers' tracker: unsloth #6907 and relatives
)
def test_parts_of_llama3_scaling(head_dim: int, factor: float, parts: tuple[int, int, int]) -> None:
    view = clock_view(form(head_dim, factor=factor), Context(8192, 131072))
    assert view is not None
    assert view.scaled is not None
    assert (view.scaled.untouched, view.scaled.blended, view.scaled.divided) == parts
    assert view.scaled.factor == pytest.approx(factor)
    assert view.scaled.still == 0


def test_numbers_of_the_unscaled_hands() -> None:
    view = clock_view(form(rope_type="default", rope_theta=1e4), Context(4096, 4096))
    assert view is not None
    assert (view.hands, view.finished, view.critical) == (64, 46, 92)  # Liu et al. 2023
    assert view.reach == pytest.approx(2 * math.pi * 1e4 ** (92 / 128))
    assert view.first_negative == 1707
    assert view.scaled is None


def test_hands_that_stand_still_are_counted() -> None:
    given = {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25, "factor": 1.0}
    view = clock_view(form(64, **given), Context(4096, 4096))
    assert view is not None
    assert view.scaled is not None
    assert (view.scaled.untouched, view.scaled.still) == (8, 24)


@pytest.mark.parametrize(
    ("dtype", "clash"), [("bfloat16", 256), ("torch.float16", 2048), (None, 16777216), ("fp32", 16777216)]
)
def test_precision(dtype: str | None, clash: int) -> None:
    view = clock_view(form(), Context(8192, 131072), dtype)
    assert view is not None
    assert view.clash == clash
    assert view.angle_error is not None
    assert (view.angle_error > 1) == (clash < 4096)


def test_lengths_that_are_not_known_say_nothing() -> None:
    view = clock_view(form(), Context())
    assert view is not None
    assert (view.finished, view.critical, view.reach, view.first_negative, view.angle_error) == (None,) * 5


def test_no_hands_no_view() -> None:
    assert clock_view(LayerForm(layers=(0,), family="alibi", slopes=(0.5,)), Context(1, 1)) is None
    assert plain_ladder(LayerForm(layers=(0,), family="none")) is None
