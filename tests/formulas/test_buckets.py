"""T5 buckets: boundaries in exact integers, every integer type, both directions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clockhands.formulas import t5_bucket, t5_thresholds


def first_distances(bidirectional: bool) -> dict[int, int]:
    buckets = t5_bucket(np.arange(200), bidirectional=bidirectional).tolist()
    return {bucket: buckets.index(bucket) for bucket in sorted(set(buckets))}


def test_causal_boundaries() -> None:
    starts = [16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert first_distances(False) == dict(enumerate([*range(16), *starts]))


def test_bidirectional_boundaries() -> None:
    assert first_distances(True) == dict(enumerate([*range(8), 8, 12, 16, 23, 32, 46, 64, 91]))


def test_keys_ahead_of_the_query_have_the_upper_half() -> None:
    distance = np.arange(1, 200)
    past, future = (t5_bucket(sign * distance, bidirectional=True) for sign in (1, -1))
    np.testing.assert_array_equal(future, past + 16)
    assert t5_bucket(np.asarray([0]), bidirectional=True).tolist() == [0]


@pytest.mark.parametrize(
    ("distance", "bidirectional", "bucket"),
    [(128, True, 15), (-128, True, 31), (128, False, 31), (-1, True, 17), (1, True, 1), (-1, False, 0)],
)
def test_values_that_ports_got_wrong(distance: int, bidirectional: bool, bucket: int) -> None:
    assert t5_bucket(np.asarray(distance), bidirectional=bidirectional) == bucket


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_same_answer_for_every_integer_type_and_library(dtype: str, bidirectional: bool) -> None:
    distance = np.arange(-400, 401)
    wide = t5_bucket(distance, bidirectional=bidirectional)
    narrow = t5_bucket(distance.astype(dtype), bidirectional=bidirectional)
    tensor = t5_bucket(torch.as_tensor(distance.astype(dtype)), bidirectional=bidirectional)
    assert narrow.dtype == dtype
    np.testing.assert_array_equal(narrow, wide)
    np.testing.assert_array_equal(tensor, wide)


@given(st.integers(1, 40), st.integers(1, 4000))
def test_thresholds_are_exact(exact: int, further: int) -> None:
    """Each is the first whole distance whose power reaches the boundary's, in rational arithmetic."""
    far = exact + further
    thresholds = t5_thresholds(2 * exact, far, bidirectional=False)
    assert len(thresholds) == exact - 1
    for j, threshold in enumerate(thresholds, 1):
        boundary = Fraction(far, exact) ** j
        assert Fraction(threshold, exact) ** exact >= boundary
        assert threshold == exact or Fraction(threshold - 1, exact) ** exact < boundary


@given(st.integers(2, 60), st.integers(1, 2000), st.integers(0, 5000))
def test_is_the_published_formula_away_from_boundaries(half: int, further: int, distance: int) -> None:
    exact, far = half, half + further
    bucket = t5_bucket(np.asarray(distance), 2 * half, far)
    if distance < exact:
        assert bucket == distance
        return
    place = math.log(distance / exact) / math.log(far / exact) * exact
    if abs(place - round(place)) > 1e-9:
        assert bucket == min(exact + math.floor(place), 2 * half - 1)


def test_huge_distances_share_the_last_bucket() -> None:
    assert t5_bucket(np.asarray([128, 2**40])).tolist() == [31, 31]


def test_an_odd_number_of_causal_buckets() -> None:
    """5 buckets: 0 and 1 exact, then three logarithmic ones from 2."""
    assert t5_bucket(np.arange(20), 5, 16).tolist() == [0, 1, 2, 2, *[3] * 4, *[4] * 12]
