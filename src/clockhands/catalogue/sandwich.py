"""Sandwich: the similarity of two sinusoidal positions, added to the logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_count, require_heads, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class Sandwich(Description):
    """``H / (8 h) * sum over i of cos(distance * base ** (-2i / sinusoid_dim))`` in head h = 1 … H.

    Chi et al. 2023 (arXiv 2212.10356). Nothing is learned.

    sinusoid_dim  width of the sinusoid whose similarity it is; nothing else in the model has this width

    >>> import numpy as np
    >>> Sandwich(num_heads=1, sinusoid_dim=4).bias(np.arange(2)).round(6).tolist()
    [[0.25, 0.249994]]
    """

    num_heads: int = 8
    sinusoid_dim: int = 128
    base: float = 10000.0

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.sandwich:SinusoidKernel"
    card: ClassVar[Card] = Card(
        id="sandwich",
        name="Sandwich",
        title=Text("Sinusoidal similarity as a bias", "以正弦相似度为偏置"),
        idea=Text(
            "Two rows of the sinusoidal table are more alike the nearer their positions are. Sandwich takes "
            "just this similarity, without the table, and adds it to the scores. It falls roughly with the "
            "logarithm of the distance; each head has its own strength.",
            "正弦表中两行的位置越近就越相似。Sandwich 不用整张表，只取这个相似度，加到得分上。"
            "它大致随距离的对数下降，每个头的强度不同。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + \frac{H}{8h} \sum_{i=1}^{\bar{d}/2}"
        r" \cos\!\left(\frac{m-n}{b^{2i/\bar{d}}}\right),\quad h = 1, \dots, H",
        sources=(
            Source(
                authors="Chi, Fan, Rudnicky, Ramadge",
                year=2023,
                title="Dissecting Transformer Length Extrapolation via the Lens of Receptive Field Analysis",
                where="arXiv 2212.10356",
            ),
        ),
        used_by=(Text("NeMo (as an option)", "NeMo（可选）"),),
        traits=Traits(reads="positions", relative=True, bidirectional=False),
        differs=Text(
            "ALiBi falls in a straight line for ever; this falls ever more slowly, and it wobbles, as "
            "cosines do. NeMo subtracts half the width so that distance 0 gets 0; a softmax doesn't notice.",
            "ALiBi 沿直线一直下降；它越降越慢，而且像余弦那样有波动。"
            "NeMo 另外减去宽度的一半，使距离 0 处为 0；这对 softmax 没有影响。",
        ),
    )

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.sinusoid_dim, "sinusoid_dim", least=2, even=True)
        require_base(self.base, "base")

    def speeds(self) -> Array:
        """Of the hands whose cosines are added up, ``(sinusoid_dim / 2,)``, rad / token."""
        return formulas.sandwich_speeds(self.sinusoid_dim, float(self.base))

    def factors(self) -> Array:
        """What each head multiplies the sum by, ``(num_heads,)``."""
        return formulas.sandwich_factors(self.num_heads)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        kernel = formulas.sandwich_kernel(distances, self.speeds())
        return formulas.per_head(self.factors(), distances) * kernel
