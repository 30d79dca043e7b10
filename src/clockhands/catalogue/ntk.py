"""NTK-aware scaling: a larger base, so slow hands slow down and fast ones hardly do."""

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
class NTK(Rotary):
    """RoPE with the base ``rope_theta * factor ** (d / (d - 2))``. bloc97 2023, in arXiv 2309.00071.

    Parameters are those of ``Rotary``, and ``factor``: by how much the context grows.

    >>> NTK(head_dim=4, factor=4.0).inv_freq().tolist()
    [1.0, 0.0025]
    """

    factor: float = 4.0

    card: ClassVar[Card] = Card(
        id="ntk",
        name="NTK-aware RoPE",
        title=Text("NTK-aware scaling", "NTK 感知缩放"),
        idea=Text(
            "A larger base leaves the fastest hand as it is and slows the slowest by the whole factor, with "
            "a smooth path between. Near neighbours stay apart, far positions stay within angles that "
            "training has shown, and no training is needed to profit.",
            "换一个更大的底数：最快的指针不变，最慢的指针按整个倍数放慢，中间平滑过渡。"
            "相邻位置仍分得开，远处位置仍落在训练时见过的角度里，不训练也有效果。",
        ),
        formula=r"b' = b\, s^{d/(d-2)},\quad w_i' = b'^{-2i/d}",
        sources=(
            Source(
                authors="Peng, Quesnelle, Fan, Shippole",
                year=2023,
                title="YaRN: Efficient Context Window Extension of Large Language Models",
                where="arXiv 2309.00071",
            ),
        ),
        used_by=(Text("Code Llama (in spirit: base 1e6)", "Code Llama（思路相同：底数 1e6）"),),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "Linear scaling slows every hand alike; here each hand by a share of the factor.",
            "线性缩放让每根指针一样慢；这里每根指针只分到倍数的一部分。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_factor(self.factor)

    def inv_freq(self) -> Array:
        return formulas.ntk_inv_freq(self.turned, float(self.rope_theta), factor=float(self.factor))
