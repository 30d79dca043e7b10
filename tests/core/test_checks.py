"""What can't enter attention is refused in one sentence, in both languages, before anything is computed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from clockhands.core.attend import attend, enter
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError

NOTHING = Encoding()
X = torch.zeros(2, 5, 16)
PLACED = enter([NOTHING], X)[1][0]
Q = torch.zeros(2, 2, 5, 8)


def entered(*given: Any) -> Callable[[], object]:
    return lambda: enter(*given)


def attended(q: Any = Q, k: Any = Q, v: Any = Q, placed: Any = PLACED, **how: Any) -> Callable[[], object]:
    return lambda: attend(placed, q, k, v, **how)


def cache_of_one_row() -> LayerCache:
    cache = LayerCache()
    placed = enter([NOTHING], X[:1])[1][0]
    attend(placed, Q[:1], Q[:1], Q[:1], cache=cache)
    return cache


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (entered(NOTHING, X), "encodings is of type Encoding, but it must be of type list"),
        (entered(["rope"], X), r"encodings\[i\] is of type str, but it must be of type Encoding"),
        (entered([NOTHING], np.zeros((2, 5, 16))), "x is of type ndarray, but it must be of type Tensor"),
        (entered([NOTHING], X[0]), r"x has shape \(5, 16\)"),
        (entered([NOTHING], X.long()), r"type torch\.int64"),
        (entered([NOTHING], X, [0, 1, 2, 3, 4]), "positions is of type list"),
        (attended(placed=(NOTHING,)), "placed is of type tuple, but it must be of type Placed"),
        (attended(q=Q.numpy()), "q is of type ndarray"),
        (attended(k=None), "k is of type NoneType"),
        (attended(q=Q[0]), "do not fit"),
        (attended(k=Q[:, :0], v=Q[:, :0]), "do not fit"),
        (attended(v=Q[0]), "do not fit"),
        (attended(k=Q.double()), "k torch.float64 and v torch.float32, but all must have one real type"),
        (attended(v=Q.double()), "one real type"),
        (attended(Q.long(), Q.long(), Q.long()), "one real type"),
        (attended(visibility=True), "visibility is of type bool"),
        (attended(scale="small"), "scale is 'small', but it must be a finite number"),
        (attended(scale=float("nan")), "scale is nan"),
        (attended(dropout=1.1), "dropout is 1.1, but it must be a number from 0 to 1"),
        (attended(dropout=-0.1), "dropout is -0.1"),
        (attended(dropout=None), "dropout is None"),
        (attended(back_ends=("dense",)), "back_ends contain 'dense', which computes nothing"),
        (attended(cache=Cache(2)), "cache is of type Cache, but it must be of type LayerCache"),
        (attended(cache=cache_of_one_row()), "the cache holds 1 rows and 2 come now"),
        (lambda: Visibility(valid=[True]), "valid is a list"),  # type: ignore[arg-type]
        (lambda: Visibility(documents=np.zeros((2, 5))), "documents is a ndarray"),  # type: ignore[arg-type]
        (lambda: Visibility(window="wide"), "window is 'wide', but it counts"),  # type: ignore[arg-type]
        (lambda: Visibility(window=2.5), "window is 2.5"),  # type: ignore[arg-type]
        (lambda: Visibility(window=0), "window is 0"),
        (lambda: Cache(-1), "num_layers is -1"),
        (lambda: Cache("two"), "num_layers is 'two'"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ClockhandsError, match=said) as caught:
        call()
    assert re.search("：|应", caught.value.text.zh)
    assert ": " in caught.value.text.en


def test_what_just_fits_is_taken() -> None:
    for how in ({"dropout": 0}, {"dropout": 1.0}, {"scale": 2}, {"cache": LayerCache()}):
        assert attend(PLACED, Q, Q, Q, **how).output.shape == Q.shape
    assert Visibility(window=1).window == 1
    assert Cache(0).layers == ()
    assert enter((NOTHING,), X, torch.arange(5)[None].to(torch.int8))[0] is X
