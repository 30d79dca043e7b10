"""ComRoPE: learned rotations of whole blocks, made so that axes commute and scores stay relative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final, get_args

import numpy as np

from clockhands import formulas
from clockhands.catalogue.axes import require_split
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rules import require_choice, require_real
from clockhands.catalogue.turning_blocks import TurningBlocks
from clockhands.language import Text

Variant = Literal["ld", "ap"]
"""Linearly dependent generators, or blocks partitioned among the axes."""


@final
@dataclass(frozen=True, kw_only=True)
class ComRoPE(TurningBlocks):
    """Heads are turned by ``exp(sum over axes of position * A_axis)``, A skew and commuting. Yu et al. 2025.

    Positions are ``(b, t, num_axes)``. Everything is learned, for each head. ``inv_freq`` lists what all
    heads turn, and how fast, when all axes move together.

    variant    ``ld``: axis a turns block j by ``factor[a, j] * (P_j - P_j^T)``;
               ``ap``: block j turns with axis ``j mod num_axes`` alone, by ``P_j - P_j^T``
    block_dim  width of each square block on the diagonal
    extent     steps that count as one unit: the authors scale an image to span one

    >>> ComRoPE(num_heads=2, head_dim=8).generators().shape
    (2, 2, 2, 4, 4)
    """

    variant: Variant = "ld"
    extent: float = 14.0
    seed: int = 0

    module: ClassVar[str] = "clockhands.schemes.comrope:CommutingRotation"
    card: ClassVar[Card] = Card(
        id="comrope",
        name="ComRoPE",
        title=Text("Rotary positions by commuting matrices", "可交换矩阵的旋转位置编码"),
        idea=Text(
            "Like LieRE it turns whole blocks by learned skew matrices, one for each axis. But scores depend "
            "on differences of positions alone only if these matrices commute, so they are built to: all "
            "multiples of one matrix (LD), or each block left to one axis (AP).",
            "和 LieRE 一样，用学到的反对称矩阵旋转整块维度，每个轴一个矩阵。但只有这些矩阵可交换，"
            "得分才只取决于位置之差，所以构造时就保证可交换：要么都是同一矩阵的倍数（LD），"
            "要么每一块只归一个轴（AP）。",
        ),
        formula=r"R(p) = \exp\left(\sum_a p_a A_a\right),\quad A_a A_b = A_b A_a"
        r" \Rightarrow R(x)^{\top} R(y) = R(y - x)",
        sources=(
            Source(
                authors="Yu, Jiang, Jia, Yan, Liu, Qian, Li, Dong, Zhang, Yuan",
                year=2025,
                title="ComRoPE: Scalable and Robust Rotary Position Embedding Parameterized by Trainable "
                "Commuting Angle Matrices",
                where="arXiv 2506.03737",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "Commuting skew matrices share a basis, so each head is a RoPE-Mixed in a learned basis; with "
            "blocks of 2 it is a RoPE-Mixed.",
            "可交换的反对称矩阵有共同的基，所以每个头就是换了一组基（由学习得到）的 RoPE-Mixed；"
            "块宽为 2 时就是 RoPE-Mixed。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_choice(self.variant, "variant", get_args(Variant))
        require_split(self.head_dim, self.block_dim * (self.num_axes if self.variant == "ap" else 1))
        require_real(self.extent, "extent", least=1.0)

    def weights(self) -> tuple[Array, Array]:
        """P ``(num_heads, blocks, n, n)`` and factors ``(num_axes, blocks)``, N(0, 1) as training starts."""
        random, blocks = np.random.default_rng(self.seed), self.head_dim // self.block_dim
        raw = random.normal(size=(self.num_heads, blocks, self.block_dim, self.block_dim))
        return raw, random.normal(size=(self.num_axes, blocks))

    def generators(self) -> Array:
        raw, factors = self.weights()
        if self.variant == "ap":
            return formulas.partitioned_generators(raw, self.num_axes) / self.extent
        return formulas.scaled_generators(raw, factors) / self.extent
