"""DeBERTa: contents meet distances, in both directions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.disentangled import Disentangled
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DeBERTa(Disentangled):
    """Content to content, content to position and position to content. He et al. 2020 (arXiv 2006.03654).

    max_relative_positions  k: distances are clipped to -k ... k-1, one vector for each

    >>> [table.shape for table in DeBERTa(d_model=8, num_heads=2, max_relative_positions=3).tables()]
    [(6, 8), (2, 4, 8), (2, 4, 8), (2, 4)]
    """

    max_relative_positions: int = 512
    seed: int = 0

    card: ClassVar[Card] = Card(
        id="deberta",
        name="DeBERTa",
        title=Text("Disentangled attention", "解耦注意力"),
        idea=Text(
            "A token has two vectors, what it is and where it is. A score is the sum of three meetings: the "
            "contents of two tokens; the query's content with their distance; and the key's content with "
            "their distance. Each distance has a learned vector, with maps of its own.",
            "每个词元有两个向量：它是什么，它在哪里。得分是三部分之和：两个内容相乘，查询的内容与距离相乘，"
            "键的内容与距离相乘。每个距离有一个学出来的向量，并经过自己的映射。",
        ),
        formula=r"s_{mn} = \frac{Q^c_m \cdot K^c_n + Q^c_m \cdot K^r_{\delta(m,n)} + K^c_n \cdot"
        r" Q^r_{\delta(m,n)}}{\sqrt{3d}},\quad \delta(m,n) = \max(0, \min(2k-1, m-n+k))",
        sources=(
            Source(
                authors="He, Liu, Gao, Chen",
                year=2020,
                title="DeBERTa: Decoding-enhanced BERT with Disentangled Attention",
                where="arXiv 2006.03654",
            ),
        ),
        used_by=("DeBERTa",),
        traits=Traits(reads="positions", relative=True, horizon=511, learned=True),
        differs=Text(
            "Shaw has only the query meet the distance. The paper reads the third term at n-m, its code and "
            "all released models at m-n, as here.",
            "Shaw 只有查询与距离相乘。论文里第三项按 n-m 读表，而代码和所有公开的模型按 m-n 读，这里也是。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.max_relative_positions, "max_relative_positions", least=2, most=65536)
        self.require_vectors()

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.max_relative_positions - 1)

    @property
    def num_vectors(self) -> int:
        return 2 * self.max_relative_positions

    def rows(self) -> NDArray[np.int64]:
        """The row of the table for each distance from -k to k, which stand for all beyond, ``(2k + 1,)``."""
        reach = self.max_relative_positions
        return np.minimum(np.arange(2 * reach + 1), 2 * reach - 1)
