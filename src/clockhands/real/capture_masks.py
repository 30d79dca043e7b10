"""Masks and biases of transformers kept as rules, so that no map of n² cells is made for them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Whole = NDArray[np.int64]


class Rule:
    """What the mask interface is asked for, answered row by row. Passes through a model as its mask.

    dense  the whole mask, additive, where a model does arithmetic with it
    """

    def __init__(self, asked: dict[str, Any]):
        self.asked = asked
        self.ndim = 4
        self.shape = (asked["batch_size"], 1, asked["q_length"], asked["kv_length"])

    def tile(self, first: int, last: int) -> Tensor:
        """``(b, 1, last - first, keys)`` bool, True where a query may look."""
        from transformers.masking_utils import sdpa_mask

        asked = dict(self.asked)
        offset = asked.pop("q_offset", 0)
        made = sdpa_mask(**{
            **asked, "q_length": last - first, "q_offset": offset + first,
            "allow_is_causal_skip": False, "allow_is_bidirectional_skip": False,
        })  # fmt: skip
        assert made is not None
        return made


class Given:
    """A mask that a model made itself, ``(b, 1 or h, tq or 1, keys)``: bool, or added to the scores.

    What it adds without hiding, as ALiBi in a mask does, is ``added``.
    """

    def __init__(self, mask: Tensor):
        self.shape = mask.shape
        if mask.dtype == torch.bool:
            self.allowed, self.added = mask, None
        else:
            self.allowed = mask > torch.finfo(mask.dtype).min / 2
            left = torch.where(self.allowed, mask, 0.0)
            self.added = left if bool((left != 0).any()) else None

    def tile(self, first: int, last: int) -> Tensor:
        return self.allowed if self.allowed.shape[2] == 1 else self.allowed[:, :, first:last]


class Everything:
    """No mask: all keys, or those up to the query's own place."""

    def __init__(self, queries: int, keys: int, causal: bool):
        self.queries, self.keys, self.causal = queries, keys, causal

    def tile(self, first: int, last: int) -> Tensor:
        made = torch.ones(last - first, self.keys, dtype=torch.bool)
        return (made.tril(first + self.keys - self.queries) if self.causal else made)[None, None]


Mask = Rule | Given | Everything


class Distances:
    """A bias that only distances decide, ``(h, tq + tk - 1)`` from the farthest key ahead to that behind.

    Stands for T5's ``(1, h, tq, tk)`` while it goes through the model.
    """

    def __init__(self, line: Tensor, queries: int, keys: int):
        self.line, self.queries, self.keys = line, queries, keys

    def tile(self, first: int, last: int) -> Tensor:
        """``(1, h, last - first, keys)``."""
        distance = torch.arange(first, last)[:, None] - torch.arange(self.keys)
        return self.line[:, distance + self.keys - 1][None]


@dataclass(frozen=True)
class OneSees:
    """What one text of a batch may see, for ``analysis``."""

    mask: Mask
    row: int

    def rows(self, queries: Whole) -> NDArray[np.bool_]:
        """``(queries, keys)``, True where a query may look."""
        return np.concatenate([self._tile(first, last) for first, last in runs(queries)])

    def _tile(self, first: int, last: int) -> NDArray[np.bool_]:
        made = self.mask.tile(first, last)
        one = made[min(self.row, len(made) - 1), 0].expand(last - first, -1)
        return one.cpu().numpy()


@dataclass(frozen=True)
class OneAdds:
    """What is added to the scores of one text of a batch."""

    parts: tuple[Tensor | Distances, ...]
    row: int

    def rows(self, head: int, queries: Whole) -> NDArray[Any]:
        """``(queries, keys)``, or ``(1, keys)`` where all queries are alike."""
        made = [
            np.concatenate([_one(each, self.row, head, *run) for run in runs(queries)]) for each in self.parts
        ]
        return sum(made[1:], made[0])


def _one(part: Tensor | Distances, row: int, head: int, first: int, last: int) -> NDArray[Any]:
    made = tile_of(part, first, last)
    one = made[min(row, made.shape[0] - 1), min(head, made.shape[1] - 1)]
    return one.expand(last - first, -1).float().cpu().numpy()


def tile_of(part: Tensor | Distances, first: int, last: int) -> Tensor:
    """``(b or 1, h or 1, last - first or 1, keys)`` of a bias."""
    if isinstance(part, Distances):
        return part.tile(first, last)
    return part if part.shape[2] == 1 else part[:, :, first:last]


def runs(queries: Whole) -> list[tuple[int, int]]:
    """Ascending places as runs ``(first, last + 1)`` of neighbours.

    >>> runs(np.array([0, 1, 2, 7, 9, 10]))
    [(0, 3), (7, 8), (9, 11)]
    """
    breaks = np.flatnonzero(np.diff(queries) != 1) + 1
    return [(int(part[0]), int(part[-1]) + 1) for part in np.split(np.asarray(queries), breaks) if len(part)]


def rule(*args: Any, **kwargs: Any) -> Rule:
    """What the mask interface calls in place of one that makes masks."""
    from transformers.masking_utils import eager_mask

    names = list(inspect.signature(eager_mask).parameters)
    return Rule({**dict(zip(names, args, strict=False)), **kwargs})


def whole(*args: Any, **kwargs: Any) -> Tensor | None:
    """The same for models that compute with their masks: the additive mask of all rows."""
    from transformers.masking_utils import eager_mask

    return eager_mask(*args, **{**kwargs, "allow_is_bidirectional_skip": False})


def mask_of(given: Any, queries: int, keys: int, causal: bool) -> Mask:
    """A mask as it came to attention."""
    if isinstance(given, Rule):
        return given
    if isinstance(given, Tensor):
        return Given(
            given if given.ndim == 4 else given[:, None, None] if given.ndim == 2 else given[:, None]
        )
    return Everything(queries, keys, causal and queries > 1)
