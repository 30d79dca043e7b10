"""What a swap refuses rather than be silently wrong; transformers 5.24."""

from __future__ import annotations

import pytest
import torch
from tiny_models import generated, llama, logits
from torch import Tensor
from transformers import DynamicCache

import clockhands as ch
from clockhands.errors import ClockhandsError, MissingExtra


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


class Elsewhere(ch.Encoding):
    """Places tokens as it likes."""

    def place(self, positions: Tensor, tokens: Tensor | None, generator: torch.Generator | None) -> Tensor:
        return positions + 1


def test_encodings_that_place_tokens_are_refused() -> None:
    with pytest.raises(ClockhandsError, match="Elsewhere places tokens itself, once for all layers"):
        ch.hf.swap(llama(), Elsewhere())


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


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == missing else object())
    with pytest.raises(MissingExtra, match=r"clockhands\.hf needs the extra 'hf'"):
        _ = ch.hf
