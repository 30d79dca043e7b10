"""High-frequency RoPE: hands that cannot finish a turn in the context stand still."""

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
class HighFrequencyRoPE(Rotary):
    """RoPE whose hands slower than one turn in ``context`` tokens stand still. arXiv 2410.21216.

    Parameters are those of ``Rotary``, and ``context``: the trained length, tokens.

    >>> HighFrequencyRoPE(head_dim=8, context=100).inv_freq().tolist()
    [1.0, 0.1, 0.0, 0.0]
    """

    context: int = 2048

    card: ClassVar[Card] = Card(
        id="hope-highfreq",
        name="HoPE (high frequencies)",
        title=Text("High-frequency rotary position encoding", "高频旋转位置编码（HoPE）"),
        idea=Text(
            "Only hands that finish a turn within the trained length tell positions; the others would pull "
            "attention along a slow wave that training never completed, so they stand still and carry "
            "content.",
            "只有在训练长度内能转完一圈的指针才表示位置；其余的会让注意力跟着一个从未走完的慢波漂移，"
            "所以让它们停住，只携带内容。",
        ),
        formula=r"w_i' = w_i\ (2\pi / w_i < L),\quad w_i' = 0\ \mathrm{otherwise}",
        sources=(
            Source(
                authors="Chen, Lv, Luan, Wang, Liu",
                year=2024,
                title="HoPE: A Novel Positional Encoding Without Long-Term Decay for Enhanced Context "
                "Awareness and Extrapolation",
                where="arXiv 2410.21216",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "p-RoPE keeps a share of the hands, this keeps those that fit into the context. Two other papers "
            "are called HoPE as well (2505.20444, 2509.05218).",
            "p-RoPE 按比例保留指针，这里保留波长短于上下文的。"
            "另有两篇论文也叫 HoPE（2505.20444、2509.05218）。",
        ),
    )

    def check(self) -> None:
        super().check()
        self.require_trained_length(self.context, "context")

    def inv_freq(self) -> Array:
        return formulas.high_frequency_inv_freq(self.turned, float(self.rope_theta), context=self.context)
