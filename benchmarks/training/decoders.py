"""Decoders of the same size that others write: on plain PyTorch, and x-transformers' own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


class Plain(nn.Module):
    """As a loop in a notebook has it: learned positions, one map to q, k and v, fused attention."""

    def __init__(self, words: int, longest: int, dim: int, heads: int, layers: int):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, dim), nn.Embedding(longest, dim)
        self.blocks = nn.ModuleList(_Block(dim, heads) for _ in range(layers))
        self.norm, self.output = nn.LayerNorm(dim), nn.Linear(dim, words, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.output(self.norm(x))


class _Block(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(self.first(x)).chunk(3, dim=-1)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        return x + self.mlp(self.second(x))


# As its Decoder calls them. Its T5 bias can't be had with fused attention.
ENCODINGS: dict[str, dict[str, Any]] = {
    "learned": {"attn_flash": True},
    "nope": {"attn_flash": True},
    "rope": {"attn_flash": True, "rotary_pos_emb": True},
    "alibi": {"attn_flash": True, "alibi_pos_bias": True},
    "t5": {"rel_pos_bias": True},
}


def x_transformer(
    words: int, longest: int, dim: int, heads: int, layers: int, encoding: str = "learned"
) -> nn.Module:
    """Its decoder with an encoding of ``ENCODINGS``; as it comes, that is learned positions."""
    from x_transformers import Decoder, TransformerWrapper

    blocks = Decoder(dim=dim, depth=layers, heads=heads, attn_dim_head=dim // heads, **ENCODINGS[encoding])
    return TransformerWrapper(
        num_tokens=words, max_seq_len=longest, attn_layers=blocks, use_abs_pos_emb=encoding == "learned"
    )
