"""KERPLE, logarithmic: a penalty that grows ever more slowly with distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.frozen import FrozenArray, Numbers, frozen, frozen_if_given, require_shape
from clockhands.catalogue.rules import require_count, require_heads, require_real, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory

LEAST = 0.01
"""Below it the authors' code doesn't let r1 and r2 fall."""
_ROWS = Text("a row of r1 and a row of r2", "r1 一行，r2 一行")


@final
@dataclass(frozen=True, kw_only=True)
class KerpleLog(Description):
    """``-r1 * ln(1 + r2 * |distance|)`` on the logits, r1 and r2 learned in each head. Chi et al. 2022.

    Untrained, r1 is drawn from 0 … 2 and r2 from 0 … 1, as in their code. Give trained ones with
    ``KerpleLog.of([r1, r2])``.

    >>> import numpy as np
    >>> KerpleLog.of([[1.0], [1.0]]).bias(np.asarray([0, 1, 10])).round(4).tolist()
    [[0.0, -0.6931, -2.3979]]
    """

    num_heads: int = 8
    seed: int = 0
    numbers: FrozenArray | None = None

    bounds: ClassVar[tuple[tuple[float, float], ...]] = ((LEAST, np.inf), (LEAST, np.inf))
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.kerple:KernelBias"
    card: ClassVar[Card] = Card(
        id="kerple-log",
        name="KERPLE log",
        title=Text("Logarithmic kernel bias", "对数核偏置"),
        idea=Text(
            "The penalty grows with the logarithm of the distance: the step from 1 to 2 costs as much as the "
            "one from 100 to 200. Two learned numbers a head say how strong it is and where it sets in. Far "
            "tokens fade but never vanish.",
            "惩罚随距离的对数增长：从 1 到 2 的代价与从 100 到 200 差不多。每个头学两个数：强度和起点。"
            "远处的词元会变淡，但不会消失。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - r_1 \ln(1 + r_2\,|m-n|),\quad r_1, r_2 > 0",
        sources=(
            Source(
                authors="Chi, Fan, Ramadge, Rudnicky",
                year=2022,
                title="KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation",
                where="arXiv 2205.09921",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "ALiBi's line cuts a window out of the past; after the softmax this leaves a power of the "
            "distance, which has no window. Their code clips r1 and r2 at 0.01 after each step; here they "
            "are held where they are used.",
            "ALiBi 的直线相当于截出一个窗口；它经过 softmax 后是距离的幂，没有窗口。"
            "原代码每一步之后把 r1、r2 截到不小于 0.01；这里在用到它们时才限制。",
        ),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", frozen_if_given(self.numbers, "numbers", 2, _ROWS))
        super().__post_init__()

    @classmethod
    def of(cls, rows: Numbers) -> Self:
        """A description of given numbers ``(2, num_heads)``: r1, then r2."""
        numbers = frozen(rows, "rows", 2, _ROWS)
        return cls(num_heads=numbers.shape[1], numbers=numbers)

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)
        require_shape(self.numbers, "numbers", (2, self.num_heads))
        for name, row, (least, _) in zip(("r1", "r2"), self.rows(), self.bounds, strict=True):
            require_real(float(row.min()), name, least=least)

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.numbers is None else None

    def rows(self) -> Array:
        """r1, logits, and r2, 1 / tokens: ``(2, num_heads)``."""
        if self.numbers is not None:
            return self.numbers.values
        drawn = np.random.default_rng(self.seed).uniform(0.0, 1.0, (2, self.num_heads))
        return np.maximum(drawn * [[2.0], [1.0]], LEAST)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        r1, r2 = (formulas.per_head(row, distances) for row in self.rows())
        return self.curve(distances, r1, r2)

    @staticmethod
    def curve(distance: Any, r1: Any, r2: Any) -> Any:
        """The bias at each distance; arrays of any library, which broadcast."""
        return formulas.kerple_log_at(distance, r1, r2)
