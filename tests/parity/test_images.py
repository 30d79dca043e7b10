"""Positions with axes, as in transformers 5.24.0: M-RoPE and its positions, image towers, Swin's windows."""

from __future__ import annotations

from types import MethodType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from comparing import Peers, causal_mask, heads, randomised, weights
from torch import Tensor

from clockhands.core.attend import enter
from clockhands.core.visibility import Visibility
from clockhands.positions import Grid, after_parts, from_grid, from_parts, from_token_types
from clockhands.schemes.building import make

BOTH_WAYS = Visibility(causal=False)
PARTS = [
    4,
    Grid(1, 6, 10, merge=2),
    3,
    Grid(2, 4, 8, merge=2),
    2,
]  # an image of 3 by 5, a video of 2 by 2 by 4


def close(ours: Tensor, theirs: Tensor, atol: float = 2e-5) -> None:
    assert ours.shape == theirs.shape
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=atol)


# --- M-RoPE


@pytest.mark.parametrize("section", [[4, 6, 6], [3, 8, 5]])
def test_qwen2_vl(peers: Peers, section: list[int]) -> None:
    config = peers.config(
        "qwen2_vl", "Qwen2VLTextConfig", hidden_size=64, num_attention_heads=2, num_key_value_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6, "mrope_section": section},
    )  # fmt: skip
    model = peers.hf("qwen2_vl")
    layer = randomised(model.Qwen2VLAttention(config, 0), 0.15)
    ids = torch.tensor(from_parts(PARTS))[None] + torch.tensor([0, 700])[:, None, None]
    x = torch.randn(2, ids.shape[1], 64)
    table = model.Qwen2VLRotaryEmbedding(config)(x, ids.permute(2, 0, 1))
    _, theirs = layer(x, causal_mask(x.shape[1]), position_embeddings=table)
    scheme = make("mrope", head_dim=32, mrope_section=section)
    ours = weights(scheme, heads(layer.q_proj(x), 2), heads(layer.k_proj(x), 2), positions=ids)
    close(ours, theirs, atol=1e-4)


@pytest.mark.parametrize("section", [[6, 5, 5], [7, 5, 4]])
def test_qwen3_vl(peers: Peers, section: list[int]) -> None:
    config = peers.config(
        "qwen3_vl", "Qwen3VLTextConfig", hidden_size=64, num_attention_heads=2, num_key_value_heads=2,
        head_dim=32, rope_parameters={"rope_type": "default", "rope_theta": 5e6, "mrope_section": section},
    )  # fmt: skip
    model = peers.hf("qwen3_vl")
    layer = randomised(model.Qwen3VLTextAttention(config, 0))
    ids = torch.tensor(from_parts(PARTS))[None] + torch.tensor([0, 700])[:, None, None]
    x = torch.randn(2, ids.shape[1], 64)
    table = model.Qwen3VLTextRotaryEmbedding(config)(x, ids.permute(2, 0, 1))
    _, theirs = layer(x, table, causal_mask(x.shape[1]))
    q, k = (
        norm(heads(made(x), 2)) for norm, made in ((layer.q_norm, layer.q_proj), (layer.k_norm, layer.k_proj))
    )
    scheme = make("mrope-interleaved", head_dim=32, mrope_section=section)
    close(weights(scheme, q, k, positions=ids), theirs, atol=1e-4)


def rope_index(peers: Peers, model: str, name: str, **given: Any) -> tuple[Tensor, Tensor]:
    """``get_rope_index`` without the model: ``(b, t, 3)``, and what decoding adds to the length."""
    vision = SimpleNamespace(spatial_merge_size=2, tokens_per_second=2)
    peer = getattr(peers.hf(model), name)
    stand_in = SimpleNamespace(config=SimpleNamespace(vision_config=vision))
    stand_in.get_vision_position_ids = MethodType(peer.get_vision_position_ids, stand_in)
    ids, deltas = peer.get_rope_index(stand_in, torch.zeros_like(given["mm_token_type_ids"]), **given)
    return ids.permute(1, 2, 0), deltas


