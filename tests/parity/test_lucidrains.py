"""x-transformers 2.31.10 and rotary-embedding-torch 0.9.1: the same scores, or both numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from comparing import Peers, causal_mask, randomised, weights
from torch import Tensor

from clockhands.catalogue import describe
from clockhands.catalogue.own import OwnBias
from clockhands.core.attend import enter
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.positions import from_grid
from clockhands.schemes.building import build, make

HEADS, WIDTH, LENGTH = 6, 16, 13


@pytest.fixture
def q() -> Tensor:
    return torch.randn(2, HEADS, LENGTH, WIDTH)


@pytest.fixture
def k() -> Tensor:
    return torch.randn(2, HEADS, LENGTH, WIDTH)


def softmaxed(logits: Tensor) -> Tensor:
    return (logits + causal_mask(logits.shape[-1])).softmax(-1)


def turned(encoding: Encoding, x: Tensor, positions: Tensor | None = None) -> Tensor:
    _, (placed,) = enter([encoding], torch.zeros(x.shape[0], x.shape[2], 1), positions)
    return encoding.queries(x, placed.table)


def close(ours: Tensor, theirs: Tensor, atol: float = 2e-5) -> None:
    torch.testing.assert_close(ours.float(), theirs.float(), rtol=1e-4, atol=atol)


# --- x-transformers


@pytest.mark.parametrize("rotary_dim", [WIDTH, 8])
def test_x_rotation(peers: Peers, q: Tensor, rotary_dim: int) -> None:
    ids = torch.tensor([[0, 1, 2, 3, 17, 18, 19, 300, 301, 302, 303, 1000, 1001]])
    freqs, _ = peers.x.RotaryEmbedding(rotary_dim)(ids)
    theirs = peers.x.apply_rotary_pos_emb(q, freqs)
    scheme = make("rope", head_dim=WIDTH, rotary_dim=rotary_dim, layout="interleaved")
    close(turned(scheme, q, ids), theirs, atol=1e-4)


def test_x_rescaled_base_is_ntk(peers: Peers) -> None:
    theirs = peers.x.RotaryEmbedding(WIDTH, base_rescale_factor=4.0).inv_freq
    ours = describe("ntk", head_dim=WIDTH, factor=4.0).inv_freq()
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-6)


def test_x_xpos(peers: Peers, q: Tensor, k: Tensor) -> None:
    freqs, scale = peers.x.RotaryEmbedding(WIDTH, use_xpos=True, scale_base=8).forward_from_seq_len(LENGTH)
    far = peers.x.apply_rotary_pos_emb(q, freqs, scale)
    near = peers.x.apply_rotary_pos_emb(k, freqs, scale**-1)
    theirs = softmaxed(far @ near.transpose(-1, -2) / math.sqrt(WIDTH))
    close(weights(make("xpos", head_dim=WIDTH, scale_base=8, layout="interleaved"), q, k), theirs)


@pytest.mark.parametrize("causal", [True, False])
def test_x_alibi(peers: Peers, q: Tensor, k: Tensor, causal: bool) -> None:
    logits = q @ k.transpose(-1, -2) / math.sqrt(WIDTH) + peers.x.AlibiPositionalBias(HEADS)(LENGTH, LENGTH)
    theirs = softmaxed(logits) if causal else logits.softmax(-1)
    scheme = make("alibi", num_heads=HEADS, symmetric=not causal)
    close(weights(scheme, q, k, visibility=Visibility(causal=causal)), theirs)


@pytest.mark.parametrize("num_heads", [1, 2, 3, 6, 12, 20, 40, 112])
def test_x_alibi_slopes(peers: Peers, num_heads: int) -> None:
    theirs = peers.x.AlibiPositionalBias(num_heads).slopes.flatten()
    np.testing.assert_allclose(describe("alibi", num_heads=num_heads).slopes(), theirs.numpy(), rtol=1e-6)


@pytest.mark.parametrize("causal", [True, False])
def test_x_t5_bias(peers: Peers, causal: bool) -> None:
    """It multiplies the learned numbers by a scale of its own, the square root of the head size."""
    sizes = {"num_buckets": 32, "max_distance": 128, "heads": HEADS}
    peer = peers.x.RelativePositionBias(scale=math.sqrt(WIDTH), causal=causal, **sizes)
    numbers = math.sqrt(WIDTH) * peer.relative_attention_bias.weight
    scheme = describe("t5", num_heads=HEADS).of(numbers.numpy(), bidirectional=not causal)
    slots = np.arange(300)
    ours = scheme.bias(slots[:, None] - slots)
    np.testing.assert_allclose(ours, peer(300, 300).numpy(), rtol=1e-6)


def test_x_cope(peers: Peers, q: Tensor, k: Tensor) -> None:
    """The peer adds to the scores what the queries say, as they come into it: here already scaled."""
    peer = randomised(peers.x.CoPE(WIDTH, HEADS, 7))
    logits = (q @ k.transpose(-1, -2) / math.sqrt(WIDTH)).masked_fill(causal_mask(LENGTH) != 0, -1e9)
    theirs = (logits + peer(q, logits)).softmax(-1)
    scheme = make("cope-contextual", head_dim=WIDTH, npos_max=7)
    scheme.pos_emb.copy_(peer.pos_emb)
    close(weights(scheme, q, k), theirs)


def test_x_data_dependent_alibi_is_fox(peers: Peers, q: Tensor, k: Tensor) -> None:
    x = torch.randn(2, LENGTH, 24)
    peer = randomised(peers.x.DataDependentAlibi(24, HEADS))
    theirs = softmaxed(q @ k.transpose(-1, -2) / math.sqrt(WIDTH) + peer(x))
    scheme = make("fox", d_model=24, num_heads=HEADS)
    scheme.weight.copy_(peer.to_forget_gates[0].weight)
    scheme.offset.copy_(peer.to_forget_gates[0].bias)
    close(weights(scheme, q, k, x=x), theirs)


def test_x_polar(peers: Peers, q: Tensor, k: Tensor) -> None:
    """The peer puts the phase on the keys, we take it off the queries: scores know the difference alone."""
    peer = peers.x.PolarEmbedding(WIDTH, HEADS, bias_uniform_init=True)
    freqs, bias = peer(torch.arange(LENGTH))
    far, near = (peers.x.apply_polar_pos_emb(each, made) for each, made in ((q, freqs), (k, freqs + bias)))
    theirs = softmaxed(far @ near.transpose(-1, -2) / math.sqrt(WIDTH))
    scheme = make("pope-polar", head_dim=WIDTH, num_heads=HEADS)
    scheme.delta.copy_(peer.learned_bias[:, 0])
    close(weights(scheme, q, k), theirs)


def test_x_projected_bias_is_inkling(peers: Peers, q: Tensor, k: Tensor) -> None:
    """The peer's map has an offset, which the model itself has not."""
    x = torch.randn(2, LENGTH, 24)
    peer = randomised(peers.x.RelativeProjPositionalBias(24, HEADS, num_distance_basis=5, max_dist=9))
    peer.to_distance_weights[0].bias.zero_()
    theirs = softmaxed(q @ k.transpose(-1, -2) / math.sqrt(WIDTH) + peer(x))
    scheme = make("inkling", d_model=24, num_heads=HEADS, d_rel=5, rel_extent=9)
    scheme.map.copy_(peer.to_distance_weights[0].weight)
    scheme.bank.copy_(peer.distance_bank)
    close(weights(scheme, q, k, x=x), theirs)


