"""ALiBi for a number of heads that is no power of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Part, parts
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    declared = any(form.family == "alibi" for form in subject.declared)
    for part in parts(subject):
        heads = next(
            filter(None, map(part.settings.whole, ("num_attention_heads", "n_head", "n_heads"))), None
        )
        if heads is None or heads & (heads - 1) == 0 or not (declared or _told(part)):
            continue
        key = next(
            part.key(name)
            for name in ("num_attention_heads", "n_head", "n_heads")
            if part.settings.whole(name)
        )
        below = 1 << (heads.bit_length() - 1)
        yield RULE.finding(
            "note",
            [key],
            Text(
                f"{key} is {heads}, which is no power of two: the first {below} slopes are those of {below} "
                f"heads, the other {heads - below} are every other one of {2 * below} heads; they make no "
                f"single series over {heads}",
                f"{key} 为 {heads}，不是 2 的幂：前 {below} 个斜率取自 {below} 个头的序列，其余 "
                f"{heads - below} 个取 {2 * below} 个头的序列中每隔一个的值，而不是对 {heads} 个头的一个等比"
                "数列",
            ),
            Text(
                "compare the slopes in the program that serves it with those of the original",
                "在服务端与原模型核对斜率",
            ),
        )


def _told(part: Part) -> bool:
    inner = part.settings.file.get("attn_config")
    alibi = part.settings.file.get("alibi") or (isinstance(inner, Mapping) and inner.get("alibi"))
    return alibi is True or part.settings.model_type == "bloom"


RULE = Rule(
    code="CH032",
    title=Text("ALiBi with heads that are no power of two", "ALiBi 的头数不是 2 的幂"),
    story=Text(
        "The slopes of n heads are a geometric series for powers of two only. For 6 heads the paper takes "
        "the four of 4 heads (0.25, 0.0625, 0.015625, 0.00390625) and two of 8 heads (0.5, 0.125); a "
        "series straight over 6 begins with 0.397. Ports of models with 40 or 112 heads got this wrong, "
        "and MPT crashed on it.",
        "只有头数是 2 的幂时，斜率才是一个等比数列。对 6 个头，论文取 4 个头的四个（0.25, 0.0625, "
        "0.015625, 0.00390625），再取 8 个头中的两个（0.5, 0.125）；直接对 6 个头取等比数列则以 0.397 开"
        "头。移植 40 或 112 个头的模型时常在这里出错，MPT 还因此崩溃过。",
    ),
    check=_check,
    reference="ml-explore/mlx #343; NVIDIA/TensorRT-LLM #1611; baichuan-inc/Baichuan2 #225; "
    "huggingface/transformers #28380",
)
