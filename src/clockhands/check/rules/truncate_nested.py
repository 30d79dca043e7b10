"""YaRN's ``truncate`` within a nested dictionary, where transformers doesn't look."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        if subject.framework != "transformers" or given.kind != "yarn" or given.layer_type is None:
            continue
        if given.given.get("truncate") is False:
            key = given.key("truncate")
            yield RULE.finding(
                "warning",
                [key],
                Text(
                    f"{key} is false, and transformers 5.24 reads truncate outside the dictionaries of "
                    "layer types: the ramp is truncated all the same",
                    f"{key} 为 false，而 transformers 5.24 只在按层类型分的字典之外读取 truncate：坡度仍会被"
                    "取整",
                ),
                Text(
                    "compare the frequencies with those of the original, which may be off by up to 24%",
                    "与原模型核对频率，误差可达 24%",
                ),
            )


RULE = Rule(
    code="CH043",
    title=Text("'truncate' in a nested dictionary is not read", "嵌套字典中的 truncate 不会被读取"),
    story=Text(
        "YaRN blends between two dimensions that it computes; truncate says whether they are rounded to "
        "whole ones. gpt-oss has false. In transformers 5.24 the formula asks the outer dictionary for it, "
        "so that a nested one has no say: with a head of 64, a trained length of 512 and a factor of 8 "
        "frequencies are off by up to 24 per cent.",
        "YaRN 在算出的两个维度之间平滑过渡，truncate 表示是否把它们取整；gpt-oss 为 false。transformers "
        "5.24 的公式向外层字典要这个值，嵌套字典里写了也没有用：头宽 64、训练长度 512、因子 8 时，频率误差"
        "可达 24%。",
    ),
    check=_check,
    reference="huggingface/transformers #45887",
)
