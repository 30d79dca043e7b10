"""Rules on files in other dialects: what holds for every model holds there, by the names that stand there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gguf_files import gguf

from clockhands.check.finding import Finding
from clockhands.check.read.config import read_config
from clockhands.check.read.gguf import read_gguf
from clockhands.check.rules import findings

MEGATRON = {
    "num_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "num_query_groups": 2,
    "group_query_attention": True, "position_embedding_type": "rope", "rotary_base": 500000,
    "max_position_embeddings": 4096,
}  # fmt: skip

QWEN = {
    "general.architecture": "qwen2", "qwen2.block_count": 2, "qwen2.context_length": 4096,
    "qwen2.embedding_length": 64, "qwen2.attention.head_count": 4, "qwen2.attention.head_count_kv": 2,
    "qwen2.rope.freq_base": 1e6,
}  # fmt: skip


def of_rules(found: tuple[Finding, ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(each.code, each.severity, each.keys) for each in found if each.code < "CH09"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        ({"rotary_base": 0}, [("CH001", "error", ("rotary_base",))]),
        ({"num_query_groups": 3}, [("CH024", "error", ("num_query_groups", "num_attention_heads"))]),
    ],
)
def test_arguments_of_megatron(changed: dict[str, Any], said: list[Any]) -> None:
    assert of_rules(findings(read_config({**MEGATRON, **changed}))) == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, []),
        ({"qwen2.rope.freq_base": 0.5}, [("CH001", "error", ("qwen2.rope.freq_base",))]),
        (
            {"qwen2.attention.head_count_kv": 3},
            [("CH024", "error", ("qwen2.attention.head_count_kv", "qwen2.attention.head_count"))],
        ),
    ],
)
def test_keys_of_gguf(tmp_path: Path, changed: dict[str, Any], said: list[Any]) -> None:
    """With a base of 1e6 under another name than a configuration's, no base is missing."""
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf({**QWEN, **changed}))
    assert of_rules(findings(read_gguf(path))) == said
