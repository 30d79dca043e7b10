"""Hands that turn at other speeds than declared."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.disagreement import disagreeing
from clockhands.check.subject import Subject
from clockhands.language import Text

FIELDS = {
    "rope_theta": "rope_theta",
    "rope_type": "rope_scaling",
    "scaling": "rope_scaling",
    "inv_freq": "rope_theta",
}
"""Of the normal form, with the key of a configuration that says each."""

REMEDY = Text(
    "find where the code takes its base and scaling from: a default was used, or a scaling was dropped",
    "查明代码从哪里取得底数与缩放：多半用了默认值，或者丢掉了缩放",
)


def _check(subject: Subject) -> Iterator[Finding]:
    yield from disagreeing(subject, RULE, FIELDS, REMEDY)


RULE = Rule(
    code="CH302",
    title=Text("other frequencies than declared", "频率与声明的不同"),
    story=Text(
        "The base in the file and the base in use are two things: a renamed key, a scaling that is "
        "computed at construction and then changed in the configuration, a buffer rounded to 16 bits. "
        "Measured at positions near and far, 10,000 and 1,000,000 are told apart by the slow hands.",
        "文件中的底数与实际使用的底数是两回事：键改了名，缩放在构造时算好之后才去改配置，或者缓冲区被舍入"
        "成 16 位。在远近不同的位置上测量，慢针就能把 10,000 与 1,000,000 区分开。",
    ),
    check=_check,
    reference="vllm-project/vllm #42624; MakazhanAlpamys/Soup #793",
)
