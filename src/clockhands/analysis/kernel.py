"""How similar two positions of a sinusoidal code are, as a function of their distance.

``PE(m) . PE(n) = sum_i cos(w_i (m - n))`` (Vaswani et al. 2017, section 3.5): the whole similarity matrix is
this one curve. Every row has the norm ``sqrt(pairs)``, so the cosine is the same curve divided by ``pairs``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from clockhands.analysis import inputs
from clockhands.analysis.axes import distance_axis
from clockhands.analysis.blocks import AT_ONCE, parts
from clockhands.analysis.exact_angle import Speed, angles, turns_per_token
from clockhands.analysis.inputs import Floats
from clockhands.analysis.labelled import Labelled
from clockhands.language import Text
from clockhands.memory import require_memory

Measure = Literal["cosine", "dot"]
"""``cosine``: between -1 and 1, 1 at distance 0; ``dot``: the plain dot product, ``pairs`` at distance 0."""

_NAMES: dict[Measure, Text] = {
    "cosine": Text("cosine similarity", "余弦相似度"),
    "dot": Text("dot product", "点积"),
}

_BLOCK = 2**22  # distances of a curve held at a time where not all are wanted: 32 MB


def kernel(inv_freq: ArrayLike, distances: ArrayLike, measure: Measure = "cosine") -> Labelled:
    """Similarity at any ``distances``, ``(n,)``, tokens. Returns ``(n,)`` float64.

    ``inv_freq``: ``(pairs,)``, rad / token. Right to about 1e-15 (cosine) at every distance up to 2^52. Each
    is evaluated directly, but long lists of whole numbers one step apart, which go as in ``kernel_range``.

    >>> kernel([1.0, 0.1], [0, 1, 4]).values.round(4).tolist()
    [1.0, 0.7677, 0.1337]
    """
    speed, distance = inputs.speeds(inv_freq), inputs.places(distances)
    turning, step = turns_per_token(speed), _even_step(distance)
    if step is not None and len(distance) * len(speed) > 16 * AT_ONCE:
        values = _sums(turning, int(distance[0]), len(distance), step)
    else:
        values = np.empty(len(distance))
        for part in parts(len(distance), len(speed)):
            values[part] = np.cos(angles(turning, distance[part])).sum(axis=1)
    return _labelled(values, np.asarray(distances), len(speed), measure)


def kernel_range(inv_freq: ArrayLike, n: int, start: int = 0, measure: Measure = "cosine") -> Labelled:
    """Similarity at the distances ``start .. start + n - 1``, ``(n,)``, in one matrix product.

    With ``distance = start + block * B + r``, ``cos(a + b) = cos a cos b - sin a sin b`` splits each angle
    into one of the block and one of the rest: two tables of about ``sqrt(n)`` rows, whose product is the
    curve. Same values as ``kernel`` to 1e-13.

    >>> kernel_range([1.0, 0.1], 3).values.round(4).tolist()
    [1.0, 0.7677, 0.282]
    """
    speed = inputs.speeds(inv_freq)
    n = inputs.count(n, Text("the number of distances", "距离的个数"))
    start = inputs.count(start, Text("the first distance", "起始距离"), -inputs.FARTHEST, inputs.FARTHEST - n)
    require_memory(Text("a kernel", "相似度核"), (n,), bytes_each=16)
    values = _sums(turns_per_token(speed), start, n)
    return _labelled(values, np.arange(start, start + n), len(speed), measure)


def kernel_blocks(speed: Floats, n: int, start: int = 0, first: int = _BLOCK) -> Iterator[tuple[int, Floats]]:
    """The cosine similarity of ``kernel_range`` in blocks, for what needs no more than a look at each.

    Yields the first distance of a block and its values. ``first`` distances in the first block, then twice as
    many each time up to some millions: whoever stops early has done little in vain.
    """
    turning, done, size = turns_per_token(speed), 0, first
    while done < n:
        count = min(size, n - done)
        values = _sums(turning, start + done, count)
        values /= len(speed)
        yield start + done, values
        done, size = done + count, min(2 * size, _BLOCK)


def _sums(turning: Speed, start: int, n: int, step: int = 1) -> Floats:
    """``sum_i cos(w_i k)`` at the ``n`` distances k from ``start`` on, ``step`` apart."""
    length = isqrt(n - 1) + 1
    of_blocks = angles(turning, start + step * np.arange(0, n, length, dtype=np.float64))
    of_rests = angles(turning, step * np.arange(length, dtype=np.float64))
    blocks = np.concatenate([np.cos(of_blocks), -np.sin(of_blocks)], axis=1)
    rests = np.concatenate([np.cos(of_rests), np.sin(of_rests)], axis=1)
    return (blocks @ rests.T).ravel()[:n]


def _even_step(distances: Floats) -> int | None:
    """The one step between whole ``distances``, None where there is none."""
    if len(distances) < 2 or not (float(distances[0]).is_integer() and float(distances[1]).is_integer()):
        return None
    first, step = float(distances[0]), float(distances[1] - distances[0])
    for part in parts(len(distances)):
        even = np.arange(part.start, part.stop, dtype=np.float64) * step + first
        if not np.array_equal(distances[part], even):
            return None
    return int(step)


def measure_name(measure: Measure) -> Text:
    """What a measure is called; ClockhandsError if there is no such measure."""
    inputs.choice(measure, _NAMES, Text("measure", "度量"))
    return _NAMES[measure]


def _labelled(sums: Floats, distances: ArrayLike, pairs: int, measure: Measure) -> Labelled:
    if measure == "cosine":
        sums /= pairs
    return Labelled("kernel", measure_name(measure), sums, (distance_axis(np.asarray(distances)),))
