"""Position encodings swapped in tiny random Llamas and GPT-NeoX of transformers 5.24."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from tiny_models import llama, neox
from torch import Tensor
from transformers import DynamicCache

import clockhands as ch
from clockhands.errors import ClockhandsError
from clockhands.formulas import alibi_slopes

CONTENT = ["fox", "path", "shaw", "cope-contextual", "stick-breaking", "selective-rope", "transformer-xl"]
EVERY = ["rope", "nope", "alibi", "t5", "yarn", "dynamic-ntk", "rope-values", "xpos", "temperature-rope",
         "mrope", "rerope", "fire", "pope-polar", "kerple-log", *CONTENT]  # fmt: skip


@pytest.fixture(autouse=True)
def no_gradients() -> Any:
    with torch.no_grad():
        yield


def logits(model: Any, tokens: Tensor, **given: Any) -> Tensor:
    return model(tokens, **given).logits


def in_parts(
    model: Any, tokens: Tensor, sizes: tuple[int, ...], positions: Tensor | None = None, **given: Any
) -> Tensor:
    """The same logits from a cache that is filled part by part."""
    cache, start, found = DynamicCache(), 0, []
    for size in sizes:
        part = slice(start, start + size)
        ids = {} if positions is None else {"position_ids": positions[:, part]}
        found.append(model(tokens[:, part], cache=cache, **ids, **given).logits)
        start += size
    return torch.cat(found, dim=1)


def generated(model: Any, tokens: Tensor, count: int = 8, **given: Any) -> Tensor:
    return model.generate(tokens, max_new_tokens=count, do_sample=False, pad_token_id=0, **given)


# the same numbers as somebody else's ----------------------------------------------------------


def test_rope_for_rope_changes_nothing(build: Any, tokens: Tensor) -> None:
    """Sizes, base and share of the head are the model's own."""
    model = build()
    own = logits(model, tokens)
    with ch.hf.swap(model, "rope") as swapped:
        assert swapped.encodings[0].description.turned == (8 if build is llama else 4)
        torch.testing.assert_close(logits(model, tokens), own, atol=1e-5, rtol=0)
        torch.testing.assert_close(in_parts(model, tokens, (5, 1, 6)), own, atol=1e-5, rtol=0)
    with ch.hf.swap(model, "rope", rope_theta=500.0):
        assert (logits(model, tokens) - own).abs().max() > 1e-2


def test_a_part_of_the_head_may_be_given_as_a_number_of_dimensions(tokens: Tensor) -> None:
    model = neox()
    own = logits(model, tokens)
    with ch.hf.swap(model, "rope", rotary_dim=4):
        torch.testing.assert_close(logits(model, tokens), own, atol=1e-5, rtol=0)
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
        torch.testing.assert_close(logits(model, tokens), expected, atol=1e-5, rtol=0)


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
        torch.testing.assert_close(logits(model, tokens), expected, atol=1e-5, rtol=0)


def test_nope_is_the_model_without_positions(tokens: Tensor) -> None:
    model = llama()
    expected = by_hand(model, tokens, torch.zeros(4, 1, 1))
    with ch.hf.swap(model, "nope"):
        torch.testing.assert_close(logits(model, tokens), expected, atol=1e-5, rtol=0)


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


# caches, padding, gaps ------------------------------------------------------------------------


@pytest.mark.parametrize("id", EVERY)
def test_a_cache_changes_nothing(tokens: Tensor, id: str) -> None:
    model = llama()
    with ch.hf.swap(model, id):
        whole = logits(model, tokens)
        for sizes in ((5, 1, 4, 2), (1,) * 12):
            torch.testing.assert_close(in_parts(model, tokens, sizes), whole, atol=3e-5, rtol=0)


@pytest.mark.parametrize("id", ["rope", "alibi", "t5", "fox", "rerope"])
def test_generation_is_the_same_with_and_without_a_cache(build: Any, tokens: Tensor, id: str) -> None:
    model = build()
    with ch.hf.swap(model, id):
        expected = generated(model, tokens, use_cache=False)
        assert torch.equal(generated(model, tokens), expected)
        assert torch.equal(generated(model, tokens, prefill_chunk_size=5), expected)
        # Guesses that are not confirmed are cropped from the cache again.
        looked_up = generated(model, tokens[:1], prompt_lookup_num_tokens=3)
        assert torch.equal(looked_up, expected[:1])


