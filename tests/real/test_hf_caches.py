"""Swapped models with caches, padding, gaps and windows; transformers 5.24."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from tiny_models import generated, in_parts, llama, logits
from torch import Tensor
from transformers import DynamicCache

import clockhands as ch
from clockhands.errors import ClockhandsError

CONTENT = ["fox", "path", "shaw", "cope-contextual", "stick-breaking", "selective-rope", "transformer-xl"]
EVERY = ["rope", "nope", "alibi", "t5", "yarn", "dynamic-ntk", "rope-values", "xpos", "temperature-rope",
         "mrope", "rerope", "fire", "pope-polar", "kerple-log", *CONTENT]  # fmt: skip


@pytest.mark.parametrize("id", EVERY)
def test_a_cache_changes_nothing(tokens: Tensor, id: str) -> None:
    model = llama()
    with ch.hf.swap(model, id):
        whole = logits(model, tokens)
        for sizes in ((5, 1, 4, 2), (1,) * 12):
            torch.testing.assert_close(in_parts(model, tokens, sizes), whole, atol=1e-4, rtol=0)


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
        torch.testing.assert_close(made, whole, atol=1e-4, rtol=0)


def test_packed_texts_are_read_each_alone(tokens: Tensor) -> None:
    """transformers finds them by positions that start anew; a scheme that sums along tokens is refused."""
    model = llama()
    places = torch.cat((torch.arange(7), torch.arange(5)))[None]
    with ch.hf.swap(model, "alibi"):
        packed = logits(model, tokens[:1], position_ids=places, use_cache=False)
        torch.testing.assert_close(packed[:, :7], logits(model, tokens[:1, :7]), atol=5e-5, rtol=0)
        torch.testing.assert_close(packed[:, 7:], logits(model, tokens[:1, 7:]), atol=5e-5, rtol=0)
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
            torch.testing.assert_close(after(cache, picked), expected, atol=5e-5, rtol=0)
        cache = filled(rows)
        expected = after(copy.deepcopy(cache), rows)
        after(cache, rows)
        cache.crop(-1)
        torch.testing.assert_close(after(cache, rows), expected, atol=5e-5, rtol=0)


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
        torch.testing.assert_close(logits(model, tokens), own, atol=5e-5, rtol=0)
    for id in ("alibi", "rope"):
        with ch.hf.swap(model, id):
            whole = logits(model, tokens)
            cache = DynamicCache(config=config)
            parts = [model(tokens[:, at : at + 2], cache=cache).logits for at in range(0, 12, 2)]
            torch.testing.assert_close(torch.cat(parts, 1), whole, atol=5e-5, rtol=0)
    with ch.hf.swap(model, "path"), pytest.raises(ClockhandsError, match="path reads all tokens between"):
        logits(model, tokens)
