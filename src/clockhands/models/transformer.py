"""A small Transformer, decoder or encoder, with any positional encoding."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from clockhands.catalogue.rules import require_bool, require_count, require_real
from clockhands.core.attend import Placed, enter
from clockhands.core.attend import token_width as width_of_tokens
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.language import Text
from clockhands.memory import require_memory
from clockhands.models.inputs import require_asked, require_cache, require_tokens, require_width
from clockhands.models.needed import Needed, needed_for
from clockhands.models.own_positions import own_positions
from clockhands.models.projections import SelfAttention, head_dim_of
from clockhands.models.seeding import initialise, root_seed, stream
from clockhands.schemes import stacking
from clockhands.schemes.stacking import Spec


class Scored(NamedTuple):
    """logits ``(b, t, vocab_size)``; weights: one ``(b, h, tq, tk)`` a layer, or None if not wanted."""

    logits: Tensor
    weights: tuple[Tensor, ...] | None


class Transformer(nn.Module):
    """Token embedding, pre-norm blocks of attention and MLP, a norm, and a map back to the vocabulary.

    vocab_size  number of token ids
    dim         width of the hidden states
    heads       query heads, dividing dim; kv_heads: key and value heads (fewer: grouped-query attention)
    layers      number of blocks
    encoding    an id such as ``"rope"``, a description, an Encoding, a mapping of the letters in ``pattern``,
                or a function of the layer; see ``clockhands.schemes.layers``
    pattern     letters repeated over the layers, such as ``"RRRN"``
    causal      True: a decoder, where a token sees no later one; False: an encoder
    hidden      width of the MLP; None: 4 * dim
    dropout     probability that a weight, or a dimension a block adds, is dropped while training
    tied        the map back to the vocabulary is the embedding itself
    max_positions  rows of a learned table of positions
    seed        of the initial weights; None: torch's global generator. Two models with equal seeds that
                differ in the encoding only are equal everywhere else

    Raises ClockhandsError for sizes that don't fit or that this machine has no memory for, and for tokens
    that are no ids of it.

    >>> Transformer(100, dim=16, heads=2, layers=1)(torch.tensor([[5, 7, 9]])).logits.shape
    torch.Size([1, 3, 100])
    """

    def __init__(
        self,
        vocab_size: int,
        *,
        dim: int = 64,
        heads: int = 4,
        layers: int = 2,
        encoding: Spec = "rope",
        pattern: str | None = None,
        causal: bool = True,
        kv_heads: int | None = None,
        hidden: int | None = None,
        dropout: float = 0.0,
        tied: bool = True,
        max_positions: int = 512,
        seed: int | None = None,
    ):
        super().__init__()
        head_dim = head_dim_of(dim, heads, heads if kv_heads is None else kv_heads)
        inner = 4 * dim if hidden is None else hidden
        for value, name in ((vocab_size, "vocab_size"), (layers, "layers"), (inner, "hidden")):
            require_count(value, name, most=10**8)
        require_count(max_positions, "max_positions")
        require_bool(causal, "causal")
        require_real(dropout, "dropout", least=0.0, most=1.0)
        weights = layers * dim * (4 * dim + 2 * inner) + vocab_size * dim * (1 if tied else 2)
        require_memory(Text("this model", "这个模型"), (weights,), bytes_each=4)
        seed = root_seed(seed)
        sizes = {
            "d_model": dim, "head_dim": head_dim, "num_heads": heads, "num_layers": layers,
            "max_positions": max_positions, "bidirectional": not causal, "seed": seed,
        }  # fmt: skip
        encodings = stacking.layers(encoding, layers, sizes, pattern)
        width = width_of_tokens(encodings, dim)
        self.causal = causal
        with stream(seed, "built"):  # torch draws weights while it builds, which are then drawn anew
            self.embedding = Embedding(vocab_size, width)
            self.blocks = nn.ModuleList(
                Block(each, SelfAttention(dim, heads, kv_heads, dropout), dim, inner, dropout)
                for each in encodings
            )
            self.norm = nn.LayerNorm(dim)
            self.narrow = nn.Linear(dim, width, bias=False) if tied and width != dim else None
            self.output = None if tied else nn.Linear(dim, vocab_size, bias=False)
        initialise(self, seed)

    @property
    def encodings(self) -> tuple[Encoding, ...]:
        """One a layer; layers may share one."""
        return tuple(block.encoding for block in self._blocks())

    def forward(
        self,
        tokens: Tensor,
        positions: Tensor | None = None,
        valid: Tensor | None = None,
        documents: Tensor | None = None,
        cache: Cache | None = None,
        want_weights: bool = False,
        generator: torch.Generator | None = None,
    ) -> Scored:
        """Token ids ``(b, t)`` -> logits ``(b, t, vocab_size)``.

        positions     integers ``(b or 1, t[, axes])``; None: see ``own_positions``
        valid         ``(b, t)`` bool, False for padding, which no token sees
        documents     ``(b, t)`` integers; a token sees its own document only
        cache         what the layers remember of earlier tokens; these are added to it
        want_weights  also return the attention weights; the dense back end computes then
        generator     for encodings that draw random places
        """
        hidden, weights = self.read(tokens, positions, valid, documents, cache, want_weights, generator)
        return Scored(self.score(hidden), weights)

    def read(
        self,
        tokens: Tensor,
        positions: Tensor | None = None,
        valid: Tensor | None = None,
        documents: Tensor | None = None,
        cache: Cache | None = None,
        want_weights: bool = False,
        generator: torch.Generator | None = None,
    ) -> tuple[Tensor, tuple[Tensor, ...] | None]:
        """Like calling it, but the hidden states ``(b, t, dim)`` that ``score`` maps to logits."""
        require_tokens(tokens, self.embedding.num_embeddings)
        visibility = Visibility(self.causal, valid, documents)
        if cache is not None:
            require_cache(cache, len(self.blocks))
        x = self.embedding(tokens)
        if positions is None:
            positions = own_positions(x, valid, documents, None if cache is None else cache[0])
        x, placed = enter(self.encodings, x, positions, tokens=tokens, generator=generator)
        kept: list[Tensor] = []
        for index, (block, place) in enumerate(zip(self._blocks(), placed, strict=True)):
            x, weights = block(x, place, visibility, None if cache is None else cache[index], want_weights)
            if weights is not None:
                kept.append(weights)
        return self.norm(x), tuple(kept) if want_weights else None

    def read_asked(
        self,
        tokens: Tensor,
        asked: Tensor,
        positions: Tensor | None = None,
        valid: Tensor | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Hidden states ``(n, dim)`` of the tokens where ``asked`` ``(b, t)`` is True, as of ``read``.

        What they don't hang on is not computed: in a decoder what comes after the last that is asked for, as
        padding does, in an encoder those that are not valid; in the last block, any that is not asked for.
        """
        require_tokens(tokens, self.embedding.num_embeddings)
        visibility = Visibility(self.causal, valid)
        require_asked(asked, tokens)
        x = self.embedding(tokens)
        if positions is None:
            positions = own_positions(x, valid, None, None)
        x, placed = enter(self.encodings, x, positions, tokens=tokens, generator=generator)
        needed = needed_for(asked, valid, causal=self.causal)
        x = needed.taken(x)
        for index, (block, place) in enumerate(zip(self._blocks(), placed, strict=True), start=1):
            x = block.of_needed(x, place, visibility, needed, last=index == len(placed))
        return self.norm(x)

    def score(self, hidden: Tensor) -> Tensor:
        """Hidden states ``(..., dim)`` -> logits ``(..., vocab_size)``; costly, so give only those needed."""
        require_width(hidden, self.norm.normalized_shape[0])
        if self.output is not None:
            return self.output(hidden)
        narrowed = hidden if self.narrow is None else self.narrow(hidden)
        return functional.linear(narrowed, self.embedding.weight)

    def _blocks(self) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if isinstance(block, Block))


