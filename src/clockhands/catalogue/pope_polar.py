"""PoPE: contents are the lengths of the hands, positions their angles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_count, require_heads
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class PoPE(Description):
    """Dimension c is a hand of length ``softplus(x_c)`` at ``position * rope_theta ** (-c / head_dim)``.

    Gopalakrishnan, Csordás, Schmidhuber and Mozer 2025 (arXiv 2509.10534).

    >>> PoPE(head_dim=4, num_heads=1).inv_freq().round(4).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """

    head_dim: int = 32
    num_heads: int = 8
    rope_theta: float = 10000.0

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "heads": "num_heads", "base": "rope_theta"}
    exceptions: ClassVar[Mapping[str, str]] = {
        "isometry": "softplus makes a length of each number, so the hands are not as long as the heads were"
    }
    module: ClassVar[str] = "clockhands.schemes.pope_polar:PolarHands"
    card: ClassVar[Card] = Card(
        id="pope-polar",
        name="PoPE (polar)",
        title=Text("Polar coordinate position embedding", "极坐标位置编码"),
        idea=Text(
            "In RoPE a pair of numbers has a direction of its own, which mixes with the angle of the "
            "position. Here each number is only the length of a hand and the position alone is its angle: "
            "what is looked for and where are kept apart. There is a hand for each dimension, twice as "
            "many as in RoPE.",
            "在 RoPE 里，一对数本身就有方向，会和位置的角度混在一起。这里每个数只是一根指针的长度，角度只由"
            "位置决定：“找什么”和“在哪里”分开了。每一维有一根指针，是 RoPE 的两倍。",
        ),
        formula=r"s_{mn} = \frac{1}{\sqrt{d}} \sum_{c} \mu(q_{m,c})\,\mu(k_{n,c})\,"
        r"\cos((n - m)\,w_c + \delta_{h,c}),\quad \mu = \mathrm{softplus},\; w_c = b^{-c/d}",
        sources=(
            Source(
                authors="Gopalakrishnan, Csordás, Schmidhuber, Mozer",
                year=2025,
                title='Decoupling the "What" and "Where" With Polar Coordinate Positional Embeddings',
                where="arXiv 2509.10534",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "Queries and keys become twice as wide, and lengths are not kept. Each head learns where its "
            "hands meet best, an angle from -2 pi to 0 that starts at 0; at 0 left and right look alike. "
            "It is taken off the query here, which is the same and lets query heads share keys.",
            "查询和键变成两倍宽，向量长度也不保持。每个头为每根指针学一个最佳相位，范围是 -2π 到 0，从 0 开"
            "始；为 0 时分不出左右。这里把相位从查询中减去，结果相同，而且多个查询头可以共用键。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim")
        require_heads(self.num_heads)
        require_base(self.rope_theta, "rope_theta")

    @property
    def unseen(self) -> Text | None:
        return Text("phases before training", "相位训练之前")

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(2 * self.head_dim, float(self.rope_theta))
