"""NTK by parts: hands that turned often in training stay, the others slow down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_factor, require_order, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class NTKByParts(Rotary):
    """RoPE blended by how often a hand turned in training. Peng et al. 2023 (arXiv 2309.00071), definition 2.

    Parameters are those of ``Rotary``, and

    factor                            by how much the context grows
    original_max_position_embeddings  L, the trained length, tokens
    alpha, beta                       turns in L below which a hand is slowed, above which it is kept

    >>> NTKByParts(head_dim=4, factor=4.0, original_max_position_embeddings=64).inv_freq().round(4).tolist()
    [0.4722, 0.0025]
    """

    factor: float = 4.0
    original_max_position_embeddings: int = 2048
    alpha: float = 1.0
    beta: float = 32.0

    card: ClassVar[Card] = Card(
        id="ntk-by-parts",
        name="NTK by parts",
        title=Text("NTK-by-parts scaling", "分段 NTK 缩放"),
        idea=Text(
            "Hands that went round many times in training have shown every angle, so they stay as they are. "
            "Hands that did not finish one turn would show angles never seen, so they slow by the whole "
            "factor. Between, the two are blended by the number of turns.",
            "训练时转过很多圈的指针，所有角度都见过，就不动它。没转完一圈的指针会转到没见过的角度，"
            "就按整个倍数放慢。两者之间按圈数混合。",
        ),
        formula=r"w_i' = (1-\gamma)\,\frac{w_i}{s} + \gamma\, w_i,\quad"
        r" \gamma = \mathrm{clip}\left(\frac{L w_i / 2\pi - \alpha}{\beta - \alpha}, 0, 1\right)",
        sources=(
            Source(
                authors="Peng, Quesnelle, Fan, Shippole",
                year=2023,
                title="YaRN: Efficient Context Window Extension of Large Language Models",
                where="arXiv 2309.00071",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "YaRN's code ramps over the number of the pair; here the ramp runs over the turns. Llama 3 "
            "uses this formula with 1 and 4 turns.",
            "YaRN 的代码按指针的编号过渡；这里按圈数过渡。Llama 3 用的就是这个公式，界限是 1 圈和 4 圈。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_factor(self.factor)
        self.require_trained_length(self.original_max_position_embeddings)
        require_real(self.alpha, "alpha", least=0.0)
        require_order(self.alpha, "alpha", self.beta, "beta")

    def inv_freq(self) -> Array:
        return formulas.by_parts_inv_freq(
            self.turned, float(self.rope_theta), factor=float(self.factor),
            original_max_position_embeddings=self.original_max_position_embeddings,
            slow=float(self.alpha), fast=float(self.beta),
        )  # fmt: skip
