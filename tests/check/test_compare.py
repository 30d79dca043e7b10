"""Two models in one normal form: equal however they are written, and different in exactly what differs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from clockhands.check.compare import differences
from clockhands.check.form import LayerForm, merged
from clockhands.check.read import read_config

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 4,
    "max_position_embeddings": 8192,
}  # fmt: skip


def forms(**file: Any) -> tuple[LayerForm, ...]:
    return read_config({**LLAMA, **file}).declared


def said(first: Any, second: Any) -> list[str]:
    return [each.message.en for each in differences(first, second)]


def test_the_same_written_otherwise_is_equal() -> None:
    old = forms(rope_theta=5e5, rope_scaling={"type": "linear", "factor": 4})
    new = forms(rope_parameters={"rope_type": "linear", "rope_theta": 5e5, "factor": 4.0})
    assert said(old, new) == []
    # A GGUF file holds the divided frequencies as factors, or a base and a scale, in float32.
    (form,) = old
    speeds = tuple(float(each) for each in np.asarray(form.inv_freq, dtype=np.float32))
    gguf = replace(form, inv_freq=speeds, rope_type="divisors", scaling={"factors": 1.0}, rope_theta=None)
    assert said(old, [gguf]) == []


def test_a_flipped_layout_is_exactly_that() -> None:
    (form,) = forms()
    (found,) = differences([form], [replace(form, layout="interleaved")])
    assert (found.field, found.layers, found.first, found.second) == (
        "layout",
        (0, 1, 2, 3),
        "half",
        "interleaved",
    )
    assert found.message.en == "layers 0-3: layout half against interleaved"
    assert found.message.zh.startswith("第 0-3 层：排列方式，A 为前后对半")
    assert found.as_record("zh")["message"] == found.message.zh


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"rope_theta": 2e4}, ["rope_theta"]),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, ["rope_type", "scaling"]),
        ({"head_dim": 32}, ["head_dim", "rotary_dim", "score_scale"]),
        ({"num_hidden_layers": 6}, ["layers"]),
        ({"model_type": "mistral"}, ["window"]),
        ({"model_type": "gpt2"}, ["family"]),
    ],
)
def test_what_differs_is_named(changed: dict[str, Any], fields: list[str]) -> None:
    assert [each.field for each in differences(forms(), forms(**changed))] == fields


def test_two_factors_of_one_type() -> None:
    yarn = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
    found = said(
        forms(rope_scaling=yarn), forms(rope_scaling={**yarn, "factor": 8.0, "attention_factor": 1.0})
    )
    assert found == [
        "layers 0-3: scaling factor 4 against factor 8",
        "layers 0-3: attention factor 1.1386 against 1",
    ]


def test_frequencies_that_differ_for_no_known_cause_are_told_by_hand() -> None:
    (form,) = forms()
    assert form.inv_freq is not None
    nearly = tuple(speed * (1 + 5e-7) for speed in form.inv_freq)
    wrong = (*form.inv_freq[:3], form.inv_freq[3] * 1.001, *form.inv_freq[4:])
    assert said([form], [replace(form, inv_freq=nearly)]) == []
    assert said([form], [replace(form, inv_freq=wrong)]) == [
        "layers 0-3: frequencies 0.4217 rad / token at hand 3 against 0.42212"
    ]


def test_what_is_not_known_on_a_side_is_no_difference() -> None:
    (form,) = forms()
    unknown = LayerForm(layers=form.layers, family="rope")
    assert said([form], [unknown]) == said([unknown], [form]) == []
    assert [each.field for each in differences([form], [replace(unknown, window=512)])] == ["window"]


def test_layers_are_compared_one_by_one() -> None:
    (form,) = forms()
    kinds = [replace(form, layers=(n,), family="none" if n == 2 else "rope") for n in range(4)]
    (found,) = differences([form], merged(kinds))
    assert (found.field, found.layers, found.first, found.second) == ("family", (2,), "rope", "none")
    mixed = [replace(form, layers=(0, 1)), replace(form, layers=(2, 3), rope_theta=7.0, inv_freq=None)]
    (found,) = differences([form], mixed)
    assert (found.field, found.layers) == ("rope_theta", (2, 3))


def test_stacks_and_tables_each_have_their_own() -> None:
    t5 = read_config({"model_type": "t5", "num_decoder_layers": 6}).declared
    other = read_config(
        {"model_type": "t5", "num_decoder_layers": 6, "relative_attention_max_distance": 64}
    ).declared
    assert said(t5, other) == [
        "encoder layers 0-5: largest distance 128 against 64",
        "decoder layers 0-5: largest distance 128 against 64",
    ]
    table = LayerForm(layers=(0, 1), family="learned", rows=1024, offset=0)
    turned = LayerForm(layers=(0, 1), family="rope", layout="half")
    assert said([table, turned], [turned, table]) == []
    assert said([table, turned], [turned]) == [
        "layers 0-1: family learned table, added against no position encoding"
    ]


BASE = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "max_position_embeddings": 4096, "rope_theta": 10000.0}  # fmt: skip
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [4.0] * 8, "factor": 2.0,
        "original_max_position_embeddings": 2048}  # fmt: skip
LATER = [
    (None, {"rope_type": "dynamic", "factor": 2.0}, ["rope_type"]),
    ({"rope_type": "dynamic", "factor": 2.0}, {"rope_type": "dynamic", "factor": 4.0}, ["scaling"]),
    (LONG, {**LONG, "long_factor": [4.0] * 7 + [8.0]}, ["scaling"]),
    (LONG, {**LONG, "long_factor": [4] * 8}, []),
]


@pytest.mark.parametrize(("first", "second", "fields"), LATER)
def test_what_differs_in_longer_texts_alone_differs(first: Any, second: Any, fields: list[str]) -> None:
    mine, other = (read_config({**BASE, "rope_scaling": each}).layers for each in (first, second))
    assert mine[0].inv_freq == other[0].inv_freq
    assert [each.field for each in differences(mine, other)] == fields


def test_of_what_was_measured_only_what_was_seen_counts() -> None:
    (form,) = read_config({**BASE, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}).layers
    seen = replace(form, rope_type="default", scaling={}, source="measured")
    assert differences([form], [seen]) == ()


def test_parameters_that_were_measured_differ_by_what_measuring_leaves() -> None:
    """Llama 4 Scout's bands have no width, so that its frequencies are not known from its file."""
    said = LayerForm(layers=(0,), family="rope", rope_type="llama3", scaling={"factor": 16.0})
    seen = replace(said, scaling={"factor": 16.00002}, source="measured")
    assert differences([said], [seen]) == ()
    assert [each.field for each in differences([said], [replace(seen, scaling={"factor": 16.1})])] == [
        "scaling"
    ]
    assert [each.field for each in differences([said], [replace(seen, source="declared")])] == ["scaling"]
