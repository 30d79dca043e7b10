"""A scheme that isn't the one declared, or a layer that has one where none is declared."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.disagreement import disagreeing
from clockhands.check.subject import Subject
from clockhands.language import Text

FIELDS = {"layers": "num_hidden_layers", "family": "model_type", "mixer": "model_type"}
"""Of the normal form, with the key of a configuration that says each."""

REMEDY = Text(
    "look at the code that is run: it isn't that of the declared type, or a layer was left out",
    "检查实际运行的代码：它不是所声明类型的代码，或者漏了某一层",
)


def _check(subject: Subject) -> Iterator[Finding]:
    yield from disagreeing(subject, RULE, FIELDS, REMEDY)


RULE = Rule(
    code="CH300",
    title=Text("another scheme than declared", "位置编码与声明的不同"),
    story=Text(
        "A configuration says what should happen, code decides what does. Layers that should go without a "
        "rotation and have one, or the reverse, give fluent text with a memory that fails at length; only "
        "a measurement shows it. Ports of SmolLM3 had 27 of 36 layers the wrong way round.",
        "配置说的是应当怎样，代码决定实际怎样。本应不旋转的层旋转了，或者反过来，文本仍然通顺，一长就记不"
        "住；只有实测才看得出来。SmolLM3 的移植版曾有 36 层中的 27 层弄反了。",
    ),
    check=_check,
    reference="huggingface/transformers #43756",
)
