"""Heads share the hidden width evenly, unless the file gives a head its own width."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

OWN_WIDTHS = (
    "head_dim",
    "d_kv",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "kv_channels",
    "attention_head_size",
)


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        hidden, heads = part.settings.whole("hidden_size"), part.settings.whole("num_attention_heads")
        if hidden is None or heads is None or hidden % heads == 0:
            continue
        if any(part.settings.whole(name) for name in OWN_WIDTHS):
            continue
        keys = [part.key("hidden_size"), part.key("num_attention_heads")]
        yield RULE.finding(
            "error",
            keys,
            Text(
                f"{keys[0]} is {number(hidden)} and {keys[1]} is {heads}: heads can't share it evenly, and "
                "no "
                "width of a head is given",
                f"{keys[0]} 为 {number(hidden)}，{keys[1]} 为 {heads}：各个头无法平分，又没有写明头宽",
            ),
            Text("correct one of the two, or write head_dim", "改正其中一个，或者写上 head_dim"),
        )


RULE = Rule(
    code="CH023",
    title=Text("the heads don't share the hidden width", "各个头无法平分隐藏维度"),
    story=Text(
        "Without a width of its own a head has hidden_size / num_attention_heads dimensions. Programs "
        "round that down, and frequencies, made for the rounded width, then belong to other dimensions "
        "than in training.",
        "没有单独写明时，头宽为 hidden_size / num_attention_heads。程序会向下取整，按取整后的宽度计算的频率"
        "就对不上训练时的维度。",
    ),
    check=_check,
    reference="huggingface/transformers #35233",
)
