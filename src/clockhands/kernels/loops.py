"""The loop over rows, compiled by numba when it is first called; without numba ``REASON`` says so.

``LOOPS[dtype, layout](x, out, cos, sin, sizes, steps, far, first, last)`` turns rows ``first`` to ``last``;
x, out, cos and sin are addresses, and a row is one head of one token. Compiling takes half a second for each
entry in each process, and nothing is written to the disk.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

REASON: str | None = None
"""Why there are no loops: numba's own words where it can't be imported."""
LOOPS: dict[tuple[str, str], Callable[..., None]] = {}

try:
    import numba
    from llvmlite import binding
except ImportError as error:
    REASON = str(error)

BIG_END_FIRST = sys.byteorder == "big"
"""Neighbouring bfloat16 are then the other halves of a whole number than the loop takes them for."""
WIDE = 16
"""Pairs that are turned at once: a whole cache line of float32."""


def _loop(wide: Any, past_cache: Any, single: Any, copy: Any, settle: Any) -> Callable[..., None]:
    def rows(
        x: int, out: int, cos: int, sin: int, sizes: Any, steps: Any, far: bool, first: int, last: int
    ) -> None:
        """sizes  rows of the middle and of the inner axis, pairs, and bytes kept before and behind them
        steps  bytes from one row to the next on each of the three axes, for x, out and the table
        far    whether results go past the cache

        Heads are gone through one after the other, and the table anew for each: tiles of all heads, which
        would find the table in a nearer cache, took half as long again, for memory is read in longer runs.
        """
        middle, inner, pairs, before, turned, behind = sizes
        (x0, x1, x2), (out0, out1, out2), (table0, table1, table2) = steps
        apart, whole = x != out, pairs - pairs % WIDE
        row = first
        while row < last:
            run, start = divmod(row, inner)
            a, b = divmod(run, middle)
            source, target = x + a * x0 + b * x1 + start * x2, out + a * out0 + b * out1 + start * out2
            at = a * table0 + b * table1 + start * table2
            end = min(inner, start + last - row)
            for _ in range(start, end):
                if apart and before:
                    copy(source, target, before)
                if apart and behind:
                    copy(source + before + turned, target + before + turned, behind)
                if far:
                    for i in range(0, whole, WIDE):
                        past_cache(source + before, target + before, cos + at, sin + at, i, pairs)
                else:
                    for i in range(0, whole, WIDE):
                        wide(source + before, target + before, cos + at, sin + at, i, pairs)
                for i in range(whole, pairs):
                    single(source + before, target + before, cos + at, sin + at, i, pairs)
                source, target, at = source + x2, target + out2, at + table2
            row += end - start
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
            _wide, _past_cache, _single = (
                lanes.turn(_kind, _layout == "interleaved", width, past_cache)
                for width, past_cache in ((WIDE, False), (WIDE, True), (1, False))
            )
            LOOPS[_kind.name, _layout] = numba.njit(nogil=True)(
                _loop(_wide, _past_cache, _single, lanes.copy, lanes.settle)
            )
