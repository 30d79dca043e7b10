"""Position encodings swapped in tiny random models of transformers 5.24, against others' numbers."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from tiny_models import generated, in_parts, llama, logits, neox
from torch import Tensor

import clockhands as ch
from clockhands.formulas import alibi_slopes


def test_rope_for_rope_changes_nothing(build: Any, tokens: Tensor) -> None:
    """Sizes, base and share of the head are the model's own."""
    model = build()
    own = logits(model, tokens)
    with ch.hf.swap(model, "rope") as swapped:
        assert swapped.encodings[0].description.turned == (8 if build is llama else 4)
        torch.testing.assert_close(logits(model, tokens), own, atol=5e-5, rtol=0)
        torch.testing.assert_close(in_parts(model, tokens, (5, 1, 6)), own, atol=5e-5, rtol=0)
    with ch.hf.swap(model, "rope", rope_theta=500.0):
        assert (logits(model, tokens) - own).abs().max() > 1e-2


def test_a_part_of_the_head_may_be_given_as_a_number_of_dimensions(tokens: Tensor) -> None:
    model = neox()
    own = logits(model, tokens)
    with ch.hf.swap(model, "rope", rotary_dim=4):
        torch.testing.assert_close(logits(model, tokens), own, atol=5e-5, rtol=0)
    with ch.hf.swap(model, "rope", rotary_dim=2):
        assert (logits(model, tokens) - own).abs().max() > 1e-2


def test_yarn_is_the_model_with_yarn(build: Any, tokens: Tensor) -> None:
    scaling = {"factor": 4.0, "original_max_position_embeddings": 8}
    own = {"rope_type": "yarn", "rope_theta": 10000.0, **scaling}
    partial = {} if build is llama else {"partial_rotary_factor": 0.5}
    expected = logits(build(rope_parameters={**own, **partial}), tokens)
    model = build()
    assert (logits(model, tokens) - expected).abs().max() > 1e-2
    with ch.hf.swap(model, "yarn", **scaling):
        torch.testing.assert_close(logits(model, tokens), expected, atol=5e-5, rtol=0)


