"""Facts of the modelling code of transformers 5.24.0 (a to g) that no default shows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from form_of_layer import forms, of_layer, only

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@pytest.mark.parametrize(
    ("model_type", "layout", "where"),
    [
        ("apertus", "half", "whole"),
        ("blt", "interleaved", "whole"),
        ("codegen", "interleaved", "prefix"),
        ("cohere", "interleaved", "whole"),
        ("deepseek_v2", "interleaved", "suffix"),
        ("deepseek_v4", "interleaved", "suffix"),
        ("ernie4_5", "interleaved", "whole"),
        ("glm", "interleaved", "prefix"),
        ("glm4", "interleaved", "prefix"),
        ("glm4_moe", "half", "prefix"),
        ("gpt_neox", "half", "prefix"),
        ("gpt_oss", "half", "whole"),
        ("gptj", "interleaved", "prefix"),
    ],
)
def test_how_dimensions_pair_up_and_where_they_turn(model_type: str, layout: str, where: str) -> None:
    assert {(form.layout, form.rotary_dims) for form in forms(model_type)} == {(layout, where)}


@pytest.mark.parametrize("model_type", ["axk1", "deepseek_v3", "glm4_moe_lite"])
def test_pairs_of_latent_attention_follow_rope_interleave(model_type: str) -> None:
    assert only(model_type, rope_interleave=False).layout == "half"
    assert only(model_type).layout == "interleaved"


def test_yarn_scales_the_scores_of_deepseek_v3() -> None:
    yarn = {
        "type": "yarn",
        "factor": 40,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "beta_fast": 32,
        "beta_slow": 1,
    }
    form = only("deepseek_v3", rope_scaling={**yarn, "original_max_position_embeddings": 4096})
    # 192 ** -0.5 * (0.1 ln 40 + 1) ** 2
    assert form.score_scale == pytest.approx(0.0721687836 * 1.3688879454**2)
    assert (form.head_dim, form.rotary_dim, form.attention_factor) == (192, 64, 1.0)


def test_dots3_knows_no_scale_of_yarn_and_two_kinds_of_heads() -> None:
    scaling = {
        "rope_type": "yarn",
        "factor": 4.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 9,
    }
    forms_found = forms("dots3_note_text", num_hidden_layers=8, rope_parameters=scaling)
    assert [(form.layers, form.score_scale) for form in forms_found] == [
        ((0, 1, 5), pytest.approx(192**-0.5)),
        ((2, 3, 4, 6, 7), pytest.approx(256**-0.5)),
    ]
    assert of_layer(2, "dots3_note_text", swa_head_dim=160, swa_qk_nope_head_dim=128).rotary_dim == 32
    assert of_layer(2, "dots3_note_text", sliding_window_size=64).window == 64
    assert of_layer(0, "dots3_note_text", use_dsa=False, num_hidden_layers=4).layers == (0, 1)


def test_deepseek_v4_scales_only_what_is_compressed() -> None:
    yarn = {"type": "yarn", "factor": 16, "original_max_position_embeddings": 65536, "rope_theta": 10000}
    file = {"compress_ratios": [0, 4, 128], "num_hidden_layers": 3, "rope_scaling": yarn}
    main, compress = forms("deepseek_v4", **file)
    assert (main.layers, main.rope_type, main.rope_theta) == ((0,), "default", 10000)
    assert (compress.layers, compress.rope_type, compress.rope_theta) == ((1, 2), "yarn", 160000)
    assert compress.attention_factor == 1.0  # YaRN's own would be 1.277
    assert only("deepseek_v4", qk_rope_head_dim=128, num_hidden_layers=2).rotary_dim == 128


def test_cohere2_moe_takes_no_scaling_and_turns_dense_layers() -> None:
    linear = {"rope_type": "linear", "factor": 2.0}
    assert of_layer(0, "cohere2_moe", rope_scaling=linear).rope_type == "default"
    file = {"num_hidden_layers": 6, "first_k_dense_replace": 1}
    families = {n: of_layer(n, "cohere2_moe", **file) for n in range(6)}
    assert [families[n].family for n in range(6)] == ["rope", "rope", "rope", "rope", "none", "rope"]
    assert [families[n].window for n in range(6)] == [None, 4096, 4096, 4096, None, 4096]


def test_dbrx_does_not_use_the_base_within_its_attention() -> None:
    assert only("dbrx", attn_config={"rope_theta": 5e5}).rope_theta == 10000


@pytest.mark.parametrize("model_type", ["afmoe", "cohere2", "exaone4", "exaone_moe", "flint"])
def test_layers_without_a_window_are_not_turned(model_type: str) -> None:
    file = {"layer_types": [SLIDING, FULL, FULL, SLIDING], "num_hidden_layers": 4, "sliding_window": 96}
    turned, unturned = forms(model_type, **file)
    assert (turned.layers, turned.family, turned.window) == ((0, 3), "rope", 96)
    assert (unturned.layers, unturned.family, unturned.window) == ((1, 2), "none", None)


def test_exaone4_without_any_window_turns_everything() -> None:
    form = only("exaone4", layer_types=[FULL] * 3, num_hidden_layers=3, sliding_window=None)
    assert (form.family, form.layers) == ("rope", (0, 1, 2))


def test_beam_turns_full_layers_that_have_parameters() -> None:
    nested = {SLIDING: {"rope_theta": 1e4}, FULL: {"rope_theta": 1e6}}
    assert of_layer(5, "beam", rope_parameters=nested).rope_theta == 1e6
    assert of_layer(5, "beam").family == "none"
    assert of_layer(0, "beam", rope_parameters={**nested, SLIDING: None}).family == "none"


def test_compass_alternates_axes_and_honours_null() -> None:
    nested = {FULL: {"rope_theta": 1e4, "mrope_section": [4, 2, 2]}, SLIDING: None}
    full, sliding = forms(
        "cohere_compass_text", layer_types=[FULL, SLIDING], num_hidden_layers=2, rope_parameters=nested
    )
    hands = len(full.inv_freq or ())
    assert (full.mrope_section, full.mrope_interleaved) == ((hands - 4, 2, 2), True)  # the rest is time's
    assert (sliding.family, sliding.window) == ("none", 4096)


@pytest.mark.parametrize("model_type", ["granite_swa", "granitemoe_swa"])
def test_granite_has_a_base_for_each_layer(model_type: str) -> None:
    file = {"num_hidden_layers": 3, "layer_types": [FULL, SLIDING, SLIDING], "attention_multiplier": 0.015}
    found = forms(model_type, layer_rope_theta=[0, 1e4, 5e5], rope_theta=1e3, **file)
    assert [(form.family, form.rope_theta, form.window) for form in found] == [
        ("none", None, None),
        ("rope", 1e4, 128),
        ("rope", 5e5, 128),
    ]
    assert {form.score_scale for form in found} == {0.015}


def test_granite_hybrid_turns_only_when_told() -> None:
    file = {"num_hidden_layers": 2, "layer_types": ["mamba", "attention"]}
    assert [(form.family, form.mixer) for form in forms("granitemoehybrid", **file)] == [
        ("none", "other"),
        ("none", "attention"),
    ]
    assert of_layer(1, "granitemoehybrid", position_embedding_type="rope", **file).family == "rope"


def test_bamba_attends_where_told_with_half_a_head() -> None:
    file = {"num_hidden_layers": 4, "attn_layer_indices": [2], "hidden_size": 96, "num_attention_heads": 4}
    attending = of_layer(2, "bamba", **file)
    assert (attending.layers, attending.head_dim, attending.rotary_dim) == ((2,), 24, 12)
    assert of_layer(0, "bamba", **file).mixer == "other"


def test_falcon_has_alibi_in_bfloat16_scaled_with_the_scores() -> None:
    form = only("falcon", alibi=True, num_attention_heads=3, hidden_size=48)
    # 2 ** (-8 / 2), 2 ** (-8), 2 ** (-4 / 2) are exact in bfloat16; times 16 ** -0.5
    assert form.slopes == pytest.approx((0.0625 / 4, 0.00390625 / 4, 0.25 / 4))
    rounded = only("falcon", alibi=True, num_attention_heads=16, hidden_size=16)
    assert rounded.slopes is not None
    assert rounded.slopes[0] == 0.70703125  # 2 ** -0.5 = 0.70711 in eight bits
    assert only("falcon", num_attention_heads=4, n_embed=96).head_dim == 24


def test_bloom_has_the_published_slopes_unscaled() -> None:
    form = only("bloom", n_head=3, hidden_size=48)
    assert (form.slopes, form.score_scale, form.bidirectional) == ((0.0625, 0.00390625, 0.25), 0.25, False)


@pytest.mark.parametrize(
    ("model_type", "file", "rows", "offset"),
    [
        ("bart", {"max_position_embeddings": 100}, 102, 2),
        ("biogpt", {"max_position_embeddings": 100}, 102, 2),
        ("blenderbot", {"max_position_embeddings": 100}, 100, 0),
        ("bigbird_pegasus", {"max_position_embeddings": 100}, 100, 0),
        ("camembert", {"max_position_embeddings": 514, "pad_token_id": 1}, 514, 2),
        ("data2vec-text", {"max_position_embeddings": 514, "pad_token_id": 0}, 514, 1),
        ("esm", {"max_position_embeddings": 1026, "pad_token_id": 1}, 1026, 2),
        ("bert", {"max_position_embeddings": 100}, 100, 0),
        ("gpt2", {"n_positions": 100}, 100, 0),
        ("fsmt", {"max_position_embeddings": 100, "pad_token_id": 1}, 102, 2),
    ],
)
def test_rows_of_tables_and_where_they_begin(
    model_type: str, file: dict[str, Any], rows: int, offset: int
) -> None:
    assert {(form.rows, form.offset) for form in forms(model_type, **file)} == {(rows, offset)}


def test_tables_narrower_than_the_model() -> None:
    for model_type in ("albert", "electra", "convbert"):
        assert forms(model_type, embedding_size=40, hidden_size=96, num_attention_heads=4)[0].head_dim == 40
    # Half of 96 by 4 // 2 heads
    assert forms("convbert", hidden_size=96, num_attention_heads=4)[0].score_scale == pytest.approx(24**-0.5)


def test_stacks_have_heads_of_their_own() -> None:
    encoder, decoder = forms("bart", d_model=96, encoder_attention_heads=4, decoder_attention_heads=6)
    assert (encoder.stack, encoder.score_scale) == ("encoder", pytest.approx(24**-0.5))
    assert (decoder.stack, decoder.score_scale) == ("decoder", pytest.approx(16**-0.5))


def test_sines_and_cosines_of_ctrl_and_fsmt() -> None:
    ctrl = only("ctrl", n_embd=8, n_head=2, n_positions=50)
    assert (ctrl.layout, ctrl.rows) == ("half", 50)
    assert ctrl.inv_freq == pytest.approx((1, 0.1, 0.01, 0.001))  # 10000 ** (-2i / 8)
    fsmt = forms("fsmt", d_model=8)[0]
    assert fsmt.inv_freq == pytest.approx((1, 10000 ** (-1 / 3), 10000 ** (-2 / 3), 1e-4))
    assert forms("distilbert", sinusoidal_pos_embds=True)[0].layout == "interleaved"


def test_gpt2_scales_by_layer() -> None:
    found = forms("gpt2", scale_attn_by_inverse_layer_idx=True, n_layer=2, n_embd=64, n_head=4)
    assert [(form.layers, form.score_scale) for form in found] == [((0,), 0.25), ((1,), 0.125)]
    assert only("gpt2", scale_attn_weights=False).score_scale == 1.0


def test_gpt_neo_scales_nothing_and_sees_windows() -> None:
    found = forms("gpt_neo", attention_types=[[["global", "local"], 1], [["local"], 2]], num_layers=4)
    assert [(form.layers, form.window, form.score_scale) for form in found] == [
        ((0,), None, 1.0),
        ((1, 2, 3), 256, 1.0),
    ]


@pytest.mark.parametrize("model_type", ["deberta", "deberta-v2"])
def test_deberta_divides_by_as_many_scores_as_it_adds(model_type: str) -> None:
    file = {"relative_attention": True, "position_biased_input": False, "pos_att_type": "c2p|p2c"}
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 77}
    form = only(model_type, position_buckets=32, max_relative_positions=-1, **file, **sizes)
    assert (form.family, form.max_distance, form.bidirectional) == ("deberta", 77, True)
    assert form.score_scale == pytest.approx((16 * 3) ** -0.5)
    assert form.num_buckets == (32 if model_type == "deberta-v2" else None)
    both = forms(model_type, **{**file, "position_biased_input": True}, **sizes)
    assert [each.family for each in both] == ["learned", "deberta"]
    assert only(model_type, relative_attention=True, position_biased_input=False).family == "none"


def test_a_convolution_over_the_first_layer_of_deberta_v2() -> None:
    assert [
        (form.layers, form.mixer) for form in forms("deberta-v2", conv_kernel_size=3, num_hidden_layers=2)
    ] == [
        ((0, 1), "attention"),
        ((0,), "other"),
    ]


def test_windows_of_gemma_both_ways() -> None:
    # 512 // 2 + 1 = 257: distances below it (Gemma 3), up to it (Gemma 4)
    assert of_layer(0, "gemma3_text", sliding_window=512, use_bidirectional_attention=True).window == 513
    assert of_layer(0, "gemma4_text", sliding_window=512, use_bidirectional_attention="all").window == 515
    assert of_layer(0, "gemma4_text", sliding_window=512, use_bidirectional_attention="vision").window == 512


def test_gemma3n_sees_the_window_told_whichever_way_it_looks() -> None:
    assert of_layer(0, "gemma3n_text", sliding_window=64, use_bidirectional_attention=True).window == 64


def test_gemma3_has_two_bases_and_a_scalar() -> None:
    file = {
        "rope_theta": 2e6,
        "rope_local_base_freq": 2e4,
        "query_pre_attn_scalar": 100,
        "num_hidden_layers": 6,
    }
    linear = {"rope_type": "linear", "factor": 8.0}
    local, whole = forms("gemma3_text", rope_scaling=linear, **file)
    assert (local.rope_theta, local.rope_type, local.window) == (2e4, "default", 4096)
    assert (whole.layers, whole.rope_theta, whole.rope_type, whole.window) == ((5,), 2e6, "linear", None)
    assert (local.score_scale, whole.score_scale) == (0.1, 0.1)


def test_gemma4_turns_a_part_of_wider_heads_where_it_sees_everything() -> None:
    local, whole = forms(
        "gemma4_text", num_hidden_layers=2, layer_types=[SLIDING, SLIDING], global_head_dim=64
    )
    assert (local.layers, local.head_dim) == ((0,), 256)
    assert (whole.layers, whole.head_dim) == ((1,), 64)  # the last is full whatever is told
    assert whole.inv_freq is not None
    assert sum(each > 0 for each in whole.inv_freq) == 8  # a quarter of 32 hands, the others stand still
    assert whole.inv_freq[1] == pytest.approx(1e6 ** (-2 / 64))
    nested = {"per_layer_config": {"01": {"head_dim": 96}}, "layer_types": [SLIDING, FULL]}
    assert of_layer(1, "gemma4_text", num_hidden_layers=2, **nested).head_dim == 96


def test_dory_counts_perceptrons_among_its_layers_where_it_names_them() -> None:
    told = {
        "num_hidden_layers": 6, "layer_types": [SLIDING, "mlp", SLIDING, "mlp", FULL, "mlp"],
        "n_input_layers": 2, "n_output_layers": 2,
    }  # fmt: skip
    local, whole = forms("dory", **told, n_recurrent_loops=1)
    assert (local.layers, local.window, whole.layers, whole.window) == ((0, 1), 1024, (2,), None)
    local, whole = forms("dory", **told, n_recurrent_loops=3)  # its second layer is run three times
    assert (local.layers, whole.layers) == ((0, 1, 2, 3), (4,))


def test_blt_has_three_stacks() -> None:
    parts = {
        "encoder_config": {"num_hidden_layers": 2, "hidden_size": 48, "num_attention_heads": 2},
        "global_config": {"num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 2},
        "decoder_config": {"num_hidden_layers": 4, "hidden_size": 48, "num_attention_heads": 2},
    }
    found = forms("blt", local_attention_window_len=32, **parts)
    assert [(form.stack, len(form.layers), form.head_dim, form.window) for form in found] == [
        ("encoder", 2, 24, 32),
        (None, 3, 32, None),
        ("decoder", 4, 24, 32),
    ]


def test_funnel_is_relative_in_both_stacks() -> None:
    encoder, decoder = forms("funnel", block_sizes=[1, 2], num_decoder_layers=2, d_head=16)
    assert (encoder.family, encoder.layers, decoder.layers) == ("transformer_xl", (0, 1, 2), (0, 1))
    assert encoder.score_scale == 0.25


def test_cpm_ant_has_buckets_to_both_sides() -> None:
    form = only("cpmant", position_bias_num_buckets=64, position_bias_max_distance=99, dim_head=16)
    assert (form.family, form.num_buckets, form.max_distance) == ("t5", 64, 99)
    assert (form.bidirectional, form.score_scale) == (True, 0.25)


def test_esm_turns_or_adds_or_neither() -> None:
    assert only("esm", position_embedding_type="rotary", rope_theta=500.0).rope_theta == 500.0
    assert only("esm", position_embedding_type="absolute").family == "learned"
    assert only("esm", position_embedding_type="none").family == "none"


def test_attention_beside_mamba_and_after_convolution() -> None:
    assert [(form.family, form.mixer) for form in forms("falcon_h1")] == [
        ("rope", "attention"),
        ("none", "other"),
    ]
    assert only("falcon_mamba").mixer == "other"
    kinds = forms("bailing_hybrid", num_hidden_layers=6)
    assert [(form.layers, form.mixer) for form in kinds] == [((0, 1, 2, 3, 4), "other"), ((5,), "attention")]


def test_parts_of_composites_are_read_by_their_own_classes() -> None:
    sides = forms("encoder-decoder", encoder={"n_positions": 9, "model_type": "gpt2"}, decoder={})
    assert [(form.stack, form.rows) for form in sides] == [("encoder", 9), ("decoder", 512)]
    assert of_layer(0, "gemma3", text_config={"model_type": "odd", "sliding_window": 64}).window == 64
    assert only("got_ocr2").head_dim == 64
    assert only("glmasr").layers == tuple(range(28))
    assert only("fuyu", hidden_size=96, num_attention_heads=4, rope_theta=5e4).rotary_dim == 12
