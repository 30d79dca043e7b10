"""A trained length that is no shorter than the promised one leaves nothing to extend."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, TRAINED, givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        trained, promised = given.number(TRAINED), given.part.promised
        if given.kind not in ("llama3", "yarn", "longrope") or promised is None or trained is None:
            continue
        if TRAINED not in given.paths.get(TRAINED, ""):
            continue
        key = given.key(TRAINED)
        if trained <= 0:
            yield RULE.finding(
                "error",
                [key],
                Text(
                    f"{key} is {number(trained)}: a length must be above 0",
                    f"{key} 为 {number(trained)}：长度必须大于 0",
                ),
                _REMEDY,
            )
        elif trained > promised or (trained == promised and given.kind != "yarn"):
            keys = [key, given.part.key(PROMISED)]
            yield RULE.finding(
                "warning",
                keys,
                Text(
                    f"{key} is {number(trained)} and {keys[1]} {number(promised)}: the first must be below "
                    "the "
                    "second, or the scaling has nothing to extend",
                    f"{key} 为 {number(trained)}，{keys[1]} 为 {number(promised)}：前者必须小于后者，否则缩放"
                    "没有可以扩展的长度",
                ),
                _REMEDY,
            )


_REMEDY = Text(
    f"write the length before the extension as {TRAINED}, and the one after it as {PROMISED}",
    f"把扩展之前的长度写作 {TRAINED}，扩展之后的写作 {PROMISED}",
)

RULE = Rule(
    code="CH013",
    title=Text("the trained length is not below the promised one", "训练长度不小于承诺长度"),
    story=Text(
        "The trained length decides which hands a scaling touches: those that finish few turns in it. "
        "Copied from the promised length it is too large, and hands that should be slowed keep their "
        "speed. Some people lower the promised length to save memory, which is harmless, hence a warning. "
        "Transformers logs a line for llama3.",
        "训练长度决定缩放影响哪些指针：即在该长度内转不了几圈的那些。如果照抄承诺长度，它就太大了，本应放慢"
        "的指针仍按原速转。也有人为了节省内存而调低承诺长度，这没有害处，所以只是警告。transformers 对 "
        "llama3 会记一行日志。",
    ),
    check=_check,
)
