"""Facts of the modelling code of transformers 5.24.0 (n to r) that no default shows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from form_of_layer import forms, of_layer, only

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@pytest.mark.parametrize(
    ("model_type", "layout", "turned"),
    [
        ("nemotron", "half", 12),
        ("phi", "half", 12),
        ("persimmon", "half", 12),
        ("olmo2", "half", 24),
        ("roformer", "interleaved", 24),
    ],
)
def test_how_much_of_a_head_turns(model_type: str, layout: str, turned: int) -> None:
    form = only(model_type, hidden_size=96, num_attention_heads=4)
    assert (form.layout, form.head_dim, form.rotary_dim) == (layout, 24, turned)


def test_a_partial_rotation_is_read_by_phi_and_not_by_olmo() -> None:
    sizes = {"hidden_size": 96, "num_attention_heads": 4, "partial_rotary_factor": 0.25}
    assert only("phi", **sizes).rotary_dim == 6
    assert only("olmo", **sizes).rotary_dim == 24


def test_windows_of_qwen_are_switched_on() -> None:
    file = {"num_hidden_layers": 4, "max_window_layers": 2, "sliding_window": 64}
    assert only("qwen2", **file).window is None
    assert [(form.layers, form.window) for form in forms("qwen2", use_sliding_window=True, **file)] == [
        ((0, 1), None),
        ((2, 3), 64),
    ]
    assert [(form.layers, form.window) for form in forms("qwen2_moe", use_sliding_window=True, **file)] == [
        ((0,), 64),
        ((1, 2, 3), None),
    ]
    assert only("qwen3_moe", use_sliding_window=True, **file).window == 64


def test_olmo3_scales_only_layers_without_a_window() -> None:
    linear = {"rope_type": "linear", "factor": 4.0}
    local, whole = forms("olmo3", num_hidden_layers=4, rope_scaling=linear, rope_theta=1e6)
    assert (local.layers, local.rope_type, local.window) == ((0, 1, 2), "default", 4096)
    assert (whole.layers, whole.rope_type, whole.rope_theta) == ((3,), "linear", 1e6)


def test_phimoe_has_magnitudes_of_its_own() -> None:
    longrope = {
        "rope_type": "longrope",
        "short_factor": [1.0] * 4,
        "long_factor": [2.0] * 4,
        "short_mscale": 1.25,
        "long_mscale": 1.5,
        "original_max_position_embeddings": 128,
    }
    sizes = {"hidden_size": 32, "num_attention_heads": 4}
    assert only("phimoe", rope_scaling=longrope, **sizes).attention_factor == 1.25
    assert only("phimoe", **sizes).attention_factor == 1.0


def test_axes_of_qwen3_5_alternate_over_a_quarter_of_the_head() -> None:
    form = of_layer(3, "qwen3_5_text", head_dim=64)
    assert (form.rotary_dim, form.rotary_dims, form.mrope_interleaved) == (16, "prefix", True)
    assert form.mrope_section == (11, 11, 10)
    assert of_layer(1, "qwen3_5_text", full_attention_interval=2).family == "rope"
    nested = {"layer_types": [FULL, LINEAR], "num_hidden_layers": 2}
    assert of_layer(0, "qwen4_exp_text", **nested).family == "rope"


def test_letters_of_nemotron_h() -> None:
    found = forms("nemotron_h", hybrid_override_pattern="M-*E*")
    assert [(form.layers, form.mixer, form.family) for form in found] == [
        ((0,), "other", "none"),
        ((2, 4), "attention", "none"),
    ]


def test_blocks_of_recurrent_gemma_repeat() -> None:
    file = {"num_hidden_layers": 5, "block_types": ["recurrent", "attention"], "attention_window_size": 64}
    form = of_layer(1, "recurrent_gemma", **file)
    assert (form.layers, form.window, form.rotary_dim) == ((1, 3), 64, 128)


def test_neomme_has_two_widths_of_window() -> None:
    found = {n: of_layer(n, "neomme", num_hidden_layers=4, sliding_window=8).window for n in range(4)}
    assert found == {0: 17, 1: 2049, 2: 17, 3: None}


@pytest.mark.parametrize(
    ("model_type", "file", "rows", "offset"),
    [
        ("nystromformer", {"max_position_embeddings": 100}, 102, 2),
        ("opt", {"max_position_embeddings": 100}, 102, 2),
        ("openai-gpt", {"n_positions": 100}, 100, 0),
        ("plbart", {"max_position_embeddings": 100}, 102, 2),
        ("nllb-moe", {"max_position_embeddings": 100, "pad_token_id": 1}, 102, 2),
        ("pegasus", {"max_position_embeddings": 100}, 100, 0),
        ("roberta", {"max_position_embeddings": 514, "pad_token_id": 1}, 514, 2),
        ("reformer", {"axial_pos_shape": [8, 16]}, 128, 0),
        ("reformer", {"axial_pos_embds": False, "max_position_embeddings": 100}, 100, 0),
    ],
)
def test_rows_of_tables_and_where_they_begin(
    model_type: str, file: dict[str, Any], rows: int, offset: int
) -> None:
    assert {(form.rows, form.offset) for form in forms(model_type, **file)} == {(rows, offset)}


def test_prophetnet_scores_buckets_in_its_decoder() -> None:
    encoder, table, buckets = forms("prophetnet", num_buckets=16, num_decoder_layers=2, pad_token_id=0)
    assert (encoder.offset, table.offset, table.stack) == (1, 1, "decoder")
    assert (buckets.num_buckets, buckets.max_distance, buckets.bidirectional) == (16, 128, False)


def test_sines_of_pegasus_x_reach_slower_than_those_of_pegasus() -> None:
    slowest = {name: (forms(name, d_model=8)[0].inv_freq or ())[-1] for name in ("pegasus", "pegasus_x")}
    assert slowest == {"pegasus": pytest.approx(1e-3), "pegasus_x": pytest.approx(1e-4)}


def test_olmo_hybrid_attends_in_every_fourth_layer() -> None:
    assert of_layer(3, "olmo_hybrid", num_hidden_layers=4).layers == (3,)
    assert of_layer(1, "olmo_hybrid", num_hidden_layers=2).family == "rope"
