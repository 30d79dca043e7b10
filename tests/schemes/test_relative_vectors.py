"""Schemes with a vector for each distance, against attention written out one pair at a time in numpy.

Parameters are random and large, positions have gaps and differ by row, query heads share key heads, and
texts are read at once, in chunks, with and without a causal mask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from clockhands.catalogue.deberta import DeBERTa
from clockhands.catalogue.deberta_v3 import DeBERTaV3
from clockhands.catalogue.description import Description
from clockhands.catalogue.shaw import Shaw
from clockhands.catalogue.transformer_xl import TransformerXL
from clockhands.catalogue.tupe import TUPE
from clockhands.catalogue.wavelet import Wavelet
from clockhands.core.attend import Attended, attend, enter
from clockhands.core.cache import LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.schemes import build

HEADS, KEY_HEADS, WIDTH = 4, 2, 6
PLACES = torch.tensor([[0, 1, 2, 5, 6, 29, 30], [3, 4, 9, 10, 40, 41, 58]])
Pair = Callable[[int, np.ndarray, np.ndarray, int, int], Any]


def numbers(encoding: Encoding) -> dict[str, np.ndarray]:
    """Its parameters, drawn anew and large, as numpy sees them."""
    random = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=random, dtype=torch.float64))
    return {name: parameter.detach().numpy() for name, parameter in encoding.named_parameters()}


def heads(seed: int, num_heads: int) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    return torch.randn(2, num_heads, PLACES.shape[1], WIDTH, generator=random, dtype=torch.float64)


Q, K, V = heads(1, HEADS), heads(2, KEY_HEADS), heads(3, KEY_HEADS)


def attended(encoding: Encoding, causal: bool, sizes: tuple[int, ...] = (7,)) -> Attended:
    """Attention over Q, K and V, read in chunks of these sizes."""
    cache, parts = LayerCache(), list[Attended]()
    chunks = (tensor.split(sizes, dim=2) for tensor in (Q, K, V))
    for q, k, v, places in zip(*chunks, PLACES.split(sizes, dim=1), strict=True):
        _, (placed,) = enter([encoding], torch.zeros(2, q.shape[2], 24, dtype=torch.float64), places)
        visibility = Visibility(causal=causal)
        parts.append(attend(placed, q, k, v, visibility=visibility, cache=cache, want_weights=True))
    output = torch.cat([part.output for part in parts], dim=2)
    return parts[0] if len(parts) == 1 else Attended(output, None)


def pairs() -> Iterator[tuple[int, int, int, int]]:
    t = PLACES.shape[1]
    yield from ((b, h, i, j) for b in range(2) for h in range(HEADS) for i in range(t) for j in range(t))


def by_hand(score: Pair, causal: bool) -> np.ndarray:
    """Weights ``(b, h, t, t)`` from a function of head, query, key and the two positions."""
    t = PLACES.shape[1]
    powers = np.zeros((2, HEADS, t, t))
    for b, h, i, j in pairs():
        if j <= i or not causal:
            q, k = Q[b, h, i].numpy(), K[b, h // 2, j].numpy()
            powers[b, h, i, j] = math.exp(score(h, q, k, int(PLACES[b, i]), int(PLACES[b, j])))
    return powers / powers.sum(-1, keepdims=True)


def mixed(weights: np.ndarray) -> np.ndarray:
    """Weighted values, those of the shared value heads."""
    return np.einsum("bhij,bhjd->bhid", weights, V.repeat_interleave(2, dim=1).numpy())


def clipped(number: int, low: int, high: int) -> int:
    return low if number < low else high if number > high else number


def shaw_score(p: dict[str, np.ndarray]) -> Pair:
    return lambda h, q, k, m, n: q @ (k + p["on_keys"][clipped(n - m, -3, 3) + 3]) / math.sqrt(WIDTH)


def wave_at(distance: int) -> np.ndarray:
    """Oka et al. 2025, equation 14, for 6 = 3 widths x 2 shifts."""
    waves = []
    for width in (1, 2, 4):
        for shift in (0, 1):
            t = (distance - shift) / width
            waves.append((1 - t * t) * math.exp(-t * t / 2))
    return np.asarray(waves)


def wavelet_score(p: dict[str, np.ndarray]) -> Pair:
    return lambda h, q, k, m, n: q @ (k + wave_at(m - n)) / math.sqrt(WIDTH)


def xl_score(p: dict[str, np.ndarray]) -> Pair:
    speeds = 10000.0 ** (-np.arange(0, 24, 2) / 24)

    def score(h: int, q: np.ndarray, k: np.ndarray, m: int, n: int) -> Any:
        sinusoid = np.concatenate([np.sin((m - n) * speeds), np.cos((m - n) * speeds)])
        return ((q + p["u"][h]) @ k + (q + p["v"][h]) @ (p["weight"][h] @ sinusoid)) / math.sqrt(WIDTH)

    return score


def deberta_score(p: dict[str, np.ndarray], row: Callable[[int], int]) -> Pair:
    def score(h: int, q: np.ndarray, k: np.ndarray, m: int, n: int) -> Any:
        vector = p["vectors"][row(m - n)]
        to_position = q @ (p["key"][h] @ vector)
        from_position = k @ (p["query"][h] @ vector + p["query_bias"][h])
        return (q @ k + to_position + from_position) / math.sqrt(3 * WIDTH)

    return score


def bucket_row(distance: int) -> int:
    """Of 8 buckets up to distance 16: 5 and 6 share one, 7 to 9, 10 to 15; two-sided, 16 rows."""
    starts = [1, 2, 3, 4, 5, 7, 10, 16]
    bucket = sum(abs(distance) >= start for start in starts)
    return clipped(bucket if distance > 0 else -bucket, -8, 7) + 8


def tupe_score(p: dict[str, np.ndarray]) -> Pair:
    def score(h: int, q: np.ndarray, k: np.ndarray, m: int, n: int) -> Any:
        queries, keys = p["query"][h] @ p["positions"][m], p["key"][h] @ p["positions"][n]
        return (q @ k + queries @ keys) / math.sqrt(2 * WIDTH)

    return score


def tupe_r_score(p: dict[str, np.ndarray]) -> Pair:
    plain = tupe_score(p)
    starts = [1, 2, 4]  # of one-way buckets 1, 2 and 3, where there are 8 two-way ones up to 8 tokens

    def score(h: int, q: np.ndarray, k: np.ndarray, m: int, n: int) -> Any:
        content = q @ k / math.sqrt(2 * WIDTH)
        if m == 0:
            return content + p["cls"][0, h]
        if n == 0:
            return content + p["cls"][1, h]
        bucket = sum(abs(m - n) >= start for start in starts) + (4 if n > m else 0)
        return plain(h, q, k, m, n) + p["buckets"][bucket, h]

    return score


SIZES: dict[str, Any] = {"d_model": 24, "num_heads": HEADS}
CASES: dict[str, tuple[Description, Callable[[dict[str, np.ndarray]], Pair]]] = {
    "shaw": (Shaw(head_dim=WIDTH, clip=3, on_values=False), shaw_score),
    "wavelet": (Wavelet(head_dim=WIDTH, num_scales=3), wavelet_score),
    "transformer-xl": (TransformerXL(**SIZES), xl_score),
    "deberta": (
        DeBERTa(**SIZES, max_relative_positions=5),
        lambda p: deberta_score(p, lambda distance: clipped(distance, -5, 4) + 5),
    ),
    "deberta-v3": (
        DeBERTaV3(**SIZES, position_buckets=8, max_relative_positions=16),
        lambda p: deberta_score(p, bucket_row),
    ),
    "tupe": (TUPE(**SIZES, max_positions=60), tupe_score),
    "tupe-r": (
        TUPE(**SIZES, max_positions=60, relative=True, untie_cls=True, num_buckets=8, max_distance=8),
        tupe_r_score,
    ),
}
each = pytest.mark.parametrize("name", CASES)


def made(description: Description) -> tuple[Encoding, dict[str, np.ndarray]]:
    encoding = build(description).double()
    return encoding, numbers(encoding)


@each
@pytest.mark.parametrize("causal", [True, False])
def test_every_pair_is_the_formula_s(name: str, causal: bool) -> None:
    description, score = CASES[name]
    encoding, parameters = made(description)
    output, weights = attended(encoding, causal)
    wanted = by_hand(score(parameters), causal)
    assert weights is not None
    np.testing.assert_allclose(weights.detach().numpy(), wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(output.detach().numpy(), mixed(wanted), rtol=0, atol=1e-12)


@each
def test_in_chunks_with_gaps_and_shared_heads(name: str) -> None:
    encoding, _ = made(CASES[name][0])
    whole, chunked = attended(encoding, causal=True), attended(encoding, causal=True, sizes=(3, 1, 2, 1))
    torch.testing.assert_close(chunked.output, whole.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("causal", [True, False])
def test_shaw_adds_vectors_to_values_too(causal: bool) -> None:
    encoding, parameters = made(Shaw(head_dim=WIDTH, clip=3))
    output, _ = attended(encoding, causal)
    weights = by_hand(shaw_score(parameters), causal)
    wanted = np.zeros(output.shape)
    for b, h, i, j in pairs():
        vector = parameters["on_values"][clipped(int(PLACES[b, j] - PLACES[b, i]), -3, 3) + 3]
        wanted[b, h, i] += weights[b, h, i, j] * (V[b, h // 2, j].numpy() + vector)
    np.testing.assert_allclose(output.detach().numpy(), wanted, rtol=0, atol=1e-12)


def test_shaw_is_blind_past_its_clip() -> None:
    encoding, _ = made(Shaw(head_dim=WIDTH, clip=3))

    def output(*places: int) -> Tensor:
        _, (placed,) = enter([encoding], torch.zeros(2, 3, 24, dtype=torch.float64), torch.tensor([places]))
        return attend(placed, Q[:, :, :3], K[:, :, :3], V[:, :, :3]).output[:, :, -1]

    assert torch.equal(output(0, 4, 7), output(0, 4, 90))
    assert not torch.equal(output(0, 4, 7), output(0, 5, 7))


# limits: with nothing learned yet, or with constant vectors, they are plain attention -------------------


@pytest.mark.parametrize("name", [name for name in CASES if name != "wavelet"])
def test_zero_parameters_are_no_encoding(name: str) -> None:
    encoding, parameters = made(CASES[name][0])
    for values in parameters.values():
        values[...] = 0.0  # numpy sees the same memory
    scale = WIDTH**-0.5 * encoding.score_scale
    wanted = by_hand(lambda h, q, k, m, n: q @ k * scale, causal=True)
    np.testing.assert_allclose(attended(encoding, True).output.detach().numpy(), mixed(wanted), atol=1e-12)


def test_keys_of_one_vector_for_all_distances_change_nothing() -> None:
    encoding, parameters = made(Shaw(head_dim=WIDTH, clip=3, on_values=False))
    parameters["on_keys"][...] = parameters["on_keys"][0]
    wanted = by_hand(lambda h, q, k, m, n: q @ k / math.sqrt(WIDTH), causal=True)
    np.testing.assert_allclose(attended(encoding, True).output.detach().numpy(), mixed(wanted), atol=1e-12)


def test_a_bias_of_position_keys_would_change_nothing() -> None:
    """Why ``Disentangled`` has none: transformers' ``pos_key_proj.bias`` adds the same to a whole row."""
    encoding, parameters = made(CASES["deberta"][0])
    shift = np.random.default_rng(0).normal(size=(HEADS, WIDTH))
    plain = CASES["deberta"][1](parameters)
    biased = by_hand(
        lambda h, q, k, m, n: plain(h, q, k, m, n) + q @ shift[h] / math.sqrt(3 * WIDTH), causal=True
    )
    np.testing.assert_allclose(attended(encoding, True).output.detach().numpy(), mixed(biased), atol=1e-12)


