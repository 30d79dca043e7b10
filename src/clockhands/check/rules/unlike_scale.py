"""Scores multiplied by another number than declared."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.disagreement import disagreeing
from clockhands.check.subject import Subject
from clockhands.language import Text

FIELDS = {"attention_factor": "attention_factor", "score_scale": "head_dim"}
"""Of the normal form, with the key of a configuration that says each."""

REMEDY = Text(
    "compute the scale of the scores once, from the declared numbers: magnitude of the hands squared, "
    "times the scale of the softmax",
    "用声明的数值只算一次得分的缩放：指针幅度的平方乘以 softmax 的缩放",
)


def _check(subject: Subject) -> Iterator[Finding]:
    yield from disagreeing(subject, RULE, FIELDS, REMEDY)


RULE = Rule(
    code="CH304",
    title=Text("another scale of the scores than declared", "得分的缩放与声明的不同"),
    story=Text(
        "YaRN's magnitude enters the scores squared, and DeepSeek moves it into the scale of the softmax. "
        "Left out it is 1.59 to 1.87 times too small, counted twice as much too large. At position 0, with "
        "one key, there is nothing to see.",
        "YaRN 的幅度以平方进入得分，DeepSeek 则把它放进 softmax 的缩放。漏掉时得分小 1.59 到 1.87 倍，重复"
        "计算时大同样的倍数。位置 0 只有一个键，什么也看不出来。",
    ),
    check=_check,
    reference="huggingface/transformers #47435; sgl-project/sglang #22711",
)
