"""A scaling on layers that see a window only: nothing far away is there to be brought near."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Given, givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

GEMMA = ("gemma3", "gemma3_text", "gemma3n", "gemma3n_text", "t5gemma2_text", "t5gemma2_decoder")
"""Their local layers turn with base 10,000 and no scaling, their global ones with 1,000,000."""


def _check(subject: Subject) -> Iterator[Finding]:
    found = list(givens(subject))
    for given in found:
        if given.layer_type == "sliding_attention":
            yield from _scaled(given)
            yield from _base(given, found)


def _scaled(given: Given) -> Iterator[Finding]:
    factor = given.number("factor")
    if given.kind in ("", "default") or factor is None or factor == 1:
        return
    keys = [given.key("factor"), given.key("rope_type")]
    yield RULE.finding(
        "error" if given.part.settings.model_type in GEMMA else "warning",
        keys,
        Text(
            f"{keys[0]} is {factor:g} on layers that see a window only: their distances never grow",
            f"{keys[0]} 为 {factor:g}，而这些层只看一个窗口：距离不会变大",
        ),
        Text(
            "keep the scaling for full_attention, and write rope_type 'default' for sliding_attention",
            "缩放只留给 full_attention，sliding_attention 的 rope_type 写“default”",
        ),
    )


def _base(given: Given, found: list[Given]) -> Iterator[Finding]:
    base = given.number("rope_theta")
    other = next(
        (each for each in found if each.layer_type == "full_attention" and each.part == given.part), None
    )
    if given.part.settings.model_type not in GEMMA or other is None or not given.says("rope_theta"):
        return
    if base is not None and base == other.number("rope_theta"):
        keys = [given.key("rope_theta"), other.key("rope_theta")]
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[0]} and {keys[1]} are both {number(base)}: the local layers of Gemma 3 have a base "
                "of "
                "their own",
                f"{keys[0]} 与 {keys[1]} 都为 {number(base)}：Gemma 3 的局部层有自己的底数",
            ),
            Text(
                "write the bases of the original file: 10000.0 and 1000000.0 in Gemma 3",
                "按原文件写上底数：Gemma 3 为 10000.0 与 1000000.0",
            ),
        )


RULE = Rule(
    code="CH027",
    title=Text("a scaling on local layers", "局部层上有缩放"),
    story=Text(
        "Five of six layers of Gemma 3 see 1,024 tokens or fewer; they turn with a base of 10,000 and no "
        "scaling. The factor of 8 in the file belongs to the sixth, which sees everything with a base of "
        "1,000,000. Programs that gave the factor to all layers slowed local hands eight times.",
        "Gemma 3 每六层中有五层只看 1,024 个词元以内，底数为 10,000，没有缩放。文件中的因子 8 属于第六层：它"
        "看到全部，底数为 1,000,000。把因子用到所有层的程序，让局部层的指针慢了八倍。",
    ),
    check=_check,
    reference="huggingface/transformers #41922, #41934; lablup/mlxcel #1340",
)
