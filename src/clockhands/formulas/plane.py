"""Turning in the plane of two vectors, wherever it lies in the head."""

from __future__ import annotations

from clockhands.arrays import Array, namespace_of


def plane_speed(a: Array, b: Array) -> Array:
    """``s = sqrt(|a|^2 |b|^2 - (a . b)^2)``: how fast ``exp(n (a b^T - b a^T))`` turns, rad for each n.

    >>> import numpy as np
    >>> float(plane_speed(np.asarray([3.0, 0.0]), np.asarray([1.0, 2.0])))
    6.0
    """
    xp = namespace_of(a, b)
    alpha, beta, gamma = _products(a, b)
    return xp.sqrt(xp.clip(alpha * beta - gamma * gamma, min=1e-30))


def turn_in_plane(x: Array, a: Array, b: Array, cos: Array, sin: Array) -> Array:
    """``exp(angle / s * (a b^T - b a^T)) x``: the part of x in the plane of a and b turns, the rest stays.

    x, a, b   (..., d), broadcast against one another
    cos, sin  (...) of the angle, which is ``s = plane_speed(a, b)`` times position times frequency

    Rodrigues' formula, ``I + sin/s L + (1 - cos)/s^2 L^2``.
    Zhang et al. 2025 (arXiv 2512.07805), section 2.3.

    >>> import numpy as np
    >>> a, b = np.asarray([2.0, 0.0, 0.0]), np.asarray([0.0, 1.0, 0.0])
    >>> turn_in_plane(np.asarray([1.0, 0.0, 5.0]), a, b, np.asarray(0.0), np.asarray(1.0)).tolist()
    [0.0, -1.0, 5.0]
    """
    xp = namespace_of(x)
    alpha, beta, gamma = _products(a, b)
    s = plane_speed(a, b)
    on_a, on_b = xp.sum(a * x, axis=-1), xp.sum(b * x, axis=-1)
    once, twice = sin / s, (1 - cos) / s**2
    along_a = once * on_b + twice * (gamma * on_b - beta * on_a)
    along_b = -once * on_a + twice * (gamma * on_a - alpha * on_b)
    return x + a * along_a[..., None] + b * along_b[..., None]


def _products(a: Array, b: Array) -> tuple[Array, Array, Array]:
    xp = namespace_of(a, b)
    return xp.sum(a * a, axis=-1), xp.sum(b * b, axis=-1), xp.sum(a * b, axis=-1)
