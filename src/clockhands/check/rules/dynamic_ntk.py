"""Dynamic NTK, whose frequencies depend on more than the text."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, Given, givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    told = {"vllm": _in_vllm, "llama.cpp": _in_llama_cpp}.get(subject.framework, _in_transformers)
    for given in givens(subject):
        factor = given.number("factor")
        least = 1.0 if subject.framework == "transformers" else 1.0 + 1e-9  # vLLM's does nothing with 1
        if given.kind == "dynamic" and given.path and factor is not None and factor >= least:
            key = given.key("rope_type" if "rope_type" in given.given else "type")
            if subject.dialect == "llama.cpp" and _replaced(subject):
                continue  # options of its command line stand in its place
            yield from told(given, key, factor, subject.context.served)


def _replaced(subject: Subject) -> bool:
    return all(form.rope_type != "dynamic" for form in subject.declared)


def _in_vllm(given: Given, key: str, factor: float, served: int | None) -> Iterator[Finding]:
    constant, by = factor * factor - (factor - 1), given.key("factor")
    yield RULE.finding(
        "warning",
        [key, by],
        Text(
            f"{key} 'dynamic' is not dynamic in vLLM: with {by} {factor:g} the base is multiplied by "
            f"{constant:g} ** (d / (d - 2)) at every length, short texts included",
            f"{key} 为“dynamic”，在 vLLM 中却不随长度变化：{by} 为 {factor:g} 时，任何长度下底数都乘以 "
            f"{constant:g} ** (d / (d - 2))，短文本也不例外",
        ),
        Text(
            "use yarn, or serve without a scaling within the trained length",
            "改用 yarn，或者在训练长度内不加缩放",
        ),
    )
    promised, limit = given.part.promised, given.part.key(PROMISED)
    if served is not None and promised is not None and served > promised * factor:
        reach = number(promised * factor)
        yield RULE.finding(
            "error",
            [by, limit],
            Text(
                f"it is served at {number(served)} tokens, and vLLM's table ends at {limit} × {factor:g} = "
                f"{reach}",
                f"服务长度为 {number(served)} 个词元，而 vLLM 的表到 {limit} × {factor:g} = {reach} 为止",
            ),
            Text(f"serve at most {reach} tokens", f"最多服务 {reach} 个词元"),
        )


def _in_llama_cpp(given: Given, key: str, factor: float, served: int | None) -> Iterator[Finding]:
    yield RULE.finding(
        "warning",
        [key],
        Text(
            f"{key} is 'dynamic', which llama.cpp doesn't have: frequencies stay as they are at every length",
            f"{key} 为“dynamic”，而 llama.cpp 没有这种缩放：任何长度下频率都不变",
        ),
        Text("serve within the trained length, or use yarn", "在训练长度内服务，或者改用 yarn"),
    )


def _in_transformers(given: Given, key: str, factor: float, served: int | None) -> Iterator[Finding]:
    promised = given.part.promised
    length = Text("the trained length", "训练长度")
    if promised is not None:
        length = Text(f"{number(promised)} tokens", f" {number(promised)} 个词元")
    yield RULE.finding(
        "warning" if served is not None and promised is not None and served > promised else "note",
        [key],
        Text(
            f"with {key} 'dynamic', frequencies follow the longest text so far, of the whole batch, once it "
            f"passes {length.en}: the same text gives other results after a long one or beside one",
            f"{key} 为“dynamic”时，一旦超过{length.zh}，频率就随整批中迄今最长的文本变化：同一段文本"
            "在长文本之后或与其同批时，结果不同",
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
        "and after a long text the frequencies are reset late or not at all: 62 per cent off for 4,096 "
        "tokens after 8,192. In vLLM the factor cancels the length, so that the base is 13 times as large "
        "for every text where it should be 1, 5, then 13.",
        "dynamic NTK 在文本超过训练长度后逐渐加大底数。在 transformers 中，一批里最长的文本决定所有文本的频"
        "率，缓存里的键仍按旧底数旋转，长文本之后频率迟迟不复原，甚至不复原：8,192 之后再算 4,096 个词元，频"
        "率相差 62%。在 vLLM 中，公式里的长度被约去，本应依次为 1、5、13 的倍数对任何文本都是 13。",
    ),
    check=_check,
    reference="vllm-project/vllm #41236, #55910; huggingface/transformers #46624, #25104",
)
