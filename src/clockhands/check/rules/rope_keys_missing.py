"""A scaling without a number that its formula needs."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import TRAINED, Given, givens
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

REQUIRED: dict[str, tuple[str, ...]] = {
    "linear": ("factor",),
    "dynamic": ("factor",),
    "yarn": ("factor", TRAINED),
    "longrope": ("short_factor", "long_factor", TRAINED),
    "llama3": ("factor", TRAINED, "low_freq_factor", "high_freq_factor"),
}
"""As transformers 5.24.0 lists them, without the base (CH002)."""


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        for name in REQUIRED.get(given.kind, ()) if given.path else ():
            if _lacks(given, name):
                yield _finding(subject, given, name)


def _lacks(given: Given, name: str) -> bool:
    if given.kind == "dynamic" and given.values.get("alpha") is not None:
        return False
    written = given.paths.get(name)  # the reader fills the trained length in from the promised one
    return given.values.get(name) is None or (name == TRAINED and (written is None or TRAINED not in written))


def _finding(subject: Subject, given: Given, name: str) -> Finding:
    key = given.key(name) if given.values.get(name) is None else f"{given.part.prefix}{given.path}.{name}"
    if name != TRAINED:
        reason = Text("and the formula needs it", "而公式需要它")
    else:
        reason = _instead(given.part.promised)
    mild = name == TRAINED and given.kind == "yarn" and subject.framework == "transformers"
    return RULE.finding(
        "warning" if mild else "error",
        [key],
        Text(
            f"{key} is missing from a scaling of type '{given.kind}', {reason.en}",
            f"“{given.kind}”缩放缺少 {key}，{reason.zh}",
        ),
        Text(
            f"write {key}, the length in tokens that the model was trained on before its context was extended"
            if name == TRAINED
            else f"write {key} as in the file of the original model",
            f"写上 {key}：扩展上下文之前训练时的长度（词元数）"
            if name == TRAINED
            else f"按原模型的文件写上 {key}",
        ),
    )


def _instead(promised: int | None) -> Text:
    if promised is None:
        return Text(
            "and no length is promised that programs could take for it, so they stop",
            "又没有可用来代替的承诺长度，程序便会报错",
        )
    length = number(promised)
    return Text(
        f"and programs then take the promised {length} tokens for it, or stop",
        f"程序便会拿承诺的 {length} 个词元来代替，或者报错",
    )


RULE = Rule(
    code="CH005",
    title=Text("a scaling that lacks a number", "缩放缺少参数"),
    story=Text(
        "Each formula needs its numbers. Transformers 5.24 raises an error for most that are missing, but "
        "fills in the trained length from max_position_embeddings: a Llama 3.1 without it then counts "
        "turns over 131,072 tokens instead of 8,192, and leaves hands alone that it should slow down. vLLM "
        "stops with a KeyError.",
        "每个公式都需要自己的参数。缺少时 transformers 5.24 多半会报错，但训练长度会用 "
        "max_position_embeddings 补上：缺了它的 Llama 3.1 便按 131,072 个词元而不是 8,192 个来数圈，该放慢的"
        "指针没有放慢。vLLM 则以 KeyError 中止。",
    ),
    check=_check,
    reference="unslothai/unsloth #6907; lablup/mlxcel #1355",
)
