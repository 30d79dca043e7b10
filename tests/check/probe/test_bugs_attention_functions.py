"""Attention functions: what they do to scores is read back through the softmax, and so are their faults."""

from __future__ import annotations

from typing import Any

import pytest
from functions import attending

from clockhands.check.probe.function import probe

QKV = "q, k, v, position_ids"


@pytest.mark.parametrize(
    ("fn", "signature", "code", "more"),
    [
        (attending.ignores_positions, QKV, "CH120", {}),
        (attending.row_zero, QKV, "CH122", {}),
        (attending.two_ways, QKV, "CH104", {}),
        (attending.alibi_one_series, "q, k, v", "CH170", {}),
        (attending.rope, QKV, "CH107", {"expect": {"score_scale": 1.873854 * 16**-0.5}}),
    ],
)
def test_faults(fn: Any, signature: str, code: str, more: dict[str, Any]) -> None:
    found = probe(fn, head_dim=16, signature=signature, **more).found
    assert [(finding.code, finding.severity) for finding in found] == [(code, "error")]


@pytest.mark.parametrize(
    ("fn", "signature", "form"),
    [
        (attending.rope, QKV,
         {"family": "rope", "layout": "half", "rope_theta": 1e4, "score_scale": pytest.approx(0.25)}),
        (attending.deepseek, QKV, {"family": "rope", "score_scale": pytest.approx(1.873854 / 4, rel=1e-5)}),
        (attending.alibi, "q, k, v",
         {"family": "alibi", "slopes": pytest.approx(attending.SLOPES.tolist(), rel=1e-4)}),
        (attending.nope, QKV, {"family": "none", "score_scale": pytest.approx(0.25)}),
    ],
)  # fmt: skip
def test_no_alarms(fn: Any, signature: str, form: dict[str, Any]) -> None:
    subject = probe(fn, head_dim=16, signature=signature)
    assert subject.found == ()
    assert subject.measured is not None
    assert {name: getattr(subject.measured[0], name) for name in form} == form
