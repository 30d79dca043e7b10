"""Randomised positions: a sorted sample of a much longer range."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.drawn_places import DrawnPlaces
from clockhands.catalogue.rules import require_choice, require_count
from clockhands.errors import ClockhandsError
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Randomised(DrawnPlaces):
    """The sinusoid at a sorted sample of 0 ... max_length - 1, drawn without replacement for each text.

    at_test  ``plain``: positions as they are once training is over; ``random``: drawn then, too, as the
             authors do

    >>> import numpy as np
    >>> Randomised(d_model=4).table(np.arange(2)).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """

    max_length: int = 2048
    at_test: Literal["plain", "random"] = "plain"

    module: ClassVar[str] = "clockhands.schemes.drawn_places:SampledPlaces"
    card: ClassVar[Card] = Card(
        id="randomised",
        name="Randomised",
        title=Text("Randomised positions", "随机抽取的位置"),
        idea=Text(
            "Only the order of tokens matters, not where they stand. So a text of length T is given T "
            "positions drawn from a range far longer than any text in training, in rising order. All "
            "positions of that range are met in training, and longer texts bring no position never seen.",
            "要紧的只是词元的先后，不是它们站在哪里。所以长度为 T 的文本，"
            "从一个比训练文本长得多的范围里抽出 T 个位置，从小到大排好。"
            "这个范围里的位置训练时都会遇到，更长的文本也就不会出现没见过的位置。",
        ),
        formula=r"P_j = \mathrm{PE}(p_{(j)}),\quad \{p\} \subset \{0, \ldots, L-1\},\quad"
        r" E[p_{(j)}] = \frac{(j+1)(L+1)}{T+1} - 1",
        sources=(
            Source(
                authors="Ruoss, Delétang, Genewein, Grau-Moya, Csordás, Bennani, Legg, Veness",
                year=2023,
                title="Randomized Positional Encodings Boost Length Generalization of Transformers",
                where="arXiv 2305.16843",
            ),
        ),
        used_by=(),
        traits=Traits(),
        differs=Text(
            "The paper randomises any encoding; here it is the sinusoid. It draws one sample for a whole "
            "batch, here each text has its own; and it draws at test time too, which a cache can't follow.",
            "论文可以把任何编码随机化，这里用的是正弦编码。论文整批文本共用一次抽样，这里每段文本各抽一次；"
            "论文测试时也抽样，那样就不能配合 KV 缓存。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.max_length, "max_length")
        require_choice(self.at_test, "at_test", ("plain", "random"))

    @property
    def exceptions(self) -> dict[str, str]:
        """With places drawn anew in each call, calls that must agree can't."""
        if self.at_test == "plain":
            return {}
        laws = ("gap", "decode", "rows", "padding", "packed", "one-graph")
        return dict.fromkeys(laws, "places are drawn anew in each call")

    @property
    def traits(self) -> Traits:
        always = self.at_test == "random"
        return replace(self.card.traits, max_position=self.max_length if always else None)

    def moved(self, positions: Any, drawn: Any) -> Any:
        count = int(positions.max()) + 1
        if count > self.max_length or int(positions.min()) < 0:
            raise ClockhandsError(
                f"position {count - 1} needs a sample of {count}, but max_length is {self.max_length}: "
                "use fewer positions, from 0, or a larger max_length",
                f"位置 {count - 1} 需要抽出 {count} 个数，而 max_length 是 {self.max_length}："
                "请减少位置数（从 0 开始），或加大 max_length",
            )
        return formulas.sampled_places(positions, drawn, count)
