"""Axial 2-D RoPE: some hands read the row of an image patch, the others its column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final, get_args

from clockhands import formulas
from clockhands.catalogue.axes import COLUMN, ROW, require_split
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_choice
from clockhands.formulas.layouts import Layout
from clockhands.language import Text

Spacing = Literal["each", "alternate"]
"""Whether each axis has a whole schedule of half the hands, or the two take every other hand of one."""


@final
@dataclass(frozen=True, kw_only=True)
class Axial2D(Description):
    """RoPE by row in the first half of the pairs, by column in the second. Heo et al. 2024.

    Positions are ``(b, t, 2)``: row, column (see ``clockhands.positions.from_grid``).

    spacing  ``each``: both axes have the frequencies of a RoPE of half the width (EVA-02, Qwen2-VL);
             ``alternate``: rows take the even and columns the odd hands of one schedule (Pixtral)

    >>> Axial2D(head_dim=8).inv_freq().tolist()
    [1.0, 0.1, 1.0, 0.1]
    """

    head_dim: int = 32
    rope_theta: float = 100.0
    layout: Layout = "half"
    spacing: Spacing = "each"

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}
    axes: ClassVar[tuple[Text, ...]] = (ROW, COLUMN)
    card: ClassVar[Card] = Card(
        id="axial-2d",
        name="Axial 2-D RoPE",
        title=Text("Rotary positions on rows and columns", "行列二维旋转位置编码"),
        idea=Text(
            "An image patch has a row and a column. Half of the hands turn with the row and half with the "
            "column, so a score depends on how many rows and how many columns two patches are apart, each by "
            "itself.",
            "图像块有行号和列号。一半指针随行号转，另一半随列号转，所以得分只看两个图像块相隔几行、相隔几列，"
            "行与列互不相干。",
        ),
        formula=r"\theta_i = w_i\, y,\quad \theta_{d/4+i} = w_i\, x,\quad w_i = b^{-4i/d},\; 0 \leq i < d/4",
        sources=(
            Source(
                authors="Heo, Park, Han, Yun",
                year=2024,
                title="Rotary Position Embedding for Vision Transformer",
                where="arXiv 2403.13298",
            ),
            Source(
                authors="Fang, Sun, Wang, Huang, Wang, Cao",
                year=2023,
                title="EVA-02: A Visual Representation for Neon Genesis",
                where="arXiv 2303.11331",
            ),
        ),
        used_by=(
            "EVA-02",
            Text("Qwen2-VL's image tower (base 10,000)", "Qwen2-VL 的图像塔（底数 10000）"),
            Text("Pixtral (base 10,000, alternate)", "Pixtral（底数 10000，交替分配）"),
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "No hand reads a diagonal: a shift along one is seen only as a shift of both axes. RoPE-Mixed "
            "lets each hand read both.",
            "没有一根指针读对角线：沿对角线的移动只能看成两个轴各自移动。RoPE-Mixed 让每根指针同时读两个轴。",
        ),
    )

    def check(self) -> None:
        require_split(self.head_dim, 4)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_choice(self.spacing, "spacing", get_args(Spacing))

    @property
    def pair_axes(self) -> tuple[int, ...]:
        return formulas.chunked_axes([self.head_dim // 4] * 2)

    def inv_freq(self) -> Array:
        if self.spacing == "alternate":
            return formulas.alternating_inv_freq(self.head_dim, float(self.rope_theta))
        return formulas.axial_inv_freq([self.head_dim // 2] * 2, float(self.rope_theta))
