"""One attention layer to put into any model."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from clockhands.catalogue import describe
from clockhands.catalogue.rules import require_bool
from clockhands.core.attend import Attended, enter
from clockhands.core.attend import token_width as width_of_tokens
from clockhands.core.cache import LayerCache
from clockhands.core.checks import require_cache
from clockhands.core.visibility import Visibility
from clockhands.errors import ClockhandsError
from clockhands.models.inputs import require_hidden
from clockhands.models.own_positions import own_positions
from clockhands.models.projections import SelfAttention, head_dim_of
from clockhands.models.seeding import initialise, root_seed, stream
from clockhands.schemes.stacking import Scheme, layers


class Attention(nn.Module):
    """Multi-head self-attention with any positional encoding, for hidden states ``(b, t, dim)``.

    dim         width of the hidden states
    heads       query heads; kv_heads: key and value heads, fewer for grouped-query attention
    encoding    an id such as ``"rope"`` (its sizes are filled in), a description, or an Encoding
    causal      a token sees no later one
    dropout     probability that a weight is dropped while training
    parameters  of the encoding, if it is given by id: ``rope_theta=1e6``

    An encoding that adds a table, such as ``"sinusoidal"``, adds it to the hidden states first; one that
    concatenates takes hidden states of ``token_width`` dimensions. Without a ``seed`` initial weights follow
    torch's global generator, as those of torch's own layers do. Raises ClockhandsError for sizes that don't
    fit or that this machine has no memory for, and for hidden states of another shape or dtype.

    >>> import torch
    >>> Attention(16, 4, encoding="rope")(torch.zeros(2, 5, 16)).shape
    torch.Size([2, 5, 16])
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        encoding: Scheme = "rope",
        *,
        causal: bool = False,
        kv_heads: int | None = None,
        dropout: float = 0.0,
        seed: int | None = None,
        **parameters: Any,
    ):
        super().__init__()
        require_bool(causal, "causal")
        head_dim = head_dim_of(dim, heads, heads if kv_heads is None else kv_heads)
        seed = root_seed(seed)
        sizes = {
            "seed": seed,
            "d_model": dim,
            "head_dim": head_dim,
            "num_heads": heads,
            "bidirectional": not causal,
        }
        if parameters:
            if not isinstance(encoding, str):
                raise _made_already(tuple(parameters))
            encoding = type(describe(encoding)).fitted(sizes, **parameters)
        (self.encoding,) = layers(encoding, 1, sizes)
        self.causal = causal
        self.token_width = width_of_tokens([self.encoding], dim)
        with stream(seed, "built"):  # torch draws weights while it builds, which are then drawn anew
            self.projections = SelfAttention(dim, heads, kv_heads, dropout)
        initialise(self, seed)

    def forward(
        self,
        x: Tensor,
        positions: Tensor | None = None,
        valid: Tensor | None = None,
        documents: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """``(b, t, token_width)`` -> ``(b, t, dim)``.

        positions  integers ``(b or 1, t[, axes])``; None: see ``own_positions``
        valid      ``(b, t)`` bool, False for padding, which no token sees
        documents  ``(b, t)`` integers; a token sees its own document only
        cache      what this layer remembers of earlier tokens; these are added to it
        """
        return self.attended(x, positions, valid, documents, cache, want_weights=False).output

    def attended(
        self,
        x: Tensor,
        positions: Tensor | None = None,
        valid: Tensor | None = None,
        documents: Tensor | None = None,
        cache: LayerCache | None = None,
        want_weights: bool = True,
    ) -> Attended:
        """Like calling it, with the weights ``(b, h, tq, tk)`` beside the output."""
        require_hidden(x, self.token_width, self.projections.query.weight)
        visibility = Visibility(self.causal, valid, documents)
        if cache is not None:
            require_cache(cache, x.shape[0])
        if positions is None:
            positions = own_positions(x, valid, documents, cache)
        hidden, (placed,) = enter([self.encoding], x, positions)
        return self.projections(hidden, placed, visibility, cache, want_weights)


def _made_already(names: tuple[str, ...]) -> ClockhandsError:
    given = ", ".join(names)
    return ClockhandsError(
        f"{given} came with an encoding that is made already, and can't change it: "
        "give the encoding by its id, or make it with them",
        f"编码已经建好，{given} 改不了它：请用名称给出编码，或者建编码时就给出这些参数",
    )
