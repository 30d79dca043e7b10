"""M-RoPE: one set of hands shared out among time, row and column, each axis in one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.sections import Sectioned
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class MRoPE(Sectioned):
    """RoPE whose fastest hands read time, the middle ones the row, the slowest the column. Qwen2-VL.

    Positions are ``(b, t, 3)``: time, row, column (see ``clockhands.positions.from_parts``); for text all
    three are the same, and then it is RoPE. Other parameters are those of ``Rotary``.

    mrope_section  hands of time, row and column; by default 2 : 3 : 3, which is 16, 24, 24 of 64

    >>> MRoPE(head_dim=128).mrope_section
    (16, 24, 24)
    """

    rope_theta: float = 1e6

    card: ClassVar[Card] = Card(
        id="mrope",
        name="M-RoPE",
        title=Text("Multimodal rotary positions", "多模态旋转位置编码"),
        idea=Text(
            "Text, images and videos share one line of positions, but each position is a triple: time, row, "
            "column. For text the three are equal, and it is plain RoPE. In an image the row and the column "
            "count up while time stands still. The fastest hands read time, the middle ones the row and the "
            "slowest the column.",
            "文字、图像、视频排在同一条位置线上，但每个位置是三个数：时间、行、列。文字的三个数相同，"
            "这时它就是普通的 RoPE；图像里行和列递增，时间不动。最快的指针读时间，中间的读行，最慢的读列。",
        ),
        formula=r"\theta_i = b^{-2i/d}\, p_{a(i)},\quad a(i) = t\ (i < s_t),\; y\ (i < s_t + s_y),\; x",
        sources=(
            Source(
                authors="Wang, Bai, Tan et al.",
                year=2024,
                title="Qwen2-VL: Enhancing Vision-Language Model's Perception of the World at Any Resolution",
                where="arXiv 2409.12191",
            ),
        ),
        used_by=(
            "Qwen2-VL",
            Text("Qwen2.5-VL (time in seconds)", "Qwen2.5-VL（时间以秒计）"),
            Text("GLM-4V (8, 12, 12)", "GLM-4V（8、12、12）"),
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "Time has only fast hands, which come round again and again within a long video, and columns "
            "only slow ones. M-RoPE interleaved deals the hands out in turn.",
            "时间只分到快针，在长视频里会一圈又一圈地重复；列只分到慢针。交错的 M-RoPE 则轮流分配指针。",
        ),
    )

    def usual_section(self, pairs: int) -> tuple[int, ...]:
        time = max(1, pairs // 4)
        rows = (pairs - time + 1) // 2
        return (time, rows, pairs - time - rows)

    @property
    def pair_axes(self) -> tuple[int, ...]:
        return formulas.chunked_axes(self.section)
