"""Positions of several documents packed into one row."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from clockhands.arrays import Array, device_of, namespace_of, require_whole, whole_array, whole_row
from clockhands.errors import ClockhandsError, shown


def from_lengths(lengths: Sequence[int] | Array) -> Array:
    """Positions that restart with each document, ``(sum(lengths),)`` integers.

    lengths  (documents,) tokens in each; a plain list gives a numpy array

    >>> from_lengths([3, 2]).tolist()
    [0, 1, 2, 0, 1]
    """
    sizes = _sizes(lengths)
    xp = namespace_of(sizes)
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
    return from_lengths(_between(cu_seqlens))


def cu_seqlens_of(lengths: Sequence[int] | Array) -> Array:
    """Where each document starts, and where the last one ends: ``(documents + 1,)`` integers, 0 first.

    >>> cu_seqlens_of([3, 2]).tolist()
    [0, 3, 5]
    """
    sizes = _sizes(lengths)
    xp = namespace_of(sizes)
    start = xp.zeros((1,), dtype=xp.int64, device=device_of(sizes))
    return xp.concat([start, xp.cumulative_sum(xp.astype(sizes, xp.int64))])


def documents_of(cu_seqlens: Array) -> Array:
    """Which document each slot holds, ``(cu_seqlens[-1],)`` integers 0, 1, ...: what keeps attention apart.

    >>> import numpy as np
    >>> documents_of(np.asarray([0, 3, 5])).tolist()
    [0, 0, 0, 1, 1]
    """
    sizes = _between(cu_seqlens)
    xp = namespace_of(sizes)
    numbers = xp.arange(sizes.shape[0], dtype=xp.int64, device=device_of(sizes))
    return xp.repeat(numbers, sizes)


def _sizes(lengths: Sequence[int] | Array) -> Array:
    """Tokens of each document, ``(documents,)`` integers, none below 0, all together no more than LARGEST."""
    sizes = whole_row(lengths, "lengths")
    xp = namespace_of(sizes)
    if sizes.shape[0] and int(xp.min(sizes)) < 0:
        raise ClockhandsError(
            f"lengths contain {int(xp.min(sizes))}, but no document is shorter than nothing: use 0 or more",
            f"lengths 中有 {int(xp.min(sizes))}，但文档长度不能是负数：请用 0 或更大的数",
        )
    sizes = xp.astype(sizes, xp.int64)
    require_whole(int(xp.sum(sizes)), "the sum of lengths")
    return sizes


def _between(cu_seqlens: Array) -> Array:
    """How far it is from each boundary to the next, ``(documents,)`` integers."""
    boundaries = whole_row(cu_seqlens, "cu_seqlens")
    xp = namespace_of(boundaries)
    boundaries = xp.astype(boundaries, xp.int64)
    sizes = boundaries[1:] - boundaries[:-1]
    if not boundaries.shape[0] or int(boundaries[0]) or (sizes.shape[0] and int(xp.min(sizes)) < 0):
        raise ClockhandsError(
            f"cu_seqlens are {shown(boundaries)}, but they must begin with 0 and never fall: "
            "make them of lengths with cu_seqlens_of",
            f"cu_seqlens 为 {shown(boundaries)}，但它必须从 0 开始、只增不减：请用 cu_seqlens_of 由长度算出",
        )
    return sizes
