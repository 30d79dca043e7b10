"""RoPE: the clock hands turn queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class RoPE(Rotary):
    """Pair i of each head is turned by ``position * rope_theta ** (-2i / rotary_dim)``. Su et al. 2021.

    Parameters are those of ``Rotary``.

    >>> RoPE(head_dim=8).inv_freq().round(3).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """

    card: ClassVar[Card] = Card(
        id="rope",
        name="RoPE",
        title=Text("Rotary position embedding", "旋转位置编码"),
        idea=Text(
            "The clock hands of the sinusoid turn the queries and keys themselves. Lengths don't change, "
            "and in the dot product only the difference of two angles is left, so the score of given "
            "contents depends on how far apart they are and not on where.",
            "用正弦编码的那些指针直接旋转查询和键。向量长度不变，而点积里只剩两个角度之差，"
            "所以内容给定时，注意力得分只看两者相距多远，不看各自在哪里。",
        ),
        formula=r"\tilde{q}_m = R(m)\,q_m,\; \tilde{k}_n = R(n)\,k_n,\;"
        r" \langle\tilde{q}_m, \tilde{k}_n\rangle = \langle q_m, R(n-m)\,k_n\rangle,\; w_i = b^{-2i/d}",
        sources=(
            Source(
                authors="Su, Lu, Pan, Murtadha, Wen, Liu",
                year=2021,
                title="RoFormer: Enhanced Transformer with Rotary Position Embedding",
                where="arXiv 2104.09864",
            ),
        ),
        used_by=(
            "Llama",
            "Qwen",
            "Mistral",
            Text("GPT-NeoX (a quarter of the head)", "GPT-NeoX（只转每个头的四分之一）"),
            "GPT-J",
            "DeepSeek",
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "Nothing is added to the tokens and values are not turned. That scores must fall with distance "
            "is not true: the proof is an upper bound.",
            "它不往词元上加任何东西，也不旋转值。“得分一定随距离衰减”并不成立：论文证明的只是一个上界。",
        ),
    )

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.turned, float(self.rope_theta))
