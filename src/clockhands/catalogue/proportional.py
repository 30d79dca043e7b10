"""p-RoPE: only the fastest hands turn, with the speeds of the whole head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class ProportionalRoPE(Rotary):
    """The fastest ``moving_share`` of a whole head's hands turn; the others stand still. arXiv 2410.06205.

    Parameters are those of ``Rotary``. Configurations call ``moving_share`` ``partial_rotary_factor``, which
    elsewhere leaves the last dimensions of a head out of all pairs.

    >>> ProportionalRoPE(head_dim=8, moving_share=0.5).inv_freq().tolist()
    [1.0, 0.1, 0.0, 0.0]
    """

    moving_share: float = 0.25

    card: ClassVar[Card] = Card(
        id="proportional",
        name="p-RoPE",
        title=Text("Proportional RoPE", "比例旋转（p-RoPE）"),
        idea=Text(
            "Models use the slowest hands to carry meaning, which long texts then turn away. So the slow "
            "hands are stopped: a share of the pairs turns as before, the rest is free for content.",
            "模型常用最慢的指针携带语义，文本一长，语义就被转歪了。于是让慢的指针停住："
            "一部分指针照常旋转，其余留给内容。",
        ),
        formula=r"w_i = b^{-2i/d}\ (i < p\,d/2),\quad w_i = 0\ \mathrm{otherwise}",
        sources=(
            Source(
                authors="Barbero, Vitvitskyi, Perivolaropoulos, Pascanu, Veličković",
                year=2024,
                title="Round and Round We Go! What makes Rotary Positional Encodings useful?",
                where="arXiv 2410.06205",
            ),
        ),
        used_by=(Text("Gemma 4 (global layers, a quarter)", "Gemma 4（全局层，四分之一）"), "LFM-3"),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "A partial rotation spreads all speeds, slow ones too, over fewer pairs; this keeps the fast "
            "speeds only, and every pair its place.",
            "部分旋转是把从快到慢的全部速度铺在较少的指针上；这里只留快的，而且每一对维度的位置不变。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_real(self.moving_share, "moving_share", least=0.0, most=1.0)

    def inv_freq(self) -> Array:
        return formulas.proportional_inv_freq(
            self.turned, float(self.rope_theta), partial_rotary_factor=float(self.moving_share)
        )
