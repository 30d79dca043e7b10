"""A bias that falls with the square root of the distance: an example of a scheme in a package of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from clockhands.catalogue import Card, Description, Traits
from clockhands.catalogue.rules import require_count, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class SqrtBias(Description):
    """``-slope / (h + 1) * sqrt(distance)`` on the logits of head h.

    slope  of the first head, logits / sqrt(token)

    >>> SqrtBias(num_heads=1).bias(np.array([0, 1, 4])).tolist()
    [[0.0, -1.0, -2.0]]
    """

    num_heads: int = 8
    slope: float = 1.0

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    card: ClassVar[Card] = Card(
        id="sqrt",
        name="Root bias",
        title=Text("Bias by the root of the distance", "按距离平方根的偏置"),
        idea=Text(
            "Near neighbours differ clearly, far ones hardly: a middle way between ALiBi's straight line and "
            "a logarithm.",
            "近处的距离差别明显，远处的几乎没有差别：介于 ALiBi 的直线与对数之间。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - \frac{a}{h+1}\sqrt{m-n}",
        origin=Text("An example, not a published scheme.", "一个示例，不是发表过的方案。"),
        sources=(),
        used_by=(),
        traits=Traits(reads="positions", relative=True, bidirectional=False),
    )

    def check(self) -> None:
        require_count(self.num_heads, "num_heads")
        require_real(self.slope, "slope", least=0.0)

    def bias(self, distance: Any) -> np.ndarray:
        heads = np.arange(1, self.num_heads + 1).reshape(-1, *[1] * np.ndim(distance))
        return -self.slope / heads * np.sqrt(np.maximum(distance, 0))
