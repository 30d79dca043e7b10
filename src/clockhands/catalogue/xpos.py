"""xPos: RoPE whose scores fade with distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import WholeRotary
from clockhands.catalogue.rules import require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class XPos(WholeRotary):
    """RoPE times ``((2i/d + 0.4) / 1.4) ** (distance / scale_base)``. Sun et al. 2022 (arXiv 2212.10554).

    Parameters are those of ``WholeRotary``, and ``scale_base``: tokens in which hand i fades by its base.

    >>> XPos(head_dim=4).inv_freq().tolist()
    [1.0, 0.01]
    """

    scale_base: float = 512.0

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    module: ClassVar[str] = "clockhands.schemes.xpos:FadingRotation"
    card: ClassVar[Card] = Card(
        id="xpos",
        name="xPos",
        title=Text("Extrapolatable position embedding", "可外推的旋转位置编码（xPos）"),
        idea=Text(
            "RoPE's scores swing with distance. xPos lets each hand's part of the score fade, fast hands "
            "first, so that far tokens count less and less and the swing dies out.",
            "RoPE 的得分随距离上下摆动。xPos 让每根指针对得分的贡献逐渐衰减，快的先衰减，"
            "于是远处的词元越来越不重要，摆动也随之平息。",
        ),
        formula=r"s_{mn} = \sum_i \zeta_i^{(m-n)/512}\; \mathrm{Re}\left(q_i \bar{k}_i"
        r" e^{\mathrm{i}(m-n) w_i}\right),\quad \zeta_i = \frac{2i/d + 0.4}{1.4}",
        sources=(
            Source(
                authors="Sun, Dong, Patra, Ma, Huang, Benhaim, Chaudhary, Song, Wei",
                year=2022,
                title="A Length-Extrapolatable Transformer",
                where="arXiv 2212.10554",
            ),
        ),
        used_by=(Text("RetNet (one decay for each head)", "RetNet（每个头一个衰减）"),),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "RoPE keeps the size of scores. The paper scales queries up and keys down, leaving the range "
            "of half precision in long texts; here the fading is put on the scores.",
            "RoPE 不改变得分的大小。论文把查询放大、把键缩小，长文本里会超出半精度的范围；"
            "这里直接在得分上衰减。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_real(self.scale_base, "scale_base", least=1.0)

    @property
    def unseen(self) -> Text | None:
        return Text("fading not drawn", "未画衰减")

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))
