"""RetNet's decay, as a bias: every step back costs the same, one fixed factor for each head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_bool, require_count, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class RetNetDecay(Description):
    """``distance * ln(gamma_h)`` on the logits of head h, ``gamma_h = 1 - 2 ** (-5 - h)``. Sun et al. 2023.

    symmetric  use ``|distance|``, for models without a causal mask

    >>> import numpy as np
    >>> np.exp(RetNetDecay(num_heads=1).bias(np.arange(3))).round(6).tolist()
    [[1.0, 0.96875, 0.938477]]
    """

    num_heads: int = 8
    symmetric: bool = False

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads", "bidirectional": "symmetric"}
    module: ClassVar[str] = "clockhands.schemes.alibi:LinearBias"
    card: ClassVar[Card] = Card(
        id="retnet-decay",
        name="RetNet decay",
        title=Text("Fixed exponential decay", "固定指数衰减"),
        idea=Text(
            "With every step back a token counts for a fixed share less: 1/32 less in the first head, 1/64 "
            "in the second, and so on. Since a factor on the weights is a sum in the logits, this is a "
            "straight line, like ALiBi with other slopes.",
            "每往回一步，词元的分量就按固定比例缩小：第一个头减 1/32，第二个头减 1/64，依此类推。"
            "权重上的乘法就是得分上的加法，所以它是一条直线，相当于换了斜率的 ALiBi。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + (m-n)\,\ln\gamma_h,\quad"
        r" \gamma_h = 1 - 2^{-5-h},\; h = 0, 1, \dots",
        sources=(
            Source(
                authors="Sun, Dong, Huang, Ma, Xia, Xue, Wang, Wei",
                year=2023,
                title="Retentive Network: A Successor to Transformer for Large Language Models",
                where="arXiv 2307.08621",
            ),
        ),
        used_by=(Text("RetNet (on weights without softmax)", "RetNet（作用于不经 softmax 的权重）"),),
        traits=Traits(reads="positions", relative=True, bidirectional=False),
        differs=Text(
            "RetNet multiplies scores that never see a softmax, and turns queries and keys besides; here "
            "only its decay is taken, into ordinary attention. ALiBi's slopes span 2 to 256 tokens, these "
            "start at 32 and double without end.",
            "RetNet 的得分不经过 softmax，而是直接相乘，另外还旋转查询和键；这里只取它的衰减，"
            "放进普通的注意力。ALiBi 的斜率对应 2 到 256 个词元，这里从 32 开始，逐头翻倍，没有上限。",
        ),
    )

    def check(self) -> None:
        require_count(self.num_heads, "num_heads", most=1000)
        require_bool(self.symmetric, "symmetric")

    def slopes(self) -> Array:
        """``-ln(gamma_h)``, ``(num_heads,)``, logits / token."""
        return formulas.retention_slopes(self.num_heads)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        return formulas.alibi_bias(distances, self.slopes(), self.symmetric)
