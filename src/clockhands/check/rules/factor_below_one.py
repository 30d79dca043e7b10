"""A factor below 1 would make a context shorter."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

READ_BY = ("linear", "dynamic", "yarn", "longrope", "llama3", "proportional")


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        factor = given.number("factor")
        if given.kind not in READ_BY or not given.says("factor") or factor is None or factor >= 1:
            continue
        key = given.key("factor")
        inverse = f"{1 / factor:g}" if factor > 0 else "4.0"
        yield RULE.finding(
            "error",
            [key],
            Text(
                f"{key} is {number(factor)}: a scaling factor is how many times longer the context "
                "becomes, 1 or more",
                f"{key} 为 {number(factor)}：缩放因子表示上下文变为原来的多少倍，应不小于 1",
            ),
            Text(
                f"write the ratio of the new length to the old one, such as {inverse}",
                f"写新长度与旧长度之比，例如 {inverse}",
            ),
        )


RULE = Rule(
    code="CH011",
    title=Text("a scaling factor below 1", "缩放因子小于 1"),
    story=Text(
        "Angles are divided by the factor, so that twice the tokens fill the same turns. Some programs ask "
        "for the inverse (llama.cpp's rope-freq-scale is 0.25 where transformers' factor is 4), and the "
        "number gets copied. A factor of 0.25 makes hands turn four times as fast as in training. "
        "Transformers logs a line.",
        "角度要除以缩放因子，这样两倍的词元走过同样的圈数。有的程序用的是倒数（transformers 的 factor 为 4 "
        "时，llama.cpp 的 rope-freq-scale 为 0.25），数字就这样被抄了过来。因子为 0.25 时，指针转得是训练时"
        "的四倍快。transformers 只记一行日志。",
    ),
    check=_check,
    reference="ggml-org/llama.cpp #17459",
)
