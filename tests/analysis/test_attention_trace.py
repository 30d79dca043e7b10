"""Queries and keys in place of a map: the weights that they give back, and what is kept where they can't."""

from __future__ import annotations

import numpy as np
import pytest

from clockhands.analysis.attention_trace import WORST, sentence, weights_of
from clockhands.errors import ClockhandsError


def softmax(logits: np.ndarray, causal: bool) -> np.ndarray:
    if causal:
        logits = np.where(np.tri(logits.shape[-1], dtype=bool), logits, -np.inf)
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def drawn(heads: int, tokens: int = 7, width: int = 8, size: float = 1.0, seed: int = 0) -> np.ndarray:
    return size * np.random.default_rng(seed).standard_normal((2, heads, tokens, width))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("key_heads", [4, 2])
def test_weights_come_back(causal: bool, biased: bool, key_heads: int) -> None:
    q, k = drawn(4), drawn(key_heads, seed=1)
    bias = np.random.default_rng(2).standard_normal((2, 4, 13)) if biased else None
    logits = np.einsum("lhid,lhjd->lhij", q, k.repeat(4 // key_heads, 1)) * 0.3
    if bias is not None:
        place = np.arange(7)
        logits = logits + bias[:, :, place[:, None] - place + 6]
    right = softmax(logits, causal)
    one = sentence("甲乙丙丁戊己庚", q, k, weights=right, scale=[0.3, 0.3], bias=bias, causal=causal)
    assert one.q is not None
    assert one.q.dtype == np.float16
    found = np.array([[weights_of(one, layer, head) for head in range(4)] for layer in range(2)])
    assert np.abs(found - right).max() == pytest.approx(one.error)
    assert 0 < one.error < WORST
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-6)


def test_large_logits_need_float32_and_other_schemes_their_weights() -> None:
    q, k = np.full((2, 1, 7, 8), 10.03), 10 + 0.001 * drawn(1, seed=1)  # all keys nearly alike, logits of 280
    wide = sentence("甲乙丙丁戊己庚", q, k)
    assert wide.q is not None
    assert wide.q.dtype == np.float32
    assert wide.error < WORST
    other = softmax(drawn(1, width=7, seed=3), causal=True)
    kept = sentence("甲乙丙丁戊己庚", q, k, weights=other)
    assert kept.q is None
    assert kept.weights is not None
    assert np.abs(weights_of(kept, 1, 0) - other[1, 0]).max() <= kept.error < WORST


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"tokens": []}, "tokens is empty"),
        ({"ids": [1]}, "ids has 1 entries for 3 tokens"),
        ({"marks": []}, "marks has 0 entries"),
        ({"q": np.ones((1, 2, 4, 4))}, r"q has shape \(1, 2, 4, 4\)"),
        ({"k": np.ones((1, 3, 3, 4))}, "k has shape"),
        ({"bias": np.ones((1, 2, 4))}, "bias has shape"),
        ({"q": np.full((1, 2, 3, 4), np.nan)}, "not finite"),
        ({"q": None, "k": None}, "needs q and k"),
    ],
)
def test_what_does_not_fit_is_said(given: dict, words: str) -> None:
    arrays = {"tokens": ["a", "b", "c"], "q": np.ones((1, 2, 3, 4)), "k": np.ones((1, 2, 3, 4))}
    with pytest.raises(ClockhandsError, match=words):
        sentence(**(arrays | given))
