"""One attention head with random, untrained weights, in numpy: enough to show what position does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Head:
    """Query, key and value matrices, each ``(width, width)``."""

    query: Array
    key: Array
    value: Array

    @classmethod
    def random(cls, width: int, generator: np.random.Generator) -> Head:
        """Weights of N(0, 1/width), so that what goes in and what comes out are of one size."""
        return cls(*(generator.normal(0, width**-0.5, (width, width)) for _ in range(3)))

    def logits(self, x: Array, y: Array | None = None) -> Array:
        """Scores of every query row of ``x`` for every key row of ``y`` (default ``x``), ``(t, t)``."""
        keys = (x if y is None else y) @ self.key
        return (x @ self.query) @ keys.T / np.sqrt(x.shape[-1])

    def weights(self, x: Array, causal: bool = False) -> Array:
        """Softmax of the logits over the keys that may be seen, ``(t, t)``."""
        logits = self.logits(x)
        if causal:
            logits = np.where(np.tri(len(x), dtype=bool), logits, -np.inf)
        grown = np.exp(logits - logits.max(axis=1, keepdims=True))
        return grown / grown.sum(axis=1, keepdims=True)

    def outputs(self, x: Array, causal: bool = False) -> Array:
        """``(t, width)``."""
        return self.weights(x, causal) @ (x @ self.value)


def words(keys: tuple[str, ...], width: int, generator: np.random.Generator) -> Array:
    """A random vector for each different word, ``(t, width)``, N(0, 1): equal words, equal vectors."""
    different = {key: index for index, key in enumerate(dict.fromkeys(keys))}
    table = generator.normal(size=(len(different), width))
    return table[[different[key] for key in keys]]
