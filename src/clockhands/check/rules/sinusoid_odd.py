"""Sines and cosines come in pairs: an odd width has one sine too many."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import parts
from clockhands.check.saying import number
from clockhands.check.subject import Subject
from clockhands.language import Text

WIDTHS = ("d_model", "hidden_size", "emb_dim", "n_embd", "encoder_embed_dim")
SAID = ("sinusoidal", "sine", "fixed")


def _check(subject: Subject) -> Iterator[Finding]:
    declared = any(form.family == "sinusoidal" for form in subject.declared)
    for part in parts(subject):
        told = part.settings.file.get("position_embedding_type") in SAID
        told = told or part.settings.file.get("sinusoidal_pos_embds") is True
        if not (declared or told):
            continue
        name = next((each for each in WIDTHS if part.settings.whole(each)), None)
        width = None if name is None else part.settings.whole(name)
        if name is None or width is None or width % 2 == 0:
            continue
        key = part.key(name)
        yield RULE.finding(
            "error",
            [key],
            Text(
                f"{key} is {number(width)}: a table of sines and cosines needs an even width",
                f"{key} 为 {number(width)}：正弦余弦表需要偶数宽度",
            ),
            Text(
                f"use {width + 1}, or give the cosines one column fewer than the sines",
                f"改用 {width + 1}，或者让余弦比正弦少一列",
            ),
        )


RULE = Rule(
    code="CH031",
    title=Text("an odd width for sines and cosines", "正弦余弦的宽度是奇数"),
    story=Text(
        "Sines go to even columns and cosines to odd ones; with 5 columns there are three of the first and "
        "two of the second, and code that computes both from one list of frequencies fails with a size "
        "error. It was found in popular copies of the table again and again, always after the model was "
        "configured.",
        "正弦放在偶数列，余弦放在奇数列；宽度为 5 时前者三列、后者两列，用同一组频率计算两者的代码会因大小"
        "不符而出错。许多流传的实现都一再出现这个问题，而且总是在模型配置好之后才发现。",
    ),
    check=_check,
    reference="codertimo/BERT-pytorch #78; gc-os-ai/pyaptamer #526",
)