@pytest.mark.parametrize("id", EVERY)
def test_left_padding_changes_nothing(tokens: Tensor, id: str) -> None:
    model = llama()
    alone = tokens[:1, 4:]
    padded = torch.cat((torch.cat((torch.zeros(1, 4, dtype=torch.long), alone), 1), tokens[1:]))
    mask = torch.ones_like(padded)
    mask[0, :4] = 0
    with ch.hf.swap(model, id):
        expected = generated(model, alone)[:, alone.shape[1] :]
        made = generated(model, padded, attention_mask=mask)[:1, padded.shape[1] :]
        assert torch.equal(made, expected)


@pytest.mark.parametrize("id", ["rope", "alibi", "fox"])
def test_beams_keep_their_padding(build: Any, tokens: Tensor, id: str) -> None:
    model = build()
    alone, padded = tokens[:1, 4:], tokens.clone()
    padded[0, :4], mask = 0, torch.ones_like(tokens)
    padded[0, 4:], mask[0, :4] = alone, 0
    with ch.hf.swap(model, id):
        beams = generated(model, padded, attention_mask=mask, num_beams=3)[:1, padded.shape[1] :]
        assert torch.equal(beams, generated(model, alone, num_beams=3)[:, alone.shape[1] :])


@pytest.mark.parametrize("id", ["rope", "alibi", "t5", "rerope", "xpos"])
def test_gaps_in_positions_are_remembered(build: Any, tokens: Tensor, id: str) -> None:
    """Positions of cached keys are those that were given, not counted from a mask."""
    model = build()
    gaps = torch.tensor(
        [[0, 1, 5, 6, 7, 20, 21, 22, 40, 41, 42, 43], [3, 4, 5, 9, 10, 11, 12, 13, 14, 30, 31, 35]]
    )
    # Without a mask or a cache, transformers takes a gap for the start of another text.
    every = torch.ones_like(tokens)
    with ch.hf.swap(model, id):
        whole = logits(model, tokens, position_ids=gaps, attention_mask=every)
        assert (whole - logits(model, tokens)).abs().max() > 1e-3
        made = in_parts(model, tokens, (5, 1, 4, 2), gaps)
        torch.testing.assert_close(made, whole, atol=3e-5, rtol=0)


def test_packed_texts_are_read_each_alone(tokens: Tensor) -> None:
    """transformers finds them by positions that start anew; a scheme that sums along tokens is refused."""
    model = llama()
    places = torch.cat((torch.arange(7), torch.arange(5)))[None]
    with ch.hf.swap(model, "alibi"):
        packed = logits(model, tokens[:1], position_ids=places, use_cache=False)
        torch.testing.assert_close(packed[:, :7], logits(model, tokens[:1, :7]), atol=1e-5, rtol=0)
        torch.testing.assert_close(packed[:, 7:], logits(model, tokens[:1, 7:]), atol=1e-5, rtol=0)
    with ch.hf.swap(model, "fox"), pytest.raises(ClockhandsError, match="fox reads all tokens between"):
        logits(model, tokens[:1], position_ids=places, use_cache=False)


def test_what_happens_to_a_cache_happens_to_its_positions(tokens: Tensor) -> None:
    model = llama()
    gaps = torch.tensor([[0, 1, 5, 6, 7, 20], [3, 4, 5, 9, 10, 11]])
    following = torch.tensor([[21], [12]])
    with ch.hf.swap(model, "fox"), ch.hf.swap(llama(), "fox"):

        def after(cache: Any, rows: Tensor) -> Tensor:
            return model(tokens[rows, 6:7], position_ids=following[rows], cache=cache).logits

        def filled(rows: Tensor, **given: Any) -> Any:
            cache = DynamicCache()
            model(tokens[rows, :6], position_ids=gaps[rows], cache=cache, **given)
            return cache

        rows, swapped = torch.tensor([0, 1]), torch.tensor([1, 0])
        for change, picked in (
            (lambda cache: cache.reorder_cache(swapped), swapped),
            (lambda cache: cache.batch_select_indices(torch.tensor([1])), torch.tensor([1])),
            (lambda cache: cache.batch_repeat_interleave(2), torch.tensor([0, 0, 1, 1])),
        ):
            cache = filled(rows)
            change(cache)
            expected = after(filled(picked), picked)
            torch.testing.assert_close(after(cache, picked), expected, atol=1e-5, rtol=0)
        cache = filled(rows)
        expected = after(copy.deepcopy(cache), rows)
        after(cache, rows)
        cache.crop(-1)
        torch.testing.assert_close(after(cache, rows), expected, atol=1e-5, rtol=0)


