"""Hard-ALiBi: narrow windows in some heads, no position at all in the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, final

from numpy.typing import NDArray

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array, Description
from clockhands.catalogue.rules import require_count, require_heads, whole_numbers
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class HardALiBi(Description):
    """Head h of the masked ones sees distances 0 … h and nothing else; the others have no bias.

    Jelassi et al. 2024 (arXiv 2402.01032).

    num_masked_heads  how many heads, the first ones, are masked; None: two thirds, as 8 of 12 in their code

    >>> import numpy as np
    >>> HardALiBi(num_heads=3).bias(np.arange(3)).tolist()
    [[0.0, -inf, -inf], [0.0, 0.0, -inf], [0.0, 0.0, 0.0]]
    """

    num_heads: int = 12
    num_masked_heads: int | None = None

    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.alibi_hard:HeadWindows"
    card: ClassVar[Card] = Card(
        id="alibi-hard",
        name="Hard-ALiBi",
        title=Text("Windows instead of slopes", "用窗口代替斜率"),
        idea=Text(
            "The first head sees only its own token, the second one more, the third two more, and so on: "
            "together they tell the last few tokens apart exactly. The remaining heads see everything and "
            "know no position. That is enough to copy a text: find the same few tokens, however far away, "
            "and go on.",
            "第一个头只看自己，第二个头多看一个词元，第三个头多看两个，依此类推："
            "合起来能精确分辨最近的几个词元。其余的头什么都看得到，但不知道位置。要抄写一段文本，这就够了："
            "找到同样的几个词元（不管多远），再接着抄。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} \text{ if } m-n < w_h,\; -\infty \text{ otherwise},"
        r"\quad w_h = 1, 2, \dots, M, \infty, \dots, \infty",
        sources=(
            Source(
                authors="Jelassi, Brandfonbrener, Kakade, Malach",
                year=2024,
                title="Repeat After Me: Transformers are Better than State Space Models at Copying",
                where="arXiv 2402.01032",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, horizon=8, bidirectional=False),
        differs=Text(
            "ALiBi fades with distance; here a key is seen or not, and past the widest window all distances "
            "are alike.",
            "ALiBi 随距离逐渐变淡；这里的键要么看得见，要么看不见，超过最宽的窗口后各个距离都一样。",
        ),
    )

    def check(self) -> None:
        require_heads(self.num_heads)
        if self.num_masked_heads is not None:
            require_count(self.num_masked_heads, "num_masked_heads", most=self.num_heads)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.masked)

    @property
    def masked(self) -> int:
        """How many heads are masked; the widest window, tokens."""
        return max(1, 2 * self.num_heads // 3) if self.num_masked_heads is None else self.num_masked_heads

    def windows(self) -> Array:
        """How many tokens each head sees, itself counted, ``(num_heads,)``; infinite for the free heads."""
        return formulas.hard_windows(self.num_heads, self.masked)

    def bias(self, distance: NDArray[Any]) -> Array:
        distances = whole_numbers(distance, Text("distances", "距离"))
        require_memory(Text("a bias", "这份偏置"), (self.num_heads, *distances.shape))
        return formulas.hard_bias_at(distances, formulas.per_head(self.windows(), distances))
