"""A base must be a number above 1: below it hands get faster, and at 0 or less they are no numbers."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens, parts
from clockhands.check.saying import said
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text

BESIDE = ("global_rope_theta", "local_rope_theta", "rope_local_base_freq", "rotary_emb_base")


def _check(subject: Subject) -> Iterator[Finding]:
    bases = {
        given.key("rope_theta"): given.values["rope_theta"]
        for given in givens(subject)
        if given.says("rope_theta")
    }
    for part in parts(subject):
        bases |= {part.key(name): part.settings.file[name] for name in BESIDE if name in part.settings.file}
        if part.settings.written("rope_theta"):
            bases[part.key("rope_theta")] = part.settings.get("rope_theta")
    for key, value in bases.items():
        number = finite(value)
        if value is not None and (number is None or number <= 1):
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is {said(value).en}: the base of the frequencies must be a number above 1",
                    f"{key} 为{said(value).zh}：频率的底数必须是大于 1 的数",
                ),
                Text(
                    "write the base the weights were trained with, as a plain number such as 10000.0 or "
                    "500000.0",
                    "写上训练权重时所用的底数，用普通数字，例如 10000.0 或 500000.0",
                ),
            )


RULE = Rule(
    code="CH001",
    title=Text("a base that is no number above 1", "底数不是大于 1 的数"),
    story=Text(
        "Hand i turns by theta ** (-2i / d) radians a token. With theta of 0 or less these are no numbers: "
        "transformers 5.24 accepts -5 without a word, eager attention then returns nothing but NaN, and "
        "the fused kernel on a CPU returns finite scores, so that nobody notices. With theta between 0 and "
        "1 the slow hands become the fast ones. A number written as a string fails only when the model is "
        "built.",
        "第 i 根指针每个词元转 theta ** (-2i / d) 弧度。theta 为 0 或负数时，结果不是数：transformers 5.24 "
        "会默默接受 -5，普通注意力随后全是 NaN，而 CPU 上的融合内核却返回有限的得分，于是没有人发现。theta "
        "在 0 与 1 之间时，慢针变成了快针。写成字符串的数字要到建立模型时才会出错。",
    ),
    check=_check,
)