def by_hand(model: Any, tokens: Tensor, bias: Tensor) -> Tensor:
    """A Llama without positions, written out, with ``bias`` ``(h, t, t)`` on its scores."""
    x = model.model.embed_tokens(tokens)
    length = tokens.shape[1]
    hidden_from = torch.ones(length, length, dtype=torch.bool).triu(1)
    for layer in model.model.layers:
        normed, att = layer.input_layernorm(x), layer.self_attn
        q, k, v = (proj(normed).unflatten(-1, (-1, 8)) for proj in (att.q_proj, att.k_proj, att.v_proj))
        mixed = torch.zeros_like(q)
        for head in range(4):
            scores = q[:, :, head] @ k[:, :, head // 2].transpose(1, 2) / 8**0.5 + bias[head]
            mixed[:, :, head] = scores.masked_fill(hidden_from, -torch.inf).softmax(-1) @ v[:, :, head // 2]
        x = x + att.o_proj(mixed.flatten(2))
        x = x + layer.mlp(layer.post_attention_layernorm(x))
    return model.lm_head(model.model.norm(x))


def test_alibi_is_the_dense_formula(tokens: Tensor) -> None:
    model = llama()
    at = torch.arange(tokens.shape[1])
    slopes = torch.as_tensor(alibi_slopes(4), dtype=torch.float32)
    expected = by_hand(model, tokens, -slopes[:, None, None] * (at[:, None] - at))
    with ch.hf.swap(model, "alibi"):
        torch.testing.assert_close(logits(model, tokens), expected, atol=5e-5, rtol=0)


def test_nope_is_the_model_without_positions(tokens: Tensor) -> None:
    model = llama()
    expected = by_hand(model, tokens, torch.zeros(4, 1, 1))
    with ch.hf.swap(model, "nope"):
        torch.testing.assert_close(logits(model, tokens), expected, atol=5e-5, rtol=0)


def test_layers_may_differ(tokens: Tensor) -> None:
    model = llama()
    with ch.hf.swap(model, {"R": "rope", "N": "nope"}, pattern="RN") as swapped:
        assert [each.id for each in swapped.encodings] == ["rope", "nope", "rope"]
        assert swapped.encodings[0] is swapped.encodings[2]
        assert len(model.model.position_encodings) == 2
        mixed = logits(model, tokens)
    with ch.hf.swap(model, lambda layer: "nope" if layer == 1 else "rope"):
        assert torch.equal(logits(model, tokens), mixed)
    with ch.hf.swap(model, "layered") as swapped:
        assert len(set(map(id, swapped.encodings))) == 3  # each layer is described on its own


def test_restored_to_the_bit(build: Any, tokens: Tensor) -> None:
    model = build()
    own, names = logits(model, tokens), set(model.state_dict())
    swapped = ch.hf.swap(model, "t5")
    assert not torch.equal(logits(model, tokens), own)
    swapped.restore()
    swapped.restore()
    assert torch.equal(logits(model, tokens), own)
    assert set(model.state_dict()) == names
    assert model.config._attn_implementation == "sdpa"
    with pytest.raises(RuntimeError, match="on purpose"), ch.hf.swap(model, "alibi"):
        raise RuntimeError("on purpose")
    assert torch.equal(logits(model, tokens), own)


def test_what_is_learned_is_part_of_the_model(tokens: Tensor) -> None:
    model = llama()
    own = copy.deepcopy(model)
    swapped = ch.hf.swap(model, "t5")
    name = "model.position_encodings.0.weights"
    assert name in dict(model.named_parameters())
    assert name in model.state_dict()
    with torch.enable_grad():
        model(tokens, labels=tokens, use_cache=False).loss.backward()
    gradient = model.get_parameter(name).grad
    assert gradient is not None
    assert gradient.abs().sum() > 0
    other = copy.deepcopy(own)
    ch.hf.swap(other, "t5", seed=5)
    assert not torch.equal(logits(other, tokens), logits(model, tokens))
    other.load_state_dict(model.state_dict())
    assert torch.equal(logits(other, tokens), logits(model, tokens))
    swapped.restore()
    assert torch.equal(logits(model, tokens), logits(own, tokens))


def test_a_copy_reads_its_own_numbers(tokens: Tensor) -> None:
    model = llama()
    ch.hf.swap(model, "t5")
    before = logits(model, tokens)
    other = copy.deepcopy(model)
    other.model.position_encodings[0].weights.data += torch.randn(32, 4)
    assert not torch.equal(logits(other, tokens), before)
    assert torch.equal(logits(model, tokens), before)


def test_gradient_checkpointing_gives_the_same_gradients(tokens: Tensor) -> None:
    gradients = []
    for checkpointing in (False, True):
        model = llama().train()
        ch.hf.swap(model, "fox")
        if checkpointing:
            model.activation_checkpointing_enable()
        with torch.enable_grad():
            model(tokens, labels=tokens, use_cache=False).loss.backward()
        gradients.append(model.model.position_encodings[0].weight.grad)
    torch.testing.assert_close(*gradients)


def test_attention_weights_can_be_seen(tokens: Tensor) -> None:
    model = llama()
    with ch.hf.swap(model, "alibi"):
        seen = model(tokens, output_attentions=True).attentions
    assert len(seen) == 3
    assert seen[0].shape == (2, 4, 12, 12)
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(2, 4, 12))


def test_half_precision_stays_half(tokens: Tensor) -> None:
    model = llama().to(torch.bfloat16)
    with ch.hf.swap(model, "t5"):
        assert model.model.position_encodings[0].weights.dtype == torch.bfloat16
        assert logits(model, tokens).dtype == torch.bfloat16
        assert generated(model, tokens).shape == (2, 20)
