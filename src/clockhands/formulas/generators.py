"""Rotations of more than two dimensions at once: the skew matrices that generate them."""

from __future__ import annotations

from clockhands.arrays import Array, device_of, namespace_of


def skew_of_upper(raw: Array) -> Array:
    """The skew matrix with the upper triangle of ``raw``, ``(..., n, n)``; the rest of ``raw`` is not read.

    Ostmeier et al. 2024 (arXiv 2406.10322); StanfordMIMI/LieRE, README.

    >>> import numpy as np
    >>> skew_of_upper(np.asarray([[7.0, 1.0], [7.0, 7.0]])).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    xp = namespace_of(raw)
    upper = xp.triu(raw, k=1)
    return upper - xp.matrix_transpose(upper)


def partitioned_generators(raw: Array, num_axes: int) -> Array:
    """ComRoPE-AP: block j turns with axis ``j mod num_axes`` alone, so that any two axes commute.

    raw  (heads, blocks, n, n) -> (num_axes, heads, blocks, n, n), skew
    Yu et al. 2025 (arXiv 2506.03737); Longin-Yu/ComRoPE at d6e0fbe, ``model.py``.
    """
    xp = namespace_of(raw)
    blocks = xp.arange(raw.shape[-3], device=device_of(raw))
    axes = xp.arange(num_axes, device=device_of(raw))
    owned = xp.astype(blocks % num_axes == axes[:, None], raw.dtype)
    return (raw - xp.matrix_transpose(raw)) * owned[:, None, :, None, None]


def scaled_generators(raw: Array, factors: Array) -> Array:
    """ComRoPE-LD: every axis turns a block by the same skew matrix times a factor, so that axes commute.

    raw      (heads, blocks, n, n)
    factors  (axes, blocks), shared by the heads -> (axes, heads, blocks, n, n), skew
    Yu et al. 2025 (arXiv 2506.03737); Longin-Yu/ComRoPE at d6e0fbe, ``model.py``.
    """
    xp = namespace_of(raw)
    return (raw - xp.matrix_transpose(raw)) * factors[:, None, :, None, None]


def generator_speeds(generator: Array) -> Array:
    """The hands inside ``exp(p * generator)``, ``(..., n/2)``, rad / step, fastest first; n even.

    generator  (..., n, n) skew. In a basis of its own it turns n/2 pairs, each at an even speed: the
               eigenvalues of a skew matrix are ``+- i * speed``.

    >>> import numpy as np
    >>> generator_speeds(np.asarray([[0.0, 3.0], [-3.0, 0.0]])).round(6).tolist()
    [3.0]
    """
    xp = namespace_of(generator)
    n = generator.shape[-1]
    spectrum = xp.linalg.eigvalsh(1j * xp.astype(generator, xp.complex128))
    return xp.flip(xp.abs(spectrum[..., n // 2 :]), axis=-1)
