"""LieRE: a learned rotation of many dimensions at once, whose axes need not commute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from clockhands import formulas
from clockhands.catalogue.axes import require_split
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.frozen import FrozenArray, require_shape
from clockhands.catalogue.given import Given
from clockhands.catalogue.rules import require_real
from clockhands.catalogue.turning_blocks import TurningBlocks
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class LieRE(TurningBlocks, Given):
    """Heads are turned by ``exp(sum over axes of position * A_axis)``, A skew. Ostmeier et al. 2024.

    Positions are ``(b, t, num_axes)``. ``inv_freq`` lists what all heads turn when all axes move together.

    block_dim  width of each square block on the diagonal; of the whole head: plain LieRE
    extent     steps that count as one unit: the authors let an image span about one
    numbers    trained ones, ``(num_axes, num_heads, blocks, n, n)``, of which the upper triangles are read

    >>> LieRE(num_heads=3, head_dim=8, block_dim=4).generators().shape
    (2, 3, 2, 4, 4)
    """

    extent: float = 14.0
    seed: int = 0
    numbers: FrozenArray | None = None

    dimensions: ClassVar[tuple[int, Text]] = (
        5,
        Text("axes, heads, blocks, rows and columns of a block", "轴、注意力头、块、块的行与列"),
    )
    module: ClassVar[str] = "clockhands.schemes.liere:LieRotation"
    card: ClassVar[Card] = Card(
        id="liere",
        name="LieRE",
        title=Text("Lie rotational position encodings", "李群旋转位置编码"),
        idea=Text(
            "RoPE turns pairs of dimensions; LieRE turns whole blocks. Each axis has a learned skew matrix, "
            "and a token is turned by the exponential of their sum, weighted with its position. Along a line "
            "from the origin it is a RoPE with learned hands in a learned basis.",
            "RoPE 旋转成对的维度，LieRE 一次旋转一整块。每个轴学一个反对称矩阵，按位置加权求和后取矩阵指数，"
            "就得到这个词元的旋转。沿一条过原点的直线看，它就是基和指针都由学习得到的 RoPE。",
        ),
        formula=r"R(p) = \exp\left(\sum_a p_a A_a\right),\quad A_a^{\top} = -A_a",
        sources=(
            Source(
                authors="Ostmeier, Axelrod, Varma, Moseley, Chaudhari, Langlotz",
                year=2024,
                title="LieRE: Lie Rotational Positional Encodings",
                where="arXiv 2406.10322",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", learned=True),
        differs=Text(
            "Where the matrices don't commute, scores hang on places too. ComRoPE makes them commute.",
            "矩阵不可交换时，得分还取决于词元在哪里，而不只是相隔多远。ComRoPE 则让它们可交换。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_split(self.head_dim, self.block_dim)
        require_real(self.extent, "extent", least=1.0)
        require_shape(self.numbers, "numbers", self._shape)

    @property
    def _shape(self) -> tuple[int, ...]:
        size = self.block_dim
        return (self.num_axes, self.num_heads, self.head_dim // size, size, size)

    @property
    def traits(self) -> Traits:
        """Relative where rotations commute: those in one plane, and those of a single axis."""
        return replace(self.card.traits, relative=self.block_dim == 2 or self.num_axes == 1)

    def weights(self) -> Array:
        """``(num_axes, num_heads, blocks, n, n)``, rad / unit: given, or U(0, 2 pi) as training starts."""
        drawn = np.random.default_rng(self.seed).uniform(0, 2 * np.pi, self._shape)
        return drawn if self.numbers is None else self.numbers.values

    def generators(self) -> Array:
        return formulas.skew_of_upper(self.weights()) / self.extent
