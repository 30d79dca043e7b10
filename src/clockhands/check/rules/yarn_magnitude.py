"""YaRN's mscale pair: who multiplies what, so that the scores carry the magnitude once."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Given, givens
from clockhands.check.subject import Subject
from clockhands.formulas.frequencies.yarn import yarn_attention_factor, yarn_magnitude
from clockhands.language import Text

IN_SOFTMAX = (
    "deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25", "kimi_linear", "axk1", "axk2",
    "bailing_hybrid", "glm4_moe_lite", "glm_moe_dsa", "hy_v4", "longcat_flash", "minicpm3", "mistral4",
    "mistral_large4", "youtu",
)  # fmt: skip
"""Classes that multiply the scale of their softmax by the square of the magnitude of ``mscale_all_dim``."""

FLAT = ("ministral3", "mistral3", *IN_SOFTMAX)
"""Types whose published files have ``mscale`` and ``mscale_all_dim`` alike, and mean it."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        factor = given.number("factor")
        if given.kind == "yarn" and factor is not None and factor > 1:
            yield from _of(given, factor)


def _of(given: Given, factor: float) -> Iterator[Finding]:
    mscale, all_dim = given.number("mscale"), given.number("mscale_all_dim")
    model_type = given.part.settings.model_type
    keys = [given.key("mscale"), given.key("mscale_all_dim")]
    plain = yarn_attention_factor(factor)
    if given.values.get("attention_factor") is not None:
        if mscale is not None or all_dim is not None:
            yield RULE.finding(
                "warning",
                [given.key("attention_factor"), *keys],
                Text(
                    f"{given.key('attention_factor')} stands beside {keys[0]} and {keys[1]}: transformers "
                    "takes the first alone, other programs multiply them",
                    f"{given.key('attention_factor')} 与 {keys[0]}、{keys[1]} 同时出现：transformers 只取前"
                    "者，别的程序会把它们相乘",
                ),
                Text("keep the one that the original file has", "只保留原文件中的那一种"),
            )
        return
    if model_type in IN_SOFTMAX[:4] and not all_dim:
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[1]} is missing: the scale of the softmax stays as it is, and turned dimensions are "
                f"multiplied by {plain:.6f} instead",
                f"缺少 {keys[1]}：softmax 的缩放保持不变，旋转的维度则乘以 {plain:.6f}",
            ),
            Text(
                "write mscale and mscale_all_dim as in the original file: DeepSeek-V3 has 1.0 and 1.0",
                "按原文件写上 mscale 与 mscale_all_dim：DeepSeek-V3 为 1.0 与 1.0",
            ),
        )
    elif all_dim and model_type in IN_SOFTMAX:
        magnitude = yarn_magnitude(factor, all_dim)
        square = magnitude * magnitude  # of floats, ``**`` raises where this is infinite
        yield RULE.finding(
            "note",
            keys[1:],
            Text(
                f"{keys[1]} is {all_dim:g}: with factor {factor:g} the scale of the softmax must be "
                f"multiplied by {square:.6f}, which not every program does",
                f"{keys[1]} 为 {all_dim:g}：因子为 {factor:g} 时，softmax 的缩放须乘以 {square:.6f}，并非每"
                "个程序都这样做",
            ),
            Text(
                "compare the scale of the scores in the program that serves it, on more than one token: the "
                "first shows no error",
                "在服务端核对得分的缩放，要用不止一个词元：第一个词元处看不出误差",
            ),
        )
    elif mscale and mscale == all_dim and model_type not in FLAT:
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[0]} and {keys[1]} are both {mscale:g}: the magnitude cancels to 1 where the plain "
                f"rule gives {plain:.6f}, and the class of '{model_type}' doesn't put it into the softmax",
                f"{keys[0]} 与 {keys[1]} 都为 {mscale:g}：幅度抵消为 1，而普通规则给出 {plain:.6f}，且"
                f"“{model_type}”的模型类并不把它放进 softmax",
            ),
            Text(
                "remove both, or write attention_factor with the value that the model was tuned with",
                "两者都删去，或者用 attention_factor 写明模型调优时的值",
            ),
        )


RULE = Rule(
    code="CH018",
    title=Text("the magnitude of YaRN may be lost or counted twice", "YaRN 的幅度可能丢失或重复计算"),
    story=Text(
        "YaRN sharpens attention by multiplying cos and sin by 0.1 ln(factor) + 1, 1.368888 for a factor "
        "of 40. DeepSeek divides two such numbers, mscale over mscale_all_dim, which gives 1, and "
        "multiplies the scale of the softmax by the square of the second, 1.873854. Programs have used the "
        "ratio and forgotten the softmax, used the plain rule and ignored the ratio, or done both; the "
        "text stays fluent and drifts off the prompt.",
        "YaRN 把 cos 与 sin 乘以 0.1 ln(因子) + 1（因子 40 时为 1.368888），使注意力更集中。DeepSeek 用两个"
        "这样的数相除，即 mscale 比 mscale_all_dim，得 1，再把 softmax 的缩放乘以后者的平方 1.873854。有的"
        "程序用了比值却忘了 softmax，有的用普通规则而忽略比值，也有两样都做的；文本仍然通顺，却偏离提示。",
    ),
    check=_check,
    reference="turboderp-org/exllamav3 #259; sgl-project/sglang #22711; huggingface/transformers #47435; "
    "ggml-org/llama.cpp #17945",
)
