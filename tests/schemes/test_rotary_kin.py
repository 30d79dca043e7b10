"""Relatives of RoPE that need a module of their own, each against its formula written out pair by pair."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from clockhands import formulas
from clockhands.catalogue import describe
from clockhands.catalogue.fope import FoPE
from clockhands.catalogue.lerope import LeRoPE
from clockhands.catalogue.rope import RoPE
from clockhands.catalogue.rope_values import ValueRoPE
from clockhands.catalogue.temperature_nope import NoPETemperature
from clockhands.catalogue.temperature_rope import RoPETemperature
from clockhands.catalogue.xpos import XPos
from clockhands.core.attend import attend, enter
from clockhands.core.back_ends import Dense
from clockhands.errors import ClockhandsError
from clockhands.schemes import build

DIM, HEADS = 8, 2


def heads(tokens: int = 6, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(1, HEADS, tokens, DIM, dtype=torch.float64, generator=generator) for _ in "qkv")


def run(encoding, q, k, v, positions):
    x = torch.zeros(1, q.shape[2], HEADS * DIM, dtype=torch.float64)
    _, (placed,) = enter([encoding], x, positions)
    return attend(placed, q, k, v, back_ends=[Dense()], want_weights=True)


def as_complex(x: torch.Tensor) -> np.ndarray:
    """Pairs (i, i + d/2) as complex numbers."""
    values = x.numpy()
    return values[..., : DIM // 2] + 1j * values[..., DIM // 2 :]


def softmax(logits: np.ndarray) -> np.ndarray:
    grown = np.exp(logits - logits.max())
    return grown / grown.sum()


# xPos ----------------------------------------------------------------------------------------------


def test_xpos_bases_of_the_paper() -> None:
    """d = 64: from .4 / 1.4 to (62 / 64 + .4) / 1.4."""
    bases = formulas.xpos_bases(64)
    assert bases[0] == pytest.approx(0.285714, abs=5e-7)
    assert bases[-1] == pytest.approx(0.977679, abs=5e-7)


@pytest.mark.parametrize("start", [0, 4000, 10**6])
def test_xpos_is_the_fading_sum_over_hands(start: int) -> None:
    q, k, v = heads()
    positions = start + torch.tensor([[0, 1, 5, 700, 701, 3000]])
    weights = run(build(XPos(head_dim=DIM)), q, k, v, positions).weights[0].numpy()
    turned_q, turned_k = as_complex(q[0]), as_complex(k[0])
    for h in range(HEADS):
        for m in range(6):
            logits = []
            for n in range(m + 1):
                distance = int(positions[0, m] - positions[0, n])
                score = 0.0
                for i in range(DIM // 2):
                    base = (2 * i / DIM + 0.4) / 1.4
                    turn = np.exp(1j * distance * 10000 ** (-2 * i / DIM))
                    pair = turned_q[h, m, i] * turned_k[h, n, i].conjugate() * turn
                    score += base ** (distance / 512) * pair.real
                logits.append(score / math.sqrt(DIM))
            np.testing.assert_allclose(weights[h, m, : m + 1], softmax(np.array(logits)), atol=1e-10)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_xpos_stays_in_range_in_a_long_text(dtype: torch.dtype) -> None:
    q, k, v = (part.to(dtype) for part in heads())
    positions = torch.tensor([[0, 1, 2, 60_000, 120_000, 120_001]])
    got = run(build(XPos(head_dim=DIM)), q, k, v, positions)
    assert got.output.isfinite().all()
    assert (got.weights.sum(-1) - 1).abs().max() < 1e-5


def test_xpos_without_fading_is_rope() -> None:
    q, k, v = heads()
    positions = torch.arange(6)[None]
    faint, plain = build(XPos(head_dim=DIM, scale_base=1e12)), build(RoPE(head_dim=DIM))
    got, wanted = run(faint, q, k, v, positions), run(plain, q, k, v, positions)
    torch.testing.assert_close(got.output, wanted.output, atol=1e-9, rtol=0)


# LeRoPE ----------------------------------------------------------------------------------------------


def test_lerope_starts_as_rope_and_learns_speeds() -> None:
    encoding = build(LeRoPE(head_dim=DIM))
    places = torch.tensor([[0, 1, 77]])
    cos, _ = encoding.table(places)
    np.testing.assert_allclose(cos[0, 2].detach(), np.cos(77 * RoPE(head_dim=DIM).inv_freq()), rtol=1e-12)
    with torch.no_grad():
        encoding.alpha.copy_(torch.tensor([0.0, math.log(2), 0.0, -1.0]))
    cos, sin = (part.detach().numpy() for part in encoding.table(places))
    speeds = RoPE(head_dim=DIM).inv_freq() * [1, 2, 1, math.exp(-1)]
    np.testing.assert_allclose(cos[0, 2], np.cos(77 * speeds), atol=1e-5)
    np.testing.assert_allclose(sin[0, 2], np.sin(77 * speeds), atol=1e-5)


# FoPE ------------------------------------------------------------------------------------------------


def test_fope_sums_waves_and_stops_the_slow_ones() -> None:
    scheme = FoPE(head_dim=DIM, context=100, gain=0.5, seed=3)
    encoding = build(scheme)
    cos, sin = (part.numpy() for part in encoding.table(torch.tensor([[0, 7]])))
    mixed = scheme.coefficients()
    assert mixed.shape == (2, 2, 2)
    np.testing.assert_allclose(mixed.sum(axis=1), 1)
    for i in range(2):
        waves = [(math.cos(7 * w), math.sin(7 * w)) for w in (1.0, 0.1)]
        assert cos[0, 1, i] == pytest.approx(sum(mixed[0, j, i] * waves[j][0] for j in range(2)), abs=1e-12)
        assert sin[0, 1, i] == pytest.approx(sum(mixed[1, j, i] * waves[j][1] for j in range(2)), abs=1e-12)
    np.testing.assert_array_equal(cos[..., 2:], 1)
    np.testing.assert_array_equal(sin[..., 2:], 0)


def test_fope_leaves_stopped_pairs_untouched() -> None:
    """The published code pads the sine with 1, which mixes them; vLLM mended that with a test of its own."""
    encoding = build(FoPE(head_dim=DIM, context=100))
    q, _, _ = heads()
    turned = encoding.queries(q, encoding.table(torch.arange(6)[None]))
    for dimension in (2, 3, 6, 7):
        torch.testing.assert_close(turned[..., dimension], q[..., dimension], rtol=0, atol=0)


def test_fope_without_gain_is_rope_with_high_frequencies() -> None:
    plain = build(describe("hope-highfreq", head_dim=DIM, context=100))
    pure = build(FoPE(head_dim=DIM, context=100, gain=0.0))
    places = torch.arange(50)[None]
    for got, wanted in zip(pure.table(places), plain.table(places), strict=True):
        torch.testing.assert_close(got, wanted)
    assert FoPE(gain=0.0).untrained_seed is None
    assert FoPE(seed=4).untrained_seed == 4


def test_fope_is_not_quite_relative() -> None:
    """Why its card does not promise it: products of different waves hang on where the text starts."""
    q, k, v = heads()
    encoding = build(FoPE(head_dim=DIM))
    here, there = (run(encoding, q, k, v, start + torch.arange(6)[None]).output for start in (0, 1000))
    assert (here - there).abs().max() > 1e-3


# RoPE on values ------------------------------------------------------------------------------------------


def test_values_arrive_turned_by_their_distance() -> None:
    q, k, v = heads()
    positions = torch.tensor([[3, 4, 9, 10, 50, 51]])
    output, weights = run(build(ValueRoPE(head_dim=DIM)), q, k, v, positions)
    plain = run(build(RoPE(head_dim=DIM)), q, k, v, positions)
    torch.testing.assert_close(weights, plain.weights)
    values = as_complex(v[0])
    for h in range(HEADS):
        for m in range(6):
            wanted = np.zeros(DIM // 2, dtype=complex)
            for n in range(m + 1):
                distance = int(positions[0, m] - positions[0, n])
                turn = np.exp(-1j * distance * 10000.0 ** (-np.arange(DIM // 2) * 2 / DIM))
                wanted += float(weights[0, h, m, n]) * values[h, n] * turn
            np.testing.assert_allclose(as_complex(output[0])[h, m], wanted, atol=1e-12)


# temperature ---------------------------------------------------------------------------------------------


def test_temperature_of_llama_4() -> None:
    """1 + 0.1 ln(1 + floor((p + 1) / 8192)), on queries alone."""
    encoding = build(NoPETemperature())
    q, k, _ = heads(4)
    positions = torch.tensor([[0, 8190, 8191, 100_000]])
    table = encoding.table(positions)
    wanted = [1.0, 1.0, 1 + 0.1 * math.log(2), 1 + 0.1 * math.log(1 + 12)]
    ratio = (encoding.queries(q, table) / q)[0, 0, :, 0]
    np.testing.assert_allclose(ratio, wanted, rtol=1e-12)
    assert encoding.keys(k, table) is k


def test_temperature_of_ministral_3() -> None:
    """Rotated, then times 1 + 0.1 ln(1 + floor(p / 16384))."""
    encoding, plain = build(RoPETemperature(head_dim=DIM)), build(RoPE(head_dim=DIM))
    q, k, _ = heads(3)
    positions = torch.tensor([[16383, 16384, 50_000]])
    table, rope_table = encoding.table(positions), plain.table(positions)
    ratio = (encoding.queries(q, table) / plain.queries(q, rope_table))[0, 0, :, 0]
    np.testing.assert_allclose(ratio, [1.0, 1 + 0.1 * math.log(2), 1 + 0.1 * math.log(4)], rtol=1e-12)
    torch.testing.assert_close(encoding.keys(k, table), plain.keys(k, rope_table))


# bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "given", "said"),
    [
        ("xpos", {"scale_base": 0.0}, "scale_base is 0.0"),
        ("fope", {"gain": -1}, "gain is -1"),
        ("fope", {"context": 1}, "context is 1"),
        ("fope", {"seed": 1.5}, "seed is 1.5"),
        ("lerope", {"head_dim": 7}, "head_dim is 7"),
        ("rope-values", {"layout": "whole"}, "layout is 'whole'"),
        ("temperature-nope", {"floor_scale": 0}, "floor_scale is 0"),
        ("temperature-rope", {"beta": math.inf}, "beta is inf"),
    ],
)
def test_bad_parameters(id: str, given: dict, said: str) -> None:
    with pytest.raises(ClockhandsError, match=said):
        describe(id, **given)
