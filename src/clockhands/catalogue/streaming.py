"""StreamingLLM: the first tokens and the last ones, at their places inside the cache."""

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
class Streaming(Remapped):
    """RoPE on what a cache of ``sinks + window`` places holds: a query sees nothing else.

    sinks   first positions of the text, which stay in the cache for ever; 0: only the window
    window  last positions, the query's own included; 1,020 or more in the paper

    >>> import numpy as np
    >>> Streaming(sinks=4, window=4).distance_map(np.asarray([9]), np.arange(10)).tolist()
    [[7.0, 6.0, 5.0, 4.0, nan, nan, 3.0, 2.0, 1.0, 0.0]]
    """

    sinks: int = 4
    window: int = 28

    card: ClassVar[Card] = Card(
        id="streaming",
        name="StreamingLLM",
        title=Text("Attention sinks and a rolling window", "注意力汇加滑动窗口"),
        idea=Text(
            "Models put much attention on the first few tokens, whatever these say. Keep those few "
            "(attention sinks) and a window of the last tokens, drop the rest, and count positions inside "
            "the cache. The text may then go on for ever, but what was dropped is forgotten.",
            "模型总把不少注意力放在最前面几个词元上，不管它们写的是什么。保留这几个注意力汇"
            "（attention sink）和最近的一段窗口，其余丢弃，位置按缓存里的次序来数。"
            "文本可以一直写下去，但丢掉的就忘了。",
        ),
        formula=r"\rho = m-n\ (m-n<W),\quad \rho = \min(m,\,S+W-1) - n\ (n<S),\quad"
        r" \mathrm{else\ unseen}",
        sources=(
            Source(
                authors="Xiao, Tian, Chen, Han, Lewis",
                year=2023,
                title="Efficient Streaming Language Models with Attention Sinks",
                where="arXiv 2309.17453",
            ),
        ),
        used_by=("TensorRT-LLM",),
        traits=Traits(horizon=27, bidirectional=False),
        differs=Text(
            "It lets a stream run on; it does not make the model read farther. Sinks are the positions 0 to "
            "S - 1, so it is not relative.",
            "它让生成可以一直进行下去，并不能让模型读得更远。注意力汇是位置 0 到 S - 1，所以它不是相对的。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.sinks, "sinks", least=0)
        require_count(self.window, "window")

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.window - 1, relative=self.sinks == 0)

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.streaming(queries, keys, self.sinks, self.window)
