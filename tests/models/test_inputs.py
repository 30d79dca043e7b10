"""What a model can't read is refused in one sentence, whatever a person puts in."""

import pytest
import torch

from clockhands import memory
from clockhands.core.cache import Cache, LayerCache
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError
from clockhands.models import Attention, Transformer

TOKENS = torch.tensor([[3, 4, 5]])


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.zeros(2, 5, 7), r"x has shape \(2, 5, 7\), and this layer needs \(b, t, 8\)"),
        (torch.zeros(5, 8), r"x has shape \(5, 8\)"),
        (torch.zeros(1, 2, 5, 8), r"x has shape \(1, 2, 5, 8\)"),
        (torch.zeros(2, 5, 8, dtype=torch.int64), r"x is torch\.int64, and the weights .* torch\.float32"),
        (torch.zeros(2, 5, 8, dtype=torch.bool), r"x is torch\.bool"),
        (torch.zeros(2, 5, 8, dtype=torch.complex64), r"x is torch\.complex64"),
        (torch.zeros(2, 5, 8, dtype=torch.float64), r"x\.to\(torch\.float32\), or convert the layer"),
        (None, "x is a NoneType, and a model needs a torch.Tensor"),
        ([[[0.0] * 8]], "x is a list"),
    ],
)
@pytest.mark.parametrize("encoding", ["rope", "sinusoidal"])
def test_hidden_states_of_another_kind_are_refused(encoding, x, message):
    layer = Attention(8, 2, encoding)
    for call in (layer, layer.attended):
        with pytest.raises(ClockhandsError, match=message) as caught:
            call(x)
        assert caught.value.text.zh


def test_where_positions_are_concatenated_the_narrower_width_counts():
    layer = Attention(8, 2, "sinusoidal", combine="concatenate")
    width = layer.token_width
    assert width < 8
    assert layer(torch.zeros(1, 3, width)).shape == (1, 3, 8)
    with pytest.raises(ClockhandsError, match=rf"needs \(b, t, {width}\)"):
        layer(torch.zeros(1, 3, 8))


def test_autocast_takes_other_real_numbers():
    with torch.autocast("cpu", torch.bfloat16):
        assert Attention(8, 2)(torch.zeros(1, 3, 8, dtype=torch.bfloat16)).shape == (1, 3, 8)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (torch.tensor([[0, 9]]), "tokens contain 9, and this model knows 0 to 8"),
        (torch.tensor([[0, -1]]), "tokens contain -1"),
        (torch.tensor([[0.0, 1.0]]), r"tokens are torch\.float32: they must be integers"),
        (torch.tensor([[True]]), r"tokens are torch\.bool"),
        (torch.tensor([0, 1]), r"tokens have shape \(2,\), and a model needs \(b, t\)"),
        (torch.zeros(1, 2, 3, dtype=torch.int64), r"tokens have shape \(1, 2, 3\)"),
        (None, "tokens is a NoneType"),
    ],
)
def test_tokens_that_are_none_are_refused(tokens, message):
    model = Transformer(9, dim=8, heads=2, layers=1)
    for call in (model, model.read):
        with pytest.raises(ClockhandsError, match=message) as caught:
            call(tokens)
        assert caught.value.text.zh


def test_every_id_of_the_vocabulary_is_known():
    assert Transformer(9, dim=8, heads=2, layers=1)(torch.tensor([[0, 8]])).logits.shape == (1, 2, 9)


def test_a_graph_is_traced_without_looking_at_tokens():
    model = Transformer(9, dim=8, heads=2, layers=1).eval()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(TOKENS).logits, model(TOKENS).logits)


@pytest.mark.parametrize("heads", [2, 4, 1_000_000])
def test_a_layer_too_large_for_this_machine_is_refused_before_it_is_built(heads):
    with pytest.raises(ClockhandsError, match="layer of 4,000,000,000,000 numbers needs 16 TB"):
        Attention(10**6, heads, "nope")


def test_fewer_key_heads_need_less(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 4 * 2 * 64 * 8 * (8 + 2))
    Attention(64, 8, "nope", kv_heads=2)
    with pytest.raises(ClockhandsError, match="this attention layer"):
        Attention(64, 8, "nope", kv_heads=4)


@pytest.mark.parametrize("seed", [2**63, -1])
def test_seeds_past_the_range_are_refused(seed):
    Attention(8, 2, seed=2**63 - 1)
    with pytest.raises(ClockhandsError, match=f"seed is {seed}"):
        Attention(8, 2, seed=seed)


TOKENS = torch.tensor([[1, 2, 3]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: model(TOKENS, cache=Cache(1)), "the cache is for 1 layers and the model has 2"),
        (lambda model: model(TOKENS, cache=LayerCache()), "cache is of type LayerCache"),
        (lambda model: model(TOKENS, [0, 1, 2]), "positions is of type list"),
        (lambda model: model(TOKENS, valid=[1, 1, 0]), "valid is a list"),
        (lambda model: model(TOKENS, documents=[0, 0, 1]), "documents is a list"),
        (lambda model: model.score(torch.zeros(3, 3)), "hidden has shape .* must be 64 wide"),
        (lambda model: model.score([[0.0]]), "hidden is a list"),
        (lambda model: Transformer(10, causal=None), "causal is None"),
        (lambda model: Transformer(10, max_positions=0), "max_positions is 0"),
        (lambda model: Transformer(10, pattern=3, encoding={"R": "rope"}), "pattern is 3"),
        (lambda model: Attention(16, 2, causal="no"), "causal is 'no'"),
        (lambda model: Attention(16, 2, encoding=Encoding), "is not a scheme"),
        (
            lambda model: Attention(16, 2, encoding=Encoding(), base=3),
            "base came with an encoding",
        ),
        (lambda model: Attention(16, 2)(torch.zeros(1, 3, 16), cache=Cache(1)), "cache is of type Cache"),
    ],
)
def test_whatever_else_does_not_fit_is_refused(call, said):
    with pytest.raises(ClockhandsError, match=said) as caught:
        call(Transformer(10))
    assert caught.value.text.zh


def test_a_cache_of_another_batch_is_refused():
    model, cache = Transformer(10), Cache(2)
    model(TOKENS, cache=cache)
    with pytest.raises(ClockhandsError, match="the cache holds 1 rows and 2 come now"):
        model(TOKENS.repeat(2, 1), cache=cache)
