"""Buckets of distances: some exact, the rest spread by logarithm up to the largest distance."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.subject import Subject
from clockhands.language import Text

COUNT, LARGEST = "relative_attention_num_buckets", "relative_attention_max_distance"


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        buckets, largest = part.settings.whole(COUNT), part.settings.whole(LARGEST)
        if buckets is None or not part.settings.written(COUNT):
            continue
        keys = [part.key(COUNT), part.key(LARGEST)]
        if buckets % 4:
            yield RULE.finding(
                "error" if buckets % 2 or buckets < 4 else "warning",
                keys[:1],
                Text(
                    f"{keys[0]} is {buckets}: half of the buckets are for each side, and half of these for "
                    "exact distances, so it must be divisible by 4",
                    f"{keys[0]} 为 {buckets}：两侧各占一半，其中一半用于精确距离，所以必须能被 4 整除",
                ),
                Text("write the number of the original file: 32 in T5", "按原文件来写：T5 为 32"),
            )
        if largest is not None and largest <= buckets // 2:
            yield RULE.finding(
                "error",
                keys,
                Text(
                    f"{keys[1]} is {largest}, and {buckets // 2} of {keys[0]} are for exact distances: "
                    "nothing is left for the logarithm, and the formula divides by zero or a negative number",
                    f"{keys[1]} 为 {largest}，而 {keys[0]} 中有 {buckets // 2} 个用于精确距离：对数部分没有"
                    "余地，公式会除以零或负数",
                ),
                Text(
                    "write the numbers of the original file: 32 buckets up to a distance of 128 in T5",
                    "按原文件来写：T5 有 32 个桶，最大距离 128",
                ),
            )


RULE = Rule(
    code="CH033",
    title=Text("T5's buckets don't fit their distances", "T5 的桶与距离不符"),
    story=Text(
        "T5 learns one number a bucket: near distances have a bucket each, far ones share, by logarithm, "
        "up to the largest distance, and all beyond share the last. If the largest distance lies within "
        "the exact ones the logarithm's denominator is 0 or negative, and buckets run backwards or out of "
        "the table.",
        "T5 每个桶学习一个数：近距离各有一个桶，远距离按对数共用，直到最大距离，更远的都用最后一个。最大距"
        "离落在精确部分之内时，对数的分母为 0 或负数，桶号会倒退或越出表外。",
    ),
    check=_check,
    reference="lucidrains/x-transformers #10; huggingface/candle #1312",
)
