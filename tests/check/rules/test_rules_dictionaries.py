"""Rules on rotary parameters: a configuration each must speak of, and one beside it that it must not."""

from __future__ import annotations

from typing import Any

import pytest
from around import GONE, LLAMA, LLAMA3, LONG, TRAINED, YARN, but, found, local

SCALED = but(LLAMA, rope_scaling=YARN)


def scaled(given: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return but(LLAMA, rope_scaling=but(given, **changed))


def nested(given: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return but(LLAMA, rope_parameters=but({"rope_theta": 500000.0, **given}, **changed), rope_theta=GONE)


CASES: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any]], ...] = (
    # code, severity, key, what is wrong, what is right
    ("CH001", "error", "rope_theta", but(LLAMA, rope_theta=0), but(LLAMA, rope_theta=1.0001)),
    ("CH001", "error", "rope_theta", but(LLAMA, rope_theta=1), LLAMA),
    ("CH001", "error", "rope_theta", but(LLAMA, rope_theta="10000"), but(LLAMA, rope_theta=10000)),
    ("CH001", "error", "rope_theta", but(LLAMA, rope_theta=True), LLAMA),
    ("CH001", "error", "rope_parameters.rope_theta", nested({}, rope_theta=-5), nested({}, rope_theta=5)),
    ("CH001", "error", "rope_local_base_freq",
     but(LLAMA, rope_local_base_freq=0), but(LLAMA, rope_local_base_freq=10)),
    ("CH002", "error", "rope_theta", scaled(LLAMA3) | {"rope_theta": None}, scaled(LLAMA3)),
    ("CH002", "error", "rope_theta",
     but(LLAMA, model_type="qwen2", rope_theta=GONE), but(LLAMA, model_type="qwen2")),
    ("CH002", "error", "rope_theta", but(scaled(LLAMA3), rope_theta=GONE), but(LLAMA, rope_theta=GONE)),
    ("CH003", "error", "rope_theta", but(nested({}), rope_theta=1e4), but(nested({}), rope_theta=5e5)),
    ("CH004", "error", "rope_scaling.rope_type", scaled(YARN, rope_type="yarm"), SCALED),
    ("CH004", "error", "rope_scaling.type",
     scaled(YARN, rope_type=GONE, type="ntk"), scaled(YARN, rope_type=GONE, type="yarn")),
    ("CH004", "error", "rope_scaling.type",  # one class takes this name of vLLM's for "yarn"
     scaled(YARN, rope_type=GONE, type="deepseek_yarn"),
     but(scaled(YARN, rope_type=GONE, type="deepseek_yarn"), model_type="sarvam_mla")),
    ("CH004", "error", "rope_scaling.rope_type", scaled(YARN, rope_type=3), scaled({"rope_type": "default"})),
    ("CH004", "warning", "rope_scaling.rope_type",
     but(scaled(YARN, rope_type="own"), auto_map={}), but(scaled(LONG, rope_type="su"), auto_map={})),
    ("CH005", "error", "rope_scaling.factor", scaled(LLAMA3, factor=GONE), scaled(LLAMA3)),
    ("CH005", "error", f"rope_scaling.{TRAINED}",
     scaled(LLAMA3, **{TRAINED: GONE}), but(scaled(LLAMA3, **{TRAINED: GONE}), **{TRAINED: 4096})),
    ("CH005", "error", "rope_scaling.low_freq_factor", scaled(LLAMA3, low_freq_factor=None), scaled(LLAMA3)),
    ("CH005", "error", "rope_scaling.long_factor", scaled(LONG, long_factor=GONE), scaled(LONG)),
    ("CH005", "warning", f"rope_scaling.{TRAINED}", scaled(YARN, **{TRAINED: GONE}), SCALED),
    ("CH005", "error", "rope_scaling.factor",
     scaled({"type": "dynamic"}), scaled({"type": "dynamic", "alpha": 1000.0})),
    ("CH006", "error", "rope_scaling.high_freq_factor", scaled(LLAMA3, rope_type="linear"), scaled(LLAMA3)),
    ("CH006", "error", "rope_scaling.factor",
     scaled({"rope_type": "default", "factor": 8}), scaled({"rope_type": "default", "factor": 1.0})),
    ("CH006", "error", "rope_scaling.short_factor", scaled(LONG, rope_type="yarn", factor=4.0), scaled(LONG)),
    ("CH006", "warning", "rope_scaling.beta_fast", scaled(LLAMA3, beta_fast=32), scaled(YARN, beta_fast=32)),
    ("CH007", "error", "rope_scaling.orignal_max_position_embeddings",
     scaled(YARN, **{TRAINED: GONE, "orignal_max_position_embeddings": 8192}), SCALED),
    ("CH007", "note", "rope_scaling.colour", scaled(YARN, colour=1), scaled(YARN, mrope_interleaved=True)),
    ("CH008", "error", "rope_scaling.type", scaled(YARN, type="linear"), scaled(YARN, type="yarn")),
    ("CH008", "error", "rope_scaling.type", scaled(LONG, type="yarn"), scaled(LONG, type="su")),
    ("CH009", "error", "rope_scaling.factor",
     but(SCALED, rope_parameters=but(YARN, factor=8.0)), but(SCALED, rope_parameters=but(YARN, factor=4))),
    ("CH009", "error", "rope_parameters.rope_theta",
     but(SCALED, rope_theta=GONE, rope_parameters={**YARN, "rope_theta": 5e5}),
     but(SCALED, rope_parameters={**YARN, "rope_theta": 5e5})),
    ("CH009", "error", "rope_parameters.rope_type",
     but(SCALED, rope_parameters=but(YARN, rope_type="linear")),
     but(SCALED, rope_parameters=but(YARN, rope_type=GONE, type="yarn"))),
    ("CH009", "error", "rope_parameters.factor", but(SCALED, rope_parameters=but(YARN, factor=2.0)),
     but(LLAMA, rope_scaling={}, rope_parameters=but(YARN, factor=2.0))),
    ("CH010", "error", "rope_scaling.factor", scaled(YARN, factor="4"), SCALED),
    ("CH010", "error", f"rope_scaling.{TRAINED}", scaled(YARN, **{TRAINED: True}), SCALED),
    ("CH010", "error", "max_position_embeddings", but(LLAMA, max_position_embeddings="32768"), LLAMA),
    ("CH010", "error", "num_key_value_heads",
     but(LLAMA, num_key_value_heads=[1, "2"]), but(LLAMA, num_key_value_heads=[1, 2, None])),
    ("CH010", "error", "num_hidden_layers",
     but(LLAMA, num_hidden_layers={"text": "9"}), but(LLAMA, num_hidden_layers={"text": 9, "image": 5})),
    *(("CH010", "error", name, but(LLAMA, **{name: value}), but(LLAMA, **{name: 8.0}))
      for name, value in (("num_attention_heads", 0), ("num_key_value_heads", -1), ("num_hidden_layers", 1.5),
                          ("hidden_size", 1e308), ("head_dim", 0))),
    ("CH010", "error", "num_key_value_heads",
     but(LLAMA, num_key_value_heads=[8, 0]), but(LLAMA, num_key_value_heads=[8, 4])),
    ("CH010", "error", "head_dim", but(LLAMA, head_dim=0), but(LLAMA, head_dim=0, kv_lora_rank=64)),
    ("CH010", "warning", "max_position_embeddings",
     but(LLAMA, max_position_embeddings=-1), but(LLAMA, max_position_embeddings=2**52 - 1)),
    ("CH010", "error", "rope_scaling", but(LLAMA, rope_scaling="yarn"), but(LLAMA, rope_scaling=False)),
    ("CH010", "error", "text_config.rope_parameters",
     {"model_type": "own", "text_config": but(LLAMA, rope_parameters=[{"rope_type": "yarn"}])},
     {"model_type": "own", "text_config": LLAMA}),
    ("CH011", "error", "rope_scaling.factor", scaled(YARN, factor=0.25), scaled(YARN, factor=1.0)),
    ("CH011", "error", "rope_scaling.factor",
     scaled({"type": "linear", "factor": 0}), scaled({"type": "linear", "factor": 1})),
    ("CH012", "error", "max_position_embeddings", scaled(YARN, factor=3.9), scaled(YARN, factor=3.99)),
    ("CH012", "warning", "rope_scaling.factor",
     scaled(YARN, factor=8.0), but(scaled(YARN, factor=8.0), max_position_embeddings=65536)),
    ("CH012", "warning", "rope_scaling.factor", scaled(LLAMA3, factor=80.0), scaled(LLAMA3, factor=16.0)),
    ("CH012", "warning", "rope_scaling.factor", scaled(LLAMA3, factor=3.9), scaled(LLAMA3, factor=4.0)),
    ("CH012", "warning", "rope_scaling.factor", scaled(LONG, factor=2.0), scaled(LONG, factor=4.0)),
    ("CH013", "warning", f"rope_scaling.{TRAINED}",
     scaled(LLAMA3, **{TRAINED: 32768}), scaled(LLAMA3, **{TRAINED: 32767})),
    ("CH013", "warning", f"rope_scaling.{TRAINED}",
     scaled(YARN, **{TRAINED: 32769}), scaled(YARN, **{TRAINED: 32768})),
    ("CH013", "error", f"rope_scaling.{TRAINED}", scaled(YARN, **{TRAINED: 0}), SCALED),
    ("CH014", "error", "rope_scaling.low_freq_factor", scaled(LLAMA3, low_freq_factor=4.5), scaled(LLAMA3)),
    ("CH014", "warning", "rope_scaling.low_freq_factor",
     scaled(LLAMA3, low_freq_factor=4.0), scaled(LLAMA3, low_freq_factor=3.9)),
    ("CH014", "error", "rope_scaling.low_freq_factor", scaled(LLAMA3, low_freq_factor=0), scaled(LLAMA3)),
    ("CH015", "error", "rope_scaling.beta_slow", scaled(YARN, beta_slow=33), scaled(YARN, beta_slow=32)),
    ("CH015", "error", "rope_scaling.beta_fast", scaled(YARN, beta_fast=0.5), scaled(YARN, beta_fast=1)),
    ("CH016", "error", "rope_scaling.short_factor", scaled(LONG, short_factor=[1.0] * 63), scaled(LONG)),
    ("CH016", "error", "rope_scaling.long_factor",
     scaled(LONG, long_factor=[9.0] * 63 + [0.0]), scaled(LONG)),
    ("CH016", "error", "rope_scaling.long_factor", scaled(LONG, long_factor="1,2"), scaled(LONG)),
    ("CH016", "warning", "rope_scaling.short_factor",
     scaled(LONG, short_factor=[3.0] * 64), scaled(LONG, short_factor=[2.0] * 64)),
    ("CH019", "error", "rope_scaling.attention_factor",
     scaled(YARN, attention_factor=0), scaled(YARN, attention_factor=0.5)),
    ("CH020", "error", "partial_rotary_factor",
     but(LLAMA, partial_rotary_factor=0), but(LLAMA, partial_rotary_factor=1)),
    ("CH020", "error", "partial_rotary_factor", but(LLAMA, partial_rotary_factor=1.01), LLAMA),
    ("CH020", "error", "rotary_pct", but(LLAMA, rotary_pct=25), but(LLAMA, rotary_pct=0.25)),
    ("CH020", "error", "rotary_dim", but(LLAMA, rotary_dim=129), but(LLAMA, rotary_dim=128)),
    ("CH020", "warning", "partial_rotary_factor",
     but(LLAMA, model_type="nonesuch", partial_rotary_factor=4.0), LLAMA),
    ("CH027", "error", "rope_parameters.sliding_attention.factor",
     local(rope_type="linear", factor=8.0), local(rope_type="linear", factor=1.0)),
    ("CH027", "warning", "rope_parameters.sliding_attention.rope_theta", local(rope_theta=1e6), local()),
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


def test_what_is_missing_is_told_with_what_happens_then() -> None:
    length = found(scaled(LLAMA3, **{TRAINED: GONE}), "CH005")[0]
    assert "take the promised 32,768 tokens" in length.message.en
    assert "trained on" in length.remedy.en
    factor = found(scaled(LLAMA3, factor=GONE), "CH005")[0]
    assert "the formula needs it" in factor.message.en
    assert "original model" in factor.remedy.en
