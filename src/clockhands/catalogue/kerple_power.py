"""KERPLE, power: a penalty that is a learned power of the distance."""

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

LEAST, MOST_POWER = 0.01, 2.0
"""Within these bounds the authors' code holds r1 (from below) and r2."""
_ROWS = Text("a row of r1 and a row of r2", "r1 一行，r2 一行")


@final
@dataclass(frozen=True, kw_only=True)
class KerplePower(Description):
    """``-r1 * |distance| ** r2`` on the logits, r1 and r2 learned in each head. Chi et al. 2022.

    Untrained, r1 is drawn from 0 … 1 and r2 from 0 … 2, as in their code. Give trained ones with
    ``KerplePower.of([r1, r2])``.

    >>> import numpy as np
    >>> KerplePower.of([[0.5], [2.0]]).bias(np.asarray([0, 1, 3])).tolist()
    [[0.0, -0.5, -4.5]]
    """

    num_heads: int = 8
    seed: int = 0
    numbers: FrozenArray | None = None

    bounds: ClassVar[tuple[tuple[float, float], ...]] = ((LEAST, np.inf), (LEAST, MOST_POWER))
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.kerple:KernelBias"
    card: ClassVar[Card] = Card(
        id="kerple-power",
        name="KERPLE power",
        title=Text("Power kernel bias", "幂核偏置"),
        idea=Text(
            "The penalty is a power of the distance, and each head learns which one: power 1 is ALiBi's "
            "straight line, power 2 a bell-shaped window, a small power fades slowly.",
            "惩罚是距离的幂，每个头自己学是几次幂：1 次幂就是 ALiBi 的直线，2 次幂是钟形窗口，"
            "次数小则衰减得慢。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - r_1 |m-n|^{r_2},\quad r_1 > 0,\; 0 < r_2 \leq 2",
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
            "ALiBi with a learned slope and a learned bend. Powers above 2 would be no kernel, so 2 is the "
            "most. Their code clips r1 and r2 after each step; here they are held where they are used.",
            "相当于斜率和弯曲程度都可学习的 ALiBi。大于 2 的幂不再是核函数，所以最大为 2。"
            "原代码每一步之后截断 r1、r2；这里在用到它们时才限制。",
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
        for name, row, (least, most) in zip(("r1", "r2"), self.rows(), self.bounds, strict=True):
            require_real(float(row.min()), name, least=least)
            require_real(float(row.max()), name, most=most)

    @property
    def untrained_seed(self) -> int | None:
        return self.seed if self.numbers is None else None

    def rows(self) -> Array:
        """r1, logits / tokens ** r2, and r2: ``(2, num_heads)``."""
        if self.numbers is not None:
            return self.numbers.values
        drawn = np.random.default_rng(self.seed).uniform(0.0, 1.0, (2, self.num_heads))
        return np.maximum(drawn * [[1.0], [MOST_POWER]], LEAST)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        r1, r2 = (formulas.per_head(row, distances) for row in self.rows())
        return self.curve(distances, r1, r2)

    @staticmethod
    def curve(distance: Any, r1: Any, r2: Any) -> Any:
        """The bias at each distance; arrays of any library, which broadcast."""
        return formulas.kerple_power_at(distance, r1, r2)
