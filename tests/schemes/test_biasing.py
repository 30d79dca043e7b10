"""Biases by distance, against tables written out one pair at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands.catalogue.alibi import ALiBi
from clockhands.catalogue.description import Description
from clockhands.catalogue.own import OwnBias
from clockhands.catalogue.t5 import T5
from clockhands.core.attend import attend, enter
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes import build
from clockhands.schemes.stacking import layers

PLACES = torch.tensor([[0, 1, 4, 30, 31], [5, 6, 7, 8, 200]])
SEEN = Visibility().mask(1, 5, 5, torch.device("cpu"))


def weights(encoding: Encoding, places: Tensor = PLACES, heads: int = 4, causal: bool = True) -> Tensor:
    """Weights of queries that are all zero: only the bias is left in them."""
    t = places.shape[1]
    _, (placed,) = enter([encoding], torch.zeros(2, t, 8), places)
    q, v = torch.zeros(2, heads, t, 2, dtype=torch.float64), torch.ones(2, heads, t, 2, dtype=torch.float64)
    made = attend(placed, q, v, v, visibility=Visibility(causal=causal), want_weights=True).weights
    assert made is not None
    return made


def by_hand(
    bias: Callable[[int, int], float], heads: int = 4, causal: bool = True, places: Tensor = PLACES
) -> Tensor:
    """Weights from a function of head and distance."""
    rows, t = places.shape
    result = torch.zeros(rows, heads, t, t, dtype=torch.float64)
    for b in range(rows):
        for h in range(heads):
            for i in range(t):
                seen = range(i + 1 if causal else t)
                powers = [math.exp(bias(h, int(places[b, i] - places[b, j]))) for j in seen]
                for j, power in zip(seen, powers, strict=True):
                    result[b, h, i, j] = power / sum(powers)
    return result


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("symmetric", [True, False])
def test_alibi_is_a_line_for_each_head(symmetric: bool, causal: bool) -> None:
    def line(head: int, distance: int) -> float:
        return -(2.0 ** (-2 * (head + 1))) * (abs(distance) if symmetric else distance)

    got = weights(build(ALiBi(num_heads=4, symmetric=symmetric)), causal=causal)
    torch.testing.assert_close(got, by_hand(line, causal=causal))


def test_golden_slopes_of_twelve_heads() -> None:
    # schemes-and-science, B5: the published code's list for 12 heads
    wanted = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
    wanted += [0.70710678, 0.35355339, 0.1767767, 0.08838835]
    assert build(ALiBi(num_heads=12)).slopes.tolist() == pytest.approx(wanted, abs=5e-9)


# schemes-and-science, B3: the first distance in each bucket of the published code
CAUSAL_STARTS = [*range(17), 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
TWO_WAY_STARTS = [*range(9), 12, 16, 23, 32, 46, 64, 91]


def bucket(distance: int, bidirectional: bool) -> int:
    starts = TWO_WAY_STARTS if bidirectional else CAUSAL_STARTS
    reach = abs(distance) if bidirectional else max(distance, 0)
    return sum(start <= reach for start in starts) - 1 + (16 if bidirectional and distance < 0 else 0)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_adds_the_number_of_each_bucket(bidirectional: bool) -> None:
    table = np.random.default_rng(0).normal(size=(32, 4))
    encoding = build(T5.of(table, bidirectional=bidirectional)).double()
    got = weights(encoding, causal=not bidirectional)
    wanted = by_hand(
        lambda head, distance: table[bucket(distance, bidirectional), head], causal=not bidirectional
    )
    torch.testing.assert_close(got, wanted, rtol=0, atol=1e-7)  # the table passed through float32


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_knows_every_distance(bidirectional: bool) -> None:
    encoding = build(T5(num_heads=2, bidirectional=bidirectional))
    middle = encoding.reach
    for distance in range(-300, 301):
        index = max(-middle, min(middle, distance)) + middle
        assert encoding.buckets[index] == bucket(distance, bidirectional), distance


def test_t5_starts_with_the_description_s_numbers() -> None:
    description = T5(num_heads=2, seed=5)
    np.testing.assert_allclose(build(description).weights.detach().numpy(), description.weights(), rtol=1e-6)


@pytest.mark.parametrize(
    "description",
    [
        ALiBi(num_heads=8),
        T5(num_heads=8),
        OwnBias(np.zeros((8, 300))),
        OwnBias(lambda distance: np.stack([distance] * 8)),
    ],
    ids=["alibi", "t5", "numbers", "function"],
)
def test_another_number_of_heads_is_refused(description: Description) -> None:
    with pytest.raises(ClockhandsError, match="the bias has 8 heads and the attention 4"):
        weights(build(description))


# one's own -------------------------------------------------------------------------------


def test_ones_own_numbers_by_distance() -> None:
    table = np.random.default_rng(1).normal(size=(4, 201))
    got = weights(build(OwnBias(table)))
    torch.testing.assert_close(got, by_hand(lambda head, distance: table[head, distance]))


def test_keys_ahead_of_a_one_way_bias_get_nothing() -> None:
    table = np.random.default_rng(1).normal(size=(4, 201))
    got = weights(build(OwnBias(table)), causal=False)
    wanted = by_hand(lambda head, distance: table[head, distance] if distance >= 0 else 0.0, causal=False)
    torch.testing.assert_close(got, wanted)


def test_ones_own_numbers_in_both_directions() -> None:
    table = np.random.default_rng(1).normal(size=(4, 401))
    got = weights(build(OwnBias(table, first_distance=-200)), causal=False)
    torch.testing.assert_close(got, by_hand(lambda head, distance: table[head, distance + 200], causal=False))


def test_a_distance_that_a_query_sees_must_be_in_the_table() -> None:
    short = build(OwnBias(np.zeros((4, 195))))
    with pytest.raises(ClockhandsError, match="distance 195 is outside the bias, which has 0 to 194"):
        weights(short)
    two_ways = build(OwnBias(np.zeros((4, 196 + 10)), first_distance=-10))
    assert weights(two_ways).shape == (2, 4, 5, 5)  # causal: nobody looks ahead, however far it is
    with pytest.raises(ClockhandsError, match="which has -10 to 195"):
        weights(two_ways, causal=False)
    assert weights(build(OwnBias(np.zeros((4, 196))))).shape == (2, 4, 5, 5)
    with pytest.raises(ClockhandsError, match="distance 195 is outside the bias, which has -300 to 194"):
        weights(build(OwnBias(np.zeros((4, 495)), first_distance=-300)))
    just = build(OwnBias(np.zeros((4, 391)), first_distance=-195))
    assert weights(just, causal=False).shape == (2, 4, 5, 5)


def test_ones_own_function_of_distance() -> None:
    encoding = build(OwnBias(lambda distance: np.stack([np.cos(distance * (head + 1)) for head in range(4)])))
    got = weights(encoding, causal=False)
    torch.testing.assert_close(
        got, by_hand(lambda head, distance: math.cos(distance * (head + 1)), causal=False)
    )
    assert "one-graph" in encoding.exceptions


def test_ones_own_function_is_never_asked_about_pairs_that_nobody_sees() -> None:
    asked: list[int] = []

    def remember(distance: np.ndarray) -> np.ndarray:
        asked.extend(distance.ravel().tolist())
        return np.zeros((4, *distance.shape))

    weights(build(OwnBias(remember)))
    assert min(asked) == 0
    assert max(asked) == 195


@pytest.mark.parametrize(
    "description", [ALiBi(num_heads=4), T5(num_heads=4), OwnBias(np.arange(1200.0).reshape(4, 300) / 100)]
)
def test_with_a_cache_distances_reach_back(description: Description) -> None:
    encoding, cache, rows = build(description).double(), LayerCache(), []
    for chunk in (slice(0, 2), slice(2, 5)):
        places = PLACES[:, chunk]
        t = places.shape[1]
        _, (placed,) = enter([encoding], torch.zeros(2, t, 8), places)
        q, v = torch.zeros(2, 4, t, 2, dtype=torch.float64), torch.ones(2, 4, t, 2, dtype=torch.float64)
        rows.append(attend(placed, q, v, v, cache=cache, want_weights=True).weights)
    torch.testing.assert_close(rows[1], weights(encoding)[:, :, 2:])


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32])
@pytest.mark.parametrize("scheme", ["alibi", "t5", "rope", "sinusoidal"])
def test_narrow_and_unsigned_positions_mean_the_same(scheme: str, dtype: torch.dtype) -> None:
    sizes = {"num_heads": 2, "head_dim": 8, "d_model": 16, "bidirectional": True}
    (encoding,) = layers(scheme, 1, sizes)
    q = torch.randn(1, 2, 4, 8, generator=torch.Generator().manual_seed(0))
    seen = []
    for positions in (torch.arange(4), torch.arange(4).to(dtype)):
        x, (placed,) = enter([encoding], torch.zeros(1, 4, 16), positions[None])
        seen.append((x, attend(placed, q, q, q, visibility=Visibility(causal=False)).output))
    assert torch.equal(seen[0][0], seen[1][0])
    assert torch.equal(seen[0][1], seen[1][1])
