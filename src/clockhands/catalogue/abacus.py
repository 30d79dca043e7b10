"""Abacus: a learned row for each digit's place inside its number."""

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
from clockhands.positions import abacus


@final
@dataclass(frozen=True, kw_only=True)
class Abacus(Rows):
    """``E[place]`` with the places that ``clockhands.positions.abacus`` reads off a text.

    They are given as positions: 1, 2, 3, ... along each number, which is written lowest digit first, and 0
    for all other tokens.

    max_offset  in training all digits of a text move on by one number drawn from 0 ... max_offset
    """

    max_positions: int = 128
    max_offset: int = 99

    module: ClassVar[str] = "clockhands.schemes.offset_rows:OffsetRows"
    card: ClassVar[Card] = Card(
        id="abacus",
        name="Abacus",
        title=Text("Digit places inside numbers", "数字在数里的位次"),
        idea=Text(
            "To add two numbers, digits of the same worth must find each other. So a position counts places "
            "inside a number, starting anew with each: units meet units, tens meet tens. A random offset in "
            "training lets the later rows be learned from short numbers too.",
            "要把两个数相加，相同数位的数字得先找到彼此。所以位置只在一个数的内部数，每个数都从头数起："
            "个位对个位，十位对十位。训练时随机加一个偏移量，短的数也能训练到后面的行。",
        ),
        formula=r"x_t = \mathrm{token}_t + E_{i_t + k\,[i_t > 0]},\quad i_t = 1, 2, 3, \ldots\ "
        r"\mathrm{in\ a\ number},\ 0\ \mathrm{elsewhere},"
        r"\quad k \sim U\{0, \ldots, K\}\ \mathrm{in\ training,\ else}\ 0",
        sources=(
            Source(
                authors="McLeish, Bansal, Stein, Jain, Kirchenbauer, Bartoldson, Kailkhura, Bhatele, "
                "Geiping, Schwarzschild, Goldstein",
                year=2024,
                title="Transformers Can Do Arithmetic with the Right Embeddings",
                where="arXiv 2405.17399",
            ),
        ),
        used_by=(),
        traits=Traits(learned=True, max_position=128),
        differs=Text(
            "Position coupling gives one place to all digits of one worth, whichever way round the answer "
            "is written. The authors draw one offset for a batch; here each text has its own.",
            "位置耦合让同一数位的数字共用一个位置，不管答案从哪头写起。原作者整批文本共用一个偏移量；这里每段文本各有一个。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.max_offset, "max_offset", least=0)

    def positions_in(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        return abacus(tokens)

    def moved(self, positions: Any, drawn: Any) -> Any:
        return formulas.offset_places(positions, drawn, self.max_positions, self.max_offset)
