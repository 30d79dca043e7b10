"""The list of layers with RoPE, whose name says the opposite."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import Part, parts
from clockhands.check.saying import has
from clockhands.check.subject import Subject
from clockhands.language import Text

_ENTRY, _LAYER = Text("entry", "项"), Text("layer", "层")
NAME, EVERY = "no_rope_layers", "no_rope_layer_interval"


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        turned = part.settings.file.get(NAME)
        if isinstance(turned, list) and turned:
            yield from _of(part, turned)


def _of(part: Part, turned: list[object]) -> Iterator[Finding]:
    key, layers = part.key(NAME), part.settings.whole("num_hidden_layers")
    if any(each not in (0, 1) for each in turned):
        yield RULE.finding(
            "error",
            [key],
            Text(
                f"{key} must hold a 1 for every layer that turns and a 0 for every one that doesn't; it "
                "isn't a list of layer numbers",
                f"{key} 里每个旋转的层写 1，不旋转的写 0；它不是层号的列表",
            ),
            Text("write a 0 or a 1 for each layer", "每层写一个 0 或 1"),
        )
        return
    if layers is not None and len(turned) != layers:
        yield RULE.finding(
            "error",
            [key, part.key("num_hidden_layers")],
            Text(
                f"{key} has {has(len(turned), _ENTRY, 'entries').en}, and the model {has(layers, _LAYER).en}",
                f"{key} 有 {len(turned)} 项，而模型有 {layers} 层",
            ),
            Text("write a 0 or a 1 for each layer", "每层写一个 0 或 1"),
        )
    without = sum(not each for each in turned)
    every = part.settings.whole(EVERY)
    opposite = every is not None and [int(bool(each)) for each in turned] == [
        int((layer + 1) % every == 0) for layer in range(len(turned))
    ]
    if (opposite and every != 2) or without > len(turned) / 2:
        yield RULE.finding(
            "error" if opposite else "warning",
            [key],
            Text(
                f"{key} turns {len(turned) - without} of {len(turned)} layers: a 1 means that RoPE is used, "
                "whatever the name says, and here the list looks inverted",
                f"{key} 让 {len(turned)} 层中的 {len(turned) - without} 层旋转：无论名称怎么说，1 表示使用 "
                "RoPE，这里看来写反了",
            ),
            Text(
                "write 1 for layers with RoPE and 0 for those without: SmolLM3 has 1, 1, 1, 0 and so on",
                "有 RoPE 的层写 1，没有的写 0：SmolLM3 为 1、1、1、0，依此类推",
            ),
        )


RULE = Rule(
    code="CH028",
    title=Text("layers with and without RoPE", "有无 RoPE 的层"),
    story=Text(
        "SmolLM3 and Llama 4 leave every fourth layer without RoPE. Their list is called no_rope_layers "
        "and holds a 1 where RoPE is used; the code is the contract, and their own files are right. Ports "
        "that believed the name flipped 27 of 36 layers, and the text stayed fluent.",
        "SmolLM3 与 Llama 4 每四层有一层不用 RoPE。列表名叫 no_rope_layers，用 RoPE 的层却写 1；以代码为"
        "准，它们自己的文件是对的。相信名称的移植版把 36 层中的 27 层弄反了，文本却仍然通顺。",
    ),
    check=_check,
    reference="huggingface/transformers #43756; onnxruntime/mobius #233",
)
