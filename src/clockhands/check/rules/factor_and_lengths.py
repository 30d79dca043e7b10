"""A factor that doesn't fit the lengths it is between."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule, Severity
from clockhands.check.rules.written import PROMISED, TRAINED, Given, givens
from clockhands.check.saying import number, whole
from clockhands.check.subject import Subject
from clockhands.language import Text

_NEAR = 0.01
"""Relative difference that rounding explains (4.0 for 131,072 / 32,760)."""

LLAMA = ((8.0, 16.0), (32.0, 16.0), (16.0, 1280.0))
"""Factor, and promised by trained length, of Llama 3.1, 3.2 and 4 Scout: no rule connects them."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        factor, trained, promised = given.number("factor"), given.number(TRAINED), given.part.promised
        if (
            not factor
            or factor < 1
            or not trained
            or promised is None
            or trained <= 0
            or not given.says("factor")
        ):
            continue
        if TRAINED not in given.paths.get(TRAINED, ""):
            continue  # not written: CH005
        ratio = promised / trained
        severity = _severity(given, factor, ratio)
        if severity is None:
            continue
        keys = [given.key("factor"), given.key(TRAINED), given.part.key(PROMISED)]
        yield RULE.finding(
            severity,
            keys,
            Text(
                f"{keys[0]} is {number(factor)}, while {keys[2]} / {keys[1]} is {number(promised)} / "
                f"{number(trained)} = {number(ratio)}",
                f"{keys[0]} 为 {number(factor)}，而 {keys[2]} / {keys[1]} 为 {number(promised)} / "
                f"{number(trained)} = {number(ratio)}",
            ),
            _remedy(keys, factor, trained, ratio),
        )


def _severity(given: Given, factor: float, ratio: float) -> Severity | None:
    if given.kind == "llama3":
        usual = any(abs(factor - f) < _NEAR * f and abs(ratio - r) < _NEAR * r for f, r in LLAMA)
        return None if usual or ratio <= 1 or ratio / 2 <= factor <= 2 * ratio else "warning"
    if given.kind not in ("yarn", "longrope") or abs(factor - ratio) <= _NEAR * ratio:
        return None
    if ratio <= 1:  # the promised length was left as it was: CH036 tells where that matters
        return None
    return "error" if factor < ratio and given.kind == "yarn" else "warning"


def _remedy(keys: list[str], factor: float, trained: float, ratio: float) -> Text:
    reach = whole(factor * trained)
    return Text(
        f"set {keys[0]} to {ratio:g}, or, if the model was tuned with {factor:g}, {keys[2]} to {reach}",
        f"把 {keys[0]} 写成 {ratio:g}；如果模型确实按 {factor:g} 调过，就把 {keys[2]} 写成 {reach}",
    )


RULE = Rule(
    code="CH012",
    title=Text("the factor and the lengths disagree", "缩放因子与长度不符"),
    story=Text(
        "YaRN stretches a trained length by its factor: 4,096 tokens and factor 40 reach 163,840. If the "
        "file promises more than that, the slow hands go on to angles that the model never saw; if it "
        "promises less, every hand is slowed more than it needs, and short texts suffer. Transformers logs "
        "the mismatch once and computes with the factor. Llama 3's bands are tuned by hand (8 for a ratio "
        "of 16), so there only odd pairs count.",
        "YaRN 按因子把训练长度拉长：4,096 个词元乘以因子 40，可达 163,840。文件承诺的比这更长，慢针就会转到模"
        "型从未见过的角度；承诺的更短，所有指针都被放慢得过多，短文本受损。transformers 只记一次不一致，仍"
        "按因子计算。Llama 3 的频段是人工调的（比例 16 配因子 8），所以只有特别离谱的组合才会报告。",
    ),
    check=_check,
    reference="ggml-org/llama.cpp #17459; huggingface/transformers #33753",
)
