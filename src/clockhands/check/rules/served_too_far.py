"""Served longer than the file promises."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.read.context import LENGTHS
from clockhands.check.rules.written import PROMISED, parts
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    served, limit = subject.context.served, subject.context.promised
    families = {form.family for form in subject.declared}
    if _slows_as_it_grows(subject):
        return
    if served is None or limit is None or served <= limit or families & {"learned", "sinusoidal"}:
        return
    key = next(
        (part.key(name) for part in parts(subject) for name in LENGTHS if part.settings.written(name)),
        PROMISED,
    )
    if "rope" in families:
        yield RULE.finding(
            "warning",
            [key],
            Text(
                f"it is served at {number(served)} tokens, and {key} promises {number(limit)}: slow hands "
                "go on to angles "
                "that the model never saw",
                f"服务长度为 {number(served)} 个词元，而 {key} 承诺 {number(limit)}：慢针会转到模型从未见过"
                "的角度",
            ),
            Text(
                f"serve at most {number(limit)} tokens, or extend the context with a scaling and check it "
                "on long "
                "text",
                f"最多服务 {number(limit)} 个词元，或者用缩放扩展上下文，并用长文本检验",
            ),
        )
    elif families & {"alibi", "t5"}:
        yield RULE.finding(
            "note",
            [key],
            Text(
                f"it is served at {number(served)} tokens, and {key} says {number(limit)}: its bias goes "
                "on beyond, and "
                "quality has to be measured",
                f"服务长度为 {number(served)} 个词元，而 {key} 为 {number(limit)}：偏置可以继续外推，质量需"
                "要实测",
            ),
            Text("measure the loss on texts of that length", "在这一长度的文本上测量损失"),
        )


def _slows_as_it_grows(subject: Subject) -> bool:
    """Dynamic NTK in transformers: base and length grow together, so the slowest hand stays where it was."""
    kinds = {form.rope_type for form in subject.declared if form.family == "rope" and form.window is None}
    fixed = any(form.scaling.get("alpha") for form in subject.declared)
    return subject.framework == "transformers" and kinds == {"dynamic"} and not fixed


RULE = Rule(
    code="CH034",
    title=Text("served past the promised length", "服务长度超过承诺长度"),
    story=Text(
        "RoPE computes an angle for any position, so nothing fails past max_position_embeddings. But hands "
        "that never finished a turn in training reach angles of which the model knows nothing, and "
        "attention falls apart within a few hundred tokens. That is no error of the program: hence a "
        "warning.",
        "RoPE 对任何位置都能算出角度，所以超过 max_position_embeddings 并不会出错。但训练时没有转完一圈的指"
        "针会转到模型一无所知的角度，注意力在几百个词元之内就散乱了。这不是程序的错误，因此只是警告。",
    ),
    check=_check,
    reference="huggingface/transformers #29496",
)
