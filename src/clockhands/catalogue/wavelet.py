"""Wavelet: Shaw's vectors, computed from wavelets instead of learned."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_count
from clockhands.errors import ClockhandsError
from clockhands.language import Text

_USUAL_SCALES = 8
_UNSEEN = 6.6
"""Widths from its peak at which a wave is below 2 ** -24, what float32 can still tell from nothing."""
_GONE = 12
"""Widths from its peak at which a wave is below 1e-28: float64 can't tell a sum with it from one without."""


@final
@dataclass(frozen=True, kw_only=True)
class Wavelet(Description):
    """A query meets the key plus a wave of their distance in each dimension. Oka et al. 2025.

    num_scales  widths 1, 2, 4, ... tokens; it divides head_dim, and the quotient is the number of shifts. By
                default as many as divide head_dim, at most 8, which is what the paper has for 128

    >>> Wavelet(head_dim=128).waves()[:, [0, 15, 16, 127]].tolist()
    [[1.0, 1.0, 2.0, 128.0], [0.0, 15.0, 0.0, 15.0]]
    """

    head_dim: int = 32
    num_scales: int | None = None

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim"}
    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    module: ClassVar[str] = "clockhands.schemes.wavelet:WaveletVectors"
    card: ClassVar[Card] = Card(
        id="wavelet",
        name="Wavelet",
        title=Text("Wavelet position vectors", "小波位置向量"),
        idea=Text(
            "Each dimension of a head has a small wave of its own: narrow ones see the last few tokens "
            "finely, wide ones see far and coarsely. A query meets the key plus the values of all waves at "
            "their distance. Nothing is learned, and no distance is clipped.",
            "注意力头的每一维都有自己的一个小波：窄的细看最近几个词元，宽的粗看很远。查询遇到的是“键 + "
            "所有小波在该距离上的值”。没有要学的参数，距离也不截断。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot (k_n + p_{m-n})}{\sqrt{d}},\quad"
        r" p_r = (1 - t^2)\,e^{-t^2/2},\; t = \frac{r-b}{a},\;"
        r" (a, b) \in \{2^0, \ldots, 2^{s-1}\} \times \{0, \ldots, d/s - 1\}",
        sources=(
            Source(
                authors="Oka, Hasegawa, Nishida, Saito",
                year=2025,
                title="Wavelet-based Positional Representation for Long Context",
                where="arXiv 2502.02004",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, horizon=848),
        differs=Text(
            "Shaw learns its vectors and clips distances. The paper leaves the order of the dimensions open; "
            "here the shift runs fastest. All waves are gone some seven times the largest width away.",
            "Shaw 的向量要学，距离要截断。论文没有规定各维的顺序，这里平移量变化最快。距离超过最大宽度的"
            "七倍左右，所有小波都消失了。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim")
        require_count(self.scales, "num_scales", most=min(12, self.head_dim))
        if self.head_dim % self.scales:
            raise ClockhandsError(
                f"num_scales is {self.scales}, but it must divide head_dim {self.head_dim}: leave it out",
                f"num_scales 为 {self.scales}，但它必须整除 head_dim {self.head_dim}：可以不给这个参数",
            )

    @property
    def scales(self) -> int:
        """How many widths there are."""
        if self.num_scales is not None:
            return self.num_scales
        return max(few for few in range(1, _USUAL_SCALES + 1) if self.head_dim % few == 0)

    @property
    def traits(self) -> Traits:
        horizon = math.ceil(self._from_peak(_UNSEEN))
        return replace(self.card.traits, horizon=horizon, bidirectional=self.head_dim > self.scales)

    @property
    def reach(self) -> int:
        """The distance from which on vectors are zero, either side, tokens."""
        return math.ceil(self._from_peak(_GONE))

    def waves(self) -> Array:
        """The width a and the shift b of each dimension, ``(2, head_dim)``, tokens."""
        shifts = np.arange(self.head_dim // self.scales, dtype=np.float64)
        widths = 2.0 ** np.arange(self.scales)
        return np.stack([np.repeat(widths, len(shifts)), np.tile(shifts, self.scales)]).astype(np.float64)

    def vectors(self, distance: NDArray[np.int64]) -> Array:
        """What is added to the key, ``(*distance.shape, head_dim)``; distance = query - key, tokens."""
        return formulas.ricker(distance, *self.waves())

    def _from_peak(self, widths: float) -> float:
        """So many of the largest widths away from the farthest peak, tokens."""
        return self.head_dim // self.scales - 1 + widths * 2 ** (self.scales - 1)
