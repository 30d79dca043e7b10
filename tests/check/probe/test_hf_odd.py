"""Model classes whose code is unlike the others', each with what is told of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import nn

from clockhands.check.probe.hf import measure
from clockhands.check.probe.hf.cutting import cut
from clockhands.check.probe.hf.layers import numbers_of
from clockhands.check.probe.hf.seen import Layer
from clockhands.check.probe.hf.small import build_small
from clockhands.check.probe.hf.tables import waves

ROOT = 24**-0.5
SIZES: dict[str, Any] = {
    "vocab_size": 40, "hidden_size": 72, "intermediate_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 3,
}  # fmt: skip
THETA = {"rope_parameters": {"rope_type": "default", "rope_theta": 777.0, "partial_rotary_factor": 0.5}}
HYBRID = {"rope_parameters": {"hybrid": THETA["rope_parameters"]}}
CODES = {
    "vocab_size": 40, "hidden_size": 72, "ffn_dim": 32, "num_hidden_layers": 2, "num_attention_heads": 3,
    "max_position_embeddings": 30, "num_codebooks": 2,
}  # fmt: skip


def test_layers_that_text_skips_leave_a_gap_in_the_numbers() -> None:
    """Llama 3.2 Vision's second layer looks at pictures only, and isn't run without one."""
    config = hf.CONFIG_MAPPING["mllama_text_model"](
        **{**SIZES, "num_hidden_layers": 3}, num_key_value_heads=1, cross_attention_layers=[1],
        rope_parameters={"rope_type": "default", "rope_theta": 777.0}, pad_token_id=0,
    )  # fmt: skip
    (form,) = measure(hf.MllamaForCausalLM(config).eval())
    assert form.layers == (0, 2)
    assert form.rope_theta == 777.0


@pytest.mark.parametrize(
    ("paths", "numbers"),
    [
        (["a.layers.0", "a.layers.2", "a.layers.5"], (0, 2, 5)),
        (["a.layers.0", "a.layers.0", "a.layers.0"], (0, 1, 2)),
        (["a.groups.0.0", "a.groups.0.1", "a.groups.1.0"], (0, 1, 2)),
    ],
)
def test_numbers_are_places_in_the_list_unless_it_is_no_plain_list(
    paths: list[str], numbers: tuple[int, ...]
) -> None:
    layers = [Layer(path) for path in paths]
    assert numbers_of(layers, layers) == numbers


def test_layers_whose_forward_is_called_directly_are_seen() -> None:
    """SqueezeBERT calls ``layer.forward``, and its hidden states have channels first."""
    config = hf.SqueezeBertConfig(**SIZES, embedding_size=72, max_position_embeddings=30)
    (form,) = measure(hf.SqueezeBertForMaskedLM(config).eval())
    assert (form.layers, form.family, form.rows, form.offset) == ((0, 1), "learned", 30, 0)
    assert form.score_scale == pytest.approx(ROOT, rel=1e-6)


def test_tokens_of_several_codes_and_cosines_first() -> None:
    """MusicGen: a token is as many codes as there are tables, and its table is cosines, then sines, over
    i / (d/2 - 1)."""
    model = build_small({"model_type": "musicgen", "decoder": {"model_type": "musicgen_decoder", **CODES}})
    (form,) = measure(model)
    assert (form.family, form.layout, form.rows, form.offset) == ("sinusoidal", "half", 30, 0)
    np.testing.assert_allclose(form.inv_freq or (), 10000.0 ** (-np.arange(36) / 35), rtol=1e-4)


def test_a_table_with_cosines_first_runs_forwards_in_either_layout() -> None:
    angle = np.arange(60)[:, None] * 1000.0 ** (-np.arange(4) / 4)
    sines, cosines = np.sin(angle + 0.5), np.cos(angle + 0.5)
    halves = waves(np.concatenate([cosines, sines], 1), 0)
    pairs = waves(np.stack([cosines, sines], 2).reshape(60, 8), 0)
    assert halves is not None
    assert pairs is not None
    assert (halves.layout, pairs.layout) == ("half", "interleaved")
    for each in (halves, pairs):
        np.testing.assert_allclose(each.inv_freq, 1000.0 ** (-np.arange(4) / 4), rtol=1e-6)


def test_positions_of_two_axes() -> None:
    """NeoMME: hands follow one axis and the other in turn, 16 and 16 of a whole head of 64, 4 and 4 of
    a quarter."""
    config = hf.CONFIG_MAPPING["neomme"](
        vocab_size=40, hidden_size=128, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=64, layer_types=["sliding_attention", "full_attention"],
    )  # fmt: skip
    torch.manual_seed(0)
    form, part = measure(hf.AutoModelForMaskedLM.from_config(config).eval())
    assert (form.mrope_section, form.mrope_interleaved) == ((16, 16), True)
    assert (part.rotary_dim, part.mrope_section) == (16, (4, 4))


def test_parts_of_parts_are_cut_and_tell_no_layers_of_the_text() -> None:
    """T5Gemma 2: the encoder's text is a part of a part, and both stacks must have the same words."""
    full = hf.CONFIG_MAPPING["t5gemma2"]()
    small, _ = cut(full, ("depth", "width", "heads", "experts"))
    text = small.encoder.text_config
    assert (text.vocab_size, small.decoder.vocab_size) == (48, 48)
    assert text.num_hidden_layers == small.decoder.num_hidden_layers == 2


