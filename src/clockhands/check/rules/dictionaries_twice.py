"""Old and new dictionary in one file, saying different things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.saying import listed
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        old, new = (part.settings.file.get(name) for name in ("rope_scaling", "rope_parameters"))
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or not old or not new:
            continue
        beside = part.settings.file.get("rope_theta") is not None
        unlike = [name for name in _names(old, new, beside) if _value(old, name) != _value(new, name)]
        if unlike:
            keys = [
                f"{part.prefix}{home}.{name}"
                for name in unlike
                for home in ("rope_scaling", "rope_parameters")
            ]
            names = listed(unlike)
            yield RULE.finding(
                "error",
                keys,
                Text(
                    f"{part.prefix}rope_scaling and {part.prefix}rope_parameters differ in {names.en}: "
                    "transformers 5 takes rope_scaling whole and drops the other",
                    f"{part.prefix}rope_scaling 与 {part.prefix}rope_parameters 在 {names.zh} 上不一致："
                    "transformers 5 整个采用 rope_scaling，丢弃另一个",
                ),
                Text("keep one of the two, with all parameters in it", "两者只留一个，并把全部参数写在里面"),
            )


def _names(old: Mapping[str, Any], new: Mapping[str, Any], beside: bool) -> list[str]:
    """Of all parameters: an old dictionary has its base beside it, ``type`` counts as ``rope_type``."""
    names = dict.fromkeys([*old, *new])
    names.pop("type", None)
    if beside and "rope_theta" not in old:
        names.pop("rope_theta", None)
    return list(names)


def _value(given: Mapping[str, Any], name: str) -> Any:
    value = given.get(name)
    if name == "rope_type":
        value = given.get("rope_type", given.get("type", "default"))
    number = finite(value)
    return value if number is None else number


RULE = Rule(
    code="CH009",
    title=Text("'rope_scaling' and 'rope_parameters' differ", "“rope_scaling”与“rope_parameters”不一致"),
    story=Text(
        "Transformers 5 renamed rope_scaling to rope_parameters and still reads the old one first: where "
        "both stand, the new one is dropped whole, its rope_theta included. Programs that know one name "
        "only see another model than the rest.",
        "transformers 5 把 rope_scaling 改名为 rope_parameters，但仍先读旧的：两者都在时，新的整个被丢弃，"
        "其中的 rope_theta 也不例外。只认识其中一个名称的程序看到的是另一个模型。",
    ),
    check=_check,
    reference="vllm-project/vllm #42624",
)
