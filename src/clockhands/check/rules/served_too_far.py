"""Served longer than the file promises."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import PROMISED, parts
from clockhands.check.subject import Subject
from clockhands.language import Text


def _check(subject: Subject) -> Iterator[Finding]:
    served, promised = subject.context.served, subject.context.promised
    families = {form.family for form in subject.declared}
    if served is None or "rope" not in families or families & {"learned"}:
        return
    for part in parts(subject):
        limit = part.promised or promised
        if limit is None or served <= limit:
            continue
        key = part.key(PROMISED)
        yield RULE.finding(
            "warning",
            [key],
            Text(
                f"it is served at {served} tokens, and {key} promises {limit}: slow hands go on to angles "
                "that the model never saw",
                f"服务长度为 {served} 个词元，而 {key} 只承诺 {limit}：慢针会转到模型从未见过的角度",
            ),
            Text(
                f"serve at most {limit} tokens, or extend the context with a scaling and check it on long "
                "text",
                f"最多服务 {limit} 个词元，或者用缩放扩展上下文，并用长文本检验",
            ),
        )


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
