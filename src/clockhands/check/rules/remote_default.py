"""Code that comes with the model and asks for a formula that transformers 5 no longer lists."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    if subject.framework != "transformers":
        return  # servers have model files of their own, and of the model's code take the configuration only
    for given in givens(subject):
        own_code = subject.settings is not None and "auto_map" in subject.settings.file
        if not own_code or given.kind != "default" or not given.path or not given.says("rope_type"):
            continue
        key = given.key("rope_type") if "rope_type" in given.given else given.key("type")
        yield RULE.finding(
            "warning",
            [key, "auto_map"],
            Text(
                f"{key} is 'default' in a file with code of its own (auto_map): code from before "
                "transformers 5 looks it up among the formulas, where it no longer is",
                f"{key} 为“default”，而模型自带代码（auto_map）：transformers 5 之前的代码会在公式表中查找"
                "它，而表中已经没有了",
            ),
            Text(
                "use the model's class in transformers if there is one, or the version of transformers the "
                "code was written for",
                "如果 transformers 中有对应的模型类，就用它；否则使用代码所针对的 transformers 版本",
            ),
        )


RULE = Rule(
    code="CH039",
    title=Text("'default' is looked up where it no longer is", "“default”已不在公式表中"),
    story=Text(
        "Up to version 4 ROPE_INIT_FUNCTIONS of transformers had an entry 'default'; in version 5 every "
        "model class computes plain frequencies itself, and the table holds six others. Code that still "
        "looks it up stops with a KeyError: libraries that patch models, and files that models bring along.",
        "直到第 4 版，transformers 的 ROPE_INIT_FUNCTIONS 里都有“default”一项；第 5 版由各模型类自己计算普"
        "通频率，表中只剩另外六项。仍去查找它的代码会以 KeyError 中止：修补模型的库，以及模型自带的代码。",
    ),
    check=_check,
    reference="unslothai/unsloth #6223",
)
