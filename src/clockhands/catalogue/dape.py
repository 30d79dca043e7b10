"""DAPE: a small network looks at the scores and adapts the bias to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count, require_heads
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DAPE(Layerwise):
    """ALiBi's bias plus what an MLP over the heads makes of scores and bias. Zheng et al. 2024.

    mlp_width  hidden units of the MLP, which sees the scores and biases of all heads at one pair of tokens

    arXiv 2405.14722, in its DAPE-ALiBi form; sizes are those of ``chuanyang-Zheng/DAPE`` @bde344a.

    >>> DAPE().kernel_size
    1
    """

    num_heads: int = 8
    mlp_width: int = 32
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    aliases: ClassVar[dict[str, str]] = {"heads": "num_heads"}
    module: ClassVar[str] = "clockhands.schemes.dape:AdaptedBias"
    card: ClassVar[Card] = Card(
        id="dape",
        name="DAPE",
        title=Text("Data-adaptive positional encoding", "数据自适应位置编码"),
        idea=Text(
            "A fixed bias by distance is the same for every text. Here a small network sees, for each pair "
            "of tokens, the scores of all heads beside their biases, and adds a correction: the same "
            "distance can then count more or less, as the contents ask.",
            "按距离的固定偏置对任何文本都一样。这里对每一对词元，一个小网络同时看到所有头的得分和偏置，"
            "再加上一个修正：于是同样的距离可以更重要，也可以更不重要，由内容决定。",
        ),
        formula=r"s = \frac{QK^T}{\sqrt{d}} + B + \mathrm{MLP}([\,QK^T/\sqrt{d};\, B\,]),\quad"
        r" B_{h,mn} = -a_h\,(m - n)",
        sources=(
            Source(
                authors="Zheng, Gao, Shi, Huang, Li, Xiong, Ren, Ng, Jiang, Li, Li",
                year=2024,
                title="DAPE: Data-Adaptive Positional Encoding for Length Extrapolation",
                where="arXiv 2405.14722",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "With an MLP of zeros it is ALiBi. The paper also adapts KERPLE and FIRE; here ALiBi is adapted. "
            "Every head sees the scores of all heads, so no fused kernel can compute it.",
            "MLP 全为零时就是 ALiBi。论文还用于 KERPLE 和 FIRE；这里修正的是 ALiBi。每个头都要看所有头的得"
            "分，所以没有融合算子能计算它。",
        ),
    )

    @property
    def kernel_size(self) -> int:
        """Keys that the network sees at once: this one."""
        return 1

    def check(self) -> None:
        require_heads(self.num_heads)
        require_count(self.mlp_width, "mlp_width")
        require_seed(self.seed)
