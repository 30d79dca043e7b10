"""ALiBi: a penalty that grows in a straight line with distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_bool, require_heads, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class ALiBi(Description):
    """``-slope_h * distance`` on the logits of head h. Press et al. 2022 (arXiv 2108.12409).

    symmetric  use ``|distance|``, for models without a causal mask

    >>> import numpy as np
    >>> ALiBi(num_heads=1).bias(np.arange(3)).tolist()
    [[0.0, -0.00390625, -0.0078125]]
    """

    num_heads: int = 8
    symmetric: bool = False

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads", "bidirectional": "symmetric"}
    module: ClassVar[str] = "clockhands.schemes.alibi:LinearBias"
    card: ClassVar[Card] = Card(
        id="alibi",
        name="ALiBi",
        title=Text("Attention with linear biases", "线性偏置注意力"),
        idea=Text(
            "No hands at all: each head subtracts a fixed slope times the distance from its scores. "
            "Steep heads look at the last few tokens, flat heads look far. Nothing is learned, so any "
            "distance is defined.",
            "没有指针：每个注意力头从得分里减去“固定斜率 × 距离”。斜率大的头只看最近几个词元，"
            "斜率小的头看得远。没有要学的参数，所以任何距离都有定义。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} - a_h\,(m-n),\quad a_h = 2^{-8h/H}",
        sources=(
            Source(
                authors="Press, Smith, Lewis",
                year=2022,
                title="Train Short, Test Long: Attention with Linear Biases "
                "Enables Input Length Extrapolation",
                where="arXiv 2108.12409",
            ),
        ),
        used_by=(
            "BLOOM",
            "MPT",
            "Baichuan-13B",
            "Falcon-RW",
            Text("JinaBERT v2 (symmetric)", "JinaBERT v2（对称）"),
            Text("MosaicBERT (symmetric)", "MosaicBERT（对称）"),
        ),
        traits=Traits(reads="positions", relative=True, bidirectional=False),
        differs=Text(
            "T5 learns a value for each group of distances; here the line is fixed. A head count that is not "
            "a power of two takes the slopes of the power below and every other slope of the power above.",
            "T5 为每组距离学一个值；这里的直线是固定的。头数不是 2 的幂时，先取较小的 2 的幂的全部斜率，"
            "再从较大的 2 的幂里隔一个取一个。",
        ),
    )

    def check(self) -> None:
        require_heads(self.num_heads)
        require_bool(self.symmetric, "symmetric")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, bidirectional=self.symmetric, mirrored=self.symmetric)

    def slopes(self) -> Array:
        """``(num_heads,)``, logits / token."""
        return formulas.alibi_slopes(self.num_heads)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        return formulas.alibi_bias(distances, self.slopes(), self.symmetric)
