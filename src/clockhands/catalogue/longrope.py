"""LongRoPE: each hand has a divisor of its own, found by search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import Rotary
from clockhands.catalogue.rules import require_factor, require_real
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class LongRoPE(Rotary):
    """RoPE with hand i divided by ``long_factor[i]`` in texts longer than trained, else ``short_factor[i]``.

    Parameters are those of ``Rotary``, and

    factor                            by how much the context grows; sets the attention factor
    original_max_position_embeddings  L, the trained length, tokens
    short_factor, long_factor         one divisor a hand, from a model's configuration. None: 1 for short; for
                                      long what NTK-aware scaling amounts to, until a search gives better ones
    attention_factor                  on queries and keys; None: sqrt(1 + ln(factor) / ln(L))

    ``inv_freq()`` is of long texts; ``inv_freq_at`` of any. Ding et al. 2024 (arXiv 2402.13753).

    >>> scheme = LongRoPE(head_dim=4, long_factor=(1.0, 5.0), original_max_position_embeddings=8)
    >>> [scheme.inv_freq_at(length).tolist() for length in (8, 9)]
    [[1.0, 0.01], [1.0, 0.002]]
    """

    factor: float = 4.0
    original_max_position_embeddings: int = 2048
    short_factor: tuple[float, ...] | None = None
    long_factor: tuple[float, ...] | None = None
    attention_factor: float | None = None

    card: ClassVar[Card] = Card(
        id="longrope",
        name="LongRoPE",
        title=Text("LongRoPE", "LongRoPE 缩放"),
        idea=Text(
            "Instead of a formula, a search finds by how much each hand should slow down. A model has two "
            "lists, one for texts of the trained length and one for longer ones; the switch turns all "
            "earlier keys anew.",
            "不用公式，而是搜索出每根指针该慢多少。模型带两份清单：一份用于训练长度以内的文本，"
            "一份用于更长的文本；一旦切换，前面所有键的角度都要重算。",
        ),
        formula=r"w_i' = w_i / \lambda_i,\quad \lambda = \lambda^{\mathrm{long}}\ (T > L)\ "
        r"\mathrm{or}\ \lambda^{\mathrm{short}},\quad q, k \times \sqrt{1 + \ln s / \ln L}",
        sources=(
            Source(
                authors="Ding, Zhang, Zhang, Xu, Shang, Xu, Yang, Yang",
                year=2024,
                title="LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens",
                where="arXiv 2402.13753",
            ),
        ),
        used_by=("Phi-3", "Phi-4-mini", "MiniCPM"),
        traits=Traits(reads="positions", relative=False, length_dependent=True),
        differs=Text(
            "The paper also leaves the first few tokens unscaled; the models released with it do not.",
            "论文还让最前面的几个词元不缩放；随论文发布的模型没有这样做。",
        ),
    )

    def __post_init__(self) -> None:
        for name in ("short_factor", "long_factor"):
            given = getattr(self, name)
            object.__setattr__(self, name, tuple(given) if isinstance(given, list) else given)
        super().__post_init__()

    def check(self) -> None:
        super().check()
        require_factor(self.factor)
        self.require_trained_length(self.original_max_position_embeddings)
        self.require_one_a_pair(self.short_factor, "short_factor")
        self.require_one_a_pair(self.long_factor, "long_factor")
        if self.attention_factor is not None:
            require_real(self.attention_factor, "attention_factor", least=0.0)

    @property
    def unseen(self) -> Text | None:
        return Text(
            f"in texts of {self.original_max_position_embeddings + 1:,} tokens or more",
            f"{self.original_max_position_embeddings + 1:,} 个词元或更长的文本",
        )

    def inv_freq(self) -> Array:
        return self.inv_freq_at(self.original_max_position_embeddings + 1)

    def inv_freq_at(self, length: Any) -> Any:
        pairs = self.turned // 2
        spread = tuple(float(self.factor) ** (pair / max(pairs - 1, 1)) for pair in range(pairs))
        return formulas.longrope_inv_freq(
            self.turned, float(self.rope_theta), length=length,
            short_factor=self.short_factor or (1.0,) * pairs, long_factor=self.long_factor or spread,
            original_max_position_embeddings=self.original_max_position_embeddings,
        )  # fmt: skip

    def magnitude(self) -> float:
        if self.attention_factor is not None:
            return float(self.attention_factor)
        return formulas.longrope_attention_factor(float(self.factor), self.original_max_position_embeddings)
