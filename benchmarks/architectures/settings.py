"""Odd settings for every model type: sizes that no default has, so that nothing right is right by chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ODD = {
    "max_position_embeddings": 530,
    "sliding_window": 21,
    "attention_chunk_size": 23,
    "relative_attention_num_buckets": 20,
    "relative_attention_max_distance": 71,
}
"""By the standard names of transformers; only those that a class has are set."""

OTHERS = ("vision", "audio", "encoder_config", "codec", "qformer", "projector")
"""Parts of a configuration that read no text."""

MISSING = {
    "vocab_size": 128, "num_experts_per_tok": 2, "n_routed_experts": 4, "n_shared_experts": 1,
    "moe_intermediate_size": 16,
    "n_group": 1, "topk_group": 1, "mamba_d_ssm": 192,
}  # fmt: skip
"""For sizes that a class leaves unsaid and can't be built without."""

HEAD_DIM = 24
OWN_WIDTHS = ("head_dim", "d_kv", "kv_channels", "attention_head_dim")
LATENT = {"qk_rope_head_dim": 12, "qk_nope_head_dim": 20, "v_head_dim": 16, "head_dim": 12}
"""Widths of latent attention."""

THETA = 54321.0

QSA = {
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 530,
    "indexer_n_heads": 2,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 24,
    "indexer_budget": 64,
    "indexer_compress_ratio": 4,
    "output_gate_type": "sigmoid",
}
"""Qwen4-Exp's choice of blocks, without which none of its layers of full attention can be built."""

GEMMA3N = {
    "num_hidden_layers": 6,
    "num_kv_shared_layers": 2,
    "layer_types": ["sliding_attention", "full_attention"] * 3,
}
"""Keys and values are shared with earlier layers of both kinds, so there have to be some."""

INKLING = {"rel_extent": 33, "swa_head_dim": 16, "swa_num_attention_heads": 3, "swa_num_key_value_heads": 1}
"""Biases that end within a text; heads narrower than the hidden state: a query doesn't hold all of it."""

BLT = {
    "hidden_size": 72, "hidden_size_global": 144, "num_attention_heads": 3, "num_key_value_heads": 3,
    "num_hidden_layers": 2, "rope_parameters": {"rope_type": "default", "rope_theta": THETA},
}  # fmt: skip
"""Widths of its stacks, which have to fit each other."""

SPECIAL: Mapping[str, Mapping[str, Any]] = {
    "esm": {"pad_token_id": 1, "mask_token_id": 2, "position_embedding_type": "rotary"},
    "lfm2_moe": {"num_hidden_layers": 2, "layer_types": ["conv", "full_attention"]},
    "mamba2": {"num_heads": 4, "head_dim": 36, "hidden_size": 72, "n_groups": 2},
    "nemotron": {"num_key_value_heads": 1},
    "xmod": {"default_language": "en_XX"},
    "squeezebert": {"embedding_size": 72, "hidden_size": 72},
    "zamba2": {
        "num_hidden_layers": 4,
        "layers_block_type": ["linear_attention", "hybrid"] * 2,
        "use_mem_rope": True,
    },
    "gemma3n_text": GEMMA3N,
    "gemma3n": {"text_config": GEMMA3N},
    "inkling_text": INKLING,
    "inkling2_text": INKLING,
    "inkling2_loop_text": {
        **INKLING,
        "num_hidden_layers": 4,
        "layer_types": ["hybrid_sliding", "hybrid"] * 2,
        "n_layers_per_attn_res_block": 1,
        "loop_layer_index_start": 1,
        "loop_layer_index_end": 3,
    },
    # By default a hundred layers' worth of words
    "dory": {"num_hidden_layers": 4, "n_input_layers": 1, "n_recurrent_layers": 2, "n_output_layers": 1},
    # Patches of three bytes: by default a small model of its own decides, for whom constant text is one patch
    "blt": {
        "patching_mode": "static",
        "patch_size": 3,
        "cross_attn_k": 2,
        "local_attention_window_len": 21,
        "encoder_config": BLT,
        "decoder_config": BLT,
        "global_config": {**BLT, "model_type": "blt_global_transformer", "hidden_size": 144, "head_dim": 48},
        "patcher_config": BLT,
    },
    # The window of its two sides together, an even number
    # Adapters of pictures and sound as wide as the text
    "dots3_note": {"vision_config": {"adapter_out_dim": 96}, "audio_config": {"adapter_out_dim": 96}},
    "longformer": {"attention_window": 6},
    "led": {"attention_window": 6},
    "deepseek_v4": {"head_dim": 64},
    "gpt_neo": {"window_size": 21},
    "moshi": {"audio_vocab_size": 64},
    "qwen4_exp": {"text_config": QSA},
    "qwen4_exp_text": QSA,
    "perceiver": {
        "d_model": 48,
        "d_latents": 48,
        "num_self_attends_per_block": 2,
        "num_self_attention_heads": 3,
        "num_cross_attention_heads": 3,
        "num_latents": 17,
    },
    "bamba": {"attn_layer_indices": [1]},
    "falcon_h1": {"mamba_d_ssm": 192},
    "cohere_compass_text": {
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": THETA},
            "sliding_attention": {"rope_type": "default", "rope_theta": THETA + 1000},
        }
    },
    "dbrx": {"attn_config": {"rope_theta": THETA, "kv_n_heads": 2, "clip_qkv": 8.0}},
}
"""What a class can't be built without, or what its defaults leave out that deserves to be measured."""


