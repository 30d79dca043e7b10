"""Functions that are right raise no alarm, whatever their conventions, and are known for what they are."""

from __future__ import annotations

from typing import Any

import pytest
from functions import biases, healthy

from clockhands.check.probe.function import probe

QK = "q, k, position_ids"
HALF = {
    "family": "rope",
    "layout": "half",
    "rope_theta": 1e4,
    "rope_type": "default",
    "attention_factor": 1.0,
}

RIGHT: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    (healthy.half, {}, {**HALF, "rope_theta": 5e5, "rotary_dim": 64, "rotary_dims": "whole"}),
    (healthy.very_slow, {"head_dim": 128},
     {**HALF, "layout": "interleaved", "rope_theta": 1e8, "rotary_dim": 128}),
    (healthy.interleaved, {"head_dim": 24}, {**HALF, "layout": "interleaved", "rotary_dim": 24}),
    (healthy.transposed, {}, HALF),
    (healthy.complex_pairs, {"layout_of_heads": "b t h d"}, {**HALF, "layout": "interleaved"}),
    (healthy.quarter, {"head_dim": 128}, {**HALF, "rotary_dim": 32, "rotary_dims": "prefix"}),
    (healthy.last_third, {"head_dim": 96},
     {**HALF, "layout": "interleaved", "rotary_dim": 32, "rotary_dims": "suffix"}),
    (healthy.proportional, {},
     {"layout": "half", "rope_theta": 1e6, "rope_type": "proportional", "rotary_dim": 64,
      "scaling": {"partial_rotary_factor": 0.25}}),
    (healthy.yarn, {"head_dim": 128},
     {"rope_type": "yarn", "rope_theta": 1e4, "attention_factor": pytest.approx(1.138629, abs=1e-5),
      "scaling": {"factor": 4.0, "original_max_position_embeddings": 4096}}),
    (healthy.llama3, {"head_dim": 128},
     {"rope_type": "llama3", "rope_theta": 5e5,
      "scaling": {"factor": 8.0, "original_max_position_embeddings": 8192, "low_freq_factor": 1.0,
                  "high_freq_factor": 4.0}}),
    (healthy.table_in_bf16, {}, HALF),
    (healthy.numpy_tokens, {"signature": "x, positions", "layout_of_heads": "t h d"}, HALF),
    (healthy.from_offset, {"signature": "x, *, offset"}, HALF),
    (healthy.from_zero, {"signature": "x"}, HALF),
    (healthy.cos_sin, {"signature": "position_ids"}, {**HALF, "rotary_dim": 64}),
    (healthy.cis, {"signature": "position_ids -> cis"}, {**HALF, "layout": None, "rotary_dim": 64}),
    (healthy.Rotary, {}, HALF),
    (healthy.Rotary(), {}, HALF),
    (healthy.nothing, {"signature": "q, k"}, {"family": "none"}),
    (healthy.sinusoid, {"signature": "positions -> table", "head_dim": 47},
     {"family": "sinusoidal", "layout": "interleaved", "rope_theta": 1e4, "rope_type": "2i/d", "offset": 0}),
    (healthy.fairseq_sinusoid, {"signature": "x", "head_dim": 48, "layout_of_heads": "b t d"},
     {"family": "sinusoidal", "layout": "half", "rope_theta": 1e4, "rope_type": "i/(d/2-1)", "offset": 2}),
    (biases.published, {"signature": "query_length, key_length"},
     {"family": "alibi", "slopes": pytest.approx((0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125))}),
    (biases.key_only, {"signature": "query_length, key_length"}, {"family": "alibi"}),
    (biases.both_ways, {"signature": "query_length, key_length", "causal": False},
     {"family": "alibi", "bidirectional": True}),
    (biases.causal_t5, {"signature": "relative"},
     {"family": "t5", "num_buckets": 32, "max_distance": 128, "bidirectional": False}),
    (biases.encoder_t5, {"signature": "relative"},
     {"family": "t5", "num_buckets": 32, "max_distance": 128, "bidirectional": True}),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "how", "form"), RIGHT)
def test_nothing_is_found(fn: Any, how: dict[str, Any], form: dict[str, Any]) -> None:
    subject = probe(fn, **{"head_dim": 64, "signature": QK, **how})
    assert [(finding.code, finding.message.en) for finding in subject.found] == []
    assert subject.measured is not None
    (got,) = subject.measured
    assert {name: getattr(got, name) for name in form} == form
    assert got.source == "measured"


def test_slow_hands_tell_bases_apart() -> None:
    """Hands of base 1e4 and 1e6 agree at position 1 to a thousandth; each is known to six digits."""
    subject = probe(healthy.half, head_dim=64)
    assert subject.measured is not None
    assert subject.measured[0].inv_freq is not None
    expected = [5e5 ** (-2 * i / 64) for i in range(32)]
    assert subject.measured[0].inv_freq == pytest.approx(expected, rel=2e-6)
