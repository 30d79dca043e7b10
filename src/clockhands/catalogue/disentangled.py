"""What both DeBERTas share: a vector for each kind of distance, met by contents in both directions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from clockhands.catalogue.description import Array
from clockhands.catalogue.split_heads import SplitHeads
from clockhands.catalogue.untrained import untrained_tables
from clockhands.language import Text
from clockhands.memory import require_memory


class Disentangled(SplitHeads):
    """Content to content, content to position and position to content."""

    max_relative_positions: int

    module: ClassVar[str | None] = "clockhands.schemes.deberta:Disentangled"

    @property
    def num_vectors(self) -> int:
        """How many distances have a vector of their own."""
        raise NotImplementedError

    def require_vectors(self) -> None:
        """The rule for a table that memory can hold."""
        require_memory(Text("this table", "这张表"), (self.num_vectors, self.d_model))

    def rows(self) -> NDArray[np.int64]:
        """The row of the table for each distance from -max to max, which stand for all beyond."""
        raise NotImplementedError

    def tables(self) -> tuple[Array, ...]:
        """Vectors of distances ``(num_vectors, d_model)``; key and query maps ``(num_heads, head_dim,
        d_model)``; the query map's bias ``(num_heads, head_dim)``; all untrained.
        """
        heads, vectors = (self.num_heads, self.head_dim), (self.num_vectors, self.d_model)
        return untrained_tables(self.seed, vectors, (*heads, self.d_model), (*heads, self.d_model), heads)