HEADS = (
    "num_attention_heads", "num_key_value_heads", "encoder_attention_heads", "decoder_attention_heads",
    "num_encoder_attention_heads", "num_decoder_attention_heads",
)  # fmt: skip

VARIANTS: Mapping[str, tuple[int, int]] = {"odd": (3, 1), "odd, as many key heads": (3, 3), "even": (4, 2)}
"""Heads and key heads to try in turn: some classes ask for even ones."""


def variants(model_type: str) -> list[tuple[str, dict[str, Any]]]:
    """Configurations to try in turn, oddest first, each with its name."""
    found = [(name, odd(model_type, heads)) for name, heads in VARIANTS.items()]
    return [*found, ("odd but for widths", odd(model_type, None)), ("default", {"model_type": model_type})]


def odd(model_type: str, heads: tuple[int, int] | None) -> dict[str, Any]:
    """A configuration of this model type with odd settings; widths and heads left alone where ``heads`` is
    None."""
    from transformers import CONFIG_MAPPING

    config = CONFIG_MAPPING[model_type]()
    values = {"model_type": model_type, **_odd_with_parts(config, heads)}
    for key, each in SPECIAL.get(model_type, {}).items():
        mine = values.get(key)
        values[key] = {**mine, **each} if isinstance(mine, dict) and isinstance(each, Mapping) else each
    return values


def _odd_with_parts(config: Any, heads: tuple[int, int] | None) -> dict[str, Any]:
    from transformers import CONFIG_MAPPING

    values = _odd_of(config, heads)
    for name in getattr(config, "sub_configs", {}):
        part = getattr(config, name, None)
        if getattr(part, "model_type", None) in CONFIG_MAPPING and not any(each in name for each in OTHERS):
            values[name] = {"model_type": part.model_type, **_odd_with_parts(part, heads)}
    return values


def _odd_of(config: Any, heads: tuple[int, int] | None) -> dict[str, Any]:
    names = {a: b for a, b in getattr(config, "attribute_map", {}).items() if isinstance(b, str)}
    default = config.to_dict()
    out = {key: value for key, value in MISSING.items() if default.get(key, 0) is None}
    for standard, value in ODD.items():
        name = names.get(standard, standard)
        if isinstance(default.get(name), int) and not isinstance(default[name], bool):
            out[name] = value
    rope = default.get("rope_parameters")
    if isinstance(rope, dict) and rope:
        out["rope_parameters"] = _rope(rope)
    if heads is None:
        return out
    for standard in HEADS:
        name = names.get(standard, standard)
        if isinstance(default.get(name), int):
            out[name] = heads[1] if standard == "num_key_value_heads" else heads[0]
    width = names.get("hidden_size", "hidden_size")
    if "qk_rope_head_dim" in default:
        out |= {key: value for key, value in LATENT.items() if key in default}
        out |= {width: 96}
        out |= {name: heads[0] for name in ("num_key_value_heads",) if name in default}
        return out
    own_width = next((each for each in OWN_WIDTHS if each in default), None)
    if isinstance(default.get(width), int):
        out[width] = heads[0] * HEAD_DIM if own_width is None else 96
    if own_width is not None:
        out[own_width] = HEAD_DIM
    if isinstance(default.get("mamba_n_heads"), int):
        out |= {"mamba_n_heads": 4, "mamba_d_head": int(default.get("mamba_expand", 2) * out[width]) // 4}
    if isinstance(default.get("rotary_dim"), int):
        out["rotary_dim"] = 8
    return out


def _rope(values: Mapping[str, Any]) -> dict[str, Any]:
    inner = {key: each for key, each in values.items() if isinstance(each, dict)}
    if inner:
        return {
            key: {**each, "rope_theta": THETA + 1000 * n}
            if isinstance(each, dict) and "rope_theta" in each
            else each
            for n, (key, each) in enumerate(values.items())
        }
    return {**values, "rope_theta": THETA}
