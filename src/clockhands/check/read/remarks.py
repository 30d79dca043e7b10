"""What a reader itself finds strange: seen while reading, and lost afterwards."""

from __future__ import annotations

from typing import Any

from clockhands.check.finding import Finding, Rule, found_while_reading
from clockhands.check.read.json_file import Told
from clockhands.check.saying import said
from clockhands.language import Text

TWICE = Rule(
    code="CH090",
    title=Text("a key that stands twice", "同一个键写了两次"),
    story=Text(
        "JSON lets a key stand twice in one object, and programs silently keep the last. Who edits the "
        "first sees no effect; a merge that appends a second rope_scaling replaces the first.",
        "JSON 允许同一个对象里有重复的键，程序会不声不响地取最后一个。改了前一个的人看不到效果；"
        "合并时追加的第二个 rope_scaling 会取代第一个。",
    ),
    check=found_while_reading,
)

NOT_A_NUMBER = Rule(
    code="CH091",
    title=Text("a number that is none", "不是数的“数”"),
    story=Text(
        "NaN and Infinity are no JSON, though Python writes and reads them; 1e400 is past what a double "
        "holds and becomes infinite. One such base or factor makes every angle NaN, and the scores with it.",
        "NaN 和 Infinity 不属于 JSON，尽管 Python 会读写它们；1e400 超出双精度范围，会变成无穷大。"
        "底数或系数里有一个这样的值，所有角度都会变成 NaN，注意力得分也随之失效。",
    ),
    check=found_while_reading,
)

ASSUMED = Rule(
    code="CH092",
    title=Text("a model type that is not known here", "不认识的模型类型"),
    story=Text(
        "What a model does with position is decided by its code; the configuration only has its numbers. Of "
        "a model type that transformers 5.24 doesn't have, only the usual meaning of its keys can be told.",
        "模型怎样使用位置由代码决定，配置里只有数值。对 transformers 5.24 没有的模型类型，"
        "只能按这些键的通常含义来解释。",
    ),
    check=found_while_reading,
)

UNREADABLE = Rule(
    code="CH093",
    title=Text("values that nothing can be made of", "无法解释的值"),
    story=Text(
        "Some value has a type or size that the model class can't work with, so its layers can't be told. "
        "Other findings usually name the key.",
        "有的值类型或大小不对，模型类无法使用，因此无法描述各层。其他发现通常会指出是哪个键。",
    ),
    check=found_while_reading,
)

RULES = (TWICE, NOT_A_NUMBER, ASSUMED, UNREADABLE)
"""For their stories."""


OF_POSITIONS = ("rope", "rotary", "theta", "position", "factor", "scale", "beta", "dim", "size", "num_")
"""Parts of keys that this checker looks at; elsewhere Nemotron-H has an Infinity and means it."""


def remarks_on(told: Told) -> tuple[Finding, ...]:
    """Keys that stand twice and numbers that are none, each with its path."""
    found = []
    for path, first, last in told.twice:
        found.append(_twice(path, first, last))
    for path, written in told.odd:
        matters = any(word in path for word in OF_POSITIONS)
        found.append(
            NOT_A_NUMBER.finding(
                "error" if matters else "note",
                [path],
                Text(
                    f"{path} holds {_infinite(written)}, which is no finite number",
                    f"{path} 写的是 {_infinite(written)}，不是有限的数",
                ),
                Text("write the number that was meant", "写上本来要用的数"),
            )
        )
    return tuple(found)


def _infinite(written: str) -> str:
    """The word of JSON's dialects, where the value came from Python.

    >>> _infinite("nan"), _infinite("-inf"), _infinite("1e400")
    ('NaN', '-Infinity', '1e400')
    """
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(written, written)


def _twice(path: str, first: Any, last: Any) -> Finding:
    if first == last and isinstance(first, type(last)):
        value = said(last)
        return TWICE.finding(
            "warning",
            [path],
            Text(f"{path} stands twice, both times as {value.en}", f"{path} 写了两次，两次都为{value.zh}"),
            Text("delete one of the two", "删去其中一个"),
        )
    one, other = said(first), said(last)
    return TWICE.finding(
        "error",
        [path],
        Text(
            f"{path} stands twice, first as {one.en}, then as {other.en}: programs take the last",
            f"{path} 写了两次，先是{one.zh}，后是{other.zh}：程序取后一个",
        ),
        Text("delete the one that is not meant", "删去不想要的那一个"),
    )


def assumed(model_type: str, key: str, *, rotary: bool, taken: str = "") -> Finding:
    """That a model type isn't known, and what is taken for granted.

    taken  the model type that its class is named by
    """
    if taken:
        read = Text(f"by the name of its class it is taken for {taken}", f"按类名当作 {taken}")
    elif rotary:
        read = Text("rotary keys are taken as Llama's class reads them", "旋转位置键按 Llama 类的读法解释")
    else:
        read = Text("no key says what it does with position", "没有键说明它怎样使用位置")
    what = Text(f"{key} is missing", f"缺少 {key}")
    if model_type:
        name = said(model_type)
        what = Text(f"{key} is {name.en}, which is not known here", f"{key} 为{name.zh}，这里不认识")
    return ASSUMED.finding(
        "note",
        [key],
        Text(f"{what.en}: {read.en}", f"{what.zh}：{read.zh}"),
        Text(
            "check the model itself, or a transformers class of the same architecture",
            "请直接检查模型本身，或检查架构相同的 transformers 模型类",
        ),
    )


def unreadable(model_type: str) -> Finding:
    """That no layers could be told."""
    name = said(model_type)
    return UNREADABLE.finding(
        "error",
        ["model_type"],
        Text(
            f"the layers of a model of type {name.en} can't be described: a value has the wrong type or size",
            f"无法描述这个{name.zh}模型的各层：有的值类型或大小不对",
        ),
        Text("correct the keys that the other findings name", "改正其他发现指出的键"),
    )
