"""Adjusted base frequency: plain RoPE with a larger base."""

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
class ABF(Rotary):
    """RoPE with base 500,000 instead of 10,000. Xiong et al. 2023 (arXiv 2309.16039).

    Parameters are those of ``Rotary``.

    >>> float(ABF(head_dim=128).inv_freq()[-1] / 10000 ** (-126 / 128)) ** -1 > 47
    True
    """

    rope_theta: float = 500000.0

    card: ClassVar[Card] = Card(
        id="abf",
        name="RoPE, adjusted base",
        title=Text("Adjusted base frequency", "调大底数（ABF）"),
        idea=Text(
            "The simplest way to a longer context: a larger base makes all hands but the fastest slower, and "
            "further training does the rest. With 128 dimensions the slowest hand becomes 47 times slower.",
            "加长上下文最简单的办法：换更大的底数，除最快的以外所有指针都变慢，其余交给继续训练。"
            "128 维时，最慢的指针慢 47 倍。",
        ),
        formula=r"w_i = (5\cdot 10^5)^{-2i/d}",
        sources=(
            Source(
                authors="Xiong, Liu, Molybog, Zhang, Bhargava, Hou, Martin, Rungta, Sankararaman et al.",
                year=2023,
                title="Effective Long-Context Scaling of Foundation Models",
                where="arXiv 2309.16039",
            ),
        ),
        used_by=("Llama 3", Text("Code Llama (base 1e6)", "Code Llama（底数 1e6）")),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "NTK-aware scaling computes the base from the factor; here it is chosen, and training follows.",
            "NTK 感知缩放由倍数算出底数；这里底数是直接选定的，之后继续训练。",
        ),
    )

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.turned, float(self.rope_theta))
