"""Resonance RoPE: every hand repeats after a whole number of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class ResonanceRoPE(Rotary):
    """RoPE with every wavelength rounded to whole tokens. Wang et al. 2024 (arXiv 2403.00071).

    Parameters are those of ``Rotary``.

    >>> import numpy as np
    >>> (2 * np.pi / ResonanceRoPE(head_dim=8).inv_freq()).round(9).tolist()
    [6.0, 63.0, 628.0, 6283.0]
    """

    card: ClassVar[Card] = Card(
        id="resonance",
        name="Resonance RoPE",
        title=Text("Resonance RoPE", "共振 RoPE（波长取整）"),
        idea=Text(
            "A hand with a wavelength of 6.28 tokens never stops at the same angle twice, so far positions "
            "show angles that training has not shown. Rounded to 6 tokens, it shows the same six angles "
            "for ever.",
            "波长 6.28 个词元的指针，永远不会两次停在同一个角度，远处的位置就会出现训练时没见过的角度。"
            "取整为 6 个词元后，它永远只有那六个角度。",
        ),
        formula=r"w_i' = 2\pi / \mathrm{round}(2\pi / w_i)",
        sources=(
            Source(
                authors="Wang, Kobyzev, Lu, Rezagholizadeh, Liu",
                year=2024,
                title="Resonance RoPE: Improving Context Length Generalization of Large Language Models",
                where="arXiv 2403.00071",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "RoPE's wavelengths are irrational, so its code never repeats exactly; this one does.",
            "RoPE 的波长是无理数，编码永不严格重复；这里会重复。",
        ),
    )

    def inv_freq(self) -> Array:
        return formulas.resonance_inv_freq(self.turned, float(self.rope_theta))
