"""LeRoPE: RoPE whose speeds are learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rotary import WholeRotary
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class LeRoPE(WholeRotary):
    """Pair i turns by ``position * w_i * exp(alpha_i)``, alpha learned from 0 on. Mistral Large 4.

    Parameters are those of ``WholeRotary``. ``inv_freq()`` is before training.

    >>> LeRoPE(head_dim=4).inv_freq().tolist()
    [1.0, 0.01]
    """

    module: ClassVar[str] = "clockhands.schemes.lerope:LearnedRotation"
    card: ClassVar[Card] = Card(
        id="lerope",
        name="LeRoPE",
        title=Text("RoPE with learned frequencies", "频率可学习的 RoPE（LeRoPE）"),
        idea=Text(
            "The hands start as RoPE's, and training may make each faster or slower: the logarithm of its "
            "speed is a parameter.",
            "指针一开始与 RoPE 相同，训练可以让每根变快或变慢：速度的对数是要学的参数。",
        ),
        formula=r"\theta_i(p) = p\, w_i\, e^{\alpha_i},\quad \alpha_i \leftarrow 0",
        sources=(
            Source(
                authors="Wolf, Debut, Sanh, Chaumond, Delangue, Moi et al.",
                year=2026,
                title="transformers 5.24.0, models/mistral_large4/modeling_mistral_large4.py",
                where="https://pypi.org/project/transformers/5.24.0/",
            ),
        ),
        used_by=(Text("Mistral Large 4 (over YaRN's speeds)", "Mistral Large 4（在 YaRN 的速度上）"),),
        traits=Traits(reads="positions", relative=True, learned=True),
        differs=Text(
            "RoPE fixes its speeds. Mistral Large 4 starts from YaRN's and learns a scale of the queries "
            "that grows with the logarithm of the position; that is left out here.",
            "RoPE 的速度是固定的。Mistral Large 4 从 YaRN 的速度开始，"
            "还学一个随位置对数增长的查询缩放；那一部分这里没有。",
        ),
    )

    @property
    def unseen(self) -> Text | None:
        return Text("before training", "训练之前")

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))
