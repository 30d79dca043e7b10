"""Each key head serves the same number of query heads."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        heads, shared = part.settings.whole("num_attention_heads"), part.settings.whole("num_key_value_heads")
        if heads is None or shared is None or heads % shared == 0:
            continue
        keys = [part.key("num_key_value_heads"), part.key("num_attention_heads")]
        yield RULE.finding(
            "error",
            keys,
            Text(
                f"{keys[0]} is {shared} and {keys[1]} is {heads}: each key head must serve the same number "
                "of query heads",
                f"{keys[0]} 为 {shared}，{keys[1]} 为 {heads}：每个键头必须服务同样多的查询头",
            ),
            Text(f"write a divisor of {heads}", f"写 {heads} 的一个约数"),
        )


RULE = Rule(
    code="CH024",
    title=Text("key heads don't divide query heads", "键头数不能整除查询头数"),
    story=Text(
        "In grouped-query attention every key head serves a group of query heads, all groups alike. "
        "Converters that permute rows for another layout must know both numbers: permuting keys in groups "
        "of query heads was a common cause of gibberish.",
        "分组查询注意力中，每个键头服务一组查询头，各组大小相同。转换程序为换排列方式而重排行时，必须知道这"
        "两个数：按查询头数重排键，曾是乱码的常见原因。",
    ),
    check=_check,
    reference="ggml-org/llama.cpp #2376; jzhang38/TinyLlama #24",
)
