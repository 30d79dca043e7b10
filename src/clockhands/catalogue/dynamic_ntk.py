"""Dynamic NTK: the base grows with the text, so short texts are read as in training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_factor
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DynamicNTK(Rotary):
    """NTK-aware scaling by ``factor * T / L - (factor - 1)`` in texts of T > L tokens. emozilla 2023.

    Parameters are those of ``Rotary``, and

    factor                   how fast the scaling grows with the length
    max_position_embeddings  L, the trained length, tokens

    ``inv_freq()`` is of the longest text meant, ``factor * L`` tokens; ``inv_freq_at`` of any.

    >>> scheme = DynamicNTK(head_dim=4, factor=2.0, max_position_embeddings=8)
    >>> [scheme.inv_freq_at(length).round(6).tolist() for length in (8, 16)]
    [[1.0, 0.01], [1.0, 0.003333]]
    """

    factor: float = 4.0
    max_position_embeddings: int = 2048

    card: ClassVar[Card] = Card(
        id="dynamic-ntk",
        name="Dynamic NTK",
        title=Text("Dynamic NTK scaling", "动态 NTK 缩放"),
        idea=Text(
            "Up to the trained length nothing changes; past it the base grows with the text. Short texts "
            "lose nothing, but every new token turns all earlier keys anew, so a cache must keep keys that "
            "are not turned yet.",
            "在训练长度以内什么都不变；超过以后，底数随文本变长而变大。短文本没有损失，"
            "但每来一个新词元，前面所有键的角度都要重算，所以缓存里必须存未旋转的键。",
        ),
        formula=r"b' = b\left(\frac{s\,T}{L} - (s - 1)\right)^{d/(d-2)},\quad T = \max(T, L)",
        sources=(
            Source(
                authors="Peng, Quesnelle, Fan, Shippole",
                year=2023,
                title="YaRN: Efficient Context Window Extension of Large Language Models",
                where="arXiv 2309.00071",
            ),
        ),
        used_by=(Text("InternLM2 and Qwen 1 (long texts)", "InternLM2、Qwen 1（长文本）"),),
        traits=Traits(reads="positions", relative=False, length_dependent=True),
        differs=Text(
            "NTK-aware scaling has one base for all texts. Libraries that cache turned keys compute "
            "something else here: keys under older bases.",
            "NTK 感知缩放对所有文本用同一个底数。缓存已旋转键的库在这里算的其实是另一回事：旧底数下的键。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_factor(self.factor)
        self.require_trained_length(self.max_position_embeddings, "max_position_embeddings")

    @property
    def unseen(self) -> Text | None:
        return Text(
            f"in texts of {float(self.factor) * self.max_position_embeddings:,.0f} tokens",
            f"{float(self.factor) * self.max_position_embeddings:,.0f} 个词元的文本",
        )

    def inv_freq(self) -> Array:
        return self.inv_freq_at(float(self.factor) * self.max_position_embeddings)

    def inv_freq_at(self, length: Any) -> Any:
        return formulas.dynamic_ntk_inv_freq(
            self.turned, float(self.rope_theta), factor=float(self.factor),
            max_position_embeddings=self.max_position_embeddings, length=length,
        )  # fmt: skip
