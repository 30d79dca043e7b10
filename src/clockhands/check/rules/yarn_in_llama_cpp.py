"""YaRN set by hand in llama.cpp, while the promised length stays the old one."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, TRAINED, givens
from clockhands.check.saying import number, whole
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        factor, promised = given.number("factor"), given.part.promised
        trained = given.number(TRAINED) or promised
        if subject.framework != "llama.cpp" or given.kind != "yarn" or not factor or factor <= 1:
            continue
        if promised is None or trained is None or promised >= trained * factor:
            continue
        keys = [given.part.key(PROMISED), given.key("factor")]
        reach = trained * factor
        yield RULE.finding(
            "warning",
            keys,
            Text(
                f"{keys[0]} is {number(promised)}, though {keys[1]} {factor:g} reaches {number(reach)}: "
                "llama.cpp caps the context at the first",
                f"{keys[0]} 为 {number(promised)}，虽然 {keys[1]} 为 {factor:g} 时可达 {number(reach)}："
                "llama.cpp 以前者为上限",
            ),
            Text(
                f"set {keys[0]} to {whole(reach)}, or override the context length when converting",
                f"把 {keys[0]} 写成 {whole(reach)}，或者在转换时覆盖上下文长度",
            ),
        )


RULE = Rule(
    code="CH036",
    title=Text("llama.cpp caps the context below YaRN's reach", "llama.cpp 的上下文上限低于 YaRN 的范围"),
    story=Text(
        "llama.cpp takes the context length of the file as the most it will serve. Whoever sets YaRN by "
        "hand and leaves that number pays for the scaling (every short text is a little blurred) and gets "
        "no longer context. The limit is the trained length times the factor.",
        "llama.cpp 以文件中的上下文长度为服务上限。手动设置 YaRN 而不改这个数的人，付出了缩放的代价（短文本"
        "都略微变模糊），却得不到更长的上下文。上限应为训练长度乘以因子。",
    ),
    check=_check,
    reference="ggml-org/llama.cpp #17459, #28030",
)
