"""T5: a learned value for each bucket of distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.rules import require_bool, require_count, require_heads, whole_numbers
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.language import Text
from clockhands.memory import require_memory

_UMT5 = Text("UMT5 (each layer its own)", "UMT5（每层各有一份）")


@final
@dataclass(frozen=True, kw_only=True)
class T5(Given):
    """``weights[bucket(distance), h]`` on the logits of head h, N(0, 0.02) until it is trained.

    Raffel et al. 2020 (arXiv 1910.10683), section 2.1. Give trained numbers with ``T5.of(weights)``;
    the untrained ones are drawn from ``seed``. ``bidirectional``: half of the buckets are for keys ahead.

    >>> T5(num_heads=2).bias(np.arange(3)).shape
    (2, 3)
    """

    num_heads: int = 8
    num_buckets: int = 32
    max_distance: int = 128
    bidirectional: bool = False
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("one row for each bucket", "每个桶一行")
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.t5:BucketBias"
    card: ClassVar[Card] = Card(
        id="t5",
        name="T5",
        title=Text("T5 relative position bias", "T5 相对位置偏置"),
        idea=Text(
            "Distances are sorted into buckets: near ones have a bucket each, far ones share wider and "
            "wider buckets, and everything past the largest distance shares the last. Each head learns "
            "one number for each bucket and adds it to its scores.",
            "把距离分到若干个桶里：近的距离一个一桶，远的距离共用越来越宽的桶，超过最大距离的全在最后一桶。"
            "每个注意力头为每个桶学一个数，加到得分上。",
        ),
        formula=r"s_{mn} = q_m \cdot k_n + B_{\beta(m-n),\,h},\quad"
        r" \beta(r) = e + \left\lfloor \frac{\ln(r/e)}{\ln(r_{\max}/e)}\,(n_b - e) \right\rfloor\;(r \geq e)",
        sources=(
            Source(
                authors="Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li, Liu",
                year=2020,
                title="Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
                where="arXiv 1910.10683",
            ),
        ),
        used_by=("T5", "mT5", "UL2", _UMT5, "LongT5", "MPNet"),
        traits=Traits(reads="positions", relative=True, horizon=113, learned=True, bidirectional=False),
        differs=Text(
            "ALiBi fixes a straight line; here any shape can be learned, but far distances look alike. "
            "The published model leaves out the division by the square root of the head size.",
            "ALiBi 固定为直线；这里可以学出任意形状，但很远的距离彼此不分。"
            "原模型不除以注意力头宽度的平方根。",
        ),
    )

    @classmethod
    def of(cls, weights: Numbers, *, max_distance: int = 128, bidirectional: bool = False) -> Self:
        """A description of given numbers ``(num_buckets, num_heads)``, the shape that checkpoints have."""
        numbers = frozen(weights, "weights", *cls.dimensions)
        buckets, heads = numbers.shape
        sizes = {"num_heads": heads, "num_buckets": buckets, "max_distance": max_distance}
        return cls(**sizes, bidirectional=bidirectional, numbers=numbers)

    def check(self) -> None:
        require_heads(self.num_heads)
        require_bool(self.bidirectional, "bidirectional")
        ways = 2 if self.bidirectional else 1
        require_count(self.num_buckets, "num_buckets", least=2 * ways, most=1024, even=self.bidirectional)
        require_count(self.max_distance, "max_distance", least=self.num_buckets // (2 * ways) + 1)
        require_shape(self.numbers, "numbers", (self.num_buckets, self.num_heads))
        require_count(self.seed, "seed", least=0, most=2**63 - 1)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.horizon, bidirectional=self.bidirectional)

    @property
    def horizon(self) -> int:
        """The distance from which on all share the last bucket, tokens; below ``max_distance``."""
        one_way = self.num_buckets // 2 if self.bidirectional else self.num_buckets
        exact = one_way // 2
        return (exact, *formulas.t5_thresholds(self.num_buckets, self.max_distance, self.bidirectional))[-1]

    def weights(self) -> Array:
        """``(num_buckets, num_heads)``, logits: the given numbers or untrained ones."""
        return given_or_untrained(self.numbers, self.seed, (self.num_buckets, self.num_heads))

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        buckets = formulas.t5_bucket(distances, self.num_buckets, self.max_distance, self.bidirectional)
        return np.moveaxis(self.weights()[buckets], -1, 0)
