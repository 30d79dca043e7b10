"""A width of a head that is there and says nothing, for formulas that ask for it."""

from __future__ import annotations

from collections.abc import Iterator

from clockhands.check.finding import Finding, Rule
from clockhands.check.rules.written import givens
from clockhands.check.subject import Subject
from clockhands.language import Text

LEFT_EMPTY = (
    "afmoe", "axk1", "cohere2", "glm", "hunyuan_v1_dense", "hunyuan_v1_moe", "hunyuan_vl_text", "kimi_linear",
    "minimax", "ministral", "mistral4", "mixtral", "youtu",
)  # fmt: skip
"""Types of transformers 5.24.0 that have a ``head_dim`` and leave it None; found by making each with None."""

ASKING = ("dynamic", "yarn", "longrope")


def _check(subject: Subject) -> Iterator[Finding]:
    for given in givens(subject):
        settings = given.part.settings
        null = "head_dim" in settings.file and settings.file["head_dim"] is None
        if subject.framework != "transformers" or given.kind not in ASKING or not null:
            continue
        if settings.model_type in LEFT_EMPTY:
            key = given.part.key("head_dim")
            yield RULE.finding(
                "error",
                [key, given.key("rope_type")],
                Text(
                    f"{key} is null, and a scaling of type '{given.kind}' computes with it: transformers "
                    "5.24 stops with a TypeError",
                    f"{key} 为 null，而“{given.kind}”缩放要用它计算：transformers 5.24 会以 TypeError 中止",
                ),
                Text(
                    "write the number (hidden_size / num_attention_heads), or remove the key",
                    "写上数字（hidden_size / num_attention_heads），或者删去这个键",
                ),
            )


RULE = Rule(
    code="CH042",
    title=Text("'head_dim' is null where a scaling needs it", "缩放需要 head_dim，而它是 null"),
    story=Text(
        "Linear scaling, llama3 and proportional fill an empty head_dim in from the hidden width; dynamic, "
        "yarn and longrope take what they find and multiply None by a number. Adding YaRN to a file that "
        "worked then fails in a place that names neither key.",
        "linear、llama3 与 proportional 会用隐藏维度补上空的 head_dim；dynamic、yarn 与 longrope 则拿来就"
        "用，于是让 None 乘以数字。给原本能用的文件加上 YaRN，便会在一个与这两个键都无关的地方出错。",
    ),
    check=_check,
)
