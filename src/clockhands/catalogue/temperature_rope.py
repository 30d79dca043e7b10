"""RoPE whose softmax sharpens in steps along the text."""

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
class RoPETemperature(WholeRotary):
    """RoPE, with queries times ``1 + beta * ln(1 + floor(position / L))``. Ministral 3.

    Parameters are those of ``WholeRotary``, and

    beta                              how fast it grows
    original_max_position_embeddings  L, tokens between two steps

    >>> RoPETemperature(head_dim=4).inv_freq().tolist()
    [1.0, 0.01]
    """

    beta: float = 0.1
    original_max_position_embeddings: int = 16384

    module: ClassVar[str] = "clockhands.schemes.temperature:TemperedRotation"
    card: ClassVar[Card] = Card(
        id="temperature-rope",
        name="RoPE with temperature",
        title=Text("Temperature by position, with RoPE", "随位置变化的温度（配合 RoPE）"),
        idea=Text(
            "The more keys there are, the thinner attention spreads. So queries far into the text are made a "
            "little longer, step by step, which sharpens their softmax.",
            "键越多，注意力摊得越薄。所以文本越靠后，查询就逐级放大一点，让 softmax 更尖锐。",
        ),
        formula=r"q_m \to q_m \left(1 + \beta \ln(1 + \lfloor m / L \rfloor)\right)",
        sources=(
            Source(
                authors="Nakanishi",
                year=2025,
                title="Scalable-Softmax Is Superior for Attention",
                where="arXiv 2501.19399",
            ),
            Source(
                authors="Wolf, Debut, Sanh, Chaumond, Delangue, Moi et al.",
                year=2026,
                title="transformers 5.24.0, models/ministral3/modeling_ministral3.py",
                where="https://pypi.org/project/transformers/5.24.0/",
            ),
        ),
        used_by=("Ministral 3", "Mistral 4"),
        traits=Traits(reads="positions", relative=False),
        differs=Text(
            "YaRN sharpens all queries alike; here only far ones, so scores depend on where a query is.",
            "YaRN 让所有查询同样尖锐；这里只有靠后的才变尖锐，所以得分取决于查询在哪里。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_real(self.beta, "beta", least=0.0, most=100.0)
        self.require_trained_length(self.original_max_position_embeddings)

    @property
    def unseen(self) -> Text | None:
        return Text("temperature not drawn", "未画温度")

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))
