"""Question 3, asked again: what encoders can reverse when they have learned for long enough."""

from __future__ import annotations

from clockhands.experiments.design import Design
from clockhands.experiments.recipes import Recipe
from clockhands.language import Text
from recipes.encoders import MODEL, WITHOUT_POSITIONS


def reversing() -> Recipe:
    """In 1,000 steps no encoder learned to reverse, with positions or without: ``encoders`` says so.

    How many steps this one takes was chosen by one seed of RoPE, which learned in 5,000 at a rate of 0.002.
    """
    longer = Design(
        schemes=("nope", "rope"), tasks=("reverse-at-once",), seeds=8, steps=5000, batch=32,
        rates=(1e-3, 2e-3, 4e-3), tuning_steps=1670, length=16, multiples=(1, 1.125), items=200,
        model=MODEL,
    )  # fmt: skip
    return Recipe(
        "reversing",
        Text("Reversing by an encoder, learned for longer", "编码器倒序，训练更久"),
        Text("In [1,000 steps](encoders.md) no encoder learned to reverse strings. Given five times as many, "
             "does one without positions?",
             "[1,000 步](encoders.zh.md)之内，没有一个编码器学会倒序。步数增加到五倍，没有位置的"
             "编码器能学会吗？"),
        {"longer": longer},
        WITHOUT_POSITIONS,
    )  # fmt: skip
