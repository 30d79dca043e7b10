"""Which bases keep similarity above zero over a whole context: a condition that is not monotone in the base.

Men et al. 2024 (arXiv 2405.14591) ask that ``B(m) = sum_i cos(m theta ** (-2i / d))`` is at least 0 for every
distance m below the context length. Above the smallest base that passes there are larger ones that fail, so
a search by halving gives wrong answers, and one number is not enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clockhands.analysis import inputs
from clockhands.analysis.axes import TOKENS
from clockhands.analysis.inputs import Floats
from clockhands.analysis.kernel import kernel_blocks
from clockhands.analysis.labelled import Axis, Labelled
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies import default_inv_freq
from clockhands.formulas.frequencies.stated import number
from clockhands.language import Text

BASE = Text("base", "底数")
_FINE = 1e-5
"""Relative width to which an edge between passing and failing is narrowed down."""
_GLANCE = 2**14
"""Distances looked at first: many bases fail among them."""
_BETWEEN = 41
"""Bases looked at between two steps of the grid where an island may hide."""


@dataclass(frozen=True)
class BaseBound:
    """Which bases of a grid pass for a context of ``length`` tokens.

    ``first_negative``    ``(bases,)``, tokens: the smallest m with B(m) < 0, infinite where none below length
    ``smallest_passing``  None if none of the grid passes; narrowed down between two points of the grid
    ``largest_failing``   None if none fails; above it every base of the grid passes
    """

    length: int
    first_negative: Labelled
    smallest_passing: float | None
    largest_failing: float | None

    @property
    def monotone(self) -> bool:
        """Whether one edge alone separates failing from passing bases on this grid."""
        passes = np.isinf(self.first_negative.values)
        return bool((np.diff(passes.astype(np.int8)) >= 0).all())


def first_negative(rotary_dim: int, rope_theta: float, length: int) -> float:
    """The smallest m below ``length`` with B(m) < 0, tokens; infinite if there is none.

    >>> first_negative(128, 1e4, 4096)
    1707.0
    """
    width = inputs.count(rotary_dim, Text("rotary_dim", "旋转维度 rotary_dim "), least=2)
    theta = number(rope_theta, "rope_theta")
    return _first_below(default_inv_freq(width, theta), length)


def _first_below(speed: Floats, length: int) -> float:
    """Where the curve of these hands first is negative: what comes after is not looked at."""
    for start, values in kernel_blocks(speed, length, first=_GLANCE):
        below = values < 0
        if below.any():
            return float(start + below.argmax())
    return float("inf")


def base_bound(rotary_dim: int, length: int, low: float, high: float, points: int = 1500) -> BaseBound:
    """Ask ``points`` bases from ``low`` to ``high``, evenly spaced on a logarithmic scale, and a few between.

    Passing and failing bases can be islands narrower than a step. Between two steps the smallest B(m) is
    looked at more closely where it nearly reaches 0; still, more points may find more.

    >>> found = base_bound(128, 512, 1e3, 1e4, points=100)
    >>> round(found.smallest_passing), found.monotone
    (2066, False)
    """
    width = inputs.count(rotary_dim, Text("rotary_dim", "旋转维度 rotary_dim "), least=2)
    length = inputs.count(length, Text("the context length", "上下文长度"))
    points = inputs.count(points, Text("the number of bases", "底数的个数"), least=2)
    if not 0 < low < high < np.inf:
        raise ClockhandsError(
            f"the bases go from {low} to {high}: give two positive numbers that rise",
            f"底数的范围是 {low} 到 {high}：请给两个从小到大的正数",
        )
    grid: Floats = np.geomspace(low, high, points)
    bases = _with_islands(width, length, grid)
    turns = np.array([_first_below(default_inv_freq(width, float(base)), length) for base in bases])
    passes = np.isinf(turns)
    smallest = largest = None
    if passes.any():
        first = int(passes.argmax())
        smallest = bases[first] if first == 0 else _edge(width, length, bases[first - 1], bases[first])[1]
    if not passes.all():
        last = len(bases) - 1 - int((~passes[::-1]).argmax())
        at_end = last == len(bases) - 1
        largest = bases[last] if at_end else _edge(width, length, bases[last], bases[last + 1])[0]
    name = Text("first distance with B(m) < 0", "首个 B(m) < 0 的距离")
    return BaseBound(
        length,
        Labelled("first_negative", name, turns, (Axis(BASE, bases),), TOKENS),
        None if smallest is None else float(smallest),
        None if largest is None else float(largest),
    )


def _with_islands(width: int, length: int, bases: Floats) -> Floats:
    """The bases and, between them, one of each island that is too narrow for the grid."""

    def margins(of: Floats) -> Floats:
        speeds = [default_inv_freq(width, float(base)) for base in of]
        return np.array([min(block.min() for _, block in kernel_blocks(speed, length)) for speed in speeds])

    seen = margins(bases)
    bend = seen[:-2] + seen[2:] - 2 * seen[1:-1]
    middle = seen[1:-1]
    # A parabola through three points lies less than its second difference beyond the middle one.
    near = ((middle >= 0) & (middle < bend)) | ((middle < 0) & (middle > bend))
    found = [bases]
    for index in np.flatnonzero(near).tolist():
        between: Floats = np.geomspace(float(bases[index]), float(bases[index + 2]), _BETWEEN)
        fails = margins(between) < 0
        other = between[fails != (middle[index] < 0)]
        found.append(other[:1])
    return np.unique(np.concatenate(found))


def _edge(width: int, length: int, fails: float, passes: float) -> tuple[float, float]:
    """The two ends of an edge between a base that fails and one that passes."""
    while abs(passes - fails) > _FINE * passes:
        middle = float(np.sqrt(passes * fails))
        if np.isinf(first_negative(width, middle, length)):
            passes = middle
        else:
            fails = middle
    return fails, passes
