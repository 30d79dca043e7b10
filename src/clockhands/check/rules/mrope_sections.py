"""Sections of hands for time, height and width: together they are all hands."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens, turning
from clockhands.check.saying import said
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        sections = given.given.get("mrope_section")
        if sections is None:
            continue
        key, width = given.key("mrope_section"), turning(given)
        whole = isinstance(sections, list | tuple) and all(
            isinstance(each, int) and not isinstance(each, bool) and each > 0 for each in sections
        )
        if not whole:
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is {said(sections).en}: it must be a list of whole numbers above 0",
                    f"{key} 为{said(sections).zh}：它必须是一列大于 0 的整数",
                ),
                _REMEDY,
            )
        elif width is not None and sum(sections) != width // 2:
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is {list(sections)}, {sum(sections)} hands in all, but {width} dimensions turn, "
                    f"which make {width // 2} hands",
                    f"{key} 为 {list(sections)}，共 {sum(sections)} 根指针，而旋转的维度有 {width} 个，即 "
                    f"{width // 2} 根指针",
                ),
                _REMEDY,
            )


_REMEDY = Text(
    "write how many hands time, height and width have; with partial rotation count only hands that turn",
    "写明时间、高、宽各有多少根指针；部分旋转时只数会转的指针",
)

RULE = Rule(
    code="CH025",
    title=Text("M-RoPE sections don't add up", "M-RoPE 各段之和不符"),
    story=Text(
        "Multimodal RoPE gives some hands to time, some to height and some to width. Their numbers add up "
        "to half of the dimensions that turn: 16 + 24 + 24 = 64 for a head of 128, and 11 + 11 + 10 = 32 "
        "for a head of 256 of which a quarter turns. vLLM asserts it, transformers does not, and a port "
        "that takes the whole head for the turning part turns the wrong hands.",
        "多模态 RoPE 把指针分给时间、高、宽三个轴，数量之和是旋转维度的一半：头宽 128 时 16 + 24 + 24 = "
        "64；头宽 256 而只转四分之一时 11 + 11 + 10 = 32。vLLM 会检查，transformers 不会；把整个头当作旋转"
        "部分的移植版，转错了指针。",
    ),
    check=_check,
    reference="ml-explore/mlx-lm #1698; huggingface/transformers #48652",
)
