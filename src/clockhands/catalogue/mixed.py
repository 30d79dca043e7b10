"""An experiment that tutorials suggest: linear and logarithmic frequencies in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final, get_args

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import (
    real_positions,
    require_base,
    require_choice,
    require_count,
    require_real,
)
from clockhands.errors import ClockhandsError
from clockhands.language import Text
from clockhands.memory import require_memory

Style = Literal["average", "bands"]


@final
@dataclass(frozen=True, kw_only=True)
class Mixed(Description):
    """A sinusoidal table whose hands follow a linear and a geometric schedule.

    base   of the geometric schedule
    style  ``average``: every hand is ``linear_weight * linear + log_weight * geometric``;
           ``bands``: a share ``linear_weight / (linear_weight + log_weight)`` of the hands is linear,
           the others are geometric

    >>> Mixed(d_model=8).inv_freq().round(4).tolist()
    [1.0, 0.385, 0.175, 0.0055]
    """

    d_model: int = 32
    base: float = 10000.0
    linear_weight: float = 0.5
    log_weight: float = 0.5
    style: Style = "average"

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.added_table:HandsTable"
    card: ClassVar[Card] = Card(
        id="mixed",
        name="Mixed frequencies",
        title=Text("Mixed linear and logarithmic frequencies", "线性与对数混合频率"),
        idea=Text(
            "Half of each hand's speed comes from an even spacing and half from the usual geometric one. "
            "Near positions become sharper, but the slow hands are gone: the slowest wavelength falls from "
            "35,333 to 1,235 tokens at width 32, and a false echo appears at distance 181.",
            "每根指针的速度一半来自等距频率，一半来自常用的几何频率。近处更清晰了，但慢针没有了："
            "宽度 32 时，最长波长从 35333 个词元降到 1235 个，还会在距离 181 处出现假的“回声”。",
        ),
        formula=r"w_i = a\,\ell_i + c\,b^{-2i/d},\quad \ell = \mathrm{linspace}(1,\, 0.01)",
        sources=(),
        origin=Text(
            "An experiment, not a published scheme: the average comes from a tutorial, the bands from here.",
            "这是实验，不是发表过的方案：取平均来自一篇教程，分频段由本项目加上。",
        ),
        related=(
            Source(
                authors="Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin",
                year=2017,
                title="Attention Is All You Need (the geometric frequencies)",
                where="arXiv 1706.03762",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions"),
        differs=Text(
            "The average is not a mix of bands: no hand keeps its geometric speed. The style 'bands' gives "
            "some hands to each schedule and keeps the slowest one.",
            "平均并不是频段的混合：没有一根指针保持原来的几何速度。style 选 bands 时，两种频率各得一部分"
            "指针，最慢的那根也保留下来。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model", least=2, even=True)
        require_base(self.base, "base")
        require_real(self.linear_weight, "linear_weight", least=0.0)
        require_real(self.log_weight, "log_weight", least=0.0)
        require_choice(self.style, "style", get_args(Style))
        if self.linear_weight + self.log_weight == 0:
            raise ClockhandsError(
                "linear_weight and log_weight are both 0, so no hand would turn: make one larger than 0",
                "linear_weight 和 log_weight 都为 0，指针都不会转：请把其中一个设得大于 0",
            )

    def inv_freq(self) -> Array:
        if self.style == "average":
            return formulas.mixed_inv_freq(
                self.d_model,
                float(self.base),
                linear_weight=float(self.linear_weight),
                log_weight=float(self.log_weight),
            )
        share = self.linear_weight / (self.linear_weight + self.log_weight)
        return formulas.banded_inv_freq(self.d_model, float(self.base), linear_share=share)

    def table(self, positions: NDArray[Any]) -> Array:
        places = real_positions(positions)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return formulas.sinusoid(places, self.inv_freq())
