"""Weights move between layouts so that a converted model gives the same logits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from clockhands.errors import ClockhandsError
from clockhands.formulas import angles, default_inv_freq, relayout, rotate

HEAD, QUERY_HEADS, KEY_HEADS, WIDTH = 8, 6, 2, 10


@pytest.mark.parametrize("rotary_dim", [None, 4])
def test_grouped_query_logits_survive_conversion(rotary_dim: int | None) -> None:
    random = np.random.default_rng(0)
    wq, wk = random.normal(size=(QUERY_HEADS * HEAD, WIDTH)), random.normal(size=(KEY_HEADS * HEAD, WIDTH))
    x = random.normal(size=(5, WIDTH))
    angle = angles(np.arange(5), default_inv_freq(rotary_dim or HEAD))[:, None]

    def logits(wq: np.ndarray, wk: np.ndarray, layout) -> np.ndarray:
        q, k = ((x @ w.T).reshape(5, -1, HEAD) for w in (wq, wk))
        q, k = (rotate(y, np.cos(angle), np.sin(angle), layout) for y in (q, k))
        return np.einsum("thd,shd->hts", q, np.repeat(k, QUERY_HEADS // KEY_HEADS, axis=1))

    before = logits(wq, wk, "interleaved")
    moved_q = relayout(wq, "interleaved", "half", num_heads=QUERY_HEADS, rotary_dim=rotary_dim)
    moved_k = relayout(wk, "interleaved", "half", num_heads=KEY_HEADS, rotary_dim=rotary_dim)
    np.testing.assert_allclose(logits(moved_q, moved_k, "half"), before, atol=1e-12)
    assert not np.allclose(logits(wq, wk, "half"), before)


@pytest.mark.parametrize("rotary_dim", [None, 2, 6])
def test_there_and_back(rotary_dim: int | None) -> None:
    weight = np.arange(48).reshape(24, 2)
    sizes = {"num_heads": 3, "rotary_dim": rotary_dim}
    there = relayout(weight, "interleaved", "half", **sizes)
    np.testing.assert_array_equal(relayout(there, "half", "interleaved", **sizes), weight)
    np.testing.assert_array_equal(relayout(weight, "half", "half", **sizes), weight)


def test_order_of_one_head_with_a_tail() -> None:
    rows = relayout(np.arange(8), "interleaved", "half", num_heads=1, rotary_dim=6)
    assert rows.tolist() == [0, 2, 4, 1, 3, 5, 6, 7]
    rows = relayout(np.arange(8), "half", "interleaved", num_heads=1, rotary_dim=6)
    assert rows.tolist() == [0, 3, 1, 4, 2, 5, 6, 7]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "halves"}, "source is 'halves', but it must be half or interleaved: choose one"),
        ({"target": 3}, "target is 3"),
        ({"num_heads": 3}, "weight has 8 rows, which are not 3 heads of one size"),
        ({"num_heads": 0}, "num_heads is 0"),
        ({"weight": np.float64(1)}, "weight has 0 rows"),
        ({"weight": "q"}, "weight is 'q'"),
        ({"rotary_dim": 6}, "6 dimensions of a head turn, but it must be an even number, 4 or less"),
        ({"rotary_dim": 3}, "3 dimensions of a head turn"),
        ({"rotary_dim": -2}, "rotary_dim is -2"),
        ({"weight": np.arange(6)}, "3 dimensions of a head turn"),
    ],
)
def test_weights_that_can_not_be_moved_are_refused(given: dict[str, Any], said: str) -> None:
    sizes = {"weight": np.arange(8), "source": "half", "target": "interleaved", "num_heads": 2}
    with pytest.raises(ClockhandsError, match=said) as caught:
        relayout(**(sizes | given))
    assert "：" in caught.value.text.zh


def test_a_turn_by_an_unknown_layout_or_too_many_pairs_is_refused() -> None:
    two = np.zeros(2)
    with pytest.raises(ClockhandsError, match="layout is 'split'"):
        rotate(np.zeros(4), two, two, "split")
    with pytest.raises(ClockhandsError, match="cos has 2 pairs and x is 3 wide"):
        rotate(np.zeros(3), two, two)
