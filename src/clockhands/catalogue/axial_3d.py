"""Axial 3-D RoPE: time, row and column of a video patch each turn hands of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final, get_args

from clockhands import formulas
from clockhands.catalogue.axes import COLUMN, ROW, TIME, Sections, one_for_each, require_total
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_choice, require_count
from clockhands.formulas.layouts import Layout
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Axial3D(Description):
    """A RoPE of its own width for each axis of a video. Positions are ``(b, t, 3)``: time, row, column.

    widths  dimensions of the head that time, rows and columns turn, even. By default as in Wan: a sixth of
            the pairs for rows and for columns, twice, and the rest for time (44, 42, 42 of 128)

    >>> Axial3D(head_dim=8).widths
    (4, 2, 2)
    """

    head_dim: int = 32
    rope_theta: float = 10000.0
    layout: Layout = "interleaved"
    widths: Sections = None

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}
    axes: ClassVar[tuple[Text, ...]] = (TIME, ROW, COLUMN)
    card: ClassVar[Card] = Card(
        id="axial-3d",
        name="Axial 3-D RoPE",
        title=Text("Rotary positions on time, rows and columns", "时间、行、列三维旋转位置编码"),
        idea=Text(
            "A video patch has a time, a row and a column. The head is cut into three parts, and each part "
            "is a RoPE of its own for one axis, from its fastest hand to its slowest.",
            "视频块有时间、行、列三个坐标。把注意力头切成三段，每段各是一个完整的旋转位置编码，"
            "从最快的指针到最慢的都有，各管一个轴。",
        ),
        formula=r"\theta_{a,i} = p_a\, b^{-2i/d_a},\quad a \in \{t, y, x\},\; d_t + d_y + d_x = d",
        sources=(
            Source(
                authors="Yang, Teng, Zheng et al.",
                year=2024,
                title="CogVideoX: Text-to-Video Diffusion Models with An Expert Transformer",
                where="arXiv 2408.06072",
            ),
            Source(
                authors="Wan Team",
                year=2025,
                title="Wan: Open and Advanced Large-Scale Video Generative Models",
                where="arXiv 2503.20314",
            ),
        ),
        used_by=(
            Text("Wan (44, 42, 42 of 128)", "Wan（128 维分成 44、42、42）"),
            Text("CogVideoX (16, 24, 24 of 64)", "CogVideoX（64 维分成 16、24、24）"),
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "M-RoPE shares one schedule of frequencies among the axes; here each axis has a whole one.",
            "M-RoPE 的各轴分用同一组频率；这里每个轴各有完整的一组。",
        ),
    )

    def __post_init__(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=True)
        sixth = 2 * (self.head_dim // 6)
        usual = (self.head_dim - 2 * sixth, sixth, sixth)
        widths = usual if self.widths is None else one_for_each(self.widths, "widths", self.axes)
        object.__setattr__(self, "widths", widths)
        super().__post_init__()

    def check(self) -> None:
        for width in self._widths:
            require_count(width, "a number in widths", least=0, even=True)
        require_total(self._widths, "widths", self.head_dim, Text("head_dim", "head_dim"))
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))

    @property
    def _widths(self) -> tuple[int, ...]:
        return one_for_each(self.widths, "widths", self.axes)

    @property
    def pair_axes(self) -> tuple[int, ...]:
        return formulas.chunked_axes([width // 2 for width in self._widths])

    def inv_freq(self) -> Array:
        return formulas.axial_inv_freq(self._widths, float(self.rope_theta))
