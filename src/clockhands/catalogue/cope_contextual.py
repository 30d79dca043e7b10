"""CoPE: positions counted by gates that the model opens where it likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.layerwise import Layerwise, require_seed
from clockhands.catalogue.rules import require_count
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class CoPE(Layerwise):
    """``q_m . e[p_mn]`` on the logits, where ``p_mn`` counts gates. Golovneva et al. 2024 (arXiv 2405.18719).

    npos_max  rows of the learned table ``e``, which the heads of a layer share; counts stop at the last one

    >>> CoPE(npos_max=16).content_hooks
    ('bias',)
    """

    head_dim: int = 32
    npos_max: int = 64
    seed: int = 0

    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "max_pos": "npos_max"}
    module: ClassVar[str] = "clockhands.schemes.cope_contextual:ContextualPositions"
    card: ClassVar[Card] = Card(
        id="cope-contextual",
        name="CoPE (contextual)",
        title=Text("Contextual position encoding", "上下文位置编码"),
        idea=Text(
            "Not every token counts. For each query, a gate on every earlier key says how far it counts, "
            "from 0 to 1, and a key's position is the sum of the gates from it up to the query. So a head "
            "can count words, sentences or full stops instead of tokens.",
            "不是每个词元都算数。对每个查询，前面的每个键都有一个 0 到 1 的门，表示它算多少；键的位置就是从它"
            "到查询之间所有门的和。于是注意力头可以数词、数句子、数句号，而不是数词元。",
        ),
        formula=r"g_{mj} = \sigma(q_m \cdot k_j / \sqrt{d}),\quad p_{mn} = g_{mn} + \cdots + g_{mm},\quad"
        r" s_{mn} = q_m \cdot k_n / \sqrt{d} + q_m \cdot e[p_{mn}]",
        sources=(
            Source(
                authors="Golovneva, Wang, Weston, Sukhbaatar",
                year=2024,
                title="Contextual Position Encoding: Learning to Count What's Important",
                where="arXiv 2405.18719",
            ),
        ),
        used_by=(),
        traits=Traits(reads="content", relative=True, learned=True, bidirectional=False),
        differs=Text(
            "With all gates open the position is the distance plus one, and this is a learned vector for "
            "each distance. Between two rows of the table it goes in a straight line. As in the paper's "
            "code, the gates see the scaled scores and the table the plain query; the table starts near "
            "zero, not at it. Clipped RoPE is another CoPE.",
            "所有门都打开时，位置就是距离加一，等于给每个距离学一个向量。两行之间按直线内插。与论文的代码一"
            "致：门看的是缩放后的得分，位置表乘的是原来的查询；这里的表从接近零处开始，而不是恰好为零。“截"
            "断 RoPE”也叫 CoPE，与此无关。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim")
        require_count(self.npos_max, "npos_max", least=2)
        require_seed(self.seed)
