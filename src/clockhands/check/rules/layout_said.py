"""A file that names a layout which its class doesn't have."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.architectures import find
from clockhands.check.finding import Finding, Rule
from clockhands.check.form import Layout
from clockhands.check.rules.written import Part, parts
from clockhands.check.saying import said
from clockhands.check.subject import Subject
from clockhands.language import Text

INTERLEAVED = ("rope_interleave", "rope_interleaved", "rotary_interleaved", "rotary_emb_interleaved")
HALF = ("is_neox_style", "rope_is_neox_style", "use_neox_rotary_style")

TRAINED_INTERLEAVED = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "kimi_k25")
"""Types whose published weights have their pairs interleaved; a key of the file may say otherwise."""

NAMES: dict[Layout, Text] = {
    "half": Text("halves", "前后对半"),
    "interleaved": Text("interleaved pairs", "交错"),
}


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        actual = _actual(subject, part)
        for name in (*INTERLEAVED, *HALF):
            value = part.settings.file.get(name)
            if not isinstance(value, bool) or actual is None:
                continue
            named: Layout = "interleaved" if value == (name in INTERLEAVED) else "half"
            if named != actual:
                key, kind = part.key(name), part.settings.model_type
                yield RULE.finding(
                    "error",
                    [key],
                    Text(
                        f"{key} is {said(value).en}, which means {NAMES[named].en}, but the class of "
                        f"'{kind}' "
                        f"turns {NAMES[actual].en}",
                        f"{key} 为{said(value).zh}，即{NAMES[named].zh}，而“{kind}”的模型类按"
                        f"{NAMES[actual].zh}旋转",
                    ),
                    Text(
                        "correct it, or reorder the rows of q and k when the weights are converted",
                        "改正它，或者在转换权重时重排 q 与 k 的行",
                    ),
                )


def _actual(subject: Subject, part: Part) -> Layout | None:
    """The one that the weights were made for; None of a type whose code is not known."""
    if part.settings.model_type in TRAINED_INTERLEAVED:
        return "interleaved"
    layouts: set[Layout | None] = {form.layout for form in subject.declared if form.family == "rope"}
    if len(layouts) != 1 or find(part.settings.model_type) is None:
        return None
    return next(iter(layouts))


RULE = Rule(
    code="CH044",
    title=Text("the layout that is named isn't the one used", "写明的排列方式与实际不符"),
    story=Text(
        "Hands are made of dimensions i and i + d/2, or of 2i and 2i + 1. Both are right with weights that "
        "were made for them and gibberish with the others, though the first token is right: position 0 "
        "turns nothing. Few files say which is meant; in llama.cpp one moved line of code changed the "
        "layout of 39 architectures, and perplexity went from 4.26 to 252.8.",
        "一根指针由第 i 与 i + d/2 维组成，或由第 2i 与 2i + 1 维组成。配上为它准备的权重都对，配错就是乱"
        "码，尽管第一个词元是对的：位置 0 不转。很少有文件写明是哪一种；有一次只因移动了一行代码，39 种架构"
        "的排列方式都变了，困惑度从 4.26 升到 252.8。",
    ),
    check=_check,
    reference="ikawrakow/ik_llama.cpp #2290; vllm-project/vllm #40267",
)
