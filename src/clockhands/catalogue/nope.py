"""No positional encoding: the causal mask alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Description
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class NoPE(Description):
    """Nothing is added, turned or biased. Kazemnejad et al. 2023 (arXiv 2305.19466).

    >>> NoPE().touches()
    ()
    """

    module: ClassVar[str] = "clockhands.schemes.nope:Nothing"
    card: ClassVar[Card] = Card(
        id="nope",
        name="NoPE",
        title=Text("No positional encoding", "无位置编码"),
        idea=Text(
            "Nothing tells the model where a token is: scores come from the contents alone and do not depend "
            "on position at all. Under a causal mask a token can still see only those before it, and layers "
            "can build order out of that; without the mask, shuffled words give shuffled outputs.",
            "模型得不到任何位置信息：得分只由内容算出，完全不随位置变化。有因果掩码时，每个词元仍然只能看到它"
            "前面的词元，各层可以由此推出顺序；没有掩码时，打乱句子只会让输出跟着打乱。",
        ),
        formula=r"s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d}}",
        sources=(
            Source(
                authors="Haviv, Ram, Press, Izsak, Levy",
                year=2022,
                title="Transformer Language Models without Positional Encodings "
                "Still Learn Positional Information",
                where="arXiv 2203.16634",
            ),
            Source(
                authors="Kazemnejad, Padhi, Natesan Ramamurthy, Das, Reddy",
                year=2023,
                title="The Impact of Positional Encoding on Length Generalization in Transformers",
                where="arXiv 2305.19466",
            ),
        ),
        used_by=(
            Text("SmolLM3 (every fourth layer)", "SmolLM3（每四层一层）"),
            Text("Llama 4 (every fourth layer)", "Llama 4（每四层一层）"),
            "Kimi Linear",
            "Jamba",
        ),
        traits=Traits(reads="nothing", relative=True),
        differs=Text(
            "Every other scheme tells the model more than this one, so it is the baseline "
            "of every comparison.",
            "其他方案给模型的信息都比它多，所以它是所有比较的基准。",
        ),
    )