@pytest.mark.parametrize("log_distance", [False, True])
def test_x_dynamic_bias_as_a_table_of_ones_own(
    peers: Peers, q: Tensor, k: Tensor, log_distance: bool
) -> None:
    """A curve over distance made by a small network is no scheme of the catalogue, but any table is one."""
    peer = randomised(peers.x.DynamicPositionBias(8, heads=HEADS, depth=2, log_distance=log_distance))
    bias = peer(LENGTH, LENGTH)
    theirs = softmaxed(q @ k.transpose(-1, -2) / math.sqrt(WIDTH) + bias)
    of_distance = bias[:, :, 0]  # the first key is as far as the query is along
    close(weights(build(OwnBias(of_distance.numpy())), q, k), theirs)


def test_x_scaled_sinusoid(peers: Peers) -> None:
    peer = peers.x.ScaledSinusoidalEmbedding(WIDTH)
    theirs = peer(torch.zeros(1, 40, WIDTH)) / peer.scale
    ours = describe("sinusoidal", d_model=WIDTH, arrangement="concatenated").table(np.arange(40))
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-5)


def test_x_frequencies_follow_a_cast(peers: Peers) -> None:
    """Cast to bfloat16, the peer's frequencies, and its positions with them, lose all but three digits."""
    ids = torch.arange(4096)[None]
    freqs, _ = peers.x.RotaryEmbedding(64).bfloat16()(ids)
    scheme = make("rope", head_dim=64).bfloat16()
    exact = (ids[0, :, None].double() * torch.tensor(describe("rope", head_dim=64).inv_freq())).cos()
    cos, _ = scheme.table(ids)
    assert (cos[0] - exact).abs().max() < 1e-6
    assert (freqs[0, :, 0::2].double().cos() - exact).abs().max() > 1.9


