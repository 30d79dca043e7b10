"""The loop over rows, compiled by numba when it is first called; without numba ``REASON`` says so.

``LOOPS[dtype, layout]`` has it shared out; a row is one head of one token. Compiling takes half a second for
each entry in each process, and nothing is written to the disk.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

REASON: str | None = None
"""Why there are no loops: numba's own words where it can't be imported."""
LOOPS: dict[tuple[str, str], Shared] = {}

try:
    import numba
    from llvmlite import binding

    from clockhands.kernels.shares import Shared
except ImportError as error:
    REASON = str(error)

BIG_END_FIRST = sys.byteorder == "big"
"""Neighbouring bfloat16 are then the other halves of a whole number than the loop takes them for."""
LINE = 64
"""Bytes of a line of the cache. No processor has a longer vector: what is longer is written in such parts."""
FEW = 8
"""Pairs that are turned at once where fewer than those of a line are left: all of a head of 16."""


def at_once(dtype: str, layout: str) -> int:
    """Pairs that are turned at once, as long as there are as many.

    Of float32 a whole line of the cache; of narrow ones that are written to two places a whole line, too.
    """
    return 32 if dtype in {"bfloat16", "float16"} and layout == "half" else 16


def _loop(
    most: int, wide: Any, past_cache: Any, few: Any, single: Any, copy: Any, settle: Any
) -> Callable[..., None]:
    def rows(
        x: int, out: int, cos: int, sin: int, sizes: Any, steps: Any, far: bool, first: int, last: int
    ) -> None:
        """Turn rows ``first`` to ``last``; x, out, cos and sin are addresses.

        sizes  rows of the middle and of the inner axis, pairs, and bytes kept before and behind them
        steps  bytes from one row to the next on each of the three axes, for x, out and the table
        far    whether results go past the cache

        Heads are gone through one after the other, and the table anew for each: tiles of all heads, which
        would find the table in a nearer cache, took half as long again, for memory is read in longer runs.
        """
        middle, inner, pairs, before, turned, behind = sizes
        (x0, x1, x2), (out0, out1, out2), (table0, table1, table2) = steps
        apart, whole, rest = x != out, pairs - pairs % most, pairs - pairs % FEW
        run, start = divmod(first, inner)
        a, b = divmod(run, middle)
        row = first
        while row < last:
            source, target = x + a * x0 + b * x1 + start * x2, out + a * out0 + b * out1 + start * out2
            at = a * table0 + b * table1 + start * table2
            end = min(inner, start + last - row)
            for _ in range(start, end):
                if apart and before:
                    copy(source, target, before)
                if apart and behind:
                    copy(source + before + turned, target + before + turned, behind)
                if far:
                    for i in range(0, whole, most):
                        past_cache(source + before, target + before, cos + at, sin + at, i, pairs)
                else:
                    for i in range(0, whole, most):
                        wide(source + before, target + before, cos + at, sin + at, i, pairs)
                for i in range(whole, rest, FEW):
                    few(source + before, target + before, cos + at, sin + at, i, pairs)
                for i in range(rest, pairs):
                    single(source + before, target + before, cos + at, sin + at, i, pairs)
                source, target, at = source + x2, target + out2, at + table2
            row += end - start
            start, b = 0, b + 1
            if b == middle:
                a, b = a + 1, 0
        if far:
            settle()

    return rows


def _has_halves() -> bool:
    """Whether the processor converts float16 itself; without, LLVM wants a function that may miss."""
    features = binding.get_host_cpu_features()
    return "f16c" not in features or features["f16c"]


if REASON is None:
    from clockhands.kernels import lanes

    for _kind in lanes.KINDS:
        if (_kind.name == "float16" and not _has_halves()) or (_kind.name == "bfloat16" and BIG_END_FIRST):
            continue
        for _layout in ("half", "interleaved"):
            _most = at_once(_kind.name, _layout)
            _wide, _past_cache, _few, _single = (
                lanes.turn(_kind, _layout == "interleaved", width, line)
                for width, line in ((_most, 0), (_most, LINE), (FEW, 0), (1, 0))
            )
            LOOPS[_kind.name, _layout] = Shared(
                numba.njit(nogil=True)(
                    _loop(_most, _wide, _past_cache, _few, _single, lanes.copy, lanes.settle)
                )
            )
