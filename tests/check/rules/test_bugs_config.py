"""Public bugs that a configuration shows: each, as a small file, yields the right code and the right key.

Numbers are those of reports: ``B..`` of issues in public trackers, ``L..`` of defects of transformers 5.24.0.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clockhands.check.read.config import read_config
from clockhands.check.rules import findings
from clockhands.check.subject import Subject

BUGS = Path(__file__).parent.parent / "fixtures" / "bugs"

CASES: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("B03-layout-flipped", "CH044", "error", "rope_interleave", {}),
    ("B16-dynamic-constant-in-length", "CH035", "warning", "rope_scaling.type", {"framework": "vllm"}),
    (
        "B19-table-not-enlarged",
        "CH035",
        "error",
        "rope_scaling.factor",
        {"framework": "vllm", "served": 16385},
    ),
    ("B21-mscale-pair-cancels", "CH018", "warning", "rope_scaling.mscale_all_dim", {}),
    ("B22-mscale-missing", "CH018", "warning", "rope_scaling.mscale_all_dim", {}),
    ("B23-softmax-scale", "CH018", "note", "rope_scaling.mscale_all_dim", {}),
    (
        "B24-attention-factor-ignored",
        "CH019",
        "warning",
        "rope_parameters.attention_factor",
        {"framework": "vllm"},
    ),
    ("B27-betas-swapped", "CH015", "error", "rope_scaling.beta_fast", {}),
    ("B29-magnitude-twice", "CH018", "warning", "rope_scaling.attention_factor", {}),
    ("B30-yarn-capped", "CH036", "warning", "max_position_embeddings", {"framework": "llama.cpp"}),
    ("B32-theta-in-new-place-only", "CH038", "warning", "rope_parameters.rope_theta", {"framework": "vllm"}),
    ("B32-theta-lost", "CH002", "error", "rope_theta", {}),
    ("B33-no-rope-layers-inverted", "CH028", "error", "no_rope_layers", {}),
    ("B34-llama3-scaling-dropped", "CH040", "error", "rope_scaling", {}),
    ("B35-llama3-read-as-linear", "CH006", "error", "rope_scaling.low_freq_factor", {}),
    ("B36-gemma-factor-on-local-layers", "CH027", "error", "rope_parameters.sliding_attention.factor", {}),
    ("B37-nested-lacks-a-layer-type", "CH026", "error", "rope_parameters.sliding_attention", {}),
    ("B37-nested-taken-as-flat", "CH026", "error", "rope_parameters", {}),
    ("B40-codellama-length", "CH040", "warning", "max_position_embeddings", {}),
    ("B41-default-looked-up", "CH039", "warning", "rope_scaling.rope_type", {}),
    ("B42-partial-ignored", "CH021", "error", "rope_parameters.partial_rotary_factor", {}),
    ("B42-sections-of-the-whole-head", "CH025", "error", "rope_parameters.mrope_section", {}),
    ("B45-proportional-part-missing", "CH020", "error", "rope_parameters.partial_rotary_factor", {}),
    ("B46-odd-head", "CH022", "error", "hidden_size", {}),
    ("B46-odd-part", "CH022", "error", "rotary_pct", {}),
    ("B47-odd-sinusoid", "CH031", "error", "emb_dim", {}),
    ("B53-table-shorter-than-admitted", "CH030", "warning", "max_seq_len", {}),
    (
        "B53-table-shorter-than-admitted",
        "CH030",
        "error",
        "max_position_embeddings",
        {"framework": "vllm", "served": 4097},
    ),
    ("B62-alibi-heads", "CH032", "note", "n_head", {}),
    ("B70-learned-rows", "CH030", "error", "n_ctx", {}),
    ("B70-bert-rows", "CH030", "error", "max_position_embeddings", {"served": 513}),
    ("B73-longrope-switch", "CH017", "warning", "rope_scaling.long_factor", {"served": 4097}),
    ("L06-truncate-nested", "CH043", "warning", "rope_parameters.full_attention.truncate", {}),
    ("L07-head-dim-null", "CH042", "error", "head_dim", {}),
    ("L11-theta-negative", "CH001", "error", "rope_theta", {}),
    ("L19-angles-at-ten-million", "CH037", "warning", "max_position_embeddings", {}),
)


def served_as(name: str, *, framework: str = "transformers", served: int | None = None) -> Subject:
    subject = read_config(BUGS / f"{name}.json")
    return replace(subject, framework=framework).served(served)


@pytest.mark.parametrize(
    ("name", "code", "severity", "key", "asked"), CASES, ids=lambda value: str(value)[:40]
)
def test_bugs_are_found(name: str, code: str, severity: str, key: str, asked: dict[str, Any]) -> None:
    found = findings(served_as(name, **asked))
    gravest = next(each for each in found if key in each.keys and each.code == code)
    assert gravest.severity == severity


def test_bugs_have_one_file_each_and_every_file_is_looked_at() -> None:
    assert {path.stem for path in BUGS.glob("*.json")} == {name for name, *_ in CASES}