# --- rotary-embedding-torch


@pytest.mark.parametrize("offset", [0, 9])
def test_rotary_rotation(peers: Peers, q: Tensor, offset: int) -> None:
    theirs = peers.rotary.RotaryEmbedding(8).rotate_queries_or_keys(q, offset=offset)
    scheme = make("rope", head_dim=WIDTH, rotary_dim=8, layout="interleaved")
    close(turned(scheme, q, torch.arange(LENGTH)[None] + offset), theirs)


@pytest.mark.parametrize(
    ("id", "named", "given"),
    [
        ("rope-linear", {"interpolate_factor": 4.0}, {"factor": 4.0}),
        ("ntk", {"theta_rescale_factor": 4.0}, {"factor": 4.0}),
        ("rope", {"theta": 500}, {"rope_theta": 500.0}),
    ],
    ids=["interpolation", "rescaled base", "base"],
)
def test_rotary_scalings(
    peers: Peers, q: Tensor, id: str, named: dict[str, Any], given: dict[str, Any]
) -> None:
    theirs = peers.rotary.RotaryEmbedding(WIDTH, **named).rotate_queries_or_keys(q, offset=100)
    scheme = make(id, head_dim=WIDTH, layout="interleaved", **given)
    close(turned(scheme, q, torch.arange(LENGTH)[None] + 100), theirs, atol=1e-4)


def test_rotary_xpos(peers: Peers, q: Tensor, k: Tensor) -> None:
    peer = peers.rotary.RotaryEmbedding(WIDTH, use_xpos=True, xpos_scale_base=8)
    far, near = peer.rotate_queries_and_keys(q, k)
    theirs = softmaxed(far @ near.transpose(-1, -2) / math.sqrt(WIDTH))
    close(weights(make("xpos", head_dim=WIDTH, scale_base=8, layout="interleaved"), q, k), theirs)


def test_rotary_axes(peers: Peers) -> None:
    """Half of the head for rows, half for columns; a grid of 3 by 5."""
    x = torch.randn(1, HEADS, 3, 5, WIDTH)
    peer = peers.rotary.RotaryEmbedding(WIDTH // 2)
    theirs = peers.rotary.apply_rotary_emb(peer.get_axial_freqs(3, 5), x)
    scheme = make("axial-2d", head_dim=WIDTH, rope_theta=1e4, layout="interleaved")
    ours = turned(scheme, x.flatten(2, 3), torch.tensor(from_grid(3, 5))[None])
    close(ours, theirs.flatten(2, 3))


def test_rotary_positions_in_the_dtype_of_the_queries(peers: Peers) -> None:
    """In bfloat16 it can't count past 256: most neighbours are turned alike. Ours differ as they should."""
    x = torch.ones(1, 1, 2048, 64, dtype=torch.bfloat16)
    peer = peers.rotary.RotaryEmbedding(64)
    theirs = peer.get_seq_pos(2048, dtype=x.dtype)
    assert (theirs[1:] == theirs[:-1]).sum() == 1407
    exact = turned(make("rope", head_dim=64, layout="interleaved"), x.double())
    ours = turned(make("rope", head_dim=64, layout="interleaved"), x)
    wrong = peer.rotate_queries_or_keys(x)
    assert (ours - exact).abs().max() < 0.008  # the rounding of bfloat16 itself
    assert (wrong - exact).abs().max() > 2.7
