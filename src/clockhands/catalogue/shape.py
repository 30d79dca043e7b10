"""SHAPE: a sinusoid that starts anywhere while it is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.drawn_places import DrawnPlaces
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Shape(DrawnPlaces):
    """The sinusoid at ``p + k``, k drawn from 0 ... max_shift for each text in training, and 0 afterwards.

    >>> import numpy as np
    >>> Shape(d_model=4).table(np.arange(2)).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """

    max_shift: int = 500

    module: ClassVar[str] = "clockhands.schemes.drawn_places:ShiftedPlaces"
    card: ClassVar[Card] = Card(
        id="shape",
        name="SHAPE",
        title=Text("Shifted absolute positions", "整体平移的绝对位置"),
        idea=Text(
            "While training, all positions of a text are moved by one random number. A model that must cope "
            "with any start can't rely on where a token stands, only on how far apart tokens are: an "
            "absolute code learns to be used as a relative one. Afterwards nothing is moved.",
            "训练时，把一段文本的所有位置一起加上一个随机数。起点可以在任何地方，模型就不能依赖词元的绝对位置，"
            "只能依赖词元之间的距离：绝对编码学会了当相对编码用。训练之后不再平移。",
        ),
        formula=r"P_p = \mathrm{PE}(p + k),\quad k \sim U\{0, \ldots, K\}\ \mathrm{in\ training,\ else}\ 0",
        sources=(
            Source(
                authors="Kiyono, Kobayashi, Suzuki, Inui",
                year=2021,
                title="SHAPE: Shifted Absolute Position Embedding for Transformers",
                where="arXiv 2109.05644",
            ),
        ),
        used_by=(),
        traits=Traits(),
        differs=Text(
            "Only training differs from the sinusoid; the code itself is the same. CAPE also jitters and "
            "stretches. A model may learn shift invariance from it, but nothing makes it exact.",
            "与正弦编码只有训练方式不同，编码本身一样。CAPE 还会抖动和伸缩。"
            "模型能从中学到平移不变，但并不严格。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.max_shift, "max_shift", least=0)

    def moved(self, positions: Any, drawn: Any) -> Any:
        return formulas.shifted_places(positions, drawn, self.max_shift)
