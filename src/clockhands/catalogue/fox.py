"""FoX: each token says how much of the past is to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

from clockhands import formulas
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.gated import Gated
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class FoX(Gated):
    """``sum of ln f_l`` over the tokens after the key up to the query, ``f = sigmoid(w_h . x + b_h)``.

    Lin et al. 2025 (arXiv 2503.02130).

    >>> FoX(d_model=32, num_heads=4).weights().shape
    (4, 32)
    """

    card: ClassVar[Card] = Card(
        id="fox",
        name="FoX",
        title=Text("Forgetting attention", "遗忘注意力"),
        idea=Text(
            "Each token has a forget gate between 0 and 1 in each head. What stands before it counts for "
            "that much less from then on, so the penalty between a key and a query is the sum of what all "
            "tokens after the key forget. A full stop may wipe the slate, a comma may not.",
            "每个词元在每个头里有一个 0 到 1 之间的遗忘门：从它开始，前面的内容就按这个比例变淡。"
            "键和查询之间的惩罚，就是键之后所有词元遗忘量的总和。句号可以清空前文，逗号则不必。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}} + \sum_{l=n+1}^{m} \ln f_l,\quad"
        r" f_l = \sigma(w_h \cdot x_l + b_h)",
        sources=(
            Source(
                authors="Lin, Nikishin, He, Courville",
                year=2025,
                title="Forgetting Transformer: Softmax Attention with a Forget Gate",
                where="arXiv 2503.02130",
            ),
        ),
        used_by=("FoX",),
        traits=Traits(reads="content", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "ALiBi in which every token has its own step: a constant gate is ALiBi, a gate of 1 no position "
            "at all. It counts tokens, not positions, and padding counts for nothing. The models can add "
            "RoPE, normalised queries and keys, and output gates; here only the bias is taken.",
            "相当于每个词元步长各不相同的 ALiBi：门为常数就是 ALiBi，门为 1 就完全没有位置信息。"
            "它数的是词元而不是位置，填充不计在内。原模型还可以加上 RoPE、查询和键的归一化以及输出门；"
            "这里只取偏置。",
        ),
    )

    def steps(self, gates: Any) -> Any:
        return formulas.fox_steps(gates)
