"""RoPE-Mixed: every hand reads rows and columns, at two speeds that training sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final, get_args

import numpy as np

from clockhands import formulas
from clockhands.catalogue.axes import COLUMN, ROW, require_split
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.rules import require_base, require_choice, require_count, require_heads
from clockhands.formulas.layouts import Layout
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class RoPEMixed(Given):
    """Hand i of head h turns by ``row * speeds[0, h, i] + column * speeds[1, h, i]``. Heo et al. 2024.

    Positions are ``(b, t, 2)``: row, column. Speeds are learned; each head starts with its hands along and
    across a random direction. Give trained numbers with ``RoPEMixed.of(speeds)``. ``inv_freq`` lists the
    hands of all heads, head 0 first.

    >>> RoPEMixed(num_heads=2, head_dim=8).speeds().shape
    (2, 2, 4)
    """

    num_heads: int = 4
    head_dim: int = 32
    rope_theta: float = 10.0
    layout: Layout = "interleaved"
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = (
        3,
        Text("rows and columns, heads, hands of a head", "行与列、注意力头、每个头的指针"),
    )
    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta", "heads": "num_heads"}
    axes: ClassVar[tuple[Text, ...]] = (ROW, COLUMN)
    module: ClassVar[str] = "clockhands.schemes.rope_mixed:MixedRotation"
    card: ClassVar[Card] = Card(
        id="rope-mixed",
        name="RoPE-Mixed",
        title=Text("Rotary positions with learned 2-D frequencies", "频率可学习的二维旋转位置编码"),
        idea=Text(
            "Each hand has two speeds, one for rows and one for columns, and turns by their sum: it reads "
            "the image along a direction of its own. Training sets both speeds, for every head and layer.",
            "每根指针有两个速度，一个对行，一个对列，转过的角度是两者之和，相当于沿自己的方向读图像。"
            "两个速度都由训练决定，每层每个头各有一套。",
        ),
        formula=r"\theta_{h,i}(y, x) = w^{y}_{h,i}\, y + w^{x}_{h,i}\, x",
        sources=(
            Source(
                authors="Heo, Park, Han, Yun",
                year=2024,
                title="Rotary Position Embedding for Vision Transformer",
                where="arXiv 2403.13298",
            ),
        ),
        used_by=(Text("RoPE-ViT (DeiT-III, Swin)", "RoPE-ViT（DeiT-III、Swin）"),),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "Axial RoPE is the case in which one of the two speeds of each hand is 0 and nothing is learned.",
            "轴向 RoPE 是它的特例：每根指针的两个速度中有一个为 0，而且都不学习。",
        ),
    )

    @classmethod
    def of(cls, speeds: Numbers, *, layout: Layout = "interleaved") -> Self:
        """A description of given speeds ``(2, num_heads, head_dim/2)``, rad / step, rows first."""
        numbers = frozen(speeds, "speeds", *cls.dimensions)
        return cls(num_heads=numbers.shape[1], head_dim=2 * numbers.shape[2], layout=layout, numbers=numbers)

    def check(self) -> None:
        require_heads(self.num_heads)
        require_split(self.head_dim, 4)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (2, self.num_heads, self.head_dim // 2))

    @property
    def num_kv_heads(self) -> int:
        """Heads with hands of their own can't share a key head."""
        return self.num_heads

    def speeds(self) -> Array:
        """``(2, num_heads, head_dim/2)``, rad / step: the given numbers, or where training starts."""
        if self.numbers is not None:
            return self.numbers.values
        directions = np.random.default_rng(self.seed).uniform(0, 2 * np.pi, self.num_heads)
        return formulas.mixed_axis_speeds(directions, self.head_dim, float(self.rope_theta))

    def inv_freq(self) -> Array:
        return self.speeds().sum(axis=0).reshape(-1)
