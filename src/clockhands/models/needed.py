"""Which tokens of a batch have to be computed, where only some are asked for."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Needed(NamedTuple):
    """Some of the tokens ``(b, t)``, as rows of a matrix: linear maps, norms and MLPs work on those alone.

    rows    ``(n,)`` int64: where they are among the ``b * t``; None: they are all there are
    source  ``(b * t,)`` int64: which of the n stands in each slot. In the slot of a token that is left out
            stands one before it, so that numbers there are ordinary ones; nothing that is asked for sees them
    shape   ``(b, t)``
    asked   ``(m,)`` int64: which of the n are asked for; None: all of them
    """

    rows: Tensor | None
    source: Tensor
    shape: tuple[int, int]
    asked: Tensor | None

    def taken(self, x: Tensor) -> Tensor:
        """``(b, t, dim)`` -> ``(n, dim)``"""
        flat = x.flatten(0, 1)
        return flat if self.rows is None else flat.index_select(0, self.rows)

    def spread(self, x: Tensor) -> Tensor:
        """``(n, dim)`` -> ``(b, t, dim)``"""
        return (x if self.rows is None else x.index_select(0, self.source)).unflatten(0, self.shape)

    def answers(self, x: Tensor) -> Tensor:
        """``(n, dim)`` -> ``(m, dim)``"""
        return x if self.asked is None else x.index_select(0, self.asked)


def needed_for(asked: Tensor, valid: Tensor | None, *, causal: bool) -> Needed:
    """What the tokens that are asked for, ``(b, t)`` bool, hang on.

    Of a decoder those are they and all before them; of an encoder all that are no padding (``valid``).

    >>> needed_for(torch.tensor([[False, True, False]]), None, causal=True).rows
    tensor([0, 1])
    """
    b, t = asked.shape
    if causal:
        seen = asked.flip(1).cummax(dim=1).values.flip(1)
    else:
        seen = torch.ones_like(asked) if valid is None else valid | asked
    flat, wanted = seen.flatten(), asked.flatten()
    rows = None if bool(flat.all()) else flat.nonzero()[:, 0]
    source = (flat.cumsum(0) - 1).clamp(min=0)
    among = wanted if rows is None else wanted[rows]
    return Needed(rows, source, (b, t), None if bool(among.all()) else among.nonzero()[:, 0])
