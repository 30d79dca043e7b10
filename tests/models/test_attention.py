"""The drop-in attention layer, against attention written out by hand."""

import math

import pytest
import torch
from torch.nn import functional

from clockhands.core.cache import LayerCache
from clockhands.errors import ClockhandsError
from clockhands.models import Attention

B, T, D, H = 2, 7, 16, 4


def hidden(seed=0, width=D):
    return torch.randn(B, T, width, generator=torch.Generator().manual_seed(seed))


def turned_by_hand(x, base=10000.0):
    """RoPE on ``(b, h, t, hd)``: pair i is dimensions (i, i + hd/2) as a complex number, times exp(i p w)."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[2])[:, None] * base ** (-torch.arange(half) / half)
    pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat((pairs.real, pairs.imag), -1)


def attention_by_hand(layer, x, turn, mask=None):
    """Softmax attention with einsum, from the same weights."""
    inner = layer.projections
    q, k, v = (f(x).view(B, T, H, D // H).transpose(1, 2) for f in (inner.query, inner.key, inner.value))
    scores = torch.einsum("bhid,bhjd->bhij", turn(q), turn(k)) / math.sqrt(D // H)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return inner.output(torch.einsum("bhij,bhjd->bihd", weights, v).reshape(B, T, D)), weights


@pytest.mark.parametrize(("encoding", "turn"), [("rope", turned_by_hand), ("nope", lambda x: x)])
@pytest.mark.parametrize("causal", [True, False])
def test_it_is_attention(encoding, turn, causal):
    layer = Attention(D, H, encoding=encoding, causal=causal, seed=1)
    x = hidden()
    mask = torch.ones(T, T, dtype=torch.bool).tril() if causal else None
    output, weights = attention_by_hand(layer, x, turn, mask)
    got = layer.attended(x)
    torch.testing.assert_close(got.output, output, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(got.weights, weights, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(layer(x), got.output, rtol=1e-5, atol=1e-6)


def test_parameters_of_the_encoding_go_to_it():
    x = hidden()
    layer = Attention(D, H, encoding="rope", rope_theta=7.0, seed=1)
    output, _ = attention_by_hand(layer, x, lambda q: turned_by_hand(q, 7.0))
    torch.testing.assert_close(layer(x), output, rtol=1e-5, atol=1e-6)
    with pytest.raises(ClockhandsError, match="rope_theta"):
        Attention(D, H, encoding="rope", rope_teta=7.0)


def test_an_added_table_is_added_before():
    x = hidden()
    layer = Attention(D, H, encoding="sinusoidal", seed=1)
    place, pair = torch.arange(T)[:, None], torch.arange(D // 2)
    angle = place / 10000 ** (2 * pair / D)
    table = torch.stack((angle.sin(), angle.cos()), -1).flatten(1)
    output, _ = attention_by_hand(layer, x + table, lambda q: q)
    torch.testing.assert_close(layer(x), output, rtol=1e-5, atol=1e-6)


def test_concatenation_takes_narrower_hidden_states():
    layer = Attention(D, H, encoding="sinusoidal", combine="concatenate", position_width=6, seed=0)
    assert layer.token_width == 10
    assert layer(hidden(width=10)).shape == (B, T, D)


def test_padding_is_seen_by_no_one():
    layer = Attention(D, H, seed=0)
    valid = torch.arange(T) < torch.tensor([[T], [4]])
    got = layer.attended(hidden(), valid=valid)
    assert got.weights is not None
    assert (got.weights[1, :, :, 4:] == 0).all()
    alone = layer(hidden()[1:, :4])
    torch.testing.assert_close(got.output[1:, :4], alone, rtol=1e-5, atol=1e-6)


def test_packed_documents_are_apart():
    layer = Attention(D, H, seed=0)
    documents = torch.tensor([[0, 0, 0, 1, 1, 1, 1]]).expand(B, T)
    positions = torch.tensor([[0, 1, 2, 0, 1, 2, 3]])
    packed = layer(hidden(), positions=positions, documents=documents)
    apart = torch.cat((layer(hidden()[:, :3]), layer(hidden()[:, 3:])), 1)
    torch.testing.assert_close(packed, apart, rtol=1e-5, atol=1e-6)


def test_chunks_with_a_cache_are_the_whole():
    layer = Attention(D, H, causal=True, seed=0)
    x, cache = hidden(), LayerCache()
    chunks = [layer(x[:, start:stop], cache=cache) for start, stop in ((0, 3), (3, 4), (4, T))]
    torch.testing.assert_close(torch.cat(chunks, 1), layer(x), rtol=1e-5, atol=1e-6)
    assert cache.length == T


def test_grouped_queries_are_full_heads_with_equal_keys():
    grouped, full = Attention(D, H, kv_heads=2, seed=0), Attention(D, H, seed=0)
    assert grouped.projections.key.weight.shape == (8, D)
    with torch.no_grad():
        for name in ("key", "value"):
            ours, theirs = getattr(grouped.projections, name), getattr(full.projections, name)
            for mine, other in ((ours.weight, theirs.weight), (ours.bias, theirs.bias)):
                heads = mine.unflatten(0, (2, 4))
                other.copy_(heads.repeat_interleave(2, 0).flatten(0, 1))
    torch.testing.assert_close(grouped(hidden()), full(hidden()), rtol=1e-5, atol=1e-6)


def test_dropout_drops_whole_weights_while_training_only():
    layer = Attention(D, H, dropout=0.5, seed=0)
    x = hidden()
    layer.eval()
    assert torch.equal(layer(x), layer(x))
    layer.train()
    torch.manual_seed(0)
    weights = layer.attended(x)
    assert not torch.equal(layer(x), weights.output)
    torch.manual_seed(3)
    inner = layer.projections
    q, k, v = (f(x).view(B, T, H, D // H).transpose(1, 2) for f in (inner.query, inner.key, inner.value))
    soft = (turned_by_hand(q) @ turned_by_hand(k).transpose(-1, -2) / 2).softmax(-1)
    expected = inner.output((functional.dropout(soft, 0.5) @ v).transpose(1, 2).reshape(B, T, D))
    torch.manual_seed(3)
    torch.testing.assert_close(layer.attended(x).output, expected, rtol=1e-5, atol=1e-6)


def test_gradients_reach_every_parameter():
    layer = Attention(D, H, encoding="t5", seed=0)
    layer(hidden()).square().sum().backward()
    missing = [n for n, p in layer.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert [name for name in missing if "key.bias" not in name] == []  # softmax ignores a shift of all keys


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"dim": 10, "heads": 4}, "heads must divide dim, e.g. dim 12"),
        ({"dim": 16, "heads": 4, "kv_heads": 3}, "kv_heads must divide heads"),
        ({"dim": 0, "heads": 4}, "dim is 0"),
        ({"dim": 16, "heads": -1}, "heads is -1"),
        ({"dim": 12, "heads": 4}, "head_dim is 3, but it must be an even"),
        ({"dim": 16, "heads": 4, "dropout": math.nan}, "dropout is nan"),
        ({"dim": 16, "heads": 4, "encoding": "ropee"}, "did you mean 'rope'"),
    ],
)
def test_sizes_that_do_not_fit(sizes, message):
    with pytest.raises(ClockhandsError, match=message):
        Attention(**sizes)
