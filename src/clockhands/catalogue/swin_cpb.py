"""Swin-v2: a learned curve over offsets on a logarithmic scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.rules import require_count, whole_numbers
from clockhands.catalogue.windows import Windowed
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class SwinCPB(Windowed):
    """``16 * sigmoid`` of a learned curve over log-spaced offsets. Liu et al. 2022 (arXiv 2111.09883).

    window_size  of the training, positions along each axis: what offsets are measured by
    num_axes     1 for text, 2 for the windows of an image, with positions ``(b, t, 2)``; Swin-v2 has 2
    width        hidden units. Give trained ones with ``SwinCPB.of(units)``

    >>> import numpy as np
    >>> SwinCPB(num_heads=2).bias(np.arange(-3, 4)).shape
    (2, 7)
    """

    width: int = 512
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("one row for each hidden unit", "每个隐藏单元一行")
    module: ClassVar[str] = "clockhands.schemes.swin_cpb:OffsetCurve"
    card: ClassVar[Card] = Card(
        id="swin-cpb",
        name="Swin-v2 log-CPB",
        title=Text("Log-spaced continuous position bias", "对数间隔的连续位置偏置"),
        idea=Text(
            "Instead of a number for each offset, a small network computes it from the offset's logarithm. "
            "A window larger than in training then goes only a little beyond the trained range: eight times "
            "the window lies about twice as far out on the logarithmic scale.",
            "不再为每种偏移存一个数，而是由一个小网络根据偏移的对数算出来。"
            "窗口比训练时更大时，只会稍稍超出训练过的范围：窗口放大到 8 倍，在对数尺度上只远了大约一倍。",
        ),
        formula=r"s_{mn} = \tau\cos(q_m, k_n) + 16\,\sigma\!\left(f_h(\hat{o})\right),\quad"
        r" \hat{o} = \mathrm{sign}(o)\,\log_8\!\left(1 + \frac{8|o|}{M-1}\right),\; o = m-n",
        sources=(
            Source(
                authors="Liu, Hu, Lin, Yao, Xie, Wei, Ning, Cao, Zhang, Dong, Wei, Guo",
                year=2022,
                title="Swin Transformer V2: Scaling Up Capacity and Resolution",
                where="arXiv 2111.09883",
            ),
        ),
        used_by=(Text("Swin v2 (two axes)", "Swin v2（两个轴）"),),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "The first Swin has a table instead. Swin v2 scores by cosine; here only its bias is taken.",
            "Swin 第一版用的是表。Swin v2 还用余弦相似度代替缩放点积；这里只取它的偏置。",
        ),
    )

    @classmethod
    def of(cls, units: Numbers, *, window_size: int = 8, num_axes: int = 1) -> Self:
        """Given units ``(width, num_axes + 1 + num_heads)``: its weights, offset, share in each head."""
        numbers = frozen(units, "units", *cls.dimensions)
        sizes = {"width": numbers.shape[0], "num_heads": numbers.shape[1] - num_axes - 1}
        return cls(**sizes, window_size=window_size, num_axes=num_axes, numbers=numbers)

    def check(self) -> None:
        super().check()
        require_count(self.window_size, "window_size", least=2)
        require_count(self.width, "width")
        require_shape(self.numbers, "numbers", (self.width, self.num_axes + 1 + self.num_heads))

    def units(self) -> Array:
        """``(width, num_axes + 1 + num_heads)``: the given ones, or N(0, 0.02) with offsets of 0."""
        if self.numbers is not None:
            return self.numbers.values
        shape = self.width, self.num_axes + 1 + self.num_heads
        drawn = np.random.default_rng(self.seed).normal(0.0, 0.02, shape)
        drawn[:, self.num_axes] = 0.0
        return drawn

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (max(self.num_heads, self.width), *distances.shape))
        offsets = formulas.log_offsets(distances.astype(np.float64), self.window_size)
        curves = formulas.relu_curves(np.stack([offsets] * self.num_axes, axis=-1), self.units())
        return np.moveaxis(formulas.bounded(curves), -1, 0)
