"""A dictionary nested by layer type that has nothing for one of the types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clockhands.check.finding import Finding, Rule
from clockhands.check.read.rope_parameters import DICTIONARIES
from clockhands.check.rules.written import Part, parts
from clockhands.check.saying import listed
from clockhands.check.subject import Subject
from clockhands.language import Text

UNTURNED = (
    "linear_attention",
    "mamba",
    "conv",
    "recurrent",
    "mlp",
    "moe",
    "attention_free",
    "chunked_attention",
)
"""Types of layers that need no rotary parameters of their own."""

LABELS = ("full_attention", "sliding_attention", "main", "compress")


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        name = next((each for each in DICTIONARIES if _nested(part.settings.file.get(each))), None)
        if name is not None:
            yield from _of(part, name)


def _nested(given: object) -> bool:
    return isinstance(given, Mapping) and any(isinstance(each, Mapping) for each in given.values())


def _of(part: Part, name: str) -> Iterator[Finding]:
    given = part.settings.file[name]
    kinds = [key for key, value in given.items() if isinstance(value, Mapping)]
    told = part.settings.get("layer_types")
    needed = list(dict.fromkeys(told)) if isinstance(told, list) and _strings(told) else None
    path = f"{part.prefix}{name}"
    loose = [key for key in given if key not in kinds and given[key] is not None]
    if loose:
        yield RULE.finding(
            "warning",
            [f"{path}.{key}" for key in loose],
            Text(
                f"{path} holds dictionaries by layer type ({listed(kinds).en}), so that no layer reads what "
                f"stands beside them: {listed(loose).en}",
                f"{path} 里有按层类型分的字典（{listed(kinds).zh}），因此没有层会读取旁边的 "
                f"{listed(loose).zh}",
            ),
            Text("move them into each dictionary", "把它们移到各个字典里"),
        )
    if needed is None or set(kinds) & set(LABELS[2:]):  # labels of their own, not of ``layer_types``
        return
    for kind in needed:
        if kind not in given and kind not in UNTURNED and any(each in needed for each in kinds):
            yield RULE.finding(
                "error",
                [f"{path}.{kind}"],
                Text(
                    f"{path}.{kind} is missing, and layer_types has layers of this type",
                    f"缺少 {path}.{kind}，而 layer_types 中有这类层",
                ),
                Text(
                    f"write {path}.{kind} with its rope_type and rope_theta",
                    f"写上 {path}.{kind}，包括它的 rope_type 与 rope_theta",
                ),
            )
    if not any(kind in needed for kind in kinds):
        yield RULE.finding(
            "error",
            [path, part.key("layer_types")],
            Text(
                f"{path} is nested by {listed(kinds).en}, and layer_types has none of these: it is read as "
                "a flat dictionary without parameters",
                f"{path} 按 {listed(kinds).zh} 分组，而 layer_types 中一个也没有：它会被当作没有参数的普通字"
                "典",
            ),
            Text(
                f"use the names that layer_types has: {listed(needed).en}",
                f"使用 layer_types 中的名称：{listed(needed).zh}",
            ),
        )


def _strings(told: list[object]) -> bool:
    return all(isinstance(each, str) for each in told)


RULE = Rule(
    code="CH026",
    title=Text("a layer type without rotary parameters", "有一类层没有旋转参数"),
    story=Text(
        "Models with two kinds of layers have a dictionary for each. Transformers 5 takes a dictionary for "
        "a nested one only if a key of it occurs in layer_types; otherwise it is read as a flat one, finds "
        "no theta in it and takes the default. A type without an entry stops the model, or gets the "
        "parameters of another.",
        "有两类层的模型，各用一个字典。transformers 5 只有在字典的键出现在 layer_types 里时才当作嵌套字典；"
        "否则按普通字典来读，找不到 theta，于是取默认值。缺少某类层的条目时，模型要么中止，要么用了别的层的"
        "参数。",
    ),
    check=_check,
    reference="huggingface/transformers #48392, #48435, #48798; unslothai/unsloth #11192",
)
