"""Which part of a sequence each rank holds under context parallelism, and where its tokens are.

The rule for all orders: a rank's positions are a slice of the positions of the whole. Ranks that count from 0
on their own, or all take the rows of the first document, are the public bugs that this guards against.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from clockhands.arrays import (
    Array,
    device_of,
    listed,
    namespace_of,
    require_whole,
    require_word,
    taken,
    whole_array,
    whole_row,
)
from clockhands.errors import ClockhandsError

Order = Literal["zigzag", "contiguous"]
"""``contiguous``: rank r holds the r-th part of each document. ``zigzag``: of twice as many parts it holds
the r-th from the front and the r-th from the back, so that under a causal mask all work equally hard."""


def shard_slots(
    length: int, rank: int, ranks: int, order: Order = "zigzag", *, like: Array | None = None
) -> Array:
    """The slots of one sequence of ``length`` that rank ``rank`` of ``ranks`` holds, in order; integers.

    Raises ClockhandsError where the length can't be cut into equal parts: pad it first.

    >>> shard_slots(8, 0, 2).tolist(), shard_slots(8, 1, 2).tolist()
    ([0, 1, 6, 7], [2, 3, 4, 5])
    """
    for value, name, least in ((length, "length", 0), (rank, "rank", 0), (ranks, "ranks", 1)):
        require_whole(value, name, least=least)
    require_word(order, "order", get_args(Order))
    parts = 2 * ranks if order == "zigzag" else ranks
    if not 0 <= rank < ranks or length % parts:
        raise ClockhandsError(
            f"{length} tokens can't be cut into {parts} equal parts for rank {rank} of {ranks}: "
            f"pad to a multiple of {parts}, and give a rank from 0 to {ranks - 1}",
            f"{length} 个词元不能等分为 {parts} 段（{ranks} 个进程中的第 {rank} 个）："
            f"请填充到 {parts} 的倍数，进程号应在 0 到 {ranks - 1} 之间",
        )
    xp = namespace_of(like)
    size = length // parts
    mine = (rank, parts - 1 - rank) if order == "zigzag" else (rank,)
    pieces = [
        xp.arange(part * size, (part + 1) * size, dtype=xp.int64, device=device_of(like)) for part in mine
    ]
    return xp.concat(pieces)


def packed_shard_slots(
    lengths: Sequence[int], rank: int, ranks: int, order: Order = "zigzag", *, like: Array | None = None
) -> Array:
    """The slots that a rank holds where each packed document is cut by itself; integers.

    lengths  tokens in each document, each of a length that can be cut (Megatron and Transformer Engine pad)

    >>> packed_shard_slots([4, 4], 0, 2).tolist()
    [0, 3, 4, 7]
    """
    xp = namespace_of(like)
    slots: list[Array] = [xp.zeros((0,), dtype=xp.int64, device=device_of(like))]
    start = 0
    sizes = whole_row(lengths, "lengths")
    for length in (int(sizes[document]) for document in range(sizes.shape[0])):
        slots.append(start + shard_slots(length, rank, ranks, order, like=like))
        start += length
    return xp.concat(slots)


def sharded(positions: Array, slots: Array) -> Array:
    """A rank's positions: the whole's, ``(..., t)``, at the slots it holds; ``(..., len(slots))``.

    >>> import numpy as np
    >>> sharded(np.asarray([0, 1, 2, 3, 0, 1, 2, 3]), packed_shard_slots([4, 4], 0, 2)).tolist()
    [0, 3, 0, 3]
    """
    return taken(whole_array(positions, "positions"), whole_row(slots, "slots"), "slots", axis=-1)


def gathered_order(slots_of_ranks: Sequence[Array]) -> Array:
    """How to put the ranks' tokens, one rank after another, back in order: ``(t,)`` integers.

    ``xp.take(xp.concat(parts), order)`` is the whole sequence. Raises ClockhandsError where a slot
    is held twice or by no rank.

    >>> gathered_order([shard_slots(8, 0, 2), shard_slots(8, 1, 2)]).tolist()
    [0, 1, 4, 5, 6, 7, 2, 3]
    """
    rows = [
        whole_row(slots, f"slots of rank {rank}")
        for rank, slots in enumerate(listed(slots_of_ranks, "slots of ranks"))
    ]
    xp = namespace_of(*rows)
    held = xp.concat([xp.astype(row, xp.int64) for row in rows]) if rows else xp.zeros(0, dtype=xp.int64)
    order = xp.argsort(held)
    every = xp.arange(held.shape[0], dtype=xp.int64, device=device_of(held))
    if not bool(xp.all(xp.take(held, order) == every)):
        raise ClockhandsError(
            f"the ranks' {held.shape[0]} slots are not each of 0 to {held.shape[0] - 1} once, so they "
            "make no whole: give the slots of every rank",
            f"各进程的 {held.shape[0]} 个 slots 并不是 0 到 {held.shape[0] - 1} 各一次，拼不成整体："
            "请给出每个进程的 slots",
        )
    return order
