"""Small honest files to begin from, so that what is mutated goes deep."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np


def of(target: str) -> list[bytes]:
    """Seeds of one target."""
    return {"gguf": _gguf, "safetensors": _safetensors, "folder": _folder, "config": _config}[target]()


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    return struct.pack("<IIQ", 9, 5, len(value)) + struct.pack(f"<{len(value)}i", *value)


def _file(arch: str, values: dict[str, Any], tensors: dict[str, tuple[int, ...]]) -> bytes:
    values = {"general.architecture": arch, **{f"{arch}.{key}": value for key, value in values.items()}}
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, value in values.items():
        out += _text(key) + _value(value)
    data, rng = b"", np.random.default_rng(0)
    for name, shape in tensors.items():
        out += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        out += struct.pack("<IQ", 0, len(data))
        raw = rng.uniform(1, 8, shape).astype(np.float32).tobytes()
        data += raw + b"\0" * (-len(raw) % 32)
    return out + b"\0" * (-len(out) % 32) + data


SIZES: dict[str, Any] = {
    "block_count": 2,
    "embedding_length": 16,
    "attention.head_count": 2,
    "context_length": 64,
}


def _gguf() -> list[bytes]:
    rows = {f"blk.{n}.attn_{one}.weight": (16, 16) for n in range(2) for one in "qk"}
    window = {"attention.sliding_window": 8}
    longrope = {"rope_factors_long.weight": (4,), "rope_factors_short.weight": (4,)}
    yarn = {
        "rope.scaling.type": "yarn",
        "rope.scaling.factor": 4.0,
        "rope.scaling.original_context_length": 16,
    }
    return [
        _file("llama", {**SIZES, "rope.freq_base": 5e5}, {"rope_freqs.weight": (4,), **rows}),
        _file("qwen2vl", {**SIZES, **yarn, "rope.dimension_sections": [2, 1, 1, 0]}, {}),
        _file("gemma3", {**SIZES, **window, "attention.sliding_window_pattern": [1, 0]}, {}),
        _file("phi3", {**SIZES, "rope.scaling.original_context_length": 16}, longrope),
        _file("granitehybrid", {**SIZES, "attention.head_count_kv": [0, 2]}, {}),
        _file("granite", {**SIZES, "rope.scaling.finetuned": False}, {}),
        _file("deepseek2", {**SIZES, **yarn, "attention.key_length_mla": 12, "rope.dimension_count": 4,
                            "attention.kv_lora_rank": 8, "rope.scaling.yarn_log_multiplier": 0.0707}, {}),
        _file("mpt", {**SIZES, "attention.max_alibi_bias": 8.0}, {"position_embd.weight": (64, 16)}),
        _file("t5", {**SIZES, "attention.relative_buckets_count": 32, "decoder_block_count": 2}, {}),
    ]  # fmt: skip


def _header() -> bytes:
    layer = "model.layers.0.self_attn"
    entries = {
        "__metadata__": {"format": "pt"},
        f"{layer}.q_proj.weight": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "model.layers.0.self_attn.rotary_emb.inv_freq": {
            "dtype": "F16",
            "shape": [2],
            "data_offsets": [16, 20],
        },
        "wpe.weight": {"dtype": "BF16", "shape": [4, 1], "data_offsets": [20, 28]},
    }
    return json.dumps(entries).encode()


def _safetensors() -> list[bytes]:
    header = _header()
    return [header, struct.pack("<Q", len(header)) + header + b"\0" * 28, b"{}"]


def _folder() -> list[bytes]:
    index = {
        "metadata": {"total_size": 28},
        "weight_map": {"wpe.weight": "a.safetensors", "b": "b.safetensors"},
    }
    return [_header(), b"i" + json.dumps(index).encode()]


def _config() -> list[bytes]:
    llama = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    scalings: list[dict[str, Any]] = [
        {"rope_theta": 5e5, "rope_scaling": {"type": "linear", "factor": 2.0}},
        {"rope_parameters": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}},
        {"rope_scaling": {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [2.0] * 8,
                          "original_max_position_embeddings": 16}, "max_position_embeddings": 64},
    ]  # fmt: skip
    nested = {
        "full_attention": {"rope_type": "linear", "factor": 8},
        "sliding_attention": {"rope_theta": 1e4},
    }
    kinds = ["full_attention", "sliding_attention"]
    gemma = {"model_type": "gemma3_text", "layer_types": kinds, "rope_parameters": nested}
    return [json.dumps(each).encode() for each in (*({**llama, **more} for more in scalings), gemma)]
