"""Position remaps at inference: which distance a rotation is given for each query and key.

A remap is a tuple of legs. On each leg queries and keys have places of their own, and the leg says which
pairs it holds for; a pair that no leg holds for is not seen. The effective distance is the difference of
the two places, so a rotation applies a remap exactly by turning queries and keys once for each leg.

Queries are ``(..., tq)`` and keys ``(..., tk)`` integer positions, tokens. All are made for decoders: what
they say of keys after the query is not part of any paper.
"""

from __future__ import annotations

from typing import NamedTuple

from clockhands.arrays import Array, namespace_of


class Leg(NamedTuple):
    """One pair of places, and where it is used.

    queries, keys  (..., tq) and (..., tk) integer places
    holds          (..., tq, tk) bool
    unit           what a step of these places is worth, tokens
    """

    queries: Array
    keys: Array
    holds: Array
    unit: float = 1.0


def effective_distance(legs: tuple[Leg, ...]) -> Array:
    """The distance of each pair, ``(..., tq, tk)`` float64, tokens; NaN where no leg holds.

    >>> import numpy as np
    >>> effective_distance(rerope(np.arange(4), np.arange(4), 2))[3].tolist()
    [2.0, 2.0, 1.0, 0.0]
    """
    xp = namespace_of(legs[0].queries)
    distance = xp.where(legs[0].holds, xp.nan, xp.nan)
    for leg in legs:
        steps = xp.astype(_behind(leg.queries, leg.keys), xp.float64)
        distance = xp.where(leg.holds, steps * leg.unit, distance)
    return xp.astype(distance, xp.float64)


def rerope(queries: Array, keys: Array, window: int, factor: int | None = None) -> tuple[Leg, ...]:
    """Exact below ``window``, from there on always ``window``, or (leaky) growing ``factor`` times slower.

    Su 2023 (kexue.fm/archives/9708), code bojone/rerope: ``min(k, w)``, leaky ``w + (k - w) / s``.

    >>> import numpy as np
    >>> effective_distance(rerope(np.arange(7), np.arange(7), 2, factor=4))[6].tolist()
    [3.0, 2.75, 2.5, 2.25, 2.0, 1.0, 0.0]
    """
    near, far = _split(queries, keys, window)
    if factor is None:
        return near, Leg(0 * queries + window, 0 * keys, far)
    return near, Leg(queries + window * (factor - 1), keys, far, 1 / factor)


def self_extend(queries: Array, keys: Array, group: int, window: int) -> tuple[Leg, ...]:
    """Exact below ``window``; farther, positions are counted in groups and moved out to join on.

    ``floor(m / G) - floor(n / G) + w - floor(w / G)``. Jin et al. 2024 (arXiv 2401.01325), equations 3 and 4.

    >>> import numpy as np
    >>> effective_distance(self_extend(np.arange(8), np.arange(8), 2, 4))[7].tolist()
    [5.0, 5.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    """
    near, far = _split(queries, keys, window)
    return near, Leg(queries // group + window - window // group, keys // group, far)


def dual_chunk(queries: Array, keys: Array, chunk: int, length: int) -> tuple[Leg, ...]:
    """Places within chunks: exact inside one, near the end of the next, ``length - 1`` for all farther ones.

    length  trained length; ``length - chunk`` tokens across a border keep their exact distance

    An et al. 2024 (arXiv 2402.17463), equations 2 to 6.

    >>> import numpy as np
    >>> effective_distance(dual_chunk(np.arange(12), np.arange(12), 6, 10))[11].tolist()
    [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    """
    xp = namespace_of(queries)
    inside, places = queries % chunk, keys % chunk
    apart = _behind(queries // chunk, keys // chunk)
    last = 0 * queries + (length - 1)
    following = xp.where(inside + chunk < length, inside + chunk, last)
    return (
        Leg(inside, places, apart == 0),
        Leg(following, places, apart == 1),
        Leg(last, places, apart > 1),
    )


def streaming(queries: Array, keys: Array, sinks: int, window: int) -> tuple[Leg, ...]:
    """The first ``sinks`` positions and the last ``window`` are kept; places are those in that cache.

    A query that has more than ``sinks + window`` positions behind it stands at the end of a full cache.
    Xiao et al. 2023 (arXiv 2309.17453), section 3.2.

    >>> import numpy as np
    >>> effective_distance(streaming(np.arange(6), np.arange(6), 1, 3))[5].tolist()
    [3.0, nan, nan, 2.0, 1.0, 0.0]
    """
    xp = namespace_of(queries)
    near, far = _split(queries, keys, window)
    size = sinks + window
    in_cache = xp.where(queries < size, queries, 0 * queries + (size - 1))
    return near, Leg(in_cache, keys, far & (keys < sinks)[..., None, :])


def string_shift(queries: Array, keys: Array, shift: int, local: int) -> tuple[Leg, ...]:
    """Exact below ``shift``; farther, positions are shifted back so that distances begin again at ``local``.

    ``k - S + W`` for ``k >= S``. An et al. 2024 (arXiv 2410.18745), STRING, section 4.

    >>> import numpy as np
    >>> effective_distance(string_shift(np.arange(7), np.arange(7), 4, 1))[6].tolist()
    [3.0, 2.0, 1.0, 3.0, 2.0, 1.0, 0.0]
    """
    near, far = _split(queries, keys, shift)
    return near, Leg(queries - shift + local, keys, far)


def lm_infinite(queries: Array, keys: Array, first: int, window: int) -> tuple[Leg, ...]:
    """The last ``window`` positions at their distance, and the first ones, never farther than ``window``.

    Han et al. 2023 (arXiv 2308.16137): the mask shaped like a lambda, and the distance ceiling.

    >>> import numpy as np
    >>> effective_distance(lm_infinite(np.arange(6), np.arange(6), 1, 3))[5].tolist()
    [3.0, nan, nan, 2.0, 1.0, 0.0]
    """
    near, far = _split(queries, keys, window)
    return near, Leg(0 * queries + window, 0 * keys, far & (keys < first)[..., None, :])


def _split(queries: Array, keys: Array, window: int) -> tuple[Leg, Array]:
    """The leg of plain positions, below ``window``, and where it does not hold."""
    behind = _behind(queries, keys)
    return Leg(queries, keys, behind < window), behind >= window


def _behind(queries: Array, keys: Array) -> Array:
    return queries[..., :, None] - keys[..., None, :]