def test_slopes_of_attention_in_float32_are_told_to_seven_digits() -> None:
    """MPT's softmax is given float32; its three slopes are 2^-4, 2^-8 and 2^-2."""
    config = hf.MptConfig(vocab_size=40, d_model=72, n_heads=3, n_layers=1, max_seq_len=30)
    (form,) = measure(hf.MptForCausalLM(config).eval())
    np.testing.assert_allclose(form.slopes or (), (2.0**-4, 2.0**-8, 2.0**-2), rtol=2e-7)


def test_attention_without_a_softmax_is_told_from_a_recurrence() -> None:
    """YOSO's tokens are a set to its layers, though no softmax is over them; RWKV's are not."""
    config = hf.YosoConfig(**SIZES, max_position_embeddings=30)
    (form,) = measure(hf.YosoForMaskedLM(config).eval())
    assert (form.family, form.mixer, form.rows, form.offset) == ("learned", "attention", 32, 2)
    (other,) = measure(
        hf.RwkvForCausalLM(hf.RwkvConfig(vocab_size=40, hidden_size=72, num_hidden_layers=2)).eval()
    )
    assert (other.family, other.mixer) == ("none", "other")


def test_a_rotation_behind_a_convolution() -> None:
    """Zaya convolves queries and keys before they turn, half of each head; both are told."""
    model = build_small(
        {"model_type": "zaya", "num_hidden_layers": 2, "layer_types": ["hybrid", "hybrid"], **HYBRID}
    )
    turned, beside = measure(model)
    assert (turned.family, turned.layout, turned.rotary_dims, turned.rope_theta) == (
        "rope",
        "half",
        "prefix",
        777.0,
    )
    assert turned.rotary_dim == (turned.head_dim or 0) // 2
    assert (beside.family, beside.mixer, beside.layers) == ("none", "other", turned.layers)


def test_a_decoder_that_looks_at_itself_and_across_at_once_is_a_stack() -> None:
    """T5Gemma 2 puts the encoder's keys beside those of the text."""
    forms = measure(build_small({"model_type": "t5gemma2"}))
    assert {(form.stack, form.family, form.layers) for form in forms} == {
        (stack, "rope", (n,)) for stack in ("encoder", "decoder") for n in (0, 1)
    }


class Kept(nn.Embedding):
    """Rows that no gradient leads to."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return nn.functional.embedding(input, self.weight.data)


def test_a_table_that_no_gradient_leads_to_is_known_by_its_rows() -> None:
    """GPT-2's table, found in what a token of zeros becomes."""
    config = hf.GPT2Config(vocab_size=40, n_embd=24, n_layer=2, n_head=3, n_positions=30)
    torch.manual_seed(0)
    model = hf.GPT2LMHeadModel(config).eval()
    model.transformer.wpe.__class__ = Kept
    (form,) = measure(model)
    assert (form.family, form.rows, form.offset) == ("learned", 30, 0)


def test_tables_before_layers_whose_first_axis_is_time() -> None:
    """FSMT hands its layers ``(t, b, d)``: sines, then cosines, over i / (d/2 - 1), from the row after
    padding's."""
    config = hf.FSMTConfig(
        langs=["en", "de"], src_vocab_size=40, tgt_vocab_size=40, d_model=24, max_position_embeddings=30,
        encoder_layers=2, decoder_layers=2, encoder_attention_heads=3, decoder_attention_heads=3,
        encoder_ffn_dim=32, decoder_ffn_dim=32, pad_token_id=1,
    )  # fmt: skip
    torch.manual_seed(0)
    forms = measure(hf.FSMTForConditionalGeneration(config).eval())
    assert {(form.stack, form.family, form.layout, form.offset) for form in forms} == {
        ("encoder", "sinusoidal", "half", 2),
        ("decoder", "sinusoidal", "half", 2),
    }
    for form in forms:
        np.testing.assert_allclose(form.inv_freq or (), 10000.0 ** (-np.arange(12) / 11), rtol=1e-4)
