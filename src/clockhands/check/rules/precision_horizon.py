"""Angles in few bits: how far they can be trusted at the length that is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from clockhands.analysis.precision import Precision, angle_error
from clockhands.check.finding import Finding, Rule
from clockhands.check.form import LayerForm
from clockhands.check.rules.written import PROMISED
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

PRECISIONS: dict[str, Precision] = {
    "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16", "half": "fp16",
}  # fmt: skip

TOLERABLE = 0.1
"""rad, of the fastest hand at the last position; more blurs neighbours."""

_FASTEST = 2 * math.pi
"""rad / token; hands that are faster come from a base below 1, which is told elsewhere."""

_LAST = 64
"""Positions looked at before the end; errors grow with position."""


def _check(subject: Subject) -> Iterator[Finding]:
    length = subject.context.served or subject.context.promised
    form = _fastest(subject)
    if length is None or length < 2 or form is None:
        return
    key = subject.key(PROMISED)
    single = _error(form, length, "fp32")
    if single > TOLERABLE:
        yield RULE.finding(
            "warning",
            [key],
            Text(
                f"at {number(length)} tokens an angle in 32 bits is off by {single:.2g} rad",
                f"在 {number(length)} 个词元处，32 位角度的误差为 {single:.2g} 弧度",
            ),
            Text("compute the tables in 64 bits and cast them last", "用 64 位计算表格，最后再转换"),
        )
    precision = PRECISIONS.get((subject.dtype or "").lower())
    if precision is not None:
        off = _error(form, length, precision)
        if off > TOLERABLE:
            yield RULE.finding(
                "note",
                [key],
                Text(
                    f"were angles kept in {precision}, they would be off by {off:.2g} rad at "
                    f"{number(length)} "
                    f"tokens: a model that is loaded in {precision} keeps them in 32 bits, one that is cast "
                    "after loading does not",
                    f"如果角度也用 {precision}，在 {number(length)} 个词元处的误差为 {off:.2g} 弧度：以 "
                    f"{precision} "
                    "载入的模型仍用 32 位保存角度，载入之后再转换的则不然",
                ),
                Text(
                    "give the dtype to from_pretrained; don't call .half() or .to() on the loaded model",
                    "把 dtype 交给 from_pretrained；不要对载入的模型调用 .half() 或 .to()",
                ),
            )


def _fastest(subject: Subject) -> LayerForm | None:
    forms = [form for form in subject.declared if form.family == "rope" and form.inv_freq]
    forms = [form for form in forms if max(form.inv_freq or ()) <= _FASTEST]
    return max(forms, key=lambda form: max(form.inv_freq or (0.0,)), default=None)


def _error(form: LayerForm, length: int, precision: Precision) -> float:
    places = np.arange(max(0, length - _LAST), length)
    error = angle_error(np.asarray(form.inv_freq), places, precision).angle.values
    finite = error[np.isfinite(error)]
    return float(finite.max()) if len(finite) == len(error) else float("inf")


RULE = Rule(
    code="CH037",
    title=Text("angles in too few bits for the length", "角度的位数不足以支撑这一长度"),
    story=Text(
        "The fastest hand turns one radian a token, so its angle is as large as the position. bf16 keeps "
        "eight bits of it: past 256 neighbours become one, and at 4,096 only 769 of the positions are left. "
        "32 bits are off by 0.004 rad at 131,072 and by 0.8 at ten million, which Llama 4 states as its "
        "limit. In transformers .half() and .to(bfloat16) on a loaded model round the frequencies, and "
        ".float() can't bring them back.",
        "最快的指针每个词元转一弧度，所以它的角度与位置一样大。bf16 只留八位：超过 256 后相邻位置合而为一，"
        "到 4,096 只剩 769 个不同的位置。32 位在 131,072 处误差 0.004 弧度，在一千万处（Llama 4 声称的上限）"
        "为 0.8。在 transformers 中，对载入的模型调用 .half() 或 .to(bfloat16) 会把频率也舍入，之后 "
        ".float() 也恢复不了。",
    ),
    check=_check,
    reference="EleutherAI/gpt-neox #1003; huggingface/transformers #25681, #29496; huggingface/candle #3520",
)
