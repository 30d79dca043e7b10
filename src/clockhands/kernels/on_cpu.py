"""Queries and keys turned together on the CPU, shared out among as many threads as torch uses.

To wake them takes some hundredths of a millisecond, so that only tensors of some size are shared out.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from clockhands.formulas.layouts import Layout
from clockhands.kernels import loops
from clockhands.kernels.heads import Turn
from clockhands.kernels.work import Work
from clockhands.language import Text

BYTES_A_THREAD = 2 * 2**20
"""Memory to read for each of two threads, at least, to be worth waking them, and for each new one."""
PAST_CACHE = 32 * 2**20
"""Results of this many bytes are written past the cache, which would not hold them anyway."""


def refusal(turns: Sequence[Turn], layout: Layout) -> Text | None:
    """Why the loops can't do it, None if they can."""
    if loops.REASON is not None:
        return Text(f"numba can't be imported ({loops.REASON})", f"无法导入 numba（{loops.REASON}）")
    for x, out in turns:
        if _kind(x, layout) not in loops.LOOPS:
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
    works = [_work(each, cos, sin, layout, start, size >= PAST_CACHE) for each in turns if each.x.numel()]
    threads = max(1, min(torch.get_num_threads(), size // BYTES_A_THREAD))
    if works:
        loops.LOOPS[_kind(turns[0].x, layout)].run(works, threads, (*turns, cos, sin))


def _kind(x: Tensor, layout: Layout) -> tuple[str, str]:
    return str(x.dtype).removeprefix("torch."), layout


def _work(each: Turn, cos: Tensor, sin: Tensor, layout: Layout, start: int, far: bool) -> Work:
    x, out = each
    size, wide, pairs = x.element_size(), cos.element_size(), cos.shape[-1]
    x_steps, out_steps = (tuple(size * step for step in part.stride()[:3]) for part in each)
    table_steps = (wide * cos.stride(0) if len(cos) > 1 else 0, 0, wide * cos.stride(1))
    # Rows are taken as they lie in memory, whether heads or tokens come first there.
    order = sorted(range(3), key=lambda axis: -x_steps[axis])
    _, middle, inner = (x.shape[axis] for axis in order)
    by_x, by_out, by_table = (
        (step[order[0]], step[order[1]], step[order[2]]) for step in (x_steps, out_steps, table_steps)
    )
    turned = 2 * pairs * size
    sizes = (middle, inner, pairs, start * size, turned, x.shape[-1] * size - start * size - turned)
    # Vectors can go past the cache only where each lies at a multiple of its size, or of a line's: that is
    # where torch puts large tensors, and no farther.
    at_once = loops.at_once(*_kind(x, layout)) * size * (2 if layout == "interleaved" else 1)
    gap = 0 if layout == "interleaved" else pairs * size
    places = (out.data_ptr(), *by_out, start * size, gap)
    apart = x.data_ptr() != out.data_ptr()
    far = far and apart and not any(place % min(loops.LINE, at_once) for place in places)
    return Work(
        x.data_ptr(), out.data_ptr(), cos.data_ptr(), sin.data_ptr(), sizes, by_x, by_out, by_table, far,
        x[..., 0].numel(),
    )  # fmt: skip
