"""RoPE whose position moves by a different step for each part of speech."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final, get_args

import numpy as np
from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_base, require_bool, require_choice, require_count, require_real
from clockhands.catalogue.sensitivity import JIEBA_TAGS, Sensitivity, one_each, require_different, tag_names
from clockhands.formulas.layouts import Layout
from clockhands.language import Text
from clockhands.positions import tag_counts


@final
@dataclass(frozen=True, kw_only=True)
class Tagged(Description):
    """RoPE at ``sum over tags of sensitivity * count``; with all ones that is the plain position.

    tags         names of the tags; a token's own tag is matched by its longest known beginning
                 (``nr`` counts as ``n``), and what matches nothing counts as the last
    sensitivity  step of each tag, all 1 by default; or a mapping with only those that differ
    learned      training may change the sensitivity, which then only starts at these steps

    >>> Tagged(tags=("n", "x"), sensitivity={"x": 0.5}).places(["n", "x", "n"]).tolist()
    [0.0, 0.5, 1.5]
    """

    head_dim: int = 32
    rope_theta: float = 10000.0
    layout: Layout = "half"
    tags: tuple[str, ...] = JIEBA_TAGS
    sensitivity: Sensitivity = None
    learned: bool = False

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "base": "rope_theta"}
    module: ClassVar[str] = "clockhands.schemes.tagged:TaggedRotation"
    card: ClassVar[Card] = Card(
        id="tagged",
        name="Tagged RoPE",
        title=Text("Positions paced by part of speech", "按词性调整步长的位置"),
        idea=Text(
            "The hands move a different step for each kind of word: a noun may count as a whole step and a "
            "particle as a small one. Each token keeps whole counts of the tags behind it, so the angle is "
            "a weighted sum of integers and works with a cache.",
            "不同词性的词让指针走不同的步长：名词可以走一整步，助词只走一小步。每个词元记下前面各词性的个数，"
            "角度就是这些整数的加权和，因此也能配合 KV 缓存。",
        ),
        formula=r"\theta_i(t) = w_i \sum_{g} \gamma_g\, c_g(t),\quad"
        r" c_g(t) = \#\{0 < s \leq t : \mathrm{tag}_s = g\}",
        sources=(),
        origin=Text(
            "An experiment, not a published scheme: a tutorial suggests it, and the running counts were "
            "worked out here.",
            "这是实验，不是发表过的方案：设想来自一篇教程，按词性累计个数的做法由本项目设计。",
        ),
        related=(
            Source(
                authors="Golovneva, Wang, Weston, Sukhbaatar",
                year=2024,
                title="Contextual Position Encoding: Learning to Count What's Important",
                where="arXiv 2405.18719",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True),
        differs=Text(
            "CoPE and Selective RoPE learn the step from the hidden state; here the step hangs on the tag "
            "alone, so it can be read, set and drawn.",
            "CoPE 和 Selective RoPE 从隐藏状态学步长；这里步长只由词性决定，所以看得见、能设定、画得出。",
        ),
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", tag_names(self.tags))
        object.__setattr__(self, "sensitivity", one_each(self.sensitivity, self.tags))
        super().__post_init__()

    def check(self) -> None:
        require_count(self.head_dim, "head_dim", least=2, even=True)
        require_base(self.rope_theta, "rope_theta")
        require_choice(self.layout, "layout", get_args(Layout))
        require_different(self.tags)
        require_bool(self.learned, "learned")
        for tag, step in zip(self.tags, self.steps, strict=True):
            require_real(step, f"the sensitivity of {tag}", least=0.0)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, learned=self.learned)

    @property
    def steps(self) -> tuple[float, ...]:
        """The sensitivity of each tag, in the order of ``tags``."""
        return one_each(self.sensitivity, self.tags)

    def inv_freq(self) -> Array:
        return formulas.default_inv_freq(self.head_dim, float(self.rope_theta))

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.tags

    def positions_of(self, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
        return tag_counts(kinds, len(self.tags))

    def places(self, tags: Sequence[str]) -> Array:
        """How far along each token of one sentence is, ``(t,)``, tokens (real numbers)."""
        indices = np.asarray([self.kind_of(tag) for tag in tags], dtype=np.int64)
        return formulas.tagged_positions(self.positions_of(indices), np.asarray(self.steps))