QWENS = [("qwen2_vl", "Qwen2VLModel"), ("qwen3_vl", "Qwen3VLModel")]


@pytest.mark.parametrize(("model", "name"), QWENS, ids=lambda name: name)
def test_positions_of_text_images_and_padding(peers: Peers, model: str, name: str) -> None:
    """Two rows of unlike lengths, padded to the left; images of 3 by 5 and of 4 by 2."""
    rows = [[0] * 4 + [1] * 15 + [0] * 3 + [1] * 8 + [0] * 2, [0] * 3 + [1] * 15 + [0]]
    types = torch.tensor([[0] * (32 - len(row)) + row for row in rows])
    valid = torch.tensor([[0] * (32 - len(row)) + [1] * len(row) for row in rows])
    grids = [Grid(1, 6, 10, merge=2), Grid(1, 8, 4, merge=2), Grid(1, 6, 10, merge=2)]
    thw = torch.tensor([[grid.frames, grid.rows, grid.columns] for grid in grids])
    theirs, deltas = rope_index(
        peers, model, name, mm_token_type_ids=types, image_grid_thw=thw, attention_mask=valid
    )
    ours = from_token_types(types, grids, valid=valid)
    torch.testing.assert_close(ours, theirs)
    for row, kept in enumerate(valid.bool()):
        following = after_parts(ours[row, kept], 1)[0, 0]
        assert following == deltas[row, 0] + kept.sum()


def test_positions_of_a_video_in_one_piece(peers: Peers) -> None:
    """Qwen2-VL, a video no longer than it is wide: both rules agree on what follows."""
    types = torch.tensor([[0] * 3 + [2] * 16 + [0] * 2])
    theirs, _ = rope_index(
        peers, "qwen2_vl", "Qwen2VLModel", mm_token_type_ids=types, video_grid_thw=torch.tensor([[2, 4, 8]])
    )
    torch.testing.assert_close(from_token_types(types, (), [Grid(2, 4, 8, merge=2)]), theirs)


def test_positions_of_frames_with_time_stamps(peers: Peers) -> None:
    """Qwen3-VL writes the time as text before each frame."""
    video = Grid(3, 4, 6, merge=2)
    row = [0] * 5 + ([0] * 2 + [2] * 6) * 3 + [0]
    theirs, _ = rope_index(
        peers, "qwen3_vl", "Qwen3VLModel", mm_token_type_ids=torch.tensor([row]),
        video_grid_thw=torch.tensor([[3, 4, 6]]),
    )  # fmt: skip
    ours = from_parts([5, *video.by_frame(2), 1], like=theirs)
    torch.testing.assert_close(ours, theirs[0])


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0])
def test_positions_of_a_video_in_seconds(peers: Peers, seconds: float) -> None:
    """Qwen2.5-VL: time counts ``tokens_per_second * seconds`` a frame (huggingface/transformers #45381)."""
    types = torch.tensor([[0] * 3 + [2] * 12])
    theirs, _ = rope_index(
        peers, "qwen2_5_vl", "Qwen2_5_VLModel", mm_token_type_ids=types,
        video_grid_thw=torch.tensor([[2, 4, 6]]), second_per_grid_ts=torch.tensor([seconds]),
    )  # fmt: skip
    torch.testing.assert_close(
        from_parts([3, Grid(2, 4, 6, 2, interval=2 * seconds)], like=theirs), theirs[0]
    )


def test_what_follows_a_long_video(peers: Peers) -> None:
    """The peer goes on after the rows and columns and forgets time, so text stands inside the video.

    Its own documentation says "max vision position ids plus 1" (huggingface/transformers #35569), and so does
    what it adds while decoding: there the next token is where ours is.
    """
    types = torch.tensor([[0] * 3 + [2] * 32 + [0]])
    theirs, deltas = rope_index(
        peers, "qwen2_vl", "Qwen2VLModel", mm_token_type_ids=types, video_grid_thw=torch.tensor([[8, 4, 4]])
    )
    ours = from_token_types(types, (), [Grid(8, 4, 4, merge=2)])
    torch.testing.assert_close(ours[:, :-1], theirs[:, :-1])
    assert theirs[0, -1].tolist() == [5, 5, 5]  # 3 + 2 columns, while the video goes on to 10
    assert ours[0, -1].tolist() == [11, 11, 11]
    assert theirs[0].max() + 1 == deltas[0, 0] + types.shape[1] == 11


