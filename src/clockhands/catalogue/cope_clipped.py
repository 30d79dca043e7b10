"""Clipped RoPE: the slowest hands are tapered to a standstill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_bool, require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class ClippedRoPE(Rotary):
    """RoPE whose slowest hands slow to a standstill along half a cosine. arXiv 2602.05258.

    Parameters are those of ``Rotary``, and

    clipped  how many of the slowest hands; None: 20 of 64, in proportion
    soft     taper them; False: stop them all at once

    >>> ClippedRoPE(head_dim=8, clipped=3).inv_freq().round(6).tolist()
    [1.0, 0.1, 0.005, 0.0]
    """

    clipped: int | None = None
    soft: bool = True

    card: ClassVar[Card] = Card(
        id="cope-clipped",
        name="CoPE (clipped RoPE)",
        title=Text("Clipped RoPE", "截断低频的 RoPE（CoPE）"),
        idea=Text(
            "The slowest hands never finish a turn in training, so longer texts show angles that were never "
            "seen. They are slowed out: the first of them keeps its speed, the last stands still, and the "
            "soft edge keeps the sum of all hands from ringing.",
            "最慢的指针在训练中转不完一圈，文本一长就转到没见过的角度。于是让它们逐渐停下来："
            "第一根保持原速，最后一根完全不动；柔和的过渡使所有指针之和不产生振铃。",
        ),
        formula=r"w_i' = w_i \cdot \frac{1}{2}(1 + \cos t_i),\quad"
        r" t = \mathrm{linspace}(0, \pi, n)\ \mathrm{over\ the\ last}\ n",
        sources=(
            Source(
                authors="Li, Ren, Yuille, Wang",
                year=2026,
                title="CoPE: Clipped RoPE as A Scalable Free Lunch for Long Context LLMs",
                where="arXiv 2602.05258",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "p-RoPE stops slow hands at once and trains so. Not contextual position encoding, which is also "
            "called CoPE.",
            "p-RoPE 让慢的指针一下子停住，并且从头这样训练。不要与同名的“上下文位置编码”（CoPE）混淆。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_bool(self.soft, "soft")
        if self.clipped is not None:
            require_count(self.clipped, "clipped", least=0, most=self.turned // 2)

    def inv_freq(self) -> Array:
        pairs = self.turned // 2
        clipped = round(pairs * 20 / 64) if self.clipped is None else self.clipped
        return formulas.clipped_inv_freq(
            self.turned, float(self.rope_theta), clipped=clipped, soft=bool(self.soft)
        )