def test_far_positions_keep_transformer_xl_exact() -> None:
    encoding, _ = made(CASES["transformer-xl"][0])
    near = attended(encoding, causal=True).output
    _, (placed,) = enter([encoding], torch.zeros(2, 7, 24, dtype=torch.float64), PLACES + 10**7)
    far = attend(placed, Q, K, V).output
    torch.testing.assert_close(far, near, rtol=0, atol=1e-6)


# refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("description", [Shaw(head_dim=8), Wavelet(head_dim=8)], ids=["shaw", "wavelet"])
def test_heads_of_another_width_are_refused(description: Description) -> None:
    with pytest.raises(ClockhandsError, match="vectors of distances are 8 wide and the heads 6"):
        attended(build(description).double(), causal=True)


@pytest.mark.parametrize("kind", [TransformerXL, DeBERTa, DeBERTaV3, TUPE], ids=lambda kind: kind.card.id)
def test_another_number_of_heads_is_refused(kind: type[Description]) -> None:
    encoding = build(kind.with_parameters(d_model=24, num_heads=3)).double()
    with pytest.raises(ClockhandsError, match="the bias has 3 heads and the attention 4"):
        attended(encoding, causal=True)


@pytest.mark.parametrize("kind", [TransformerXL, DeBERTa, DeBERTaV3], ids=lambda kind: kind.card.id)
def test_another_width_of_heads_is_refused(kind: type[Description]) -> None:
    encoding = build(kind.with_parameters(d_model=32, num_heads=4)).double()
    with pytest.raises(ClockhandsError, match="are 8 wide and the heads 6"):
        attended(encoding, causal=True)


def test_tupe_has_a_last_position() -> None:
    with pytest.raises(ClockhandsError, match="position 58 is outside the table of rows 0 to 49"):
        attended(build(TUPE(**SIZES, max_positions=50)).double(), causal=True)
