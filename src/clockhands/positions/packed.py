"""Positions of several documents packed into one row."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from clockhands.arrays import Array, device_of, namespace_of, whole_array
from clockhands.errors import ClockhandsError


def from_lengths(lengths: Sequence[int] | Array) -> Array:
    """Positions that restart with each document, ``(sum(lengths),)`` integers.

    lengths  (documents,) tokens in each; a plain list gives a numpy array

    >>> from_lengths([3, 2]).tolist()
    [0, 1, 2, 0, 1]
    """
    sizes = whole_array(np.zeros(0, dtype=np.int64) if _is_empty(lengths) else lengths, "lengths")
    xp = namespace_of(sizes)
    if sizes.shape[0] and int(xp.min(sizes)) < 0:
        raise ClockhandsError(
            f"lengths contain {int(xp.min(sizes))}, but no document is shorter than nothing: use 0 or more",
            f"lengths 中有 {int(xp.min(sizes))}，但文档长度不能是负数：请用 0 或更大的数",
        )
    starts = xp.cumulative_sum(sizes) - sizes
    slots = xp.arange(int(xp.sum(sizes)), dtype=starts.dtype, device=device_of(sizes))
    return slots - xp.repeat(starts, sizes)


def from_documents(documents: Array) -> Array:
    """Positions that restart where the document changes, same shape as ``documents``, integers.

    documents  (b, t) or (t,) integers: which document each slot holds. Each run of equal numbers is one
               document, so a number that comes back later starts again at 0.

    >>> import numpy as np
    >>> from_documents(np.asarray([7, 7, 7, 9, 9])).tolist()
    [0, 1, 2, 0, 1]
    """
    documents = whole_array(documents, "documents")
    xp = namespace_of(documents)
    rows, length = prod(documents.shape[:-1]), documents.shape[-1]
    flat = xp.reshape(documents, (rows, length))
    begins = xp.concat([xp.ones_like(flat[:, :1]) != 0, flat[:, 1:] != flat[:, :-1]], axis=-1)
    # Numbered in reading order over all rows, runs are sorted, so a search finds where each one starts.
    run = xp.cumulative_sum(xp.reshape(xp.astype(begins, xp.int64), (-1,)))
    slots = xp.arange(rows * length, dtype=xp.int64, device=device_of(documents))
    return xp.reshape(slots - xp.astype(xp.searchsorted(run, run), xp.int64), documents.shape)


def from_cu_seqlens(cu_seqlens: Array) -> Array:
    """Positions that restart at each boundary, ``(cu_seqlens[-1],)`` integers.

    cu_seqlens  (documents + 1,) integers, 0 first: where each document starts, and where the last one ends,
                as kernels for variable lengths take it

    >>> import numpy as np
    >>> from_cu_seqlens(np.asarray([0, 3, 5])).tolist()
    [0, 1, 2, 0, 1]
    """
    return from_lengths(cu_seqlens[1:] - cu_seqlens[:-1])


def cu_seqlens_of(lengths: Sequence[int] | Array) -> Array:
    """Where each document starts, and where the last one ends: ``(documents + 1,)`` integers, 0 first.

    >>> cu_seqlens_of([3, 2]).tolist()
    [0, 3, 5]
    """
    sizes = lengths if hasattr(lengths, "shape") else np.asarray(lengths, dtype=np.int64)
    xp = namespace_of(sizes)
    start = xp.zeros((1,), dtype=xp.int64, device=device_of(sizes))
    return xp.concat([start, xp.cumulative_sum(xp.astype(sizes, xp.int64))])


def documents_of(cu_seqlens: Array) -> Array:
    """Which document each slot holds, ``(cu_seqlens[-1],)`` integers 0, 1, ...: what keeps attention apart.

    >>> import numpy as np
    >>> documents_of(np.asarray([0, 3, 5])).tolist()
    [0, 0, 0, 1, 1]
    """
    xp = namespace_of(cu_seqlens)
    sizes = cu_seqlens[1:] - cu_seqlens[:-1]
    numbers = xp.arange(sizes.shape[0], dtype=xp.int64, device=device_of(cu_seqlens))
    return xp.repeat(numbers, sizes)


def _is_empty(lengths: Sequence[int] | Array) -> bool:
    """An empty list, which says nothing of its type."""
    return isinstance(lengths, list | tuple) and not lengths