# --- image towers


def turned_on_grid(id: str, x: Tensor, **given: Any) -> Tensor:
    scheme = make(id, head_dim=x.shape[-1], **given)
    _, (placed,) = enter([scheme], torch.zeros(1, x.shape[2], 1), torch.tensor(from_grid(3, 5))[None])
    return scheme.queries(x, placed.table)


def test_image_tower_of_qwen2_vl(peers: Peers) -> None:
    model, x = peers.hf("qwen2_vl"), torch.randn(1, 2, 15, 16)
    config = peers.config("qwen2_vl", "Qwen2VLVisionConfig", embed_dim=32, num_heads=2, num_attention_heads=2)
    cos, sin = model.Qwen2VLVisionRotaryEmbedding(config)(x, torch.tensor(from_grid(3, 5)))
    of_tower = x[0].transpose(0, 1)  # tokens, heads, width
    theirs, _ = model.apply_rotary_pos_emb_vision(of_tower, of_tower, cos, sin)
    close(turned_on_grid("axial-2d", x, rope_theta=1e4)[0].transpose(0, 1), theirs)


def test_image_tower_of_pixtral(peers: Peers) -> None:
    model, x = peers.hf("pixtral"), torch.randn(1, 2, 15, 16)
    config = peers.config("pixtral", "PixtralVisionConfig", hidden_size=32, num_attention_heads=2)
    cos, sin = model.PixtralVisionRotaryEmbedding(config)(x, torch.tensor(from_grid(3, 5)))
    theirs, _ = model.apply_rotary_pos_emb(x, x, cos, sin, unsqueeze_dim=0)
    close(turned_on_grid("axial-2d", x, rope_theta=1e4, spacing="alternate"), theirs)


def test_swin(peers: Peers) -> None:
    swin = peers.hf("swin")
    config = peers.config("swin", "SwinConfig", qkv_bias=True)
    layer, x = randomised(swin.SwinAttention(config, 24, 3, 4), 0.2), torch.randn(2, 16, 24)
    _, theirs = layer(x)
    scheme = make("swin-table", num_heads=3, window_size=4, num_axes=2)
    scheme.weights.copy_(layer.relative_position_bias.relative_position_bias_table)
    ids, q, k = torch.tensor(from_grid(4, 4))[None], heads(layer.q_proj(x), 3), heads(layer.k_proj(x), 3)
    close(weights(scheme, q, k, positions=ids, visibility=BOTH_WAYS), theirs)


def test_swin_v2(peers: Peers) -> None:
    """Cosine scores are the model's own; its bias is ours. A window of 4, trained with 4."""
    swin = peers.hf("swinv2")
    config = peers.config("swinv2", "Swinv2Config")
    layer, x = randomised(swin.Swinv2SelfAttention(config, 24, 3, 4), 0.2), torch.randn(2, 16, 24)
    _, theirs = layer(x, output_attentions=True)
    scheme = make("swin-cpb", num_heads=3, window_size=4, num_axes=2)
    first, _, second = layer.continuous_position_bias_mlp
    scheme.units.copy_(torch.cat((first.weight, first.bias[:, None], second.weight.T), dim=1))
    q, k = (torch.nn.functional.normalize(heads(made(x), 3), dim=-1) for made in (layer.query, layer.key))
    q = q * layer.logit_scale.clamp(max=np.log(100.0)).exp()
    ids = torch.tensor(from_grid(4, 4))[None]
    close(weights(scheme, q, k, positions=ids, visibility=BOTH_WAYS, scale=1.0), theirs)
