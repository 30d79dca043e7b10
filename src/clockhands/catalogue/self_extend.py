"""Self-Extend: near tokens at their distance, far ones in groups."""

from __future__ import annotations

from dataclasses import dataclass
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
class SelfExtend(Remapped):
    """RoPE at the exact distance below ``window``, farther at ``m // G - n // G + w - w // G``.

    window      neighbour window w, tokens; 512 or 1,024 for models trained on 4,096
    group_size  G: how many far positions share one place

    >>> import numpy as np
    >>> SelfExtend(window=4, group_size=2).distance_map(np.asarray([7]), np.arange(8)).tolist()
    [[5.0, 5.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0]]
    """

    window: int = 16
    group_size: int = 4

    card: ClassVar[Card] = Card(
        id="self-extend",
        name="Self-Extend",
        title=Text("Grouped far positions", "远处位置分组"),
        idea=Text(
            "Near tokens need exact positions, far ones only rough ones. So far positions are divided by a "
            "group size and rounded down, and moved out to join the exact ones. Distances stay within those "
            "seen in training while the text grows several times longer.",
            "近处的词元要精确的位置，远处的大致知道就够了。所以远处的位置除以组的大小再向下取整，"
            "并向外平移，与精确的部分接上。文本长了好几倍，距离仍在训练见过的范围之内。",
        ),
        formula=r"\rho = m-n\ (m-n<w),\quad \rho = \lfloor m/G \rfloor"
        r" - \lfloor n/G \rfloor + w - \lfloor w/G \rfloor\ (m-n \geq w)",
        sources=(
            Source(
                authors="Jin, Han, Yang, Jiang, Liu, Chang, Chen, Hu",
                year=2024,
                title="LLM Maybe LongLM: Self-Extend LLM Context Window Without Tuning",
                where="arXiv 2401.01325",
            ),
        ),
        used_by=("llama.cpp",),
        traits=Traits(bidirectional=False),
        differs=Text(
            "It is not exactly relative: positions are rounded down before they are subtracted, so a text "
            "that starts one token later may get other distances.",
            "它并不严格是相对的：位置先取整再相减，所以文本往后挪一个词元，距离就可能变。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.window, "window")
        require_count(self.group_size, "group_size")

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.self_extend(queries, keys, self.group_size, self.window)

    def longest(self, trained_length: int) -> int:
        """How long a text may be so that no distance reaches past those trained, tokens.

        The paper's (L - w) G + w where G divides w; up to G - 1 less where the window ends within a group.

        >>> SelfExtend(window=512, group_size=4).longest(2048)
        6656
        """
        whole_groups = self.window // self.group_size * self.group_size
        return (trained_length - self.window) * self.group_size + whole_groups
