"""Weights of a folder held against its configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from test_rows import HIDDEN, WIDTH, stored

from clockhands.check.read.folder import read_folder

LLAMA = {
    "model_type": "llama", "hidden_size": HIDDEN, "num_attention_heads": 3, "num_key_value_heads": 3,
    "num_hidden_layers": 4, "head_dim": WIDTH, "max_position_embeddings": 64, "rope_theta": 10000.0,
}  # fmt: skip
PLAIN = 10000.0 ** (-np.arange(WIDTH // 2) / (WIDTH // 2))


@pytest.fixture
def read(tmp_path: Path):
    def made(tensors: dict[str, Any], config: dict[str, Any] | None = None):
        (tmp_path / "config.json").write_text(json.dumps({**LLAMA, **(config or {})}), encoding="utf-8")
        save_file(
            {name: np.ascontiguousarray(each) for name, each in tensors.items()},
            tmp_path / "model.safetensors",
        )
        return read_folder(tmp_path)

    return made


def projections(layout: str = "half", dtype: Any = np.float32) -> dict[str, np.ndarray]:
    heads, tensors = stored(layout), {}
    for layer in range(4):
        three, at = heads[3 * layer : 3 * layer + 3], f"model.layers.{layer}.self_attn"
        tensors[f"{at}.q_proj.weight"] = np.concatenate([q[0] for q, _ in three]).astype(dtype)
        tensors[f"{at}.k_proj.weight"] = np.concatenate([k for _, k in three]).astype(dtype)
    return tensors


def codes(subject: Any) -> list[tuple[str, str]]:
    return [(each.code, each.severity) for each in subject.found]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_that_fit_their_class(read, dtype: Any) -> None:
    subject = read(projections("half", dtype))
    assert (subject.kind, codes(subject)) == ("model", [("CH210", "note")])
    assert subject.facts["stored_rows"]["layout"] == "half"


def test_rows_in_the_layout_of_the_original_release(read) -> None:
    """B01: weights of the first release beside a configuration of transformers."""
    subject = read(projections("interleaved"))
    assert codes(subject) == [("CH202", "error")]
    assert "interleaved" in subject.found[0].message.en


def test_projections_of_another_size(read) -> None:
    found = read(projections(), {"num_key_value_heads": 1}).found
    assert [(each.code, each.keys[1]) for each in found] == [("CH221", "num_key_value_heads")]
    assert "has 72 rows, but heads times head_dim is 24; 3 other tensors like it" in found[0].message.en
    assert codes(read(projections(), {"head_dim": 16}))[:2] == [("CH221", "error"), ("CH221", "error")]


@pytest.mark.parametrize(
    ("stored_as", "expected"),
    [
        (PLAIN.astype(np.float32), []),
        (PLAIN.astype(np.float16), [("CH223", "warning")]),
        (500000.0 ** (-np.arange(12) / 12).astype(np.float32), [("CH223", "warning")]),
    ],
)
def test_frequencies_stored_with_the_weights(
    read, stored_as: np.ndarray, expected: list[tuple[str, str]]
) -> None:
    subject = read({"model.layers.0.self_attn.rotary_emb.inv_freq": stored_as})
    assert codes(subject) == expected
    if stored_as.dtype == np.float16:
        assert "16 bits" in subject.found[0].message.en


def test_tables_with_fewer_rows(read) -> None:
    gpt2 = {"model_type": "gpt2", "n_positions": 64, "n_embd": 8, "n_head": 2, "n_layer": 1}
    assert codes(read({"transformer.wpe.weight": np.ones((64, 8), np.float32)}, gpt2)) == []
    assert codes(read({"transformer.wpe.weight": np.ones((32, 8), np.float32)}, gpt2)) == [("CH227", "error")]


def test_relative_biases_of_another_size(read) -> None:
    t5 = {
        "model_type": "t5",
        "relative_attention_num_buckets": 32,
        "num_heads": 2,
        "num_layers": 1,
        "d_kv": 4,
    }
    name = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    assert codes(read({name: np.ones((32, 2), np.float32)}, t5)) == []
    assert codes(read({name: np.ones((16, 2), np.float32)}, t5)) == [("CH227", "error")]


def test_remote_code_is_named_and_not_run(read) -> None:
    subject = read({}, {"auto_map": {"AutoModel": "modeling_evil.EvilModel"}})
    assert codes(subject) == [("CH224", "note")]
    assert "modeling_evil.EvilModel" in subject.found[0].message.en
    several = {f"AutoModel{n}": f"modeling.Model{n}" for n in range(5)} | {"AutoTokenizer": "elsewhere.Words"}
    said = read({}, {"auto_map": several}).found[0].message
    assert "modeling.Model0, modeling.Model1, modeling.Model2 and 2 more" in said.en
    assert "Words" not in said.en
    assert "modeling.Model2 等 5 个" in said.zh


def test_towers_for_images_have_sizes_of_their_own(read) -> None:
    assert codes(read({"vision_tower.layers.0.self_attn.q_proj.weight": np.ones((7, 7), np.float32)})) == []
