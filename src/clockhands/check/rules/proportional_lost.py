"""A part of the head that turns with the frequencies of the whole head, read as a part with its own."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text

PROPORTIONAL = ("gemma4", "gemma4_text")
"""Types whose full layers have type ``proportional`` in every published file."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        share = given.number("partial_rotary_factor")
        if given.layer_type != "full_attention" or given.kind in ("", "proportional") or share in (None, 1):
            continue
        if given.part.settings.model_type in PROPORTIONAL:
            keys = [given.key("rope_type"), given.key("partial_rotary_factor")]
            yield RULE.finding(
                "error",
                keys,
                Text(
                    f"{keys[0]} is '{given.kind}' and {keys[1]} is {share:g}: hands of a part get the "
                    "frequencies of that part, where Gemma 4 takes those of the whole head",
                    f"{keys[0]} 为“{given.kind}”，{keys[1]} 为 {share:g}：部分旋转的指针用了这一部分的频率，"
                    "而 Gemma 4 用的是整个头的频率",
                ),
                Text(f"set {keys[0]} to 'proportional'", f"把 {keys[0]} 写成“proportional”"),
            )


RULE = Rule(
    code="CH045",
    title=Text("'proportional' is written as a plain part", "“proportional”写成了普通的部分旋转"),
    story=Text(
        "Two ways of turning a part of a head differ in their speeds. Plain partial rotation spreads the "
        "speeds over the part: for a head of 8 of which half turns, 1 and 0.01. Gemma 4's 'proportional' "
        "spreads them over the whole head and lets the rest stand still: 1, 0.1, 0, 0. Ports that read one "
        "as the other turn the right dimensions at the wrong speeds, and split the head before the "
        "unturned dimensions where they lie elsewhere.",
        "部分旋转有两种，速度不同。普通的部分旋转把速度分布在旋转的部分上：头宽 8、转一半时为 1 与 0.01。"
        "Gemma 4 的“proportional”把速度分布在整个头上，其余指针静止：1、0.1、0、0。把两者混淆的移植版，转的"
        "维度对了，速度却不对，前后两半的划分位置也不同。",
    ),
    check=_check,
    reference="zml/zml #660; jagmarques/nexusquant #12",
)
