"""LM-Infinite: a mask shaped like a lambda, and a ceiling for distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.remapped import Remapped
from clockhands.catalogue.rules import require_count
from clockhands.formulas.remaps import Leg
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class LMInfinite(Remapped):
    """RoPE on the last ``window`` positions, and on the first ``global_branch`` ones at distance ``window``.

    global_branch  first positions of the text that every query sees, 100 as published; 0: only the window
    window         local branch and distance ceiling, tokens: the trained length

    >>> import numpy as np
    >>> LMInfinite(global_branch=2, window=3).distance_map(np.asarray([6]), np.arange(7)).tolist()
    [[3.0, 3.0, nan, nan, 2.0, 1.0, 0.0]]
    """

    global_branch: int = 4
    window: int = 32

    aliases: ClassVar[dict[str, str]] = {
        "dim": "head_dim", "base": "rope_theta", "local_branch": "window", "limit_distance": "window",
    }  # fmt: skip
    card: ClassVar[Card] = Card(
        id="lm-infinite",
        name="LM-Infinite",
        title=Text("Lambda mask and distance ceiling", "Λ 形掩码与距离上限"),
        idea=Text(
            "A query sees the last tokens and the very first ones; the band between is masked, so the map "
            "of what is seen has the shape of the letter lambda. The first tokens count as standing at the "
            "ceiling, the largest distance allowed.",
            "查询只看最近的词元和最开头的词元，中间一带被遮住，所以可见部分的形状像字母 Λ。"
            "最开头的词元一律当作站在距离上限处。",
        ),
        formula=r"\rho = m-n\ (m-n<L),\quad \rho = L\ (n<G),\quad \mathrm{else\ unseen}",
        sources=(
            Source(
                authors="Han, Wang, Peng, Xiong, Chen, Ji, Wang",
                year=2023,
                title="LM-Infinite: Zero-Shot Extreme Length Generalization for Large Language Models",
                where="arXiv 2308.16137",
            ),
        ),
        used_by=(),
        traits=Traits(horizon=31, bidirectional=False),
        differs=Text(
            "StreamingLLM counts the first tokens at their places in the cache; here they all stand at one "
            "distance, so their order is not seen. With the published settings the ceiling is L, one more "
            "than the largest distance in training.",
            "StreamingLLM 按缓存里的位置来数开头的词元；这里它们都在同一距离上，看不出先后。"
            "按公开的设置，上限是 L，比训练时最大的距离多 1。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.global_branch, "global_branch", least=0)
        require_count(self.window, "window")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.window - 1, relative=self.global_branch == 0)

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.lm_infinite(queries, keys, self.global_branch, self.window)
