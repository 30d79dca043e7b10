"""Position coupling: digits of the same worth share one learned row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.rows import Rows
from clockhands.catalogue.rules import require_count
from clockhands.language import Text
from clockhands.positions import coupled


@final
@dataclass(frozen=True, kw_only=True)
class PositionCoupling(Rows):
    """``E[place]`` with the places that ``clockhands.positions.coupled`` reads off a sum; given as positions.

    max_offset  in training all places of a text but 0 move on by one number drawn from 0 ... max_offset; as
                far as the table goes by default
    """

    max_positions: int = 64
    max_offset: int | None = None

    module: ClassVar[str] = "clockhands.schemes.offset_rows:OffsetRows"
    card: ClassVar[Card] = Card(
        id="position-coupling",
        name="Position coupling",
        title=Text("One position for one worth", "同一数位共用位置"),
        idea=Text(
            "What the task says to belong together gets one position: in a sum, the units of both numbers "
            "and of the answer stand at the same place, and so do the tens. Tokens then tell apart by "
            "content what position no longer tells apart, and longer sums look like short ones.",
            "任务中本来就对应的东西，共用一个位置：做加法时，两个加数和答案的个位在同一个位置上，十位也是。"
            "位置分不开的词元，由内容来区分；更长的算式看起来就和短的一样。",
        ),
        formula=r"x_t = \mathrm{token}_t + E_{c(t) + k\,[c(t) > 0]},\quad"
        r" c(a_j) = c(b_j) = c(\mathrm{answer}_j),"
        r"\quad k \sim U\{0, \ldots, K\}\ \mathrm{in\ training,\ else}\ 0",
        sources=(
            Source(
                authors="Cho, Cha, Awasthi, Bhojanapalli, Gupta, Yun",
                year=2024,
                title="Position Coupling: Improving Length Generalization of Arithmetic Transformers "
                "Using Task Structure",
                where="arXiv 2405.20671",
            ),
        ),
        used_by=(),
        traits=Traits(learned=True, max_position=64),
        differs=Text(
            "Abacus counts along each number, so numbers must be written lowest digit first; here places "
            "are read off the whole sum, plus and equals signs included.",
            "Abacus 沿着每个数往后数，所以数必须从低位写起；这里的位置由整个算式决定，加号和等号也有位置。",
        ),
    )

    def check(self) -> None:
        super().check()
        if self.max_offset is not None:
            require_count(self.max_offset, "max_offset", least=0)

    def positions_in(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        return coupled(tokens)

    def moved(self, positions: Any, drawn: Any) -> Any:
        most = self.max_positions if self.max_offset is None else self.max_offset
        return formulas.offset_places(positions, drawn, self.max_positions, most)
