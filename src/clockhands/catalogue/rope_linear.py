"""Linear scaling: all hands slower alike, so far positions look like near ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_factor
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class LinearRoPE(Rotary):
    """RoPE whose positions are divided by ``factor``. Chen et al. 2023 (arXiv 2306.15595), equation 4.

    Parameters are those of ``Rotary``, and ``factor``: by how much the context grows.

    >>> LinearRoPE(head_dim=4, factor=4.0).inv_freq().tolist()
    [0.25, 0.0025]
    """

    factor: float = 4.0

    card: ClassVar[Card] = Card(
        id="rope-linear",
        name="RoPE, linear",
        title=Text("Position interpolation", "位置插值"),
        idea=Text(
            "To read texts four times as long, all hands turn four times slower: position 4000 then shows "
            "what position 1000 showed in training. Nothing unseen is met, but neighbours come four times "
            "closer to one another, so the model must be trained a little further.",
            "要读四倍长的文本，就让所有指针慢四倍：位置 4000 显示的，正是训练时位置 1000 显示的。"
            "模型不会遇到没见过的角度，但相邻位置也靠近了四倍，所以需要再训练一小段。",
        ),
        formula=r"w_i' = w_i / s",
        sources=(
            Source(
                authors="Chen, Wong, Chen, Tian",
                year=2023,
                title="Extending Context Window of Large Language Models via Positional Interpolation",
                where="arXiv 2306.15595",
            ),
        ),
        used_by=(
            Text("Gemma 3 (global layers, factor 8)", "Gemma 3（全局层，8 倍）"),
            Text("DeepSeek-Coder (factor 4)", "DeepSeek-Coder（4 倍）"),
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "NTK-aware scaling slows the fast hands less; this slows all alike.",
            "NTK 感知的缩放让快的指针少慢一些；这里所有指针一样慢。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_factor(self.factor)

    def inv_freq(self) -> Array:
        return formulas.linear_inv_freq(self.turned, float(self.rope_theta), factor=float(self.factor))
