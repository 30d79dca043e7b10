"""Inkling: each query mixes its own curve over distance from a bank of learned ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Layerwise
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Inkling(Layerwise):
    """``(r . bank)[distance]`` on the logits, r a linear map of the query's token; 0 from ``rel_extent`` on.

    d_rel       numbers that a token has in each head to mix its curve with; as many curves are in the bank
    rel_extent  length of a curve, tokens

    >>> [numbers.shape for numbers in Inkling(d_model=32, num_heads=4).weights()]
    [(64, 32), (16, 1024)]
    """

    d_model: int = 64
    num_heads: int = 8
    d_rel: int = 16
    rel_extent: int = 1024
    seed: int = 0

    aliases: ClassVar[dict[str, str]] = {"dim": "d_model", "heads": "num_heads"}
    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    module: ClassVar[str] = "clockhands.schemes.inkling:MixedCurves"
    card: ClassVar[Card] = Card(
        id="inkling",
        name="Inkling bias",
        title=Text("Projected relative bias", "由内容投影的相对偏置"),
        idea=Text(
            "A bank holds sixteen learned curves over distance. Each token says, for each head, how much of "
            "each curve it wants, and looks back with the mixture. So a full stop may look near and a "
            "pronoun far, without any rotation.",
            "库里存着十六条学出来的距离曲线。每个词元在每个头里说出各条曲线要多少，就用混合出来的曲线往回看。"
            "于是句号可以看近处，代词可以看远处，完全不用旋转。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + \sum_c (W_h x_m)_c\, B_{c,\,m-n}"
        r"\;\;(0 \leq m-n < E),\quad \text{else } + 0",
        sources=(
            Source(
                authors="Wolf, Debut, Sanh, Chaumond, Delangue, Moi et al.",
                year=2026,
                title="transformers 5.24.0, models/inkling/modeling_inkling.py",
                where="https://pypi.org/project/transformers/5.24.0/",
            ),
        ),
        used_by=("Inkling", "Inkling-2"),
        traits=Traits(reads="positions", relative=True, horizon=1024, learned=True, bidirectional=False),
        differs=Text(
            "T5 has one curve a head, whoever asks. The models divide the dot product by the head size, "
            "normalise queries and keys, and raise all scores slowly with the query's position; here only "
            "the bias is taken.",
            "T5 每个头只有一条曲线，谁来问都一样。原模型还把点积除以头的宽度、对查询和键做归一化，"
            "并让所有得分随查询位置缓慢升高；这里只取偏置。",
        ),
    )

    def check(self) -> None:
        for name in ("d_model", "num_heads", "d_rel", "rel_extent"):
            require_count(getattr(self, name), name)
        require_count(self.seed, "seed", least=0, most=2**63 - 1)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.rel_extent)

    def weights(self) -> tuple[Array, Array]:
        """The map ``(num_heads * d_rel, d_model)`` and the bank ``(d_rel, rel_extent)``, N(0, 0.02)."""
        random = np.random.default_rng(self.seed)
        shapes = (self.num_heads * self.d_rel, self.d_model), (self.d_rel, self.rel_extent)
        first, second = (random.normal(0.0, 0.02, shape) for shape in shapes)
        return first, second
