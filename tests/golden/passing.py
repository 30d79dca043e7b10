"""One pass of attention in plain loops of 40 digits, and the numbers that go into it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import mpmath as mp
from derive import add_to, base_power, rope

HEADS, DIM, WIDTH, TOKENS = 2, 8, 16, 5
NEAR, FAR = [0, 1, 3, 7, 14], [0, 2, 250, 4000, 30_000]
AXES = [[0, 0, 0], [1, 0, 2], [1, 4, 2], [2, 3, 5], [4, 6, 9]]
ROOT = mp.sqrt(DIM)

vectors: list[dict] = []
add = partial(add_to, vectors)
Score = Callable[[int, int, int], Any]
"""Head, query, key -> logit; None: not seen."""


def numbers(*shape: int, start: int = 0) -> Any:
    """Sixteenths from -8 to 8, nested as arrays are."""
    order = count(start)

    def made(sizes: tuple[int, ...]) -> Any:
        return [made(sizes[1:]) for _ in range(sizes[0])] if sizes else ((5 * next(order) + 2) % 17 - 8) / 16

    return made(shape)


Q, K, V = (numbers(HEADS, TOKENS, DIM, start=start) for start in (0, 6, 11))
X = numbers(TOKENS, WIDTH, start=3)


def dot(a: Any, b: Any) -> Any:
    return mp.fsum(mp.mpf(x) * y for x, y in zip(a, b, strict=True))


def times(matrix: Any, vector: Any) -> list:
    return [dot(row, vector) for row in matrix]


def plus(a: Any, b: Any) -> list:
    return [mp.mpf(x) + y for x, y in zip(a, b, strict=True)]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def content(h: int, i: int, j: int) -> Any:
    """The scaled dot product alone."""
    return dot(Q[h][i], K[h][j]) / ROOT


def softmax(logits: list) -> list:
    """None weighs nothing."""
    powers = [mp.mpf(0) if each is None else mp.exp(each) for each in logits]
    return [each / mp.fsum(powers) for each in powers]


def attended(
    scheme: str,
    parameters: dict,
    position: list,
    score: Score = content,
    *,
    weigh: Callable = softmax,
    arrives: Callable | None = None,
    causal: bool = True,
    weights: dict | None = None,
    states: bool = False,
) -> None:
    """Add the vector of one pass. ``arrives(h, i, j)`` is the value of key j as query i gets it."""
    output = []
    for h in range(HEADS):
        rows = []
        for i in range(TOKENS):
            keys = range(i + 1 if causal else TOKENS)
            shares = weigh([score(h, i, j) for j in keys])
            given = [V[h][j] if arrives is None else arrives(h, i, j) for j in keys]
            rows.append([dot(shares, column) for column in zip(*given, strict=True)])
        output.append(rows)
    inputs: dict[str, Any] = {"position": position, "q": Q, "k": K, "v": V}
    inputs |= {"x": X} if states else {}
    inputs |= {} if causal else {"causal": False}
    add(scheme, "attended", parameters, output, **inputs, **({"weights": weights} if weights else {}))


def embedded(scheme: str, parameters: dict, position: list, added: list, **weights: Any) -> None:
    """Add the vector of tokens with these rows added to them."""
    given = {"weights": weights} if weights else {}
    made = [plus(x, row) for x, row in zip(X, added, strict=True)]
    add(scheme, "embedded", parameters, made, position=position, x=X, **given)


def turned(x: list, angles: list, layout: str = "half") -> list:
    """Pairs as complex numbers, turned by their angles."""
    return waved(x, [mp.cos(a) for a in angles], [mp.sin(a) for a in angles], layout)


def waved(x: list, cos: list, sin: list, layout: str = "half") -> list:
    new, pairs = [mp.mpf(0)] * len(x), len(x) // 2
    for pair in range(pairs):
        a, b = (pair, pair + pairs) if layout == "half" else (2 * pair, 2 * pair + 1)
        hand = mp.mpc(x[a], x[b]) * mp.mpc(cos[pair], sin[pair])
        new[a], new[b] = hand.real, hand.imag
    return new


def rotating(speeds: list, position: list, layout: str = "half") -> Score:
    """Queries and keys turned by position times speed."""

    def score(h: int, i: int, j: int) -> Any:
        q, k = (turned(x[h][t], [position[t] * w for w in speeds], layout) for x, t in ((Q, i), (K, j)))
        return dot(q, k) / ROOT

    return score


def sinusoid(position: Any, width: int = WIDTH) -> list:
    """Vaswani et al. 2017: sine and cosine of each hand in turn."""
    return [wave(position * w) for w in rope(width) for wave in (mp.sin, mp.cos)]


def geometric(count: int, base: Any = 10000) -> list:
    """``base ** (-i / count)``, i from 0."""
    return [base_power(base, mp.mpf(i) / count) for i in range(count)]
