"""How far off angles are at positions 131,072 and 1,048,576, in radians, by dtype: ours and the peers'.

A head of 128, base 10,000. Each pair holds a hand that starts at angle 0; where it points after the rotation
is its angle, modulo a turn, and the worst pair counts. Both the position named and the one before it are
asked: powers of two alone would hide what a narrow dtype does to integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from comparing import Peers
from torch import Tensor

from clockhands.core.attend import enter
from clockhands.schemes.building import make

HEAD_DIM, PAIRS = 128, 64
NEAR, FAR = 131_072, 1_048_576
F64, F32, F16, BF16 = torch.float64, torch.float32, torch.float16, torch.bfloat16
Turn = Callable[[Peers, Tensor, Tensor, bool], Tensor]


def off(peers: Peers, turn: Turn, position: int, dtype: torch.dtype, cast: bool, layout: str) -> float:
    """The worst error, rad. ``cast``: the whole module was brought to the dtype, not only what it turns."""
    first = slice(0, PAIRS) if layout == "half" else slice(0, HEAD_DIM, 2)
    second = slice(PAIRS, HEAD_DIM) if layout == "half" else slice(1, HEAD_DIM, 2)
    hands = torch.zeros(1, 1, 2, HEAD_DIM, dtype=dtype)
    hands[..., first] = 1
    ids = torch.tensor([[position - 1, position]])
    turned = turn(peers, hands, ids, cast)[0, 0].double()
    speeds = 10000.0 ** (-torch.arange(PAIRS, dtype=F64) / PAIRS)
    wrong = torch.atan2(turned[:, second], turned[:, first]) - ids[0, :, None] * speeds
    return float(((wrong + math.pi) % (2 * math.pi) - math.pi).abs().max())


def ours(layout: str) -> Turn:
    def turn(_: Peers, hands: Tensor, ids: Tensor, cast: bool) -> Tensor:
        scheme = make("rope", head_dim=HEAD_DIM, layout=layout)
        scheme = scheme.to(hands.dtype) if cast else scheme
        _, (placed,) = enter([scheme], torch.zeros(1, 2, 1, dtype=hands.dtype), ids)
        return scheme.queries(hands, placed.table)

    return turn


def llama(peers: Peers, hands: Tensor, ids: Tensor, cast: bool) -> Tensor:
    model = peers.hf("llama")
    config = peers.config("llama", "LlamaConfig", hidden_size=HEAD_DIM, num_attention_heads=1)
    rotary = model.LlamaRotaryEmbedding(config)
    cos, sin = (rotary.to(hands.dtype) if cast else rotary)(hands, ids)
    return model.apply_rotary_pos_emb(hands, hands, cos, sin)[0]


def x_transformers(peers: Peers, hands: Tensor, ids: Tensor, cast: bool) -> Tensor:
    rotary = peers.x.RotaryEmbedding(HEAD_DIM)
    freqs, _ = (rotary.to(hands.dtype) if cast else rotary)(ids)
    return peers.x.apply_rotary_pos_emb(hands, freqs)


def rotary_torch(peers: Peers, hands: Tensor, ids: Tensor, cast: bool) -> Tensor:
    rotary = peers.rotary.RotaryEmbedding(HEAD_DIM)
    return (rotary.to(hands.dtype) if cast else rotary).rotate_queries_or_keys(hands, offset=int(ids[0, 0]))


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("cast", [False, True], ids=["module in float32", "module cast too"])
@pytest.mark.parametrize("position", [NEAR, FAR])
@pytest.mark.parametrize(("dtype", "most"), [(F64, 2e-10), (F32, 1e-7), (F16, 5e-4), (BF16, 4e-3)])
def test_ours(peers: Peers, dtype: torch.dtype, most: float, position: int, cast: bool, layout: str) -> None:
    """No more than the rounding of what comes out, at either position: angles are computed in float64."""
    assert off(peers, ours(layout), position, dtype, cast, layout) < most


@pytest.mark.parametrize("dtype", [F64, F32])
@pytest.mark.parametrize(("position", "error"), [(NEAR, 0.00415), (FAR, 0.0312)])
@pytest.mark.parametrize(
    ("peer", "layout"), [(llama, "half"), (x_transformers, "interleaved"), (rotary_torch, "interleaved")]
)
def test_peers(
    peers: Peers, peer: Turn, layout: str, dtype: torch.dtype, position: int, error: float
) -> None:
    """Their frequencies are float32 whatever the queries are, and so are their angles."""
    assert off(peers, peer, position, dtype, False, layout) == pytest.approx(error, rel=0.01)


@pytest.mark.parametrize(
    ("peer", "layout", "dtype", "near", "far"),
    [
        (llama, "half", F16, 0.00415, 0.0312),
        (llama, "half", BF16, 0.00442, 0.0319),
        (x_transformers, "interleaved", F16, 0.00415, 0.0312),
        (x_transformers, "interleaved", BF16, 0.00442, 0.0319),
        (rotary_torch, "interleaved", BF16, 1.0, 1.0),  # positions themselves are bfloat16
    ],
)
def test_peers_in_narrow_dtypes(
    peers: Peers, peer: Turn, layout: str, dtype: torch.dtype, near: float, far: float
) -> None:
    for position, error in ((NEAR, near), (FAR, far)):
        assert off(peers, peer, position, dtype, False, layout) == pytest.approx(error, rel=0.01)


def test_a_peer_in_float16_has_no_such_positions(peers: Peers) -> None:
    """131,072 is past the largest float16: what rotary-embedding-torch returns is not a number."""
    assert math.isnan(off(peers, rotary_torch, NEAR, F16, False, "interleaved"))


@pytest.mark.parametrize(
    ("peer", "layout"), [(llama, "half"), (x_transformers, "interleaved"), (rotary_torch, "interleaved")]
)
@pytest.mark.parametrize("position", [NEAR, FAR])
def test_peers_whose_modules_were_cast(peers: Peers, peer: Turn, layout: str, position: int) -> None:
    """Frequencies in bfloat16: half a turn off (NVIDIA/Megatron-LM #744, huggingface/transformers #29496)."""
    assert off(peers, peer, position, BF16, True, layout) > 3
