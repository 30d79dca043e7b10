"""The relative-position buckets of T5 and of DeBERTa-v3, in exact integers."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def t5_thresholds(num_buckets: int, max_distance: int, bidirectional: bool) -> tuple[int, ...]:
    """The smallest distance in each logarithmic bucket after the first such bucket, tokens.

    The published formula asks whether ``floor(log(r / e) / log(max / e) * n) >= j`` (e exact buckets, n
    logarithmic ones). Where r is a boundary, such as 16, 32 or 64 by default, the answer in floating
    point hangs on the last bit. ``r ** n >= max ** j * e ** (n - j)`` asks the same of integers.
    Raffel et al. 2020 (arXiv 1910.10683), section 2.1, and its code.

    >>> t5_thresholds(32, 128, bidirectional=True)
    (12, 16, 23, 32, 46, 64, 91)
    """
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    count = one_way - exact
    return tuple(
        _ceiling_root(max_distance**j * exact ** (count - j), count, low=exact, high=max_distance)
        for j in range(1, count)
    )


def t5_bucket(
    distance: Array, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = False
) -> Array:
    """The bucket of each distance, same shape and integer dtype as ``distance``, 0 … num_buckets - 1.

    distance       query position - key position, tokens, integers: keys in the past are positive
    bidirectional  the upper half of the buckets is for keys in the future; else these share bucket 0

    Small distances have a bucket each; larger ones share logarithmically wider ones up to
    ``max_distance``, beyond which all share the last.

    >>> import numpy as np
    >>> t5_bucket(np.asarray([0, 1, 16, 32, 1000])).tolist()
    [0, 1, 16, 21, 31]
    """
    xp = namespace_of(distance)
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    nothing = xp.zeros_like(distance)
    reach = xp.abs(distance) if bidirectional else xp.where(distance < 0, nothing, distance)
    bucket = xp.where(reach < exact, reach, xp.full_like(distance, exact))
    for threshold in t5_thresholds(num_buckets, max_distance, bidirectional):
        bucket = bucket + xp.astype(reach >= threshold, distance.dtype)
    if bidirectional:
        bucket = bucket + one_way * xp.astype(distance < 0, distance.dtype)
    return bucket


def deberta_thresholds(position_buckets: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance in each bucket past the exact ones, tokens; the last is ``max_distance``.

    The published code takes ``ceil(log(r / e) / log((max - 1) / e) * (e - 1)) + e`` with e half of the
    buckets. That is at least ``e + j`` where ``r ** (e-1) > (max-1) ** (j-1) * e ** (e-j)``, which integers
    answer without rounding.
    He et al. 2021 (arXiv 2111.09543); microsoft/DeBERTa, ``DeBERTa/deberta/disentangled_attention.py``.

    >>> deberta_thresholds(8, 16)
    (5, 7, 10, 16)
    """
    exact = position_buckets // 2
    degree = exact - 1
    return tuple(
        _ceiling_root((max_distance - 1) ** j * exact ** (degree - j) + 1, degree, exact, max_distance)
        for j in range(exact)
    )


def deberta_bucket(distance: Array, position_buckets: int = 256, max_distance: int = 512) -> Array:
    """The signed bucket of each distance, same shape and integer dtype, odd: ``bucket(-r) = -bucket(r)``.

    distance  query position - key position, tokens, integers

    Distances up to half of the buckets are their own bucket; larger ones share wider and wider ones. From
    ``max_distance`` on all are in bucket ``position_buckets``.

    >>> import numpy as np
    >>> deberta_bucket(np.asarray([-1, 128, 200, 511, 9999])).tolist()
    [-1, 128, 169, 255, 256]
    """
    xp = namespace_of(distance)
    exact = position_buckets // 2
    reach = xp.abs(distance)
    bucket = xp.where(reach < exact, reach, xp.full_like(distance, exact))
    for threshold in deberta_thresholds(position_buckets, max_distance):
        bucket = bucket + xp.astype(reach >= threshold, distance.dtype)
    return xp.where(distance < 0, -bucket, bucket)


def _ceiling_root(value: int, degree: int, low: int, high: int) -> int:
    """The smallest integer r in low … high with ``r ** degree >= value``, by bisection."""
    while low < high:
        middle = (low + high) // 2
        if middle**degree >= value:
            high = middle
        else:
            low = middle + 1
    return low
