"""An encoding under examination, and one attention layer around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from clockhands.conformance.broken import LawBroken
from clockhands.core.attend import Attended, Placed, attend, enter
from clockhands.core.back_ends import BackEnd, Dense
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import CAUSAL, Visibility

REFERENCE: tuple[BackEnd, ...] = (Dense(),)


@dataclass(frozen=True)
class Sizes:
    """Of the attention layer; the encoding must be made for them.

    >>> Sizes().d_model
    32
    """

    num_heads: int = 4
    num_kv_heads: int = 2
    head_dim: int = 8

    @property
    def d_model(self) -> int:
        return self.num_heads * self.head_dim


USUAL = Sizes()


@dataclass(frozen=True)
class Subject:
    """What laws examine.

    factory  makes the encoding, for ``sizes``; called without arguments, often
    """

    factory: Callable[[], Encoding]
    sizes: Sizes = USUAL
    batch: int = 2
    length: int = 16

    def encoding(self, dtype: torch.dtype = torch.float64) -> Encoding:
        """A new one, whose parameters stand at a general point: a law must hold wherever training leads."""
        encoding = self.factory().to(torch.float64).eval()
        noise = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in encoding.parameters():
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=noise, dtype=parameter.dtype))
        return encoding.to(dtype)

    def tokens(self, encoding: Encoding, length: int | None = None, seed: int = 0) -> Tensor:
        """Random token embeddings ``(batch, length, token width)``, float64."""
        width = encoding.token_width(self.sizes.d_model)
        return _normal(seed, self.batch, self.length if length is None else length, width)

    def positions(self, encoding: Encoding, length: int | None = None, start: int = 0) -> Tensor:
        """``start, start + 1, …`` on each axis, ``(batch, length[, axes])``."""
        count = self.length if length is None else length
        return as_axes(encoding, torch.arange(start, start + count).expand(self.batch, count))

    def projections(self, num_kv_heads: int | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Fixed random weights for queries, keys and values, ``(d_model, heads * head_dim)``, float64."""
        h = self.sizes.num_heads
        hk = h if num_kv_heads is None else num_kv_heads
        width, hd = self.sizes.d_model, self.sizes.head_dim
        q, k, v = (_normal(seed, width, n * hd) * width**-0.5 for seed, n in ((11, h), (12, hk), (13, hk)))
        return q, k, v

    def heads(
        self, hidden: Tensor, projections: tuple[Tensor, Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of hidden states, ``(b, heads, t, hd)``."""
        weights = self.projections() if projections is None else projections
        made = (hidden @ weight.to(hidden.dtype) for weight in weights)
        q, k, v = (part.unflatten(-1, (-1, self.sizes.head_dim)).transpose(1, 2) for part in made)
        return q, k, v

    def enter(self, encoding: Encoding, x: Tensor, positions: Tensor) -> tuple[Tensor, tuple[Placed, ...]]:
        """Hidden states and tables; random places are drawn anew with the same seed each time."""
        generator = torch.Generator().manual_seed(3) if encoding.overrides("place") else None
        return enter([encoding], x, positions, generator=generator)

    def attend(
        self,
        encoding: Encoding,
        x: Tensor,
        positions: Tensor,
        *,
        visibility: Visibility = CAUSAL,
        cache: LayerCache | None = None,
        back_ends: Sequence[BackEnd] = REFERENCE,
    ) -> Attended:
        """One attention layer over token embeddings: output and weights, by the dense path unless told so."""
        hidden, (placed,) = self.enter(encoding, x, positions)
        q, k, v = self.heads(hidden)
        call = partial(attend, placed, q, k, v, visibility=visibility, x=hidden, cache=cache)
        return call(back_ends=back_ends, want_weights=back_ends is REFERENCE)

    def output(self, encoding: Encoding, x: Tensor, positions: Tensor, **how: object) -> Tensor:
        """Only the output, ``(b, h, t, hd)``."""
        return self.attend(encoding, x, positions, **how).output  # pyright: ignore[reportArgumentType] (passed on)

    def farthest(self, encoding: Encoding, wanted: int, length: int | None = None) -> int:
        """The start nearest to ``wanted`` from which ``length`` positions are still allowed."""
        last = encoding.traits.max_position
        count = self.length if length is None else length
        return wanted if last is None else max(0, min(wanted, last - count))


def as_axes(encoding: Encoding, positions: Tensor) -> Tensor:
    """Plain positions ``(b, t)`` on each axis that an encoding reads."""
    if encoding.axes is None:
        return positions
    return positions[..., None].expand(*positions.shape, encoding.axes)


def moved(positions: Tensor, start: int, steps: int, axis: int | None = None) -> Tensor:
    """A copy of positions, those from slot ``start`` on moved further by ``steps``, on one axis or all."""
    copy = positions.clone()
    tail = copy[:, start:] if axis is None else copy[:, start:, axis]
    tail += steps
    return copy


def require_same(got: Tensor, wanted: Tensor, en: str, zh: str, tolerance: float = 1e-9) -> None:
    """Refuse numbers that differ, or are not finite."""
    error = (got.double() - wanted.double()).abs().max().item() if got.numel() else 0.0
    if not error <= tolerance:  # NaN is refused too
        raise LawBroken(f"{en} (off by {error:.2g})", f"{zh}（相差 {error:.2g}）")


def require_different(got: Tensor, other: Tensor, en: str, zh: str, tolerance: float = 1e-9) -> None:
    """Refuse numbers that are the same."""
    if (got.double() - other.double()).abs().max().item() <= tolerance:
        raise LawBroken(en, zh)


def _normal(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
