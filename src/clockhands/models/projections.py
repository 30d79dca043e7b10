"""Queries, keys and values of hidden states, attended by the core."""

from __future__ import annotations

from torch import Tensor, nn

from clockhands.catalogue.rules import require_count, require_real
from clockhands.core.attend import Attended, Placed, attend
from clockhands.core.cache import LayerCache
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.kernels import TURNERS
from clockhands.language import Text
from clockhands.memory import require_memory


class SelfAttention(nn.Module):
    """The linear maps around one attention layer; what happens between them is ``core.attend``.

    dim       width of the hidden states
    heads     query heads, dividing ``dim``
    kv_heads  key and value heads, dividing ``heads``; None: as many (fewer: grouped-query attention)
    dropout   probability that a weight is dropped while training

    Raises ClockhandsError for sizes that don't fit, or that this machine has no memory for.
    """

    def __init__(self, dim: int, heads: int, kv_heads: int | None = None, dropout: float = 0.0):
        super().__init__()
        self.heads, self.kv_heads = heads, heads if kv_heads is None else kv_heads
        self.head_dim = head_dim_of(dim, heads, self.kv_heads)
        require_real(dropout, "dropout", least=0.0, most=1.0)
        self.dropout = dropout
        weights = 2 * dim * self.head_dim * (heads + self.kv_heads)
        require_memory(Text("this attention layer", "这个注意力层"), (weights,), bytes_each=4)
        self.query = nn.Linear(dim, heads * self.head_dim)
        self.key = nn.Linear(dim, self.kv_heads * self.head_dim)
        self.value = nn.Linear(dim, self.kv_heads * self.head_dim)
        self.output = nn.Linear(heads * self.head_dim, dim)

    def forward(
        self,
        x: Tensor,
        placed: Placed,
        visibility: Visibility,
        cache: LayerCache | None = None,
        want_weights: bool = False,
    ) -> Attended:
        """``(b, t, dim)`` -> output ``(b, t, dim)``, and weights ``(b, h, tq, tk)`` if wanted."""
        mixed, weights = self.mixed(x, placed, visibility, cache, want_weights)
        return Attended(self.output(mixed), weights)

    def mixed(
        self,
        x: Tensor,
        placed: Placed,
        visibility: Visibility,
        cache: LayerCache | None = None,
        want_weights: bool = False,
    ) -> Attended:
        """The same before the last linear map: ``(b, t, heads * hd)``."""
        q, k, v = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        mixed, weights = attend(
            placed, q, k, v, visibility=visibility, x=x, cache=cache,
            dropout=self.dropout if self.training else 0.0, turners=TURNERS, want_weights=want_weights,
        )  # fmt: skip
        return Attended(mixed.transpose(1, 2).flatten(2), weights)

    def _split(self, projected: Tensor) -> Tensor:
        """``(b, t, heads * hd)`` -> ``(b, heads, t, hd)``."""
        return projected.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)


def head_dim_of(dim: int, heads: int, kv_heads: int) -> int:
    """Width of one head. Raises ClockhandsError unless heads divide dim and kv_heads divide heads.

    >>> head_dim_of(64, 4, 2)
    16
    """
    for value, name in ((dim, "dim"), (heads, "heads"), (kv_heads, "kv_heads")):
        require_count(value, name)
    if dim % heads:
        raise ClockhandsError(
            f"dim is {dim} and heads is {heads}: heads must divide dim, e.g. dim {_next(dim, heads)}",
            f"dim 为 {dim}，heads 为 {heads}：heads 必须整除 dim，例如把 dim 改成 {_next(dim, heads)}",
        )
    if heads % kv_heads:
        raise ClockhandsError(
            f"heads is {heads} and kv_heads is {kv_heads}: kv_heads must divide heads",
            f"heads 为 {heads}，kv_heads 为 {kv_heads}：kv_heads 必须整除 heads",
        )
    return dim // heads


def _next(dim: int, heads: int) -> int:
    """The next larger multiple of heads."""
    return (dim // heads + 1) * heads
