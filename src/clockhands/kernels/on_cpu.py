"""Queries and keys turned together on the CPU, shared out among as many threads as torch uses.

Threads are started for each call: those of OpenMP would be a second crowd beside torch's own, waiting at full
speed, and a process that has used them can't fork. It takes a few hundredths of a millisecond, so that only
tensors of some size are shared out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from clockhands.formulas.layouts import Layout
from clockhands.kernels import loops
from clockhands.kernels.heads import Turn
from clockhands.language import Text

BYTES_A_THREAD = 2 * 2**20
"""Memory that a thread must have to read, at least, to be worth starting."""
PAST_CACHE = 32 * 2**20
"""Results of this many bytes are written past the cache, which would not hold them anyway."""


def refusal(turns: Sequence[Turn], layout: Layout) -> Text | None:
    """Why the loops can't do it, None if they can."""
    if loops.REASON is not None:
        return Text(f"numba can't be imported ({loops.REASON})", f"无法导入 numba（{loops.REASON}）")
    for x, out in turns:
        if (str(x.dtype).removeprefix("torch."), layout) not in loops.LOOPS:
            return Text(f"there is no loop for {x.dtype}", f"没有适用于 {x.dtype} 的循环")
        if any(part.shape[-1] > 1 and part.stride(-1) != 1 for part in (x, out)):
            return Text("the numbers of a head don't lie side by side", "同一个头的数在内存里不相邻")
    return None


def turn(turns: Sequence[Turn], cos: Tensor, sin: Tensor, layout: Layout, start: int) -> None:
    """Turn dimensions ``start`` to ``start + 2 * pairs`` of each head; the others are carried over.

    cos, sin  ``(b or 1, t, pairs)``, float64 for float64 heads and else float32
    """
    # Sine and cosine are read with the same steps.
    cos, sin = cos.contiguous(), sin.contiguous()
    size = sum(each.x.numel() * each.x.element_size() for each in turns)
    far = size >= PAST_CACHE
    shares = [_Work.of(each, cos, sin, layout, start, far) for each in turns if each.x.numel()]
    rows = sum(work.rows for work in shares)
    threads = max(1, min(torch.get_num_threads(), size // BYTES_A_THREAD))
    parts = [_part(shares, rows * n // threads, rows * (n + 1) // threads) for n in range(threads)]
    others = [threading.Thread(target=_run, args=(part,)) for part in parts[1:]]
    for other in others:
        other.start()
    _run(parts[0] if parts else [])
    for other in others:
        other.join()


class _Work(NamedTuple):
    """What a loop must know of one tensor; see ``loops.rows``."""

    loop: Callable[..., None]
    addresses: tuple[int, int, int, int]
    sizes: tuple[int, int, int, int, int, int]
    steps: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    far: bool
    rows: int

    @classmethod
    def of(cls, each: Turn, cos: Tensor, sin: Tensor, layout: Layout, start: int, far: bool) -> _Work:
        x, out = each
        size, wide, pairs = x.element_size(), cos.element_size(), cos.shape[-1]
        steps = (
            tuple(size * step for step in x.stride()[:3]),
            tuple(size * step for step in out.stride()[:3]),
            (wide * cos.stride(0) if len(cos) > 1 else 0, 0, wide * cos.stride(1)),
        )  # fmt: skip
        # Rows are taken as they lie in memory, whether heads or tokens come first there.
        order = sorted(range(3), key=lambda axis: -steps[0][axis])
        _, middle, inner = (x.shape[axis] for axis in order)
        ordered = [tuple(step[axis] for axis in order) for step in steps]
        turned = 2 * pairs * size
        sizes = (middle, inner, pairs, start * size, turned, x.shape[-1] * size - start * size - turned)
        addresses = x.data_ptr(), out.data_ptr(), cos.data_ptr(), sin.data_ptr()
        kind = str(x.dtype).removeprefix("torch."), layout
        loop = loops.LOOPS[kind]
        # Vectors can go past the cache only where each lies at a multiple of its size, or of a line's: that
        # is where torch puts large tensors, and no farther.
        vector = min(loops.LINE, loops.at_once(*kind) * size * (2 if layout == "interleaved" else 1))
        apart = x.data_ptr() != out.data_ptr()
        gap = 0 if layout == "interleaved" else pairs * size
        places = (out.data_ptr(), *ordered[1], start * size, gap)
        far = far and apart and not any(place % vector for place in places)
        return cls(loop, addresses, sizes, (ordered[0], ordered[1], ordered[2]), far, x[..., 0].numel())


def _part(shares: Sequence[_Work], first: int, last: int) -> list[tuple[_Work, int, int]]:
    """The rows from ``first`` to ``last`` of all tensors one after the other."""
    part: list[tuple[_Work, int, int]] = []
    for work in shares:
        begin, end = max(first, 0), min(last, work.rows)
        if begin < end:
            part.append((work, begin, end))
        first, last = first - work.rows, last - work.rows
    return part


def _run(part: Sequence[tuple[_Work, int, int]]) -> None:
    for work, first, last in part:
        work.loop(*work.addresses, work.sizes, work.steps, work.far, first, last)
