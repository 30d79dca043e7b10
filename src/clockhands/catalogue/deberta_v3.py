"""DeBERTa-v3: disentangled attention over logarithmic buckets of distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.disentangled import Disentangled
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DeBERTaV3(Disentangled):
    """DeBERTa with a vector for each bucket of distances. He et al. 2021 (arXiv 2111.09543).

    position_buckets        n: buckets -n ... n-1; distances up to n/2 have one each
    max_relative_positions  distances from here on share the last bucket, tokens

    >>> DeBERTaV3().rows()[[512, 512 + 200, 1024]].tolist()
    [256, 425, 511]
    """

    position_buckets: int = 256
    max_relative_positions: int = 512
    seed: int = 0

    card: ClassVar[Card] = Card(
        id="deberta-v3",
        name="DeBERTa-v3",
        title=Text("Disentangled attention with buckets", "分桶的解耦注意力"),
        idea=Text(
            "DeBERTa's three meetings, but far distances share vectors: near ones have one each, far ones "
            "fall into wider and wider buckets. The released models map distances with the same weights as "
            "contents (share_att_key), which saves parameters.",
            "与 DeBERTa 一样是三部分相加，但远的距离共用向量：近的距离各有一个，远的落进越来越宽的桶。"
            "公开的模型用同一套权重映射距离和内容（share_att_key），省下了参数。",
        ),
        formula=r"s_{mn} = \frac{Q^c_m \cdot K^c_n + Q^c_m \cdot K^r_{\beta(m-n)} + K^c_n \cdot"
        r" Q^r_{\beta(m-n)}}{\sqrt{3d}},\quad"
        r" \beta(r) = e + \left\lceil \frac{\ln(r/e)}{\ln((r_{\max}-1)/e)}\,(e-1) \right\rceil\;(r > e)",
        sources=(
            Source(
                authors="He, Gao, Chen",
                year=2021,
                title="DeBERTaV3: Improving DeBERTa using ELECTRA-Style Pre-Training with "
                "Gradient-Disentangled Embedding Sharing",
                where="arXiv 2111.09543",
            ),
            Source(
                authors="He, Liu, Gao, Chen",
                year=2020,
                title="DeBERTa: Decoding-enhanced BERT with Disentangled Attention",
                where="arXiv 2006.03654",
            ),
        ),
        used_by=("DeBERTa-v2", "DeBERTa-v3", "mDeBERTa"),
        traits=Traits(reads="positions", relative=True, horizon=506, learned=True),
        differs=Text(
            "T5's buckets round down, these round up, and they reach farther before they widen. Weights that "
            "are shared with the contents are copied into the maps here, since an encoding does not see the "
            "layer's own.",
            "T5 的桶向下取整，这里向上取整，而且要更远才开始变宽。编码看不到各层自己的权重，"
            "所以与内容共用的权重在这里要复制一份。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.position_buckets, "position_buckets", least=4, most=1024, even=True)
        least = self.position_buckets // 2 + 2
        require_count(self.max_relative_positions, "max_relative_positions", least=least, most=65536)
        self.require_vectors()

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.horizon)

    @property
    def horizon(self) -> int:
        """The distance from which on all keys in the past share the last bucket, tokens."""
        return formulas.deberta_thresholds(self.position_buckets, self.max_relative_positions)[-2]

    @property
    def num_vectors(self) -> int:
        return 2 * self.position_buckets

    def rows(self) -> NDArray[np.int64]:
        """The row of the table for each distance from -max to max, which stand for all beyond."""
        sizes = self.position_buckets, self.max_relative_positions
        reach = np.arange(-self.max_relative_positions, self.max_relative_positions + 1)
        return np.minimum(formulas.deberta_bucket(reach, *sizes), sizes[0] - 1) + sizes[0]
