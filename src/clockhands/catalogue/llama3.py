"""Llama 3's scaling: fast hands kept, slow ones divided, a short blend between."""

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
class Llama3(Rotary):
    """RoPE scaled as in Llama 3.1. Grattafiori et al. 2024 (arXiv 2407.21783); Meta's released code.

    Parameters are those of ``Rotary``, and

    factor                            by how much slow hands slow down
    original_max_position_embeddings  L, the trained length, tokens
    low_freq_factor                   turns in L below which a hand is slowed by the whole factor
    high_freq_factor                  turns in L above which it is kept

    >>> Llama3(head_dim=128).inv_freq()[29:32].round(8).tolist()
    [0.00216657, 0.00137189, 0.00085675]
    """

    rope_theta: float = 500000.0
    factor: float = 8.0
    original_max_position_embeddings: int = 8192
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0

    card: ClassVar[Card] = Card(
        id="llama3",
        name="Llama 3 RoPE",
        title=Text("Llama 3 frequency scaling", "Llama 3 频率缩放"),
        idea=Text(
            "Hands that turn more than four times in the trained length stay, hands that do not finish a "
            "turn slow down eightfold, and the few between are blended. With 128 dimensions that is 29 kept, "
            "6 blended, 29 slowed.",
            "在训练长度内转过四圈以上的指针不动，转不完一圈的慢八倍，中间的少数几根混合。"
            "128 维时：29 根不动，6 根混合，29 根变慢。",
        ),
        formula=r"w_i' = (1-\gamma)\,\frac{w_i}{s} + \gamma\, w_i,\quad"
        r" \gamma = \mathrm{clip}\left(\frac{L w_i / 2\pi - 1}{4 - 1}, 0, 1\right)",
        sources=(
            Source(
                authors="Grattafiori et al.",
                year=2024,
                title="The Llama 3 Herd of Models",
                where="arXiv 2407.21783",
            ),
        ),
        used_by=("Llama 3.1", "Llama 3.2", "Llama 3.3"),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "The same blend as NTK by parts, with narrower bounds and a larger base; the softmax stays.",
            "混合方式与分段 NTK 相同，只是界限更窄、底数更大；不改动 softmax。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_factor(self.factor)
        self.require_trained_length(self.original_max_position_embeddings)
        require_real(self.low_freq_factor, "low_freq_factor", least=0.0)
        require_order(self.low_freq_factor, "low_freq_factor", self.high_freq_factor, "high_freq_factor")

    def inv_freq(self) -> Array:
        return formulas.by_parts_inv_freq(
            self.turned, float(self.rope_theta), factor=float(self.factor),
            original_max_position_embeddings=self.original_max_position_embeddings,
            slow=float(self.low_freq_factor), fast=float(self.high_freq_factor),
        )  # fmt: skip
