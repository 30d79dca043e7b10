"""Is it what it is meant to be? What was measured beside what the caller says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.probe.findings import turning as say
from clockhands.check.probe.function.study import Study
from clockhands.check.saying import number, said
from clockhands.formulas.frequencies import from_rope_parameters

COMPARED = (
    "family", "layout", "rotary_dim", "attention_factor", "score_scale", "rows", "offset", "num_buckets",
    "max_distance", "bidirectional",
)  # fmt: skip
"""Fields of the normal form that are compared as they are."""
NEAR = 1e-3
"""Relative: a hand further off is another hand, not rounding."""


def check_expected(study: Study, forms: tuple[LayerForm, ...], expect: Mapping[str, Any]) -> None:
    """Each field of the normal form that ``expect`` names, and frequencies where it names a rotary type."""
    form = forms[0]
    for name, value in expect.items():
        if name in COMPARED:
            _compare(study, name, getattr(form, name), value)
    if not {"rope_type", "type", "rope_theta", "factor"} & set(expect) or form.inv_freq is None:
        return
    meant, magnitude = from_rope_parameters(
        expect, head_dim=int(form.head_dim or 2 * len(form.inv_freq)),
        max_position_embeddings=expect.get("max_position_embeddings"), seq_len=expect.get("seq_len"),
    )  # fmt: skip
    got, wanted = np.asarray(form.inv_freq), np.asarray(meant)
    if len(got) != len(wanted):
        _compare(study, "rotary_dim", 2 * len(got), 2 * len(wanted))
        return
    off = np.abs(got - wanted) > NEAR * np.maximum(wanted, 1e-12)
    if off.any():
        hand = int(np.argmax(off))
        theta = "?" if form.rope_theta is None else number(form.rope_theta)
        _say(
            study, ("inv_freq",),
            f"{int(off.sum())} of {len(off)} hands turn at other speeds than "
            f"{expect.get('rope_type', 'default')} "
            f"gives, hand {hand} at {got[hand]:.6g} and not {wanted[hand]:.6g} rad / token: it was measured "
            f"as {form.rope_type or 'no known type'} of base {theta}",
            f"{len(off)} 根指针中有 {int(off.sum())} 根的转速与 {expect.get('rope_type', 'default')} 不同，"
            f"第 {hand} 根为 {got[hand]:.6g} 而不是 {wanted[hand]:.6g} 弧度 / 词元：测得的是底数 {theta} 的 "
            f"{form.rope_type or '未知类型'}",
        )  # fmt: skip
    if "attention_factor" not in expect:
        _compare(study, "attention_factor", form.attention_factor, magnitude)


def _compare(study: Study, name: str, got: Any, wanted: Any) -> None:
    if got == wanted or (
        isinstance(got, int | float)
        and isinstance(wanted, int | float)
        and abs(got - wanted) <= NEAR * abs(wanted)
    ):
        return
    one, other = said(got), said(wanted)
    _say(
        study, (name,), f"{name} is {one.en}, and {other.en} is meant",
        f"{name} 为{one.zh}，而应为{other.zh}",
    )  # fmt: skip


def _say(study: Study, keys: tuple[str, ...], en: str, zh: str) -> None:
    remedy = ("give the function the parameters it is meant to have", "把应有的参数传给这个函数")
    study.say(say.MEANT, "error", keys, en, zh, remedy)
