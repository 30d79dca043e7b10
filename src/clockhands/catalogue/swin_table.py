"""Swin: a learned number for each offset inside a window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.rules import distance_outside, require_count, whole_numbers
from clockhands.catalogue.untrained import given_or_untrained
from clockhands.catalogue.windows import Windowed
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class SwinTable(Windowed):
    """``weights[row(offsets), h]`` on the logits of head h, N(0, 0.02) until it is trained. Liu et al. 2021.

    window_size  positions along each axis; an offset lies within ``window_size - 1`` of zero
    num_axes     1 for text, 2 for the windows of an image, with positions ``(b, t, 2)``; Swin has 2, window 7

    >>> import numpy as np
    >>> SwinTable(num_heads=2, window_size=4).bias(np.arange(-3, 4)).shape
    (2, 7)
    """

    window_size: int = 64
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = 2, Text("one row for each offset", "每个偏移一行")
    module: ClassVar[str] = "clockhands.schemes.swin_table:OffsetTable"
    card: ClassVar[Card] = Card(
        id="swin-table",
        name="Swin table",
        title=Text("Learned table of offsets", "可学习的偏移表"),
        idea=Text(
            "Inside a small window there are only so many offsets between two places. Each of them, left and "
            "right apart, has a learned number in each head; in an image it is a pair, rows and columns.",
            "一个小窗口里，两个位置之间的偏移只有那么多种。每种偏移（左右分开）在每个头里有一个学出来的数；"
            "在图像里，一个偏移由两部分组成：行和列。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + B_{m-n,\,h},\quad -M < m-n < M",
        sources=(
            Source(
                authors="Liu, Lin, Cao, Hu, Wei, Zhang, Lin, Guo",
                year=2021,
                title="Swin Transformer: Hierarchical Vision Transformer using Shifted Windows",
                where="arXiv 2103.14030",
            ),
        ),
        used_by=(Text("Swin (two axes, window 7)", "Swin（两个轴，窗口 7）"),),
        traits=Traits(reads="positions", relative=True, max_position=64, learned=True),
        differs=Text(
            "T5 lets far distances share a number; here each has its own, and none outside the window.",
            "T5 让远的距离共用一个数；这里每个偏移各有一个，窗口之外则没有。",
        ),
    )

    @classmethod
    def of(cls, table: Numbers, *, num_axes: int = 1) -> Self:
        """Given numbers ``((2 * window_size - 1) ** num_axes, num_heads)``, as checkpoints have them."""
        require_count(num_axes, "num_axes", most=2)
        numbers = frozen(table, "table", *cls.dimensions)
        window = (round(numbers.shape[0] ** (1 / num_axes)) + 1) // 2
        return cls(num_heads=numbers.shape[1], window_size=window, num_axes=num_axes, numbers=numbers)

    def check(self) -> None:
        super().check()
        require_count(self.window_size, "window_size", least=2, most=2**15)
        require_memory(Text("a table", "这张表"), (shape := self._shape()))
        require_shape(self.numbers, "numbers", shape)

    def _shape(self) -> tuple[int, int]:
        return (2 * self.window_size - 1) ** self.num_axes, self.num_heads

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=self.window_size)

    def weights(self) -> Array:
        """``((2 * window_size - 1) ** num_axes, num_heads)``, logits: the given numbers or untrained ones."""
        return given_or_untrained(self.numbers, self.seed, self._shape())

    def bias(self, distance: NDArray[Any]) -> Array:
        distances, last = whole_numbers(distance, Text("distances", "距离")), self.window_size - 1
        if distances.size and abs(distances).max() > last:
            raise distance_outside(int(distances.flat[abs(distances).argmax()]), -last, last)
        rows = formulas.offset_row([distances] * self.num_axes, self.window_size)
        return np.moveaxis(self.weights()[rows], -1, 0)
