"""What the pictures of the lesson draw, computed here as well: web/src/lesson, restated for its numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clockhands.formulas import default_inv_freq, sinusoid
from clockhands.formulas.codes import binary
from clockhands.web.lesson.draws import normals

Floats = NDArray[np.float64]

WIDTH = COUNT = 64
WORDS, TO_QUERY, TO_KEY = 3, 4, 5
"""Seeds of the random words and of both projections."""


def codes(code: int, length: int) -> Floats:
    """The rows of a text of ``length``: 0 integers, 1 fractions, 2 binary digits, 3 eight hands."""
    places = np.arange(length)
    if code == 3:
        return sinusoid(places, default_inv_freq(16))
    if code == 2:
        return binary(places, int(np.ceil(np.log2(length)))).astype(float)
    return places[:, None] / (length - 1 if code else 1)


def outputs(order: tuple[int, ...], mode: int) -> Floats:
    """``(words, 12)``: what one attention layer makes of each word. mode 1: causal mask; 2: hands added."""
    x = normals(36, 0).reshape(3, 12)[list(order)]
    if mode == 2:
        x = x + sinusoid(np.arange(3), default_inv_freq(12, 100))
    odds = np.exp(x @ x.T / np.sqrt(12))
    odds = np.tril(odds) if mode == 1 else odds
    return (odds / odds.sum(axis=1, keepdims=True) @ x)[np.argsort(order)]


def shuffled_apart(mode: int) -> float:
    """Largest difference of one word's output between both orders of the sentence; 0 where it is rounding."""
    gap = float(np.abs(outputs((0, 1, 2), mode) - outputs((2, 1, 0), mode)).max())
    return gap if gap > 1e-12 else 0.0


def scores(mode: int) -> Floats:
    """``(COUNT, COUNT)``. mode 0: hands alone; 1: through W_q and W_k; 2: with words added first."""
    x = sinusoid(np.arange(COUNT), default_inv_freq(WIDTH))
    if mode == 2:
        x = x + normals(COUNT * WIDTH, WORDS).reshape(COUNT, WIDTH)
    if mode == 0:
        return x @ x.T
    to_query, to_key = (normals(WIDTH**2, seed).reshape(WIDTH, WIDTH) for seed in (TO_QUERY, TO_KEY))
    return (x @ to_query) @ (x @ to_key).T / WIDTH
