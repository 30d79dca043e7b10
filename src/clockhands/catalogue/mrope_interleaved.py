"""Interleaved M-RoPE: one set of hands dealt out in turn to time, row and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.sections import Sectioned
from clockhands.errors import ClockhandsError
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class MRoPEInterleaved(Sectioned):
    """RoPE whose hands read time, row, column, time, row, column, … Qwen3-VL.

    Positions are ``(b, t, 3)``: time, row, column (see ``clockhands.positions.from_parts``); for text all
    three are the same, and then it is RoPE. Other parameters are those of ``Rotary``.

    mrope_section  hands of time, row and column; time also has those left over when the others have
                   theirs. By default 6 : 5 : 5, which is 24, 20, 20 of 64

    >>> MRoPEInterleaved(head_dim=16).pair_axes
    (0, 1, 2, 0, 1, 2, 0, 0)
    """

    rope_theta: float = 5e6

    card: ClassVar[Card] = Card(
        id="mrope-interleaved",
        name="M-RoPE interleaved",
        title=Text("Multimodal rotary positions, interleaved", "交错的多模态旋转位置编码"),
        idea=Text(
            "As in M-RoPE each position is a time, a row and a column, all equal for text. But the hands are "
            "dealt out in turn, so that every axis has fast hands for near things and slow ones for far "
            "things.",
            "和 M-RoPE 一样，每个位置是时间、行、列三个数，文字的三个数相同。但指针是轮流分配的，"
            "所以每个轴既有看近处的快针，也有看远处的慢针。",
        ),
        formula=r"\theta_i = b^{-2i/d}\, p_{a(i)},\quad a(i) = (t, y, x)_{i \,\mathrm{mod}\, 3}\;"
        r"\mathrm{while\ sections\ last,\ then}\; t",
        sources=(
            Source(
                authors="Bai, Cai, Chen et al.",
                year=2025,
                title="Qwen3-VL Technical Report",
                where="arXiv 2511.21631",
            ),
        ),
        used_by=(
            "Qwen3-VL",
            Text("Qwen3.5 (11, 11, 10; a quarter of a head)", "Qwen3.5（11、11、10；每个头只转四分之一）"),
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "The slowest hands still read time alone: 4 of 64 are left over. Videos are cut into frames with "
            "their time written between them as text, so time stands still inside a frame.",
            "最慢的几根指针仍只读时间：64 根里多出 4 根。视频被切成一帧一帧，帧之间用文字写出时间，"
            "所以一帧之内时间不动。",
        ),
    )

    def usual_section(self, pairs: int) -> tuple[int, ...]:
        each = max(min(pairs // 3, 1), pairs * 5 // 16)
        return (pairs - 2 * each, each, each)

    def check(self) -> None:
        super().check()
        for axis, count in enumerate(self.section[1:], start=1):
            if count and axis + 3 * (count - 1) >= self.turned // 2:
                raise ClockhandsError(
                    f"mrope_section gives axis {axis} {count} of {self.turned // 2} hands, and every third "
                    "one is not that many: give it fewer",
                    f"mrope_section 给轴 {axis} 分了 {self.turned // 2} 根指针中的 {count} 根，"
                    "而每三根取一根没有这么多：请少分一些",
                )

    @property
    def pair_axes(self) -> tuple[int, ...]:
        return formulas.interleaved_axes(self.section)
