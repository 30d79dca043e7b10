"""CABLE: each token says how long a step over it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.gated import Gated
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class CABLE(Gated):
    """``-sum of softplus(w_h . x_l + b_h)`` over the tokens after the key up to the query.

    Veisi et al. 2025 (arXiv 2503.08067).

    >>> CABLE(d_model=32, num_heads=4).weights().shape
    (4, 32)
    """

    card: ClassVar[Card] = Card(
        id="cable",
        name="CABLE",
        title=Text("Context-aware biases", "上下文感知偏置"),
        idea=Text(
            "ALiBi counts every token as one step; here each token learns, in each head, how long the step "
            "over it is. The penalty between a key and a query is the way between them: many small words "
            "can be nearer than one weighty one.",
            "ALiBi 把每个词元都算作一步；这里每个词元在每个头里学出跨过它的一步有多长。"
            "键和查询之间的惩罚就是两者之间的路程：许多小词可以比一个重要的词还近。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} -"
        r" \sum_{l=n+1}^{m} \ln(1 + e^{w_h \cdot x_l + b_h})",
        sources=(
            Source(
                authors="Veisi, Amirzadeh, Mansourian",
                year=2025,
                title="Context-aware Biases for Length Extrapolation",
                where="arXiv 2503.08067",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "Since -softplus(z) = ln sigmoid(-z), it is FoX with the sign of the gate turned round. It "
            "counts tokens, not positions, and padding counts for nothing. The steps are those of the "
            "authors' code (axiomlab/Cable @2d7410b), which does not divide the dot product by the "
            "root of the head size.",
            "因为 -softplus(z) = ln sigmoid(-z)，它就是把门的符号反过来的 FoX。它数的是词元而不是位置，"
            "填充不计在内。步长取自作者的代码（axiomlab/Cable @2d7410b），"
            "那份代码没有把点积除以注意力头宽度的平方根。",
        ),
    )

    def steps(self, gates: Any) -> Any:
        return formulas.cable_steps(gates)
