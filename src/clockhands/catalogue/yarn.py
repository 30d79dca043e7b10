"""YaRN: fast hands kept, slow ones divided, and a sharper softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_bool, require_factor, require_order, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class YaRN(Rotary):
    """RoPE with frequencies blended along a ramp, and logits scaled. Peng et al. 2023 (arXiv 2309.00071).

    Parameters are those of ``Rotary``, and

    factor                            by how much the context grows
    original_max_position_embeddings  L, the trained length, tokens
    beta_fast, beta_slow              turns in L at which the ramp begins and ends
    truncate                          move the ends of the ramp to whole pairs (gpt-oss does not)
    attention_factor                  what multiplies queries and keys; None: 0.1 ln(factor) + 1, or
    mscale, mscale_all_dim            DeepSeek's pair: their ratio on queries and keys, and the square of the
                                      second one on the softmax scale

    >>> YaRN(head_dim=128, rope_theta=1e6, original_max_position_embeddings=32768).magnitude()
    1.138629436111989
    """

    factor: float = 4.0
    original_max_position_embeddings: int = 2048
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    attention_factor: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None

    card: ClassVar[Card] = Card(
        id="yarn",
        name="YaRN",
        title=Text("YaRN", "YaRN 缩放"),
        idea=Text(
            "Fast hands stay, slow hands slow down by the whole factor, and a ramp over pairs joins them. "
            "Longer texts also spread attention thinner, so all logits are made a little larger.",
            "快的指针不动，慢的按整个倍数放慢，中间按指针编号过渡。"
            "文本变长，注意力也会摊得更薄，所以把所有 logits 略微放大。",
        ),
        formula=r"w_i' = (1-\rho_i)\, w_i + \rho_i\, \frac{w_i}{s},\quad"
        r" \rho_i = \mathrm{clip}\left(\frac{i - i_{32}}{i_1 - i_{32}}, 0, 1\right),\quad"
        r" q, k \times (0.1 \ln s + 1)",
        sources=(
            Source(
                authors="Peng, Quesnelle, Fan, Shippole",
                year=2023,
                title="YaRN: Efficient Context Window Extension of Large Language Models",
                where="arXiv 2309.00071",
            ),
        ),
        used_by=("Qwen 2.5", "Qwen 3", "DeepSeek-V3", "gpt-oss", "Ministral 3"),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "The paper ramps over the turns of a hand (NTK by parts); its code, and every library since, "
            "ramps over the number of the pair.",
            "论文里的过渡按指针的圈数（即分段 NTK）；而作者的代码和后来的库都按指针的编号。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_real(self.rope_theta, "rope_theta", least=1 + 1e-6)
        require_factor(self.factor)
        self.require_trained_length(self.original_max_position_embeddings)
        require_bool(self.truncate, "truncate")
        require_real(self.beta_slow, "beta_slow", least=1e-6)
        require_order(self.beta_slow, "beta_slow", self.beta_fast, "beta_fast", equal=True)
        for name in ("attention_factor", "mscale", "mscale_all_dim"):
            if getattr(self, name) is not None:
                require_real(getattr(self, name), name, least=0.0)

    def inv_freq(self) -> Array:
        return formulas.yarn_inv_freq(
            self.turned, float(self.rope_theta), factor=float(self.factor),
            original_max_position_embeddings=self.original_max_position_embeddings,
            beta_fast=float(self.beta_fast), beta_slow=float(self.beta_slow), truncate=bool(self.truncate),
        )  # fmt: skip

    def magnitude(self) -> float:
        if self.attention_factor is not None:
            return float(self.attention_factor)
        return formulas.yarn_attention_factor(float(self.factor), self.mscale, self.mscale_all_dim)

    def softmax_factor(self) -> float:
        return formulas.yarn_magnitude(float(self.factor), self.mscale_all_dim or 0.0) ** 2
