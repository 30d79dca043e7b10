"""Queries and keys of a product, however it is written."""

from __future__ import annotations

from typing import Any

from torch import Tensor


def factors(name: str, args: Any, kwargs: Any) -> tuple[Tensor, Tensor, float] | None:
    """Queries ``(…, t, hd)`` and keys ``(…, tk, hd)`` of a product, and what it multiplies them by."""
    if name == "einsum":
        operands = args[1:] if len(args) == 3 else args[1] if len(args) == 2 else ()
        if not isinstance(operands, tuple | list) or len(operands) != 2 or not isinstance(args[0], str):
            return None
        return _einsum(args[0], *operands)
    if name == "baddbmm":
        first = args[1] if len(args) > 1 else kwargs.get("batch1")
        second = args[2] if len(args) > 2 else kwargs.get("batch2")
        times = float(kwargs.get("alpha", 1.0))
    else:
        first, second, times = (
            args[0] if args else kwargs.get("input"),
            args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("mat2")),
            1.0,
        )
    if not (isinstance(first, Tensor) and isinstance(second, Tensor)) or first.ndim < 3 or second.ndim < 3:
        return None
    return first, second.transpose(-1, -2), times


def _einsum(equation: str, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, float] | None:
    left, _, out = equation.replace(" ", "").partition("->")
    a, _, b = left.partition(",")
    if "." in equation or not out:
        return None
    summed = [each for each in a if each in b and each not in out]
    both = [each for each in out if each in a and each in b]
    i = [each for each in a if each not in b]
    j = [each for each in b if each not in a]
    if not (len(summed) == len(i) == len(j) == 1):
        return None
    return (
        first.permute([a.index(each) for each in [*both, *i, *summed]]),
        second.permute([b.index(each) for each in [*both, *j, *summed]]),
        1.0,
    )
