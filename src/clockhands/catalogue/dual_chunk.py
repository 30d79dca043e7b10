"""Dual chunk attention: places count within chunks, so that no distance passes the trained length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

from clockhands import formulas
from clockhands.arrays import Array as AnyArray
from clockhands.catalogue.card import Card, Source, Traits
from clockhands.catalogue.remapped import Remapped, require_less
from clockhands.catalogue.rules import require_count
from clockhands.formulas.remaps import Leg
from clockhands.language import Text


@final
@dataclass(frozen=True, kw_only=True)
class DualChunk(Remapped):
    """RoPE with places inside chunks: exact in one, nearly so across a border, ``L - 1`` for farther chunks.

    original_max_position_embeddings  L, the length that the model was trained with, tokens
    chunk_size                        tokens in a chunk, three quarters of L by default

    >>> import numpy as np
    >>> chunks = DualChunk(original_max_position_embeddings=10, chunk_size=6)
    >>> chunks.distance_map(np.asarray([6]), np.arange(7)).tolist()
    [[6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]
    """

    original_max_position_embeddings: int = 48
    chunk_size: int | None = None

    card: ClassVar[Card] = Card(
        id="dual-chunk",
        name="Dual chunk",
        title=Text("Dual chunk attention", "双块注意力"),
        idea=Text(
            "The text is cut into chunks shorter than the trained length, and keys count their place within "
            "their chunk. A query looks into its own chunk at exact distances, into the chunk before it as "
            "if that joined on, and into all others from the last trained position.",
            "把文本切成比训练长度短的块，键的位置在块内计数。查询看自己的块时距离是精确的，"
            "看前一块时就像两块首尾相接，看更早的块时一律站在训练过的最后一个位置上。",
        ),
        formula=r"\rho = p_m - (n\,\mathrm{mod}\,c),\quad p_m = m\,\mathrm{mod}\,c;\;"
        r" \min(m\,\mathrm{mod}\,c + c,\,L-1);\; L-1",
        sources=(
            Source(
                authors="An, Huang, Zhang, Gong, Qiu, Zhou, Kong",
                year=2024,
                title="Training-Free Long-Context Scaling of Large Language Models",
                where="arXiv 2402.17463",
            ),
        ),
        used_by=("ChunkLlama", "Qwen2.5-1M"),
        traits=Traits(horizon=36, bidirectional=False),
        differs=Text(
            "Not relative: where a chunk ends decides. Tokens at one place of two far chunks look alike. The "
            "published code caps places at 3/4 L, not at L - 1, with chunks of 3/4 L - L/16.",
            "它不是相对的：块的边界在哪里会影响结果。两个远处块里位置相同的词元看起来一样。"
            "公开的代码把位置封顶在 3/4 L 而不是 L - 1，块长为 3/4 L - L/16。",
        ),
    )

    def check(self) -> None:
        super().check()
        require_count(self.original_max_position_embeddings, "original_max_position_embeddings", least=2)
        require_count(self.chunk, "chunk_size")
        require_less("chunk_size", self.chunk, "original_max_position_embeddings", self.length)

    @property
    def length(self) -> int:
        """The trained length, tokens."""
        return self.original_max_position_embeddings

    @property
    def chunk(self) -> int:
        """Tokens in a chunk."""
        return self.length * 3 // 4 if self.chunk_size is None else self.chunk_size

    @property
    def traits(self) -> Traits:
        return replace(self.card.traits, horizon=self.chunk)

    def legs(self, queries: AnyArray, keys: AnyArray) -> tuple[Leg, ...]:
        return formulas.dual_chunk(queries, keys, self.chunk, self.length)
