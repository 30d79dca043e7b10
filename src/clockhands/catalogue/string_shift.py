"""STRING: the rare large distances are overwritten by frequent, well-trained ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.remapped import Remapped, require_less
from clockhands.catalogue.rules import require_count
from clockhands.formulas.remaps import Leg
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class StringShift(Remapped):
    """RoPE at the exact distance below ``shift``, farther at ``distance - shift + local``.

    original_max_position_embeddings  L, the length that the model was trained with, tokens
    shift                             S, a third of L by default
    local                             W, where shifted distances begin again; 128 in the paper

    >>> import numpy as np
    >>> StringShift(shift=4, local=1).distance_map(np.asarray([6]), np.arange(7)).tolist()
    [[3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 0.0]]
    """

    original_max_position_embeddings: int = 96
    shift: int | None = None
    local: int = 8

    card: ClassVar[Card] = Card(
        id="string-shift",
        name="STRING",
        title=Text("Shifted rotary positions", "移位的旋转位置"),
        idea=Text(
            "In training, large distances are rare: only the ends of long texts show them. So at inference "
            "far tokens are moved nearer: all distances past a third of the trained length begin again at "
            "a small one, and only distances that the model knows well are used.",
            "训练中大的距离很少见，只有长文本的首尾之间才有。所以推理时把远处的词元挪近："
            "超过训练长度三分之一的距离，从一个小的数重新开始，用到的都是模型熟悉的距离。",
        ),
        formula=r"\rho = m-n\ (m-n<S),\quad \rho = m-n-S+W\ (m-n \geq S)",
        sources=(
            Source(
                authors="An, Zhang, Zhong, Li, Gong, Luo, Xu, Kong",
                year=2024,
                title="Why Does the Effective Context Length of LLMs Fall Short?",
                where="arXiv 2410.18745",
            ),
        ),
        used_by=(),
        traits=Traits(relative=True, bidirectional=False),
        differs=Text(
            "It works within the trained length and does not extend it. Two distances share one angle. The "
            "published code counts distance S in both parts while reading a prompt, and also multiplies "
            "cos and sin by 0.1 ln 2 + 1; neither is done here.",
            "它在训练长度之内起作用，并不扩展长度。会有两个距离共用一个角度。公开的代码在读入提示时把距离 S "
            "在两部分里各算一次，还把 cos 和 sin 乘以 0.1 ln 2 + 1；这里都没有做。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.original_max_position_embeddings, "original_max_position_embeddings", least=3)
        require_count(self.shifted, "shift")
        require_count(self.local, "local", least=0)
        third = "a third of original_max_position_embeddings"
        require_less("local", self.local, f"shift ({third})" if self.shift is None else "shift", self.shifted)

    @property
    def shifted(self) -> int:
        """S: from which distance on tokens are moved nearer, tokens."""
        return self.original_max_position_embeddings // 3 if self.shift is None else self.shift

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.string_shift(queries, keys, self.shifted, self.local)
