"""One-hot positions: each position has a dimension to itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import position_outside, require_count, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class OneHot(Description):
    """A one in dimension p for position p, of which there are ``d_model``.

    >>> import numpy as np
    >>> OneHot(d_model=3).table(np.arange(2)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    d_model: int = 32

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model"}
    module: ClassVar[str] = "clockhands.schemes.codes:CodeTable"
    card: ClassVar[Card] = Card(
        id="one-hot",
        name="One-hot",
        title=Text("One dimension for each position", "一个位置占一维"),
        idea=Text(
            "The plainest code there is: position p is a one in dimension p. Any two positions are equally "
            "far apart, so nothing says that 3 is nearer to 4 than to 300, and there are only as many "
            "positions as dimensions.",
            "最朴素的编码：位置 p 就是第 p 维上的 1。任意两个位置之间的距离都一样，"
            "看不出 3 离 4 比离 300 更近；而且有多少维就只有多少个位置。",
        ),
        formula=r"P_{p,j} = 1\ (j = p),\quad 0\ (j \neq p),\quad \|P_p - P_q\| = \sqrt{2}",
        sources=(
            Source(
                authors="Gehring, Auli, Grangier, Yarats, Dauphin",
                year=2017,
                title="Convolutional Sequence to Sequence Learning",
                where="arXiv 1705.03122",
            ),
        ),
        used_by=(),
        traits=Traits(max_position=32),
        differs=Text(
            "A teaching baseline. A learned table, as in the source, is one-hot positions times a matrix.",
            "教学用的起点。出处中的可学习位置表，就是用独热的位置去乘一个矩阵。",
        ),
    )

    def check(self) -> None:
        require_count(self.d_model, "d_model")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=self.d_model)

    def code(self, positions: AnyArray) -> AnyArray:
        """The code of whole positions inside the table, numpy or torch."""
        return formulas.one_hot(positions, self.d_model)

    def table(self, positions: NDArray[Any]) -> Array:
        places = whole_numbers(positions, Text("positions", "位置"))
        outside = places[(places < 0) | (places >= self.d_model)]
        if outside.size:
            raise position_outside(int(outside.flat[0]), self.d_model)
        require_memory(Text("a table", "这张表"), (*places.shape, self.d_model))
        return np.asarray(self.code(places), dtype=np.float64)
