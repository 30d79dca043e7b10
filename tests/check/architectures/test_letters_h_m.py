"""Facts of the modelling code of transformers 5.24.0 (h to m) that no default shows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from form_of_layer import forms, of_layer, only

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@pytest.mark.parametrize(
    ("model_type", "layout", "where"),
    [
        ("helium", "interleaved", "whole"),
        ("hy_v4", "half", "suffix"),
        ("longcat_flash", "interleaved", "suffix"),
        ("mimo_v2_flash", "half", "prefix"),
        ("minicpm3", "half", "suffix"),
    ],
)
def test_how_dimensions_pair_up_and_where_they_turn(model_type: str, layout: str, where: str) -> None:
    assert {(form.layout, form.rotary_dims) for form in forms(model_type)} == {(layout, where)}


def test_llama4_turns_some_layers_and_chunks_others() -> None:
    file = {"num_hidden_layers": 4, "no_rope_layers": [1, 0, 1, 1], "attention_chunk_size": 64}
    found = forms("llama4_text", **file)
    assert [(form.layers, form.family, form.window) for form in found] == [
        ((0, 2, 3), "rope", 64),
        ((1,), "none", None),
    ]
    assert found[0].layout == "interleaved"
    assert of_layer(0, "llama4_text", attention_chunk_size=None).window in (None, 8192)
    assert of_layer(7, "llama4_text", no_rope_layer_interval=8).family == "none"


def test_layers_of_longcat_come_in_twos() -> None:
    assert only("longcat_flash", num_layers=3).layers == tuple(range(6))


def test_mimo_sees_one_token_more_than_older_files_say() -> None:
    assert of_layer(1, "mimo_v2_flash", sliding_window_size=64).window == 65
    form = of_layer(0, "mimo_v2_flash")
    assert (form.head_dim, form.rotary_dim) == (192, 64)  # int(0.334 * 192)


def test_mimo_turns_a_third_where_a_dictionary_leaves_it_out() -> None:
    given = {
        FULL: {"rope_type": "default", "rope_theta": 1e6},
        SLIDING: {"rope_theta": 1e4, "partial_rotary_factor": 0.5},
    }
    assert of_layer(0, "mimo_v2_flash", rope_parameters=given).rotary_dim == 64
    assert of_layer(1, "mimo_v2_flash", rope_parameters=given).rotary_dim == 96


def test_laguna_turns_half_of_a_head_where_it_sees_everything() -> None:
    full, local = forms("laguna", num_hidden_layers=2, layer_types=[FULL, SLIDING])
    assert (full.rotary_dim, full.rope_theta, full.window) == (64, 5e5, None)
    assert (local.rotary_dim, local.rope_theta, local.window) == (128, 1e4, 512)


def test_kimi_lists_layers_from_one_and_turns_nothing() -> None:
    told = {"full_attn_layers": [2], "kda_layers": [1, 3]}
    linear, full = forms("kimi_linear", num_hidden_layers=3, linear_attn_config=told)
    assert (linear.layers, linear.mixer) == ((0, 2), "other")
    assert (full.layers, full.family, full.head_dim) == ((1,), "none", 192)


def test_jamba_attends_without_position() -> None:
    file = {"num_hidden_layers": 6, "attn_layer_period": 3, "attn_layer_offset": 1}
    assert [(form.layers, form.mixer) for form in forms("jamba", **file)] == [
        ((0, 2, 3, 5), "other"),
        ((1, 4), "attention"),
    ]


def test_lfm3_scales_full_layers_by_half() -> None:
    form = of_layer(2, "lfm3", head_dim=32)
    assert (form.rope_type, form.rotary_dim) == ("proportional", 32)
    assert form.inv_freq is not None
    assert sum(each > 0 for each in form.inv_freq) == 8
    assert of_layer(4, "lfm3").window == 256


def test_lara_turns_windows_only() -> None:
    kinds = {n: of_layer(n, "lara_mini") for n in range(4)}
    assert [(kinds[n].family, kinds[n].mixer) for n in range(4)] == [
        ("none", "other"),
        ("rope", "attention"),
        ("none", "other"),
        ("none", "attention"),
    ]


def test_molmo2_scales_told_layers() -> None:
    linear = {"rope_type": "linear", "factor": 4.0, "rope_theta": 1e6}
    scaled, plain = forms(
        "molmo2_text", num_hidden_layers=3, rope_parameters=linear, rope_scaling_layers=[0, 2]
    )
    assert (scaled.layers, scaled.rope_type, plain.rope_type, plain.rope_theta) == (
        (0, 2),
        "linear",
        "default",
        1e6,
    )


@pytest.mark.parametrize(
    ("model_type", "file", "rows", "offset"),
    [
        ("ibert", {"max_position_embeddings": 514, "pad_token_id": 1}, 514, 2),
        ("luke", {"max_position_embeddings": 514, "pad_token_id": 1}, 514, 2),
        ("mbart", {"max_position_embeddings": 100}, 102, 2),
        ("mra", {"max_position_embeddings": 100}, 102, 2),
        ("m2m_100", {"max_position_embeddings": 100, "pad_token_id": 1}, 102, 2),
        ("marian", {"max_position_embeddings": 100}, 100, 0),
        ("mobilebert", {"max_position_embeddings": 100}, 100, 0),
    ],
)
def test_rows_of_tables_and_where_they_begin(
    model_type: str, file: dict[str, Any], rows: int, offset: int
) -> None:
    assert {(form.rows, form.offset) for form in forms(model_type, **file)} == {(rows, offset)}


def test_sines_of_marian_and_m2m_100_differ_in_their_slowest_hand() -> None:
    slowest = {name: (forms(name, d_model=8)[0].inv_freq or ())[-1] for name in ("marian", "m2m_100")}
    assert slowest == {"marian": pytest.approx(1e-3), "m2m_100": pytest.approx(1e-4)}


def test_windows_to_both_sides() -> None:
    assert forms("longformer", attention_window=[8, 16], num_hidden_layers=2)[1].window == 17
    assert forms("led", attention_window=8, encoder_layers=1)[0].window == 9
    assert forms("longt5", local_radius=5)[0].window == 11
    assert of_layer(1, "modernbert", local_attention=32).window == 33
    assert of_layer(1, "modernbert-decoder", local_attention=32).window == 16  # causal: half, itself included


def test_modern_bert_has_two_bases() -> None:
    file = {"global_rope_theta": 1e5, "local_rope_theta": 1e3, "global_attn_every_n_layers": 2}
    found = forms("modernbert", num_hidden_layers=4, **file)
    assert [(form.layers, form.rope_theta) for form in found] == [((0, 2), 1e5), ((1, 3), 1e3)]


def test_mpt_has_slopes_up_to_its_own_exponent() -> None:
    form = only("mpt", n_heads=3, d_model=48, attn_config={"alibi_bias_max": 4, "softmax_scale": 0.5})
    assert form.slopes == pytest.approx((2**-2.0, 2**-4.0, 2**-1.0))
    assert (form.score_scale, form.head_dim) == (0.5, 16)


def test_mpnet_has_32_buckets_whatever_is_told() -> None:
    table, bias = forms("mpnet", relative_attention_num_buckets=64, max_position_embeddings=80)
    assert (table.rows, table.offset, bias.num_buckets, bias.max_distance) == (80, 2, 32, 128)
    assert bias.score_scale == pytest.approx(64**-0.5)


def test_decoders_of_t5_are_as_deep_as_their_encoders_unless_told() -> None:
    for model_type in ("mt5", "longt5", "t5"):
        encoder, decoder = forms(model_type, num_layers=3)
        assert (encoder.layers, decoder.layers) == ((0, 1, 2), (0, 1, 2))
        assert (encoder.bidirectional, decoder.bidirectional) == (True, False)
    assert forms("mt5", num_layers=3, num_decoder_layers=2)[1].layers == (0, 1)


def test_inkling_multiplies_by_one_over_the_width() -> None:
    windowed, whole, convolved = forms("inkling_text", num_hidden_layers=3, local_layer_ids=[0, 1])
    assert (windowed.layers, windowed.max_distance, windowed.window) == ((0, 1), None, 512)
    assert (whole.layers, whole.max_distance, whole.score_scale) == ((2,), 1024, 1 / 128)
    assert convolved.mixer == "other"


def test_looped_layers_of_inkling_count_every_run() -> None:
    told = {"num_hidden_layers": 18, "loop_config": {"core_start": 6, "core_end": 12, "num_passes": 2}}
    windowed, whole, convolved = forms("inkling2_loop_text", **told)
    assert convolved.layers == tuple(range(24))
    assert whole.layers == (5, 11, 17, 23)  # the last of six, twice in the loop
    assert windowed.score_scale == pytest.approx(128**-0.5)


def test_hyperclova_multiplies_as_told() -> None:
    assert only("hyperclovax", attention_multiplier=0.02).score_scale == 0.02
    assert only("hyperclovax", head_dim=64).score_scale == 0.125


def test_layers_of_mllama_that_see_images_are_left_out() -> None:
    file = {"num_hidden_layers": 4, "cross_attention_layers": [1]}
    assert only("mllama", text_config=file).layers == (0, 2, 3)


def test_runs_of_hrm_all_count() -> None:
    assert len(only("hrm_text", num_hidden_layers=2, H_cycles=2, L_cycles=3).layers) == 16
