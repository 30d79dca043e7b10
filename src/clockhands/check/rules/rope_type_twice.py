"""Old and new name of the type in one dictionary, saying different things."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import dictionaries, parts
from clockhands.check.subject import Subject
from clockhands.formulas.frequencies.rope_parameters import OLD_NAMES
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for part in parts(subject):
        for path, given in dictionaries(part):
            old, new = given.get("type"), given.get("rope_type")
            if not isinstance(old, str) or not isinstance(new, str):
                continue
            if OLD_NAMES.get(old, old) != OLD_NAMES.get(new, new):
                keys = [f"{part.prefix}{path}.rope_type", f"{part.prefix}{path}.type"]
                yield RULE.finding(
                    "error",
                    keys,
                    Text(
                        f"{keys[0]} is '{new}' and {keys[1]} is '{old}': new programs read the first, old "
                        "ones the second",
                        f"{keys[0]} 为“{new}”，而 {keys[1]} 为“{old}”：新程序读前者，旧程序读后者",
                    ),
                    Text("remove the one that is wrong", "删去错误的那一个"),
                )


RULE = Rule(
    code="CH008",
    title=Text("'type' and 'rope_type' differ", "“type”与“rope_type”不一致"),
    story=Text(
        "The key was called 'type' before transformers 4.43 and 'rope_type' since. Who changes one and "
        "leaves the other gets another model with each program. Two names of one thing ('su' and "
        "'longrope', 'mrope' and 'default') are no difference.",
        "这个键在 transformers 4.43 之前叫“type”，之后叫“rope_type”。只改其中一个，不同程序就会得到不同的模"
        "型。同一种东西的两个名称（“su”与“longrope”，“mrope”与“default”）不算不一致。",
    ),
    check=_check,
    reference="huggingface/transformers #33753",
)
