"""No position, but a softmax that sharpens in steps along the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_count, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class NoPETemperature(Description):
    """Queries times ``1 + beta * ln(1 + floor((position + 1) / floor_scale))``. Llama 4's NoPE layers.

    beta         how fast it grows
    floor_scale  tokens between two steps

    >>> NoPETemperature().floor_scale
    8192
    """

    beta: float = 0.1
    floor_scale: int = 8192

    other_hooks: ClassVar[tuple[str, ...]] = ("queries",)
    module: ClassVar[str] = "clockhands.schemes.temperature:TemperedNothing"
    card: ClassVar[Card] = Card(
        id="temperature-nope",
        name="NoPE with temperature",
        title=Text("Temperature by position, without RoPE", "随位置变化的温度（不带位置编码）"),
        idea=Text(
            "Layers without any position look at the whole text at once. The longer it is, the thinner their "
            "attention spreads, so queries grow step by step with their position and the softmax sharpens.",
            "没有位置编码的层一眼看遍全文；文本越长，注意力摊得越薄，所以查询随位置逐级放大，softmax 更尖。",
        ),
        formula=r"q_m \to q_m \left(1 + \beta \ln(1 + \lfloor (m+1) / L \rfloor)\right)",
        sources=(
            Source(
                authors="Wolf, Debut, Sanh, Chaumond, Delangue, Moi et al.",
                year=2026,
                title="transformers 5.24.0, models/llama4/modeling_llama4.py",
                where="https://pypi.org/project/transformers/5.24.0/",
            ),
        ),
        used_by=(Text("Llama 4 (every fourth layer)", "Llama 4（每四层一层）"),),
        traits=Traits(reads="positions", relative=False, bidirectional=False),
        differs=Text(
            "Keys still know no position: a query can be sharper, but not tell near from far.",
            "键仍然不知道位置：查询可以更尖锐，但分不出远近。",
        ),
    )

    def check(self) -> None:
        require_real(self.beta, "beta", least=0.0, most=100.0)
        require_count(self.floor_scale, "floor_scale", most=2**31)
