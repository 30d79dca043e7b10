"""Rules on sizes, layers, tables and biases: what each must speak of, and what lies beside it."""

from __future__ import annotations

from typing import Any

import pytest
from around import GEMMA, GONE, LLAMA, TRAINED, YARN, but, found

SMOLLM = but(
    LLAMA,
    model_type="smollm3",
    num_hidden_layers=8,
    no_rope_layer_interval=4,
    no_rope_layers=[1, 1, 1, 0] * 2,
)
MROPE = but(LLAMA, model_type="qwen2_vl", rope_scaling={"type": "mrope", "mrope_section": [16, 24, 24]})
T5 = {
    "model_type": "t5", "d_model": 64, "d_kv": 16, "num_heads": 4, "num_layers": 2,
    "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
}  # fmt: skip
GPT2 = {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 16}
BLOOM = {"model_type": "bloom", "hidden_size": 64, "n_head": 8, "n_layer": 2}
MLA = but(
    LLAMA, model_type="deepseek_v3", qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128,
    kv_lora_rank=64, num_key_value_heads=8,
)  # fmt: skip
STABLE = but(LLAMA, model_type="stablelm")
PATTERN = but(GEMMA, sliding_window_pattern=2, layer_types=["sliding_attention", "full_attention"] * 2)


def of_layers(**changed: Any) -> dict[str, Any]:
    return but(GEMMA, rope_parameters=but(GEMMA["rope_parameters"], **changed))


