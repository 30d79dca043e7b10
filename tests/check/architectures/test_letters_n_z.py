"""Facts of the modelling code of transformers 5.24.0 (n to z) that no default shows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from form_of_layer import forms, of_layer, only

FULL, SLIDING, LINEAR = "full_attention", "sliding_attention", "linear_attention"


@pytest.mark.parametrize(
    ("model_type", "layout", "where"),
    [
        ("nemotron", "half", "prefix"),
        ("phi", "half", "prefix"),
        ("persimmon", "half", "prefix"),
        ("roformer", "interleaved", "whole"),
        ("sarvam_mla", "interleaved", "suffix"),
        ("sarvam_moe", "half", "whole"),
        ("stablelm", "half", "prefix"),
        ("youtu", "interleaved", "suffix"),
    ],
)
def test_how_dimensions_pair_up_and_where_they_turn(model_type: str, layout: str, where: str) -> None:
    assert {(form.layout, form.rotary_dims) for form in forms(model_type)} == {(layout, where)}


@pytest.mark.parametrize("model_type", ["sarvam_mla", "youtu"])
def test_pairs_of_latent_attention_follow_rope_interleave(model_type: str) -> None:
    assert {only(model_type, rope_interleave=off).layout for off in (False, None)} == {"half"}


@pytest.mark.parametrize("model_type", ["olmo", "phimoe", "qwen2", "seed_oss", "starcoder2"])
def test_a_part_of_the_head_is_told_in_vain(model_type: str) -> None:
    form = only(model_type, partial_rotary_factor=0.5)
    assert form.rotary_dim == form.head_dim


def test_a_part_of_the_head_is_read_by_others() -> None:
    told = {"hidden_size": 96, "num_attention_heads": 4, "partial_rotary_factor": 0.75}
    for model_type in ("nemotron", "persimmon", "phi", "phi3", "stablelm"):
        assert only(model_type, **told).rotary_dim == 18, model_type  # int(24 * 0.75)
    for model_type in ("sarvam_moe", "solar_open"):
        assert only(model_type, head_dim=32, partial_rotary_factor=0.5).rotary_dim == 16, model_type


def test_persimmon_knows_no_head_width_of_its_own() -> None:
    assert only("persimmon", hidden_size=64, num_attention_heads=4, head_dim=8).head_dim == 16


def test_roformer_has_its_base_in_its_code() -> None:
    assert only("roformer", rope_theta=500.0).rope_theta == 10000.0


def test_windows_of_qwen_begin_late_or_come_by_turns_or_are_everywhere() -> None:
    told = {"num_hidden_layers": 4, "sliding_window": 32, "max_window_layers": 3, "use_sliding_window": True}
    windows = {
        name: [of_layer(n, name, **told).window for n in range(4)]
        for name in ("qwen2", "qwen2_moe", "qwen3", "qwen3_moe")
    }
    assert windows == {
        "qwen2": [None, None, None, 32],
        "qwen2_moe": [32, None, 32, None],
        "qwen3": [None, None, None, 32],
        "qwen3_moe": [32, 32, 32, 32],
    }
    for name in windows:
        assert only(name, **{**told, "use_sliding_window": False}).window is None


def test_qwen_of_three_axes_attends_in_every_fourth_layer() -> None:
    linear, full = forms("qwen3_5", text_config={"num_hidden_layers": 6, "full_attention_interval": 3})
    assert (linear.layers, linear.mixer) == ((0, 1, 3, 4), "other")
    assert (full.layers, full.rotary_dim, full.mrope_section) == ((2, 5), 64, (11, 11, 10))
    assert (full.layout, full.mrope_interleaved) == ("half", True)
    few = of_layer(3, "qwen3_5_text", head_dim=64)  # 8 hands: 1, 4, 7 are height's, 2, 5 width's
    assert (few.rotary_dim, few.mrope_section) == (16, (3, 3, 2))
    whole = of_layer(3, "qwen4_exp_text", layer_types=[LINEAR] * 3 + ["qwen_sparse_attention"])
    assert (whole.family, whole.rotary_dim) == ("rope", 256)
    # Of 128 hands only the first 33 are shared out, one in three each
    assert whole.mrope_section == (107, 11, 10)


def test_nemotron_h_turns_nothing_and_counts_its_list() -> None:
    other, attending = forms("nemotron_h", hybrid_override_pattern="M*-E*", num_hidden_layers=99)
    assert (other.layers, attending.layers) == ((0, 2, 3), (1, 4))
    assert (attending.family, attending.head_dim) == ("none", 128)
    assert of_layer(1, "nemotron_h", layers_block_type=["mamba", "attention"]).mixer == "attention"


def test_olmo_hybrid_without_a_base_turns_nothing() -> None:
    told = {"rope_type": "default", "rope_theta": None}
    assert of_layer(3, "olmo_hybrid", rope_parameters=told).family == "none"
    assert of_layer(3, "olmo_hybrid", rope_parameters=None).family == "rope"
    assert of_layer(1, "olmo_hybrid", num_hidden_layers=2).mixer == "attention"  # at least the last


def test_olmo3_scales_layers_without_a_window() -> None:
    yarn = {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192}
    sliding, full = forms("olmo3", num_hidden_layers=4, rope_scaling=yarn, rope_theta=1e5)
    assert (sliding.layers, sliding.rope_type, sliding.window) == ((0, 1, 2), "default", 4096)
    assert (full.layers, full.rope_type, full.window) == ((3,), "yarn", None)
    assert (sliding.rope_theta, full.rope_theta) == (5e5, 1e5)  # told for those without a window only


def test_phimoe_takes_its_attention_factor_from_a_key_of_its_own() -> None:
    scaling = {
        "type": "longrope",
        "short_factor": [1.0] * 4,
        "long_factor": [2.0] * 4,
        "short_mscale": 1.25,
        "long_mscale": 1.5,
        "original_max_position_embeddings": 4096,
    }
    form = only("phimoe", hidden_size=32, num_attention_heads=4, rope_scaling=scaling)
    assert (form.rope_type, form.attention_factor) == ("longrope", 1.25)


def test_neomme_has_windows_of_two_widths_and_two_axes() -> None:
    narrow, wide, full = forms("neomme", num_hidden_layers=6, sliding_window=32)
    assert (narrow.layers, narrow.window) == ((0, 2, 4), 65)
    assert (wide.layers, wide.window) == ((1, 3), 2049)
    assert (full.layers, full.rotary_dim, full.window, full.mrope_section) == ((5,), 16, None, (4, 4))
    told = {"per_layer_config": {"1": {"sliding_window": 8}}, "layer_types": [SLIDING, SLIDING, FULL]}
    given = [of_layer(n, "neomme", num_hidden_layers=3, **told).window for n in range(3)]
    assert given == [513, 17, None]


def test_windows_to_both_sides() -> None:
    assert of_layer(0, "ultrabert", sliding_window=16).window == 33
    stacks = {"encoder": {"sliding_window": 16}, "decoder": {"sliding_window": 16}}
    windows = {name: [form.window for form in forms(name, **stacks) if form.window] for name in ("t5gemma",)}
    assert windows == {"t5gemma": [33, 16]}
    text = {"encoder": {"text_config": {"sliding_window": 16}}, "decoder": {"sliding_window": 16}}
    assert [form.window for form in forms("t5gemma2", **text)] == [16, None, 16, None]


def test_older_files_of_ultrabert_list_windows_and_bases() -> None:
    told = {"attention_windows": [64, 0, 64], "rope_theta": [1e3, 1e5, 2e3], "num_hidden_layers": 3}
    sliding, full = forms("ultrabert", **told)
    assert (sliding.layers, sliding.window, sliding.rope_theta) == ((0, 2), 129, 2e3)
    assert (full.layers, full.window, full.rope_theta) == ((1,), None, 1e5)


def test_stacks_of_t5gemma_have_scalars_of_their_own() -> None:
    stacks = {"encoder": {"query_pre_attn_scalar": 100}, "decoder": {"query_pre_attn_scalar": 400}}
    scales = {form.stack: form.score_scale for form in forms("t5gemma", **stacks)}
    assert scales == {"encoder": 0.1, "decoder": 0.05}
    bases = {form.rope_theta for form in forms("t5gemma2", decoder={"rope_local_base_freq": 2e4})}
    assert bases == {1e4, 2e4, 1e6}
    assert of_layer(0, "vaultgemma", query_pre_attn_scalar=100).score_scale == 0.1


def test_smollm3_turns_three_of_four() -> None:
    turned, still = forms("smollm3", num_hidden_layers=4, no_rope_layers=[1, 0, 1, 1])
    assert (turned.layers, turned.family, still.layers, still.family) == ((0, 2, 3), "rope", (1,), "none")
    told = {"no_rope_layer_interval": 2, "use_sliding_window": True, "sliding_window": 64}
    found = forms("smollm3", num_hidden_layers=4, **told)
    assert [(form.layers, form.family, form.window) for form in found] == [
        ((0, 2), "rope", None),
        ((1, 3), "none", 64),
    ]


@pytest.mark.parametrize(
    ("model_type", "file", "rows", "offset"),
    [
        ("nllb-moe", {"max_position_embeddings": 100, "pad_token_id": 1}, 102, 2),
        ("nystromformer", {"max_position_embeddings": 100, "conv_kernel_size": None}, 102, 2),
        ("openai-gpt", {"n_positions": 100}, 100, 0),
        ("opt", {"max_position_embeddings": 100}, 102, 2),
        ("pegasus", {"max_position_embeddings": 100}, 100, 0),
        ("plbart", {"max_position_embeddings": 100}, 102, 2),
        ("reformer", {"axial_pos_shape": [8, 16]}, 128, 0),
        ("reformer", {"axial_pos_embds": False, "max_position_embeddings": 100}, 100, 0),
        ("roberta", {"max_position_embeddings": 514, "pad_token_id": 1}, 514, 2),
        ("seamless_m4t", {"max_position_embeddings": 100, "pad_token_id": 0}, 102, 1),
        ("trocr", {"max_position_embeddings": 100}, 102, 2),
        (
            "trocr",
            {"max_position_embeddings": 100, "pad_token_id": 3, "use_learned_position_embeddings": False},
            104,
            4,
        ),
        ("whisper", {"max_target_positions": 100}, 100, 0),
        ("xglm", {"max_position_embeddings": 100}, 102, 2),
        ("yoso", {"max_position_embeddings": 100}, 102, 2),
    ],
)
def test_rows_of_tables_and_where_they_begin(
    model_type: str, file: dict[str, Any], rows: int, offset: int
) -> None:
    assert {(form.rows, form.offset) for form in forms(model_type, **file)} == {(rows, offset)}


def test_sines_of_pegasus_and_pegasus_x_differ_in_their_slowest_hand() -> None:
    slowest = {name: (forms(name, d_model=8)[0].inv_freq or ())[-1] for name in ("pegasus", "pegasus_x")}
    assert slowest == {"pegasus": pytest.approx(1e-3), "pegasus_x": pytest.approx(1e-4)}
    encoder, decoder = forms("pegasus_x", block_size=32)
    assert (encoder.rows, encoder.window, decoder.window) == (None, 32, None)


def test_xlm_alternates_sines_and_cosines_where_it_has_them() -> None:
    assert only("xlm", sinusoidal_embeddings=True).layout == "interleaved"
    assert only("xlm").family == "learned"


def test_tables_narrower_than_the_model() -> None:
    assert only("rembert", input_embedding_size=40).head_dim == 40
    assert only("perceiver", d_model=40).head_dim == 40


def test_latents_of_perceiver_count_every_run() -> None:
    told = {"num_blocks": 2, "num_self_attends_per_block": 3, "d_latents": 64, "num_self_attention_heads": 4}
    form = only("perceiver", **told)
    assert (form.layers, form.score_scale) == (tuple(range(6)), 0.25)
    assert only("perceiver", qk_channels=256, **told).score_scale == 0.125


def test_prophetnet_adds_a_table_and_buckets_by_content() -> None:
    told = {"hidden_size": 64, "num_encoder_attention_heads": 4, "num_decoder_attention_heads": 1}
    encoder, table, buckets = forms("prophetnet", num_buckets=16, relative_max_distance=50, **told)
    assert (encoder.family, encoder.offset, encoder.score_scale) == ("learned", 1, 0.25)
    assert (table.family, table.stack) == ("learned", "decoder")
    assert (buckets.family, buckets.num_buckets, buckets.max_distance) == ("other", 16, 50)
    assert buckets.score_scale == 0.125


def test_reformer_sees_chunks_where_it_is_local() -> None:
    told = {"attn_layers": ["lsh", "local"], "local_attn_chunk_length": 16, "attention_head_size": 16}
    lsh, local = forms("reformer", local_num_chunks_before=2, num_hidden_layers=9, **told)
    assert (lsh.layers, lsh.window, local.layers, local.window) == ((0,), None, (1,), 48)
    assert (lsh.score_scale, local.score_scale) == (0.25, 0.25)


def test_recurrent_gemma_repeats_its_block() -> None:
    told = {"block_types": ["attention", "recurrent"], "num_hidden_layers": 5, "attention_window_size": 32}
    attending, recurrent = forms("recurrent_gemma", **told)
    assert (attending.layers, attending.window, attending.rotary_dim) == ((0, 2, 4), 32, 128)
    assert (recurrent.layers, recurrent.mixer) == ((1, 3), "other")
    assert of_layer(2, "recurrent_gemma", head_dim=24, hidden_size=96, num_attention_heads=3).head_dim == 24


def test_zamba_attends_to_twice_the_width_and_scales_by_half_of_it() -> None:
    file = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 8}
    mamba, attending = forms("zamba", attn_layer_period=2, attn_layer_offset=1, **file)
    assert (mamba.layers, attending.layers) == (tuple(range(8)), (2, 4, 6))
    assert (attending.head_dim, attending.score_scale, attending.family) == (32, 0.25, "none")
    assert of_layer_attending("zamba", attention_head_dim=50, **file).head_dim == 50


def test_zamba2_turns_where_told() -> None:
    file = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    told = {"layers_block_type": ["mamba", "hybrid"], **file}
    turned = of_layer_attending("zamba2", use_mem_rope=True, **told)
    assert (turned.layers, turned.family, turned.head_dim) == ((1,), "rope", 32)
    assert turned.score_scale == 0.25
    assert of_layer_attending("zamba2", **told).family == "none"
    assert of_layer_attending("zamba2", attention_head_dim=50, **told).head_dim == 50


def of_layer_attending(model_type: str, **file: Any) -> Any:
    (form,) = (each for each in forms(model_type, **file) if each.mixer == "attention")
    return form


def test_blocks_of_xlstm_are_counted_under_either_name() -> None:
    assert only("xlstm", num_hidden_layers=3).layers == (0, 1, 2)
    assert only("xlstm", num_hidden_layers=3, num_blocks=2).layers == (0, 1)


def test_zaya_convolves_what_it_turns() -> None:
    file = {"num_hidden_layers": 2, "layer_types": ["hybrid", "hybrid_sliding"], "sliding_window": 32}
    full, convolved, sliding = forms("zaya", **file)
    assert (full.rope_theta, full.rotary_dim, full.window) == (5e6, 64, None)
    assert (sliding.rope_theta, sliding.rotary_dim, sliding.window) == (1e4, 64, 32)
    assert (convolved.layers, convolved.mixer) == ((0, 1), "other")


@pytest.mark.parametrize("model_type", ["switch_transformers", "t5", "umt5"])
def test_buckets_of_t5_go_both_ways_in_the_encoder(model_type: str) -> None:
    told = {"relative_attention_num_buckets": 16, "num_layers": 2, "num_decoder_layers": 3}
    encoder, decoder = forms(model_type, **told)
    assert (encoder.bidirectional, encoder.layers, encoder.num_buckets) == (True, (0, 1), 16)
    assert (decoder.bidirectional, decoder.layers, decoder.score_scale) == (False, (0, 1, 2), 1.0)
    assert {form.head_dim for form in forms(model_type, d_kv=24, d_model=96)} == {24}


def test_xlnet_looks_both_ways_unless_told() -> None:
    form = only("xlnet", d_model=64, n_head=4, clamp_len=50)
    assert (form.family, form.bidirectional, form.score_scale) == ("transformer_xl", True, 0.25)
    assert form.max_distance == 50
    assert only("xlnet", attn_type="uni").bidirectional is False


def test_nanochat_and_its_kind_norm_after_turning_and_keep_their_scale() -> None:
    assert only("nanochat", hidden_size=64, num_attention_heads=4).score_scale == 0.25


def test_yarn_of_sarvam_has_a_name_of_its_own() -> None:
    yarn = {
        "type": "deepseek_yarn",
        "factor": 40,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096,
    }
    form = only("sarvam_mla", rope_scaling=yarn)
    assert (form.rope_type, form.attention_factor) == ("yarn", 1.0)
    # 192 ** -0.5 * (0.1 ln 40 + 1) ** 2
    assert form.score_scale == pytest.approx(0.0721687836 * 1.3688879454**2)
    assert form.inv_freq is not None
    assert form.inv_freq[-1] == pytest.approx(10000 ** (-62 / 64) / 40)


def test_parts_of_composites_are_read_by_their_own_classes() -> None:
    assert only("voxtral", text_config={"num_hidden_layers": 2}).rope_theta == 1e8
    assert only("voxtral_realtime", text_config={"num_hidden_layers": 2}).window == 8192
    assert only("omniasr", text_config={"num_hidden_layers": 2}).head_dim == 128  # not 512: given, not filled
    assert only("qwen2_audio", text_config={"model_type": "llama", "head_dim": 8}).head_dim == 8
    assert len(forms("nemo_speechlm")[1].layers) == 6
    assert of_layer(2, "ultravbert", text_config={"num_hidden_layers": 3}).rope_theta == 2560000.0
