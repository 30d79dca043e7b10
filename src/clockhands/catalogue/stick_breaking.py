"""Stick-breaking attention: nearer keys take their share first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_bool
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class StickBreaking(Description):
    """Weights by breaking a stick instead of a softmax. Tan et al. 2024 (arXiv 2410.17980).

    attend_current  the query's own token is the first to take a share; in the paper it takes none. So named
                    in ``shawntan/stickbreaking-attention`` @ea69b8d

    >>> StickBreaking().traits.learned
    False
    """

    attend_current: bool = False

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    module: ClassVar[str] = "clockhands.schemes.stick_breaking:StickBreakingWeights"
    card: ClassVar[Card] = Card(
        id="stick-breaking",
        name="Stick-breaking",
        title=Text("Stick-breaking attention", "折棍注意力"),
        idea=Text(
            "A query starts with a whole stick and walks back through the text. Each key breaks off a "
            "share of what is left, as large as its score says; the next key gets its share of the rest. "
            "The nearest match wins, and order is known without any position.",
            "查询拿着一整根棍子，从近到远往回走。每个键按自己的得分，从剩下的部分里折走一段；"
            "再前面的键从余下的里面折。最近的匹配胜出，不需要任何位置信息就知道先后。",
        ),
        formula=r"A_{mn} = \sigma(z_{mn}) \prod_{n<l<m} (1 - \sigma(z_{ml})),\quad"
        r" z_{mn} = \frac{q_m \cdot k_n}{\sqrt{d}}",
        sources=(
            Source(
                authors="Tan, Yang, Courville, Panda, Shen",
                year=2024,
                title="Scaling Stick-Breaking Attention: An Efficient Implementation and In-depth Study",
                where="arXiv 2410.17980",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, bidirectional=False),
        differs=Text(
            "There is no softmax: a row of weights sums to 1 at most, what no key takes is left over, and "
            "the first token attends to nothing. The released model gives the rest to a learned vector of "
            "each head, which is left out here.",
            "这里没有 softmax：一行权重之和最多为 1，没有键要的部分就剩下，第一个词元谁也不看。"
            "发布的模型把剩余部分给了每个头的一个可学习向量，这里省去。",
        ),
    )

    def check(self) -> None:
        require_bool(self.attend_current, "attend_current")
