"""ReRoPE: distances past a window all count as the window, or grow only slowly."""

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
class ReRoPE(Remapped):
    """RoPE at ``min(distance, window)``; with a ``factor`` leaky: ``window + (distance - window) / factor``.

    window  distances below it stay exact, tokens; 512 for a Llama trained on 4,096
    factor  whole number, 2 or more; None: nothing leaks

    >>> import numpy as np
    >>> ReRoPE(window=2).distance_map(np.asarray([4]), np.arange(5)).tolist()
    [[2.0, 2.0, 2.0, 1.0, 0.0]]
    """

    window: int = 32
    factor: int | None = None

    meanings: ClassVar[dict[str, Text]] = {
        "factor": Text(
            "how much farther distances slow down; None: all count as the window",
            "窗口以外的距离放慢多少倍；None：一律算作窗口",
        ),
    }
    card: ClassVar[Card] = Card(
        id="rerope",
        name="ReRoPE",
        title=Text("Rectified RoPE", "截断距离的 RoPE"),
        idea=Text(
            "Near tokens keep their exact distance, and everything past a window is treated as if it stood "
            "at the window's edge. No distance is larger than one seen in training, so a text may be of any "
            "length. The leaky form lets far distances grow, but much more slowly.",
            "近处的词元保留精确的距离，窗口以外的一律当作正好在窗口边上。距离不会超过训练时见过的，"
            "所以文本可以任意长。leaky 形式让远处的距离继续增长，只是慢得多。",
        ),
        formula=r"s_{mn} = \langle q_m, R(-\rho)\,k_n\rangle,\quad"
        r" \rho = m-n\ (m-n<w),\quad \rho = w\ \mathrm{or}\ w + \frac{m-n-w}{s}\ (m-n \geq w)",
        sources=(
            Source(
                authors="Su",
                year=2023,
                title="Rectified Rotary Position Embeddings",
                where="https://kexue.fm/archives/9708",
            ),
        ),
        used_by=(),
        traits=Traits(relative=True, horizon=32, bidirectional=False),
        differs=Text(
            "Self-Extend groups far positions instead of merging them all. The published patch also "
            "multiplies queries by max(1, log(m + 1) / log L); not a matter of distance, left out here.",
            "Self-Extend 把远处的位置分组，而不是全部合并。公开的补丁还把查询乘以 "
            "max(1, log(m + 1) / log L)，那与距离无关，这里没有加。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.window, "window")
        if self.factor is not None:
            require_count(self.factor, "factor", least=2)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.window if self.factor is None else None)

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.rerope(queries, keys, self.window, self.factor)