class Embedding(nn.Embedding):
    """Token vectors whose dimensions have variance 1 at the start, kept small so that they can be tied.

    The weights are N(0, 1/width) and a lookup multiplies by sqrt(width) (Vaswani et al. 2017, section 3.4):
    tokens are as large as the sines and cosines that may be added, and logits start near N(0, 1).
    """

    def reset_parameters(self) -> None:
        """Draw the initial weights."""
        nn.init.normal_(self.weight, std=self.embedding_dim**-0.5)

    def forward(self, input: Tensor) -> Tensor:  # the name is that of nn.Embedding
        return super().forward(input) * self.embedding_dim**0.5


class Block(nn.Module):
    """Attention, then an MLP, each on normed hidden states and added to them."""

    def __init__(self, encoding: Encoding, attention: SelfAttention, dim: int, hidden: int, dropout: float):
        super().__init__()
        self.encoding = encoding
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = attention
        self.mlp_norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.drop = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, placed: Placed, visibility: Visibility, cache: LayerCache | None, want_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """``(b, t, dim)`` -> the same, and the attention weights if wanted."""
        mixed, weights = self.attention(self.attention_norm(x), placed, visibility, cache, want_weights)
        return self._through_mlp(x + self.drop(mixed)), weights

    def of_needed(
        self, x: Tensor, placed: Placed, visibility: Visibility, needed: Needed, *, last: bool
    ) -> Tensor:
        """The tokens that are needed, ``(n, dim)`` -> the same; after the last block those that are asked for
        alone."""
        mixed, _ = self.attention.mixed(needed.spread(self.attention_norm(x)), placed, visibility)
        taken = needed.taken(mixed)
        if last:
            x, taken = needed.answers(x), needed.answers(taken)
        return self._through_mlp(x + self.drop(self.attention.output(taken)))

    def _through_mlp(self, x: Tensor) -> Tensor:
        return x + self.drop(self.mlp(self.mlp_norm(x)))
