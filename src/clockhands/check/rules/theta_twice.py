"""A base in two places of one file, with two values: one of them is not read."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.saying import number
from clockhands.check.settings import finite
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        top, inside = (
            finite(given.part.settings.file.get("rope_theta")),
            finite(given.given.get("rope_theta")),
        )
        if given.layer_type is not None or top is None or inside is None:
            continue
        if top != inside:
            one, other = number(inside), number(top)
            keys = [f"{given.part.prefix}{given.path}.rope_theta", f"{given.part.prefix}rope_theta"]
            yield RULE.finding(
                "error",
                keys,
                Text(
                    f"{keys[0]} is {one} and {keys[1]} is {other}: the class reads the first, older "
                    "programs the second",
                    f"{keys[0]} 为 {one}，而 {keys[1]} 为 {other}：模型类读前者，旧程序读后者",
                ),
                Text(
                    "write the base the weights were trained with in both places, or in one only",
                    "两处都写训练时的底数，或者只写一处",
                ),
            )


RULE = Rule(
    code="CH003",
    title=Text("two bases in one file", "同一个文件里有两个底数"),
    story=Text(
        "Transformers 4 reads rope_theta at the top of the file, transformers 5 the one within "
        "rope_parameters and only then the one at the top. A file edited in one place therefore means "
        "different models to different programs. Changing config.rope_theta on a loaded configuration is "
        "ignored for the same reason.",
        "transformers 4 读文件顶层的 rope_theta，transformers 5 先读 rope_parameters 里的，没有才读顶层的。"
        "因此只改了一处的文件，对不同程序意味着不同的模型。出于同样的原因，对已载入的配置修改 "
        "config.rope_theta 也不起作用。",
    ),
    check=_check,
    reference="vllm-project/vllm #56066",
)
