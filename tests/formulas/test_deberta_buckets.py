"""DeBERTa-v3's buckets against the published numbers and the published formula in floating point."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from clockhands.formulas import deberta_bucket, deberta_thresholds

# Computed in float64 from the formula of microsoft/DeBERTa, disentangled_attention.py
GOLDEN = {127: 127, 128: 128, 129: 129, 150: 143, 200: 169, 256: 192, 300: 207, 400: 233, 511: 255}


def published(distance: int, position_buckets: int, max_distance: int) -> int:
    half = position_buckets // 2
    if abs(distance) <= half:
        return distance
    share = math.log(abs(distance) / half) / math.log((max_distance - 1) / half)
    return int(math.copysign(half + math.ceil(share * (half - 1)), distance))


def test_golden_buckets_are_odd() -> None:
    distances = np.asarray(list(GOLDEN))
    assert deberta_bucket(distances).tolist() == list(GOLDEN.values())
    assert deberta_bucket(-distances).tolist() == [-bucket for bucket in GOLDEN.values()]
    assert deberta_bucket(np.asarray([0])).tolist() == [0]


@pytest.mark.parametrize("sizes", [(256, 512), (32, 128), (8, 16), (4, 9), (64, 66)])
def test_every_bucket_is_the_published_formula_s(sizes: tuple[int, int]) -> None:
    reach = sizes[1] - 1  # from there on the formula goes on counting, past the rows of the table
    for distance in range(-reach, reach + 1):
        assert deberta_bucket(np.asarray([distance]), *sizes)[0] == published(distance, *sizes), distance


def test_past_the_largest_distance_all_share_one() -> None:
    assert set(deberta_bucket(np.asarray([512, 513, 10**6])).tolist()) == {256}
    assert deberta_thresholds(256, 512)[-1] == 512


def test_torch_gets_the_same_and_keeps_its_type() -> None:
    distance = torch.arange(-600, 601, dtype=torch.int32)
    bucket = deberta_bucket(distance)
    assert bucket.dtype == torch.int32
    np.testing.assert_array_equal(bucket.numpy(), deberta_bucket(np.arange(-600, 601)))
