"""The clock view says of Llama 3.1 what is published of it, and nothing of what has no hands."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from clockhands.check.clock_view import TwoLists, clock_view, plain_ladder, short_and_long
from clockhands.check.form import Context, LayerForm
from clockhands.check.wording import clock_rows
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


def longrope(served: int | None = None) -> tuple[LayerForm, Context]:
    short, long = (1.0,) * 32 + (2.0,) * 32, (2.0,) * 32 + (32.0,) * 32
    given = {"short_factor": short, "long_factor": long, "original_max_position_embeddings": 4096.0}
    told = replace(form(rope_type="default", rope_theta=1e4), rope_type="longrope", scaling=given)
    return told, Context(4096, 131072, served)


def test_longrope_has_two_lists_and_each_is_told() -> None:
    told, context = longrope()
    lists, view = short_and_long(told), clock_view(told, context)
    assert lists is not None
    assert view is not None
    plain = 1e4 ** (-np.arange(64) / 64)
    assert lists.switch == 4096
    assert lists.short == pytest.approx(plain / np.repeat([1, 2], 32))
    assert lists.long == pytest.approx(plain / np.repeat([2, 32], 32))
    assert view.lists == TwoLists(
        switch=4096, short=(1.0, 2.0), long=(2.0, 32.0), finished=view.lists.finished
    )
    assert view.lists.finished == (2 * math.pi / lists.long <= 131072).sum()
    assert view.finished == (2 * math.pi / lists.short <= 4096).sum()
    past = clock_view(replace(told, inv_freq=tuple(lists.long)), context)  # as llama.cpp serves long texts
    assert past == view
    assert view.angle_error < clock_view(replace(told, rope_type="default", scaling={}), context).angle_error


@pytest.mark.parametrize(("served", "marked"), [(None, None), (4096, "short list"), (4097, "long list")])
def test_the_list_that_is_served_is_marked(served: int | None, marked: str | None) -> None:
    told, context = longrope(served)
    view = clock_view(told, context)
    assert view is not None
    said = {name.en: value.en for name, value in clock_rows(view, context)}
    assert [name for name, words in said.items() if "as served" in words] == [marked] * (marked is not None)
    assert said["short list"].endswith("divided by 1 to 2")
    assert "past 4,096 tokens" in said["long list"]


def test_lists_that_do_not_fit_are_not_told() -> None:
    told, context = longrope()
    for lists in ({"long_factor": (1.0,)}, {"short_factor": (0.0,) * 64}, {"short_factor": None}):
        other = replace(told, scaling={**told.scaling, **lists})
        assert short_and_long(other) is None
        assert clock_view(other, context).lists is None
