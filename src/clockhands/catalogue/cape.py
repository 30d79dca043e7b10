"""CAPE: a sinusoid whose positions are shifted, jittered and stretched while it is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.drawn_places import DrawnPlaces
from clockhands.catalogue.rules import require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class CAPE(DrawnPlaces):
    """The sinusoid at ``(p + shift + jitter) * scale``, drawn while training; plain positions afterwards.

    max_global_shift    one shift for each text, U(-this, this), tokens
    max_local_shift     one jitter for each token, U(-this, this); up to half a token, so that order holds
    max_global_scaling  one factor for each text, exp(U(-ln this, ln this))

    >>> import numpy as np
    >>> CAPE(d_model=4).table(np.arange(2)).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """

    max_global_shift: float = 5.0
    max_local_shift: float = 0.5
    max_global_scaling: float = 1.03

    module: ClassVar[str] = "clockhands.schemes.drawn_places:AugmentedPlaces"
    card: ClassVar[Card] = Card(
        id="cape",
        name="CAPE",
        title=Text("Continuous augmented positions", "连续增广的位置"),
        idea=Text(
            "Positions are treated like pictures in training: moved as a whole, jittered one by one, and "
            "stretched a little. Places become real numbers, which the sinusoid takes as well as whole ones. "
            "The model learns order and rough distance instead of exact places; afterwards nothing is drawn.",
            "像训练图像那样对位置做增广：整体平移，逐个抖动，再略微伸缩。位置变成实数，正弦编码照样能用。"
            "模型学到的是先后和大致的距离，而不是精确的位置；训练之后不再抽取。",
        ),
        formula=r"P_p = \mathrm{PE}(\lambda\,(p + \Delta + \epsilon_p)),\quad \Delta \sim U(-D, D),\;"
        r" \epsilon_p \sim U(-e, e),\; \ln\lambda \sim U(-\ln s, \ln s)",
        sources=(
            Source(
                authors="Likhomanenko, Xu, Synnaeve, Collobert, Rogozhnikov",
                year=2021,
                title="CAPE: Encoding Relative Positions with Continuous Augmented Positional Embeddings",
                where="arXiv 2106.03143",
            ),
        ),
        used_by=(),
        traits=Traits(),
        differs=Text(
            "With nothing drawn it is the sinusoid. The paper can also subtract the mean position of a text "
            "first; a decoder does not know it yet, so it is left out.",
            "什么都不抽取时就是正弦编码。论文还可以先减去一段文本的平均位置；解码时还不知道它，所以这里没有做。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_real(self.max_global_shift, "max_global_shift", least=0.0)
        require_real(self.max_local_shift, "max_local_shift", least=0.0, most=0.5)
        require_real(self.max_global_scaling, "max_global_scaling", least=1.0)

    def moved(self, positions: Any, drawn: Any) -> Any:
        sizes = float(self.max_global_shift), float(self.max_local_shift), float(self.max_global_scaling)
        return formulas.augmented_places(positions, drawn, *sizes)
