"""RoPE: the clock hands turn queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final, get_args

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_choice, require_count, require_real
from clockhands.errors import ClockhandsError
from clockhands.formulas.layouts import Layout
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class RoPE(Description):
    """Pair i of each head is turned by ``position * rope_theta ** (-2i / rotary_dim)``. Su et al. 2021.

    layout                 ``half`` or ``interleaved``: which dimensions are a pair
    partial_rotary_factor  share of each head that turns, or
    rotary_dim             the same as a number of dimensions; the rest of the head passes through

    >>> RoPE(head_dim=8).inv_freq().round(3).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """

    head_dim: int = 32
    rope_theta: float = 10000.0
    layout: Layout = "half"
    partial_rotary_factor: float = 1.0
    rotary_dim: int | None = None

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}
    card: ClassVar[Card] = Card(
        id="rope",
        name="RoPE",
        title=Text("Rotary position embedding", "旋转位置编码"),
        idea=Text(
            "The clock hands of the sinusoid turn the queries and keys themselves. Lengths don't change, "
            "and in the dot product only the difference of two angles is left, so the score of given "
            "contents depends on how far apart they are and not on where.",
            "用正弦编码的那些指针直接旋转查询和键。向量长度不变，而点积里只剩两个角度之差，"
            "所以内容给定时，注意力得分只看两者相距多远，不看各自在哪里。",
        ),
        formula=r"\tilde{q}_m = R(m)\,q_m,\; \tilde{k}_n = R(n)\,k_n,\;"
        r" \langle\tilde{q}_m, \tilde{k}_n\rangle = \langle q_m, R(n-m)\,k_n\rangle,\; w_i = b^{-2i/d}",
        sources=(
            Source(
                authors="Su, Lu, Pan, Murtadha, Wen, Liu",
                year=2021,
                title="RoFormer: Enhanced Transformer with Rotary Position Embedding",
                where="arXiv 2104.09864",
            ),
        ),
        used_by=(
            "Llama",
            "Qwen",
            "Mistral",
            Text("GPT-NeoX (a quarter of the head)", "GPT-NeoX（只转每个头的四分之一）"),
            "GPT-J",
            "DeepSeek",
        ),
        traits=Traits(reads="positions", relative=True),
        differs=Text(
            "Nothing is added to the tokens and values are not turned. That scores must fall with distance "
            "is not true: the proof is an upper bound.",
            "它不往词元上加任何东西，也不旋转值。“得分一定随距离衰减”并不成立：论文证明的只是一个上界。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=self._turns_whole_head)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_real(self.partial_rotary_factor, "partial_rotary_factor", least=0.0, most=1.0)
        given = self.rotary_dim is not None
        name = "rotary_dim" if given else "rotary_dim (head_dim * partial_rotary_factor)"
        require_count(self.turned, name, least=2, most=self.head_dim, even=True)
        if given and self.partial_rotary_factor not in (1, self.turned / self.head_dim):
            raise ClockhandsError(
                f"rotary_dim {self.rotary_dim} and partial_rotary_factor {self.partial_rotary_factor} "
                f"disagree for head_dim {self.head_dim}: give one of them",
                f"head_dim 为 {self.head_dim} 时，rotary_dim {self.rotary_dim} 与 partial_rotary_factor "
                f"{self.partial_rotary_factor} 不一致：请只给其中一个",
            )

    @property
    def turned(self) -> int:
        """How many leading dimensions of each head turn; even."""
        if self.rotary_dim is not None:
            return self.rotary_dim
        return int(self.head_dim * self.partial_rotary_factor)

    @property
    def _turns_whole_head(self) -> bool:
        return self.rotary_dim is None and self.partial_rotary_factor == 1

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.turned, float(self.rope_theta))
