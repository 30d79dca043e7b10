"""TUPE: positions meet positions, apart from the contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.rules import require_bool, require_count
from clockhands.catalogue.split_heads import SplitHeads
from clockhands.catalogue.untrained import untrained_tables
from clockhands.language import Text
from clockhands.memory import require_memory


@final
@dataclass(frozen=True, kw_only=True)
class TUPE(SplitHeads):
    """``(q . k + (p U_Q) . (p U_K)) / sqrt(2 d)`` plus a bias by distance. Ke et al. 2020.

    relative      add T5's bias of ``num_buckets`` buckets up to ``max_distance`` tokens (TUPE-R, else TUPE-A)
    untie_cls     scores of the token at position 0, from it and to it, are two learned numbers of each head

    >>> {name: table.shape for name, table in TUPE(d_model=8, num_heads=2, max_positions=5).tables().items()}
    {'positions': (5, 8), 'query': (2, 4, 8), 'key': (2, 4, 8)}
    """

    max_positions: int = 512
    relative: bool = False
    untie_cls: bool = False
    num_buckets: int = 32
    max_distance: int = 128
    seed: int = 0

    module: ClassVar[str] = "clockhands.schemes.tupe:UntiedPositions"
    card: ClassVar[Card] = Card(
        id="tupe",
        name="TUPE",
        title=Text("Untied positional encoding", "解绑的位置编码"),
        idea=Text(
            "Adding positions to words mixes four products, two of which pair words with positions. TUPE "
            "keeps the two that make sense: words meet words, and positions meet positions through maps of "
            "their own, which all layers share.",
            "把位置加到词上，点积里就混进四项，其中两项是词与位置相乘。TUPE 只留有意义的两项：词与词相乘，"
            "位置与位置相乘；位置用自己的映射，各层共用。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot k_n}{\sqrt{2d}} + \frac{(p_m U^Q) \cdot (p_n U^K)}{\sqrt{2d}}"
        r" + b_{n-m}",
        sources=(
            Source(
                authors="Ke, He, Liu",
                year=2020,
                title="Rethinking Positional Encoding in Language Pre-training",
                where="arXiv 2006.15595",
            ),
        ),
        used_by=(),
        traits=Traits(reads="positions", learned=True, max_position=512),
        differs=Text(
            "A learned table is added once to the tokens; here positions never touch them. The published "
            "code also norms the vectors and gives its maps biases, which the paper's formula has not.",
            "可学习位置编码在开头加到词元上；这里位置不碰词元。公开的代码还对位置向量做归一化，并给映射加了"
            "偏置，论文的公式里没有。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.max_positions, "max_positions", most=2**31)
        require_bool(self.relative, "relative")
        require_bool(self.untie_cls, "untie_cls")
        require_count(self.num_buckets, "num_buckets", least=4, most=1024, even=True)
        require_count(self.max_distance, "max_distance", least=self.num_buckets // 4 + 1)
        require_memory(Text("a table", "这张表"), (self.max_positions, self.d_model))

    @property
    def exceptions(self) -> Mapping[str, str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The first token scores all others alike where it is untied."""
        return {"sides": "position 0 is [CLS], which sees no order"} if self.untie_cls else {}

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, max_position=self.max_positions)

    def tables(self) -> dict[str, Array]:
        """What training sets, untrained, by name: ``positions`` ``(max_positions, d_model)``, the maps
        ``query`` and ``key`` ``(num_heads, head_dim, d_model)``, and where they are wanted ``buckets``
        ``(num_buckets, num_heads)`` and ``cls`` ``(2, num_heads)``, from it and to it, both logits.
        """
        maps = self.num_heads, self.head_dim, self.d_model
        shapes = {"positions": (self.max_positions, self.d_model), "query": maps, "key": maps}
        if self.relative:
            shapes["buckets"] = self.num_buckets, self.num_heads
        if self.untie_cls:
            shapes["cls"] = 2, self.num_heads
        return dict(zip(shapes, untrained_tables(self.seed, *shapes.values()), strict=True))
