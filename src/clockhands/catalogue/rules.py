"""Rules that parameters obey. Each refusal says what, which value, which rule and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clockhands.arrays import finite
from clockhands.errors import BadParameter, ClockhandsError, meant, nearest, shown
from clockhands.language import Text

LARGEST = 1_000_000
"""No dimension, head count or bucket count in use comes near it; a typing slip does."""
LARGEST_REAL = 1e30
"""Of a real parameter: its squares and products stay far from overflow."""
LARGEST_FACTOR = 1e9
"""By which a context grows: far past it, 1 is lost beside it in float64."""
MOST_HEADS = 65_536
"""Of attention; the largest models have a few hundred."""


def require_count(value: Any, name: str, *, least: int = 1, most: int = LARGEST, even: bool = False) -> None:
    """A whole number from ``least`` to ``most``, even where asked.

    >>> require_count(64, "head_dim", even=True)
    """
    kind = Text("an even whole number", "偶数") if even else Text("a whole number", "整数")
    span = Text(f"{kind.en} from {least:,} to {most:,}", f"{least:,} 到 {most:,} 之间的{kind.zh}")
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        whole = int(value) if isinstance(value, float) and value.is_integer() else least
        fair = max(least, min(most, whole))
        _refuse(value, name, span, Text(f"for example {fair}", f"例如 {fair}"))
    number = int(value)
    if number < least:
        _refuse(value, name, span, Text(f"use {least} or more", f"请用 {least} 或更大的数"))
    if number > most:
        _refuse(value, name, span, Text(f"use {most:,} or less", f"请用 {most:,} 或更小的数"))
    if even and number % 2:
        near = [str(even_one) for even_one in (number - 1, number + 1) if least <= even_one <= most]
        _refuse(value, name, span, Text(f"use {' or '.join(near)}", f"请用 {' 或 '.join(near)}"))


def require_real(value: Any, name: str, *, least: float = -math.inf, most: float = math.inf) -> None:
    """A finite real number from ``least`` to ``most``.

    >>> require_real(10000.0, "rope_theta", least=1)
    """
    bounds = [Text(f"{least:g} or more", f"不小于 {least:g}")] if least > -math.inf else []
    bounds += [Text(f"{most:g} or less", f"不大于 {most:g}")] if most < math.inf else []
    span = Text(
        " and ".join(["a finite number", *(bound.en for bound in bounds)]),
        "、".join(["有限的数", *(bound.zh for bound in bounds)]),
    )
    fair = max(least, min(most, 1.0))
    if abs(finite(value)) > LARGEST_REAL:
        rule = Text(f"no farther from 0 than {LARGEST_REAL:g}", f"绝对值不超过 {LARGEST_REAL:g} 的数")
        _refuse(value, name, rule, Text(f"for example {fair:g}", f"例如 {fair:g}"))
    if not least <= finite(value) <= most:
        _refuse(value, name, span, Text(f"for example {fair:g}", f"例如 {fair:g}"))


def require_heads(num_heads: Any) -> None:
    """A number of attention heads: at most as many as are worth waiting for.

    >>> require_heads(32)
    """
    require_count(num_heads, "num_heads", most=MOST_HEADS)


def require_order(low: Any, name: str, high: Any, than: str, *, equal: bool = False) -> None:
    """Two finite numbers, the first the smaller one, or ``equal`` where that is allowed.

    >>> require_order(1.0, "beta_slow", 32.0, "beta_fast")
    """
    require_real(low, name)
    require_real(high, than)
    if not (low < high or (equal and low == high)):
        en, zh = ("no larger", "不大于") if equal else ("the smaller one", "小于")
        raise BadParameter(
            name,
            f" is {shown(low)} and {than} {shown(high)}, but {name} must be {en}: change one of them",
            f" 为 {shown(low)}，{than} 为 {shown(high)}，但前者必须{zh}后者：请改其中一个",
        )


def require_heads_divide(num_heads: Any, d_model: int) -> None:
    """A number of heads that a width can be split into.

    >>> require_heads_divide(4, 32)
    """
    require_heads(num_heads)
    if d_model % num_heads:
        wider = (d_model // num_heads + 1) * num_heads
        raise ClockhandsError(
            f"num_heads is {num_heads} and d_model {d_model}: num_heads must divide d_model, "
            f"e.g. d_model {wider}",
            f"num_heads 为 {num_heads}，d_model 为 {d_model}：num_heads 必须整除 d_model，"
            f"例如 d_model 取 {wider}",
        )


def require_base(value: Any, name: str) -> None:
    """A base of geometric frequencies: finite, at least 1. Below 1, hands turn faster than 1 rad / token."""
    if not finite(value) >= 1:
        rule = Text("a finite number, 1 or more", "不小于 1 的有限的数")
        _refuse(value, name, rule, Text("most models use 10000", "多数模型用 10000"))


def require_factor(value: Any, name: str = "factor") -> None:
    """By how much a context grows, or positions shrink.

    >>> require_factor(4.0)
    """
    require_real(value, name, least=1.0, most=LARGEST_FACTOR)


def require_choice(value: Any, name: str, options: Sequence[str]) -> None:
    """One of a few words; a misspelt one is answered with the nearest.

    >>> require_choice("half", "layout", ("half", "interleaved"))
    """
    if not isinstance(value, str) or value not in options:
        likely = isinstance(value, str) and meant(value, options) is not None
        hint = nearest(value, options) if likely else Text("choose one", "请选一个")
        rule = Text(f"one of {', '.join(options)}", f"{'、'.join(options)} 之一")
        _refuse(value, name, rule, hint)


def require_bool(value: Any, name: str) -> None:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        _refuse(value, name, Text("True or False", "True 或 False"), Text("choose one", "请选一个"))


def real_positions(positions: Any) -> NDArray[Any]:
    """Positions as an array of finite real numbers, tokens; whole or augmented."""
    return _finite_numbers(positions, Text("positions", "位置"))


def whole_numbers(values: Any, what: Text) -> NDArray[np.int64]:
    """Positions or distances as an integer array, tokens; floats are refused, not rounded."""
    array = _finite_numbers(values, what)
    if array.dtype.kind not in "iu":
        raise ClockhandsError(
            f"{what.en} have the type {array.dtype}, but this scheme counts whole tokens: give integers",
            f"{what.zh}的类型是 {array.dtype}，而这种方案只认整数个词元：请给出整数",
        )
    return array.astype(np.int64)


def position_outside(position: int, num_rows: int) -> ClockhandsError:
    """What to raise for a position that a table of ``num_rows`` rows does not have."""
    return ClockhandsError(
        f"position {position} is outside the table of rows 0 to {num_rows - 1}: "
        "use fewer positions or a longer table",
        f"位置 {position} 超出了位置表（第 0 到 {num_rows - 1} 行）：请减少位置数，或换更长的表",
    )


def distance_outside(distance: int, first: int, last: int) -> ClockhandsError:
    """What to raise for a distance that a bias of columns ``first`` to ``last`` does not have, tokens."""
    return ClockhandsError(
        f"distance {distance} is outside the bias, which has {first} to {last}: "
        "use fewer positions or more columns",
        f"距离 {distance} 超出了偏置的范围（{first} 到 {last}）：请减少位置数，或增加列数",
    )


def _finite_numbers(values: Any, what: Text) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ClockhandsError(
            f"{what.en} have the type {array.dtype}, which isn't a real number: give integers",
            f"{what.zh}的类型是 {array.dtype}，不是实数：请给出整数",
        )
    if not np.isfinite(array).all():
        bad = array[~np.isfinite(array)][0]
        raise ClockhandsError(
            f"{what.en} contain {bad}, but each must be finite: remove it",
            f"{what.zh}中有 {bad}，而每个都必须是有限的数：请去掉它",
        )
    return array


def _refuse(value: Any, name: str, rule: Text, remedy: Text) -> None:
    gap = " " if rule.zh[0].isascii() else ""  # between Han characters and Latin letters or digits
    raise BadParameter(
        name,
        f" is {shown(value)}, but it must be {rule.en}: {remedy.en}",
        f" 为 {shown(value)}，但它必须是{gap}{rule.zh}：{remedy.zh}",
    )