CASES: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any]], ...] = (
    # code, severity, key, what is wrong, what is right
    ("CH021", "error", "partial_rotary_factor",
     but(LLAMA, partial_rotary_factor=0.5), but(LLAMA, model_type="stablelm", partial_rotary_factor=0.5)),
    ("CH021", "error", "partial_rotary_factor",
     but(LLAMA, partial_rotary_factor=0.99), but(LLAMA, partial_rotary_factor=1.0)),
    ("CH022", "error", "num_attention_heads", but(LLAMA, hidden_size=1032), but(LLAMA, hidden_size=1040)),
    ("CH022", "error", "head_dim", but(LLAMA, head_dim=33), but(LLAMA, head_dim=34)),
    ("CH022", "error", "qk_rope_head_dim", but(MLA, qk_rope_head_dim=63), MLA),
    ("CH022", "error", "rope_parameters.partial_rotary_factor",
     but(STABLE, rope_parameters={"rope_theta": 1e4, "partial_rotary_factor": 0.2}),
     but(STABLE, rope_parameters={"rope_theta": 1e4, "partial_rotary_factor": 0.25})),
    ("CH023", "error", "hidden_size",
     but(LLAMA, hidden_size=1023), but(LLAMA, hidden_size=1023, head_dim=64)),
    ("CH023", "error", "num_attention_heads",
     but(LLAMA, num_attention_heads=7, num_key_value_heads=7), LLAMA),
    ("CH024", "error", "num_key_value_heads",
     but(LLAMA, num_key_value_heads=3), but(LLAMA, num_key_value_heads=1)),
    ("CH024", "error", "num_key_value_heads",
     but(LLAMA, num_key_value_heads=16), but(LLAMA, num_key_value_heads=8)),
    ("CH025", "error", "rope_scaling.mrope_section",
     but(MROPE, rope_scaling={"type": "mrope", "mrope_section": [16, 24, 25]}), MROPE),
    ("CH025", "error", "rope_scaling.mrope_section",
     but(MROPE, rope_scaling={"type": "mrope", "mrope_section": [64, 0, 0]}), MROPE),
    ("CH025", "error", "rope_scaling.mrope_section",
     but(MROPE, rope_scaling={"type": "mrope", "mrope_section": 64}), MROPE),
    ("CH026", "error", "rope_parameters.full_attention", of_layers(full_attention=GONE), GEMMA),
    ("CH026", "warning", "rope_parameters.rope_theta", of_layers(rope_theta=1e4), of_layers(rope_theta=None)),
    ("CH026", "error", "layer_types", but(GEMMA, layer_types=["local", "local", "local", "global"]), GEMMA),
    ("CH028", "error", "no_rope_layers", but(SMOLLM, no_rope_layers=[0, 0, 0, 1] * 2), SMOLLM),
    ("CH028", "warning", "no_rope_layers",
     but(SMOLLM, no_rope_layers=[1, 0, 0, 0] * 2), but(SMOLLM, no_rope_layers=[1, 0, 1, 0] * 2)),
    ("CH028", "error", "num_hidden_layers",
     but(SMOLLM, no_rope_layers=[1, 1, 1, 0]), but(SMOLLM, no_rope_layers=[1] * 8)),
    ("CH028", "error", "no_rope_layers",
     but(SMOLLM, no_rope_layers=[3, 7]), but(SMOLLM, no_rope_layers=[True] * 7 + [False])),
    ("CH029", "error", "layer_types", but(GEMMA, num_hidden_layers=5), GEMMA),
    ("CH029", "warning", "sliding_window_pattern", but(PATTERN, sliding_window_pattern=6), PATTERN),
    ("CH029", "warning", "sliding_window", but(GEMMA, sliding_window=None), GEMMA),
    ("CH030", "error", "n_ctx", but(GPT2, n_ctx=17), but(GPT2, n_ctx=16)),
    ("CH030", "warning", "max_seq_len", but(LLAMA, max_seq_len=32769), but(LLAMA, max_seq_len=32768)),
    ("CH031", "error", "d_model",
     {"model_type": "own", "d_model": 5, "position_embedding_type": "sinusoidal"},
     {"model_type": "own", "d_model": 6, "position_embedding_type": "sinusoidal"}),
    ("CH031", "error", "d_model", {"model_type": "own", "d_model": 5, "position_embedding_type": "sine"},
     {"model_type": "own", "d_model": 5}),
    ("CH032", "note", "n_head", but(BLOOM, n_head=6, hidden_size=48), BLOOM),
    ("CH032", "note", "n_heads", {"model_type": "own", "n_heads": 12, "attn_config": {"alibi": True}},
     {"model_type": "own", "n_heads": 12, "attn_config": {"alibi": False}}),
    ("CH033", "error", "relative_attention_num_buckets", but(T5, relative_attention_num_buckets=31), T5),
    ("CH033", "warning", "relative_attention_num_buckets",
     but(T5, relative_attention_num_buckets=34), but(T5, relative_attention_num_buckets=36)),
    ("CH033", "error", "relative_attention_max_distance",
     but(T5, relative_attention_max_distance=16), but(T5, relative_attention_max_distance=17)),
    ("CH039", "warning", "auto_map", but(LLAMA, auto_map={}, rope_scaling={"rope_type": "default"}),
     but(LLAMA, rope_scaling={"rope_type": "default"})),
    ("CH039", "warning", "rope_scaling.type",
     but(LLAMA, auto_map={}, rope_scaling={"type": "default"}), but(LLAMA, auto_map={}, rope_scaling=YARN)),
    ("CH041", "error", "rope_thetha",
     but(LLAMA, rope_theta=GONE, rope_thetha=5e5), but(LLAMA, rope_thetha=5e5)),
    ("CH041", "error", "rope_htea",
     but(LLAMA, rope_theta=GONE, rope_htea=5e5), but(LLAMA, rope_theta=GONE, rope_tables=5e5)),
    ("CH041", "error", "max_postion_embeddings",
     but(LLAMA, max_position_embeddings=GONE, max_postion_embeddings=9),
     but(LLAMA, max_position_embeddings=GONE, max_positions_embeddings_all=9)),
    ("CH042", "error", "head_dim", but(LLAMA, model_type="cohere2", head_dim=None, rope_scaling=YARN),
     but(LLAMA, model_type="cohere2", head_dim=128, rope_scaling=YARN)),
    ("CH042", "error", "head_dim",
     but(LLAMA, model_type="mixtral", rope_scaling={"type": "dynamic", "factor": 2.0}),
     but(LLAMA, model_type="mixtral", rope_scaling={"type": "linear", "factor": 2.0})),
    ("CH042", "error", "head_dim", but(LLAMA, model_type="qwen2", head_dim=None, rope_scaling=YARN),
     but(LLAMA, model_type="qwen2", rope_scaling=YARN)),
    ("CH042", "error", "head_dim", but(LLAMA, model_type="glm", head_dim=None, rope_scaling=YARN),
     but(LLAMA, head_dim=None, rope_scaling=YARN)),
    ("CH044", "error", "rope_interleave", but(MLA, rope_interleave=False), but(MLA, rope_interleave=True)),
    ("CH044", "error", "is_neox_style", but(LLAMA, is_neox_style=False), but(LLAMA, is_neox_style=True)),
    ("CH044", "error", "rotary_interleaved",
     but(LLAMA, rotary_interleaved=True), but(LLAMA, model_type="own", rotary_interleaved=True)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "severity", "key", "wrong", "right"), CASES, ids=lambda value: str(value)[:30]
)
def test_rules_speak_of_what_is_wrong_alone(
    code: str, severity: str, key: str, wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    said = found(wrong, code)
    assert [finding.severity for finding in said if key in finding.keys] == [severity]
    assert [finding.message.en for finding in found(right, code)] == []


def test_sections_count_the_hands_that_turn_alone() -> None:
    part = {"rope_theta": 1e7, "partial_rotary_factor": 0.25, "mrope_section": [11, 11, 10]}
    assert found(but(LLAMA, model_type="own", head_dim=256, rope_parameters=part), "CH025") == []
    whole = {**part, "partial_rotary_factor": 1.0}
    said = found(but(LLAMA, model_type="own", head_dim=256, rope_parameters=whole), "CH025")
    assert "128 hands" in said[0].message.en


def test_parts_within_have_their_whole_path() -> None:
    inner = but(LLAMA, rope_scaling=but(YARN, factor=0.5))
    said = found({"model_type": "own_vl", "text_config": inner}, "CH011")
    assert said[0].keys == ("text_config.rope_scaling.factor",)


def test_a_trained_length_beside_the_dictionary_is_the_one_that_counts() -> None:
    beside = but(LLAMA, model_type="phi3", rope_scaling=but(YARN, **{TRAINED: GONE}), **{TRAINED: 4096})
    assert found(beside, "CH012")[0].keys == ("rope_scaling.factor", TRAINED, "max_position_embeddings")
