"""What each public bug of padding, caches, packing, images, biases and graphs got wrong, as a check.

Each takes the implementation and raises AssertionError if it has the fault, as in ``rotation_checks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from rotation_checks import refuses
from torch import Tensor

from clockhands import formulas
from clockhands.core.attend import attend, enter
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.encoding import Encoding
from clockhands.core.visibility import Visibility
from clockhands.models.drop_in import Attention
from clockhands.models.transformer import Transformer
from clockhands.positions import Grid

Decode = Callable[..., Tensor]
"""``decode(tokens, valid=, documents=, cache=)`` -> logits ``(b, t, vocabulary)``."""


def close(ours: Tensor, theirs: Tensor, atol: float = 1e-5) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=atol)


def decoder(encoding: str) -> Transformer:
    return Transformer(50, dim=24, heads=6, layers=2, encoding=encoding, seed=0).eval()


def one_head(scheme: Encoding, length: int, cache: LayerCache | None = None, at: int = 0) -> Tensor:
    """What comes out of one head of 8 for the tokens ``at`` … ``at + length - 1`` of one fixed text."""
    text = torch.randn(3, 1, 1, 5000, 8, generator=torch.Generator().manual_seed(3))
    q, k, v = text[..., at : at + length, :]
    _, (placed,) = enter([scheme], q[:, 0], torch.arange(at, at + length)[None])
    return attend(placed, q, k, v, cache=cache).output


# --- padding


def mask_makes_positions(from_mask: Callable[[Tensor], Tensor]) -> None:
    valid = torch.tensor([[False] * 3 + [True] * 3, [True] * 6])
    assert from_mask(valid).tolist() == [[0, 0, 0, 0, 1, 2], [0, 1, 2, 3, 4, 5]]


def left_padding_changes_nothing(decode: Decode) -> None:
    valid = torch.tensor([[False] * 3 + [True] * 3, [True] * 6])
    tokens = torch.tensor([[0, 0, 0, 7, 9, 4], [5, 6, 7, 8, 9, 4]])
    padded = decode(tokens, valid=valid)
    close(padded[0, 3:], decode(tokens[:1, 3:])[0])
    close(padded[1], decode(tokens[1:])[0])


def scores_shift_by_their_rounding(scheme: Encoding, dtype: torch.dtype) -> None:
    """Of head_dim 64."""
    rounding = torch.finfo(dtype).eps
    q, k = torch.randn(2, 1, 1, 1, 64, generator=torch.Generator().manual_seed(2)).to(dtype)
    scores = []
    for shift in (0, 1000, 100_000):
        table = scheme.table(torch.tensor([[shift + 5]])), scheme.table(torch.tensor([[shift]]))
        scores.append((scheme.queries(q, table[0]).double() * scheme.keys(k, table[1]).double()).sum().item())
    size = (q.double().norm() * k.double().norm()).item()
    assert max(scores) - min(scores) < 2 * rounding * size


# --- caches


def positions_go_on_after_the_prompt(following: Callable[[Tensor, int], Tensor]) -> None:
    assert following(torch.arange(9)[None], 1).tolist() == [[9]]
    assert following(torch.arange(6)[None], 3).tolist() == [[6, 7, 8]]


def decoding_equals_the_whole(decode: Decode) -> None:
    tokens, cache = torch.randint(50, (1, 13)), Cache(2)
    parts = [decode(tokens[:, start:stop], cache=cache) for start, stop in ((0, 9), (9, 10), (10, 13))]
    close(torch.cat(parts, dim=1), decode(tokens))


def evicted_tokens_still_count(next_position: Callable[[Any, Any], Any]) -> None:
    """Of positions and the slots that are kept."""
    assert np.ravel(next_position(np.arange(10), np.asarray([0, 1, 6, 7, 8, 9]))).tolist() == [10]


def keys_turn_with_the_length(make: Callable[[], Encoding], last: int) -> None:
    """Keys that were cached while the text had ``last`` tokens, and one more."""
    cache = LayerCache()
    one_head(make(), last, cache)
    token = one_head(make(), 1, cache, at=last)
    close(token, one_head(make(), last + 1)[:, :, -1:])


def long_factors_begin_with_the_token_after(inv_freq_at: Callable[[int], Any]) -> None:
    """Of head_dim 8, 4096 trained tokens and long factors 1, 2, 4, 8."""
    assert (inv_freq_at(4096) == formulas.default_inv_freq(8)).all()
    assert (inv_freq_at(4097) == formulas.default_inv_freq(8) / [1.0, 2.0, 4.0, 8.0]).all()


def decoded_bias_is_the_last_row(layer: Attention) -> None:
    """Of width 24."""
    x, cache = torch.randn(1, 40, 24), LayerCache()
    whole = layer.attended(x).weights
    layer(x[:, :-1], cache=cache)
    last = layer.attended(x[:, -1:], cache=cache).weights
    assert whole is not None
    assert last is not None
    close(last, whole[:, :, -1:])


# --- packed documents, ranks


def lengths_make_positions(from_lengths: Callable[[list[int]], Any]) -> None:
    assert from_lengths([3, 2]).tolist() == [0, 1, 2, 0, 1]


def packed_documents_start_anew(decode: Decode) -> None:
    documents, tokens = torch.tensor([[0, 0, 0, 1, 1]]), torch.tensor([[3, 4, 5, 6, 7]])
    close(decode(tokens, documents=documents)[:, 3:], decode(tokens[:, 3:]))


def positions_are_as_many_as_tokens(entered: Callable[..., Any], ids: int, tokens: int) -> None:
    given = {"x": torch.zeros(1, tokens, 8), "positions": torch.arange(ids)[None]}
    refuses(entered, "positions have shape", **given)


def ranks_hold_slices(
    shard: Callable[[int, int, int], Any], packed_shard: Callable[[list[int], int, int], Any]
) -> None:
    assert packed_shard([4, 4], 0, 2).tolist() == [0, 3, 4, 7]
    assert shard(8, 0, 2).tolist() == [0, 1, 6, 7]
    assert shard(8, 1, 2).tolist() == [2, 3, 4, 5]


# --- images


def time_starts_where_the_text_ends(from_parts: Callable[..., Any]) -> None:
    made = from_parts([15, Grid(1, 24, 32, merge=2, interval=4.0), 1])
    assert made[15].tolist() == [15, 15, 15]
    assert (made[15:-1, 0] == 15).all()
    assert made[-1].tolist() == [31, 31, 31]
    assert (from_parts([7]) == np.arange(7)[:, None]).all()
    assert from_parts([3], start=40).tolist() == [[40] * 3, [41] * 3, [42] * 3]


def next_text_follows_the_largest(after_parts: Callable[[Any, int], Any]) -> None:
    image = np.asarray([[2, 2, 2], [2, 2, 3], [2, 3, 2], [2, 3, 3]])
    assert after_parts(image, 1).tolist() == [[4, 4, 4]]  # not 6, the number of tokens


def rows_come_before_columns(from_grid: Callable[[int, int], Any], scheme: Encoding) -> None:
    """Of head_dim 8, pairs side by side."""
    grid = from_grid(3, 5)
    assert grid[5].tolist() == [1, 0]
    x = torch.ones(1, 1, 15, 8)
    _, (placed,) = enter([scheme], torch.zeros(1, 15, 1), torch.tensor(np.asarray(grid))[None])
    moved = (scheme.queries(x, placed.table) != x)[0, 0]
    assert moved[5].tolist() == [True] * 4 + [False] * 4  # a row down: the first half of the head
    assert moved[1].tolist() == [False] * 4 + [True] * 4  # a column to the right: the second


# --- biases


def slopes_of_six_heads(slopes: Callable[[int], Any]) -> None:
    np.testing.assert_allclose(slopes(6), [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125])


def first_slope_is_no_one(slopes: Callable[[int], Any]) -> None:
    assert (slopes(8)[0], slopes(8)[-1]) == (0.5, 0.00390625)


def encoders_look_both_ways(scheme: Encoding) -> None:
    """Of two heads."""
    q = torch.zeros(1, 2, 5, 8)
    _, (placed,) = enter([scheme], torch.zeros(1, 5, 1))
    weights = attend(placed, q, q, q, visibility=Visibility(causal=False), want_weights=True).weights
    distance = (torch.arange(5)[:, None] - torch.arange(5)).abs()
    assert weights is not None
    close(weights, (-torch.tensor([0.0625, 0.00390625])[:, None, None] * distance).softmax(-1)[None])


def bucket_is(t5_bucket: Callable[..., Any], key_minus_query: int, both: bool, bucket: int) -> None:
    assert t5_bucket(np.asarray([-key_minus_query]), bidirectional=both).tolist() == [bucket]


# --- tables


def past_the_last_row_is_an_error(scheme: Encoding, rows: int, position: int) -> None:
    enter([scheme], torch.zeros(1, 1, 8), torch.tensor([[rows - 1]]))
    refuses(lambda: enter([scheme], torch.zeros(1, 1, 8), torch.tensor([[position]])), str(position))


# --- modules, graphs, checkpoints


def forward_writes_nothing(scheme: Encoding) -> None:
    before = {name: (part, part._version) for name, part in vars(scheme).items() if isinstance(part, Tensor)}
    before |= {name: (part, part._version) for name, part in scheme.named_buffers()}
    assert before
    for length in (4, 10_000, 4):
        scheme.table(torch.arange(length)[None])
    after = vars(scheme) | dict(scheme.named_buffers())
    for name, (part, version) in before.items():
        assert after[name] is part
        assert part._version == version


def lengths_share_a_graph(scheme: Encoding) -> None:
    """Of head_dim 8."""
    graphs = 0

    def counting(graph: Any, _: Any) -> Any:
        nonlocal graphs
        graphs += 1
        return graph.forward

    torch.compiler.reset()
    compiled = torch.compile(
        lambda x, ids: scheme.queries(x, scheme.table(ids)), backend=counting, fullgraph=True
    )
    for length in (7, 12, 33):
        x, ids = torch.randn(1, 2, length, 8), torch.arange(length)[None]
        close(compiled(x, ids), scheme.queries(x, scheme.table(ids)))
    assert graphs <= 2


def checkpoints_hold_no_frequencies(scheme: Encoding) -> None:
    assert scheme.state_dict() == {}
    assert scheme.load_state_dict({}).missing_keys == []


def every_fourth_layer_has_no_position(by_layer: Iterable[str]) -> None:
    """Ids of 36 layers."""
    assert [layer for layer, id in enumerate(by_layer) if id == "nope"] == list(range(3, 36, 4))