def test_a_sliding_window_is_kept_to(tokens: Tensor) -> None:
    """Mistral: a window of 4; its cache forgets what is out of sight, and positions stay right."""
    from transformers import MistralConfig, MistralForCausalLM

    sizes = {"vocab_size": 61, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    config = MistralConfig(
        **sizes, num_attention_heads=4, num_key_value_heads=2, sliding_window=4, eos_token_id=None
    )
    torch.manual_seed(0)
    model = MistralForCausalLM(config).eval()
    own = logits(model, tokens)
    with ch.hf.swap(model, "rope"):
        torch.testing.assert_close(logits(model, tokens), own, atol=1e-5, rtol=0)
    for id in ("alibi", "rope"):
        with ch.hf.swap(model, id):
            whole = logits(model, tokens)
            cache = DynamicCache(config=config)
            parts = [model(tokens[:, at : at + 2], cache=cache).logits for at in range(0, 12, 2)]
            torch.testing.assert_close(torch.cat(parts, 1), whole, atol=1e-5, rtol=0)
    with ch.hf.swap(model, "path"), pytest.raises(ClockhandsError, match="path reads all tokens between"):
        logits(model, tokens)


# part of the model ----------------------------------------------------------------------------


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


# what is refused ------------------------------------------------------------------------------


def test_a_cache_that_was_filled_otherwise_is_refused(tokens: Tensor) -> None:
    model, before = llama(), DynamicCache()
    model(tokens, cache=before)
    one = tokens[:, :1]
    with ch.hf.swap(model, "alibi"):
        with pytest.raises(ClockhandsError, match="the cache holds 12 tokens that this swap has not seen"):
            model(one, cache=before)
        swapped = DynamicCache()
        model(tokens, cache=swapped)
    with ch.hf.swap(model, "rope"), pytest.raises(ClockhandsError, match="start with an empty cache"):
        model(one, cache=swapped)
    with ch.hf.swap(model, "rope"), pytest.raises(ClockhandsError, match=r"StaticLayer.* use a DynamicCache"):
        generated(model, tokens, cache_implementation="static")


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("sinusoidal", "changes the token embeddings"),
        ("learned", "changes the token embeddings"),
        ("abacus", "changes the token embeddings"),
        ("randomised", "changes the token embeddings"),
        ("tagged", "positions a token, and this model has one"),
    ],
)
def test_schemes_outside_attention_are_refused(id: str, words: str) -> None:
    model = llama()
    with pytest.raises(ClockhandsError, match=words):
        ch.hf.swap(model, id)
    assert not hasattr(model.model, "position_encodings")
    assert model.config._attn_implementation == "sdpa"


def test_models_of_another_form_are_refused(tokens: Tensor) -> None:
    from transformers import BloomConfig, BloomForCausalLM, GPT2Config, GPT2LMHeadModel

    for model, name in (
        (GPT2LMHeadModel(GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=8)), "GPT2Model"),
        (BloomForCausalLM(BloomConfig(n_layer=1, n_head=2, hidden_size=8, vocab_size=8)), "BloomModel"),
    ):
        with pytest.raises(ClockhandsError, match=f"{name} can't be swapped"):
            ch.hf.swap(model, "alibi")
    with pytest.raises(ClockhandsError, match="model is a Linear"):
        ch.hf.swap(torch.nn.Linear(2, 2), "alibi")  # pyright: ignore[reportArgumentType]
    model = llama()
    with ch.hf.swap(model, "alibi"), pytest.raises(ClockhandsError, match="swapped already: call restore"):
        ch.hf.swap(model, "nope")
    with pytest.raises(ClockhandsError, match="num_heads belongs to a scheme given by id"):
        ch.hf.swap(model, ch.describe("alibi", heads=4), num_heads=4)
    with pytest.raises(ClockhandsError, match="alibi has no parameter 'rope_theta'"):
        ch.hf.swap(model, "alibi", rope_theta=1.0)


def test_a_configuration_that_two_models_share_is_refused(tokens: Tensor) -> None:
    from transformers import LlamaForCausalLM

    model = llama()
    other = LlamaForCausalLM(model.config).eval()
    with ch.hf.swap(model, "alibi"), pytest.raises(ClockhandsError, match="shares its configuration"):
        other(tokens)


def test_masks_that_are_not_understood_are_refused(tokens: Tensor) -> None:
    model = llama()
    with ch.hf.swap(model, "alibi"):
        seen = torch.ones(12, 12, dtype=torch.bool).tril()[None, None]
        torch.testing.assert_close(logits(model, tokens, attention_mask=seen), logits(model, tokens))
        added = torch.zeros(1, 1, 12, 12).masked_fill(~seen, -torch.inf)
        with pytest.raises(ClockhandsError, match=r"the attention mask is torch\.float32"):
            logits(model, tokens, attention_mask=added)
