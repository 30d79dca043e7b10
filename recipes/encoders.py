"""Question 3: what can be done without any encoding of positions?"""

from __future__ import annotations

from clockhands.experiments.design import Design, ModelSize
from clockhands.experiments.hypotheses import Hypothesis
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text

MODEL = ModelSize(dim=64, heads=4, layers=3)
WITHOUT_POSITIONS = (
    Hypothesis(
        "encoder-cannot-reverse",
        Text(
            "an encoder without positions reverses less than a tenth of the strings of 16 letters",
            "没有位置的编码器，16 个字母的字符串能倒对的不到十分之一",
        ),
        "reverse-at-once",
        "within",
        "nope",
        -1,
        bound=0.1,
    ),
    Hypothesis(
        "positions-help-reverse",
        Text("with RoPE it reverses more of them", "用 RoPE 时能倒对更多"),
        "reverse-at-once",
        "within",
        "rope",
        1,
        ("nope",),
    ),
)
"""What is expected of an encoder that reverses strings."""


def encoders() -> Recipe:
    """An encoder that is to reverse or to repeat, and a decoder that is to count."""
    at_once = Design(
        schemes=("nope", "sinusoidal", "rope", "t5"), tasks=("reverse-at-once", "repeat-at-once"), seeds=8,
        steps=1000, batch=32, rates=(1e-3, 2e-3, 4e-3), tuning_steps=330, length=16,
        multiples=(1, 1.125, 1.25, 1.5, 2), items=200, model=MODEL,
    )  # fmt: skip
    count = Design(
        schemes=("nope", "sinusoidal", "rope", "alibi"), tasks=("count",), seeds=8, steps=1000, batch=32,
        rates=(1e-3, 2e-3, 4e-3), tuning_steps=330, length=16, multiples=(1, 1.125, 1.25, 1.5, 2), items=200,
        probes=("position",), model=MODEL,
    )  # fmt: skip
    return Recipe(
        "encoders",
        Text("Without positions: an encoder and a decoder", "没有位置编码：编码器与解码器"),
        Text("An encoder without positions sees a bag of letters; does a decoder see more?",
             "没有位置的编码器看到的只是一袋字母；解码器能看到更多吗？"),
        {"at-once": at_once, "count": count},
        (
            *WITHOUT_POSITIONS,
            Hypothesis(
                "repeating-needs-none",
                Text("an encoder without positions repeats more than nine tenths of them: a task that needs "
                     "no position shows nothing about one",
                     "没有位置的编码器照抄能对九成以上：不需要位置的任务，说明不了位置编码的作用"),
                "repeat-at-once", "within", "nope", 1, bound=0.9,
            ),
            Hypothesis(
                "decoder-counts",
                Text("a decoder without positions counts more than nine tenths of the strings of 16 letters "
                     "right",
                     "没有位置的解码器，16 个字母的字符串能数对九成以上"),
                "count", "within", "nope", 1, bound=0.9,
            ),
        ),
    )  # fmt: skip
