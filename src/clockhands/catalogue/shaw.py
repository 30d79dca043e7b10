"""Shaw: a learned vector for each clipped distance, met by queries and added to values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.description import Array
from clockhands.catalogue.layerwise import Seeded
from clockhands.catalogue.rules import require_bool, require_count
from clockhands.catalogue.untrained import untrained_tables
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class Shaw(Seeded):
    """Keys and values get a vector for their distance, clipped to ``clip`` tokens. Shaw et al. 2018.

    clip       distances past it share the last vector, tokens
    on_values  values get vectors too; without, it is the relative attention of the Music Transformer,
               whose "skewing" is a faster way to the same logits

    >>> [table.shape for table in Shaw(head_dim=8, clip=2).tables()]
    [(5, 8), (5, 8)]
    """

    head_dim: int = 32
    clip: int = 16
    on_values: bool = True
    seed: int = 0

    aliases: ClassVar[dict[str, str]] = {"dim": "head_dim", "max_distance": "clip"}
    content_hooks: ClassVar[tuple[str, ...]] = ("bias",)
    other_hooks: ClassVar[tuple[str, ...]] = ("values",)
    module: ClassVar[str] = "clockhands.schemes.shaw:RelativeVectors"
    card: ClassVar[Card] = Card(
        id="shaw",
        name="Shaw",
        title=Text("Relative position vectors", "相对位置向量"),
        idea=Text(
            "Each distance up to a limit has a learned vector. A query meets the key plus that vector, and "
            "what it takes away is the value plus another one, so content decides how much a distance "
            "counts. All distances past the limit share one vector.",
            "限度之内的每个距离都有一个学出来的向量。查询遇到的是“键 + 该距离的向量”，"
            "取走的是“值 + 另一个向量”，所以某个距离有多重要由内容决定。超过限度的距离共用一个向量。",
        ),
        formula=r"s_{mn} = \frac{q_m \cdot (k_n + a^K_{\rho(n-m)})}{\sqrt{d}},\quad"
        r" o_m = \sum_n \alpha_{mn}\,(v_n + a^V_{\rho(n-m)}),\quad \rho(r) = \max(-c, \min(c, r))",
        sources=(
            Source(
                authors="Shaw, Uszkoreit, Vaswani",
                year=2018,
                title="Self-Attention with Relative Position Representations",
                where="arXiv 1803.02155",
            ),
            Source(
                authors="Huang, Vaswani, Uszkoreit, Shazeer, Simon, Hawthorne, Dai, Hoffman, Dinculescu, Eck",
                year=2018,
                title="Music Transformer: Generating Music with Long-Term Structure",
                where="arXiv 1809.04281",
            ),
        ),
        used_by=(
            Text("Music Transformer (keys only)", "Music Transformer（只用于键）"),
            Text("W2v-BERT 2.0 (keys only, 64 behind, 8 ahead)", "W2v-BERT 2.0（只用于键，向后 64、向前 8）"),
        ),
        traits=Traits(reads="positions", relative=True, horizon=16, learned=True),
        differs=Text(
            "T5 adds one number for each bucket, whatever the query says; here the query is multiplied with "
            "a whole vector. The paper has tables for each layer, shared by its heads.",
            "T5 给每个桶加一个数，与查询的内容无关；这里查询要与整个向量相乘。"
            "论文里每层各有一套向量，各头共用。",
        ),
    )

    def check(self) -> None:
        require_count(self.head_dim, "head_dim")
        require_count(self.clip, "clip", most=65536)
        require_bool(self.on_values, "on_values")
        require_count(self.seed, "seed", least=0, most=2**63 - 1)

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.clip)

    def tables(self) -> tuple[Array, ...]:
        """Of the keys and, ``on_values``, of the values; each ``(2 * clip + 1, head_dim)``, untrained.

        Row r is that of key position - query position = r - clip.
        """
        shape = 2 * self.clip + 1, self.head_dim
        return untrained_tables(self.seed, *[shape] * (2 if self.on_values else 1))
