"""Dynamic NTK, whose frequencies depend on more than the text."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        factor, promised = given.number("factor"), given.part.promised
        if given.kind != "dynamic" or factor is None or factor <= 1 or not given.path:
            continue
        key, served = given.key("rope_type"), subject.context.served
        if "rope_type" not in given.given:
            key = given.key("type")
        if subject.framework == "vllm":
            constant = factor * factor - (factor - 1)
            yield RULE.finding(
                "warning",
                [key, given.key("factor")],
                Text(
                    f"vLLM's dynamic scaling is not dynamic: with {given.key('factor')} {factor:g} the base "
                    f"is multiplied by {constant:g} ** (d / (d - 2)) at every length, short texts included",
                    f"vLLM 的 dynamic 缩放并不随长度变化：{given.key('factor')} 为 {factor:g} 时，任何长度下"
                    f"底数都乘以 {constant:g} ** (d / (d - 2))，短文本也不例外",
                ),
                Text(
                    "use yarn, or serve without a scaling within the trained length",
                    "改用 yarn，或者在训练长度内不加缩放",
                ),
            )
            if served is not None and promised is not None and served > promised * factor:
                yield RULE.finding(
                    "error",
                    [given.key("factor"), given.part.key(PROMISED)],
                    Text(
                        f"it is served at {served} tokens, and vLLM's table ends at "
                        f"{given.part.key(PROMISED)} x {factor:g} = {promised * factor:g}",
                        f"服务长度为 {served} 个词元，而 vLLM 的表到 {given.part.key(PROMISED)} x "
                        f"{factor:g} = {promised * factor:g} 为止",
                    ),
                    Text(
                        f"serve at most {int(promised * factor)} tokens",
                        f"最多服务 {int(promised * factor)} 个词元",
                    ),
                )
        else:
            yield RULE.finding(
                "warning" if served is not None and promised is not None and served > promised else "note",
                [key],
                Text(
                    f"with {key} 'dynamic' frequencies follow the longest text so far, of the whole batch, "
                    f"once it passes {promised} tokens: the same text gives other results after a long one "
                    "or beside one",
                    f"{key} 为“dynamic”时，一旦超过 {promised} 个词元，频率就随整批中迄今最长的文本变化：同"
                    "一段文本在长文本之后或与其同批时，结果不同",
                ),
                Text(
                    "use yarn where texts of unlike lengths are served together",
                    "长短文本一起服务时，请用 yarn",
                ),
            )


RULE = Rule(
    code="CH035",
    title=Text(
        "dynamic scaling depends on history, or not on the length", "dynamic 缩放取决于历史，或者与长度无关"
    ),
    story=Text(
        "Dynamic NTK enlarges the base as a text grows past the trained length. In transformers the "
        "longest text of the batch decides for all, a cache keeps keys that were turned with the old base, "
        "and after a long text the frequencies are reset late or not at all: 62 per cent off for 4096 "
        "tokens after 8192. In vLLM the factor cancels the length, so that the base is 13 times as large "
        "for every text where it should be 1, 5, then 13.",
        "dynamic NTK 在文本超过训练长度后逐渐加大底数。在 transformers 中，一批里最长的文本决定所有文本的频"
        "率，缓存里的键仍按旧底数旋转，长文本之后频率迟迟不复原，甚至不复原：8192 之后再算 4096 个词元，频"
        "率相差 62%。在 vLLM 中，公式里的长度被约去，本应依次为 1、5、13 的倍数对任何文本都是 13。",
    ),
    check=_check,
    reference="vllm-project/vllm #41236, #55910; huggingface/transformers #46624, #25104",
)
