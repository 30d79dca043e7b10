"""LongRoPE served past its trained length: which list is used, and what becomes of keys in the cache."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import TRAINED, givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    served = subject.context.served
    for given in givens(subject):
        trained = given.number(TRAINED)
        if given.kind != "longrope" or served is None or trained is None or served <= trained:
            continue
        keys = [given.key(name) for name in ("long_factor", "short_factor", TRAINED)]
        if subject.framework == "vllm":
            what = Text(
                f"vLLM chooses one list from the served length ({number(served)}): every text, the "
                "shortest too, "
                f"gets {keys[0]}",
                f"vLLM 按服务长度（{number(served)}）选定一列：所有文本，再短的也用 {keys[0]}",
            )
            remedy = Text(
                f"serve short texts from a second instance with a length of at most {number(trained)}",
                f"短文本另开一个实例来服务，长度不超过 {number(trained)}",
            )
        else:
            what = Text(
                f"a text that grows past {keys[2]} ({number(trained)}) changes from {keys[1]} to "
                f"{keys[0]}, and "
                "keys turned before stay in the cache as they were",
                f"文本长度超过 {keys[2]}（{number(trained)}）时，会从 {keys[1]} 换成 {keys[0]}，而缓存中先"
                "前转过的"
                "键保持原样",
            )
            remedy = Text(
                f"empty the cache when a text crosses {number(trained)} tokens, or keep keys before they are "
                "turned",
                f"文本越过 {number(trained)} 个词元时清空缓存，或者缓存旋转之前的键",
            )
        yield RULE.finding("warning", keys, what, remedy)


RULE = Rule(
    code="CH017",
    title=Text("LongRoPE served across its switch", "LongRoPE 的服务长度跨越了切换点"),
    story=Text(
        "LongRoPE has two sets of frequencies and changes from one to the other when the text becomes "
        "longer than the trained length: 4,096 tokens still use the short list, 4,097 the long one. Keys "
        "that are already in a cache were turned with the short one. vLLM chooses once, from the length it "
        "serves, so that short prompts get frequencies meant for long ones; others mixed the two tables in "
        "one cache.",
        "LongRoPE 有两套频率，文本超过训练长度时换用另一套：4,096 个词元还用短列表，4,097 个就用长列表。缓存"
        "里的键却是按短列表转的。vLLM 按服务长度一次选定，于是短提示用上了为长文本准备的频率；另有程序在一"
        "个缓存里混用了两套表。",
    ),
    check=_check,
    reference="huggingface/transformers #33129; vllm-project/vllm #27414; ggml-org/llama.cpp #24823",
)
