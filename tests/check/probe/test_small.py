"""Small models stand for real ones: what decides about position is kept, and what isn't is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import transformers as hf

from clockhands.check.agreement import disagreements
from clockhands.check.probe.hf import measure
from clockhands.check.probe.hf.small import small_of
from clockhands.check.probe.live import measured_small
from clockhands.check.read import read_config
from clockhands.errors import ClockhandsError

LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000, "rope_theta": 54321.0,
}  # fmt: skip
BLOOM: dict[str, Any] = {
    "model_type": "bloom", "hidden_size": 4096, "n_layer": 30, "n_head": 32, "vocab_size": 250880,
}  # fmt: skip
SLIDING, FULL = "sliding_attention", "full_attention"


def parameters(config: dict[str, Any]) -> int:
    return sum(each.numel() for each in small_of(config).model.parameters())


def test_heads_are_fewer_and_as_wide() -> None:
    small = small_of(LLAMA).model.config
    assert small.hidden_size // small.num_attention_heads == 128
    assert small.num_attention_heads < 32
    assert small.num_attention_heads % small.num_key_value_heads == 0
    assert parameters(LLAMA) < 10_000_000
    assert parameters(BLOOM) < 10_000_000


def test_turned_dimensions_stay() -> None:
    config = {
        "model_type": "gpt_neox", "hidden_size": 6144, "num_attention_heads": 64, "num_hidden_layers": 44,
        "rotary_pct": 0.25, "rotary_emb_base": 12345.0,
    }  # fmt: skip
    small = small_of(config)
    (form,) = measure(small.model)
    assert (form.head_dim, form.rotary_dim, form.rope_theta) == (96, 24, 12345.0)
    assert small.layers == tuple((n,) for n in range(len(small.layers)))
    assert len(small.layers) < 44


def test_one_layer_of_each_kind_stays_and_stands_for_the_others() -> None:
    kinds = [SLIDING, SLIDING, FULL] * 4
    config = {
        "model_type": "gemma3_text", "hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256,
        "num_hidden_layers": 12, "layer_types": kinds, "sliding_window": 77, "num_key_value_heads": 4,
    }  # fmt: skip
    small = small_of(config)
    assert small.model.config.layer_types == [SLIDING, FULL]
    assert small.layers == ((0, 1, 3, 4, 6, 7, 9, 10), (2, 5, 8, 11))
    measured = measured_small(read_config(config)).measured
    assert measured is not None
    windows = {layer: form.window for form in measured for layer in form.layers}
    assert [windows[n] for n in range(12)] == [77 if kind == SLIDING else None for kind in kinds]


def test_shared_keys_keep_a_layer_to_share_with() -> None:
    config = {
        "model_type": "gemma3n_text", "num_hidden_layers": 10, "num_kv_shared_layers": 5,
        "layer_types": ([SLIDING] * 4 + [FULL]) * 2, "hidden_size": 2048,
        "activation_sparsity_pattern": [0.0] * 10,
        "intermediate_size": [8192] * 10,
    }  # fmt: skip
    small = small_of(config)
    assert small.model.config.layer_types == [SLIDING, FULL, SLIDING, FULL]
    assert small.model.config.num_kv_shared_layers == 2
    assert small.layers == ((0, 1, 2, 3), (4,), (5, 6, 7, 8), (9,))


@pytest.mark.parametrize(
    "config",
    [
        {
            "model_type": "falcon",
            "hidden_size": 8192,
            "num_attention_heads": 128,
            "num_hidden_layers": 60,
            "new_decoder_architecture": True,
            "num_kv_heads": 8,
        },
        BLOOM,  # slopes of 32 heads, of which few are left
        {"model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48},  # a table as wide as the model
        {
            "model_type": "xglm",
            "d_model": 2048,
            "attention_heads": 16,
            "num_layers": 24,
        },  # sines of that width
        LLAMA,
        {"model_type": "longcat_flash", "num_layers": 4},  # a scale that grows with the hidden width
    ],
    ids=lambda config: config["model_type"],
)
def test_what_was_cut_is_no_disagreement_and_all_layers_are_known(config: dict[str, Any]) -> None:
    subject = measured_small(read_config(config))
    assert [each.message.en for each in disagreements(subject)] == []
    assert subject.measured is not None
    every = {layer for form in subject.declared for layer in form.layers}
    assert {layer for form in subject.measured for layer in form.layers} == every


def test_a_real_disagreement_is_still_one() -> None:
    subject = read_config({**BLOOM, "n_head": 24, "hidden_size": 3072})
    wrong = read_config({**LLAMA, "num_hidden_layers": 30, "head_dim": 64})
    found = disagreements(measured_small(replace(subject, declared=wrong.declared)))
    assert [each.field for each in found] == ["family"]


def test_a_class_that_wants_more_than_text_is_measured_by_its_part() -> None:
    """Llama 4 with eyes falls over without a picture."""
    text = {
        "model_type": "llama4_text", "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2,
        "head_dim": 64, "num_hidden_layers": 4, "vocab_size": 300, "num_local_experts": 2,
        "attention_chunk_size": 700,
    }  # fmt: skip
    config = {
        "model_type": "llama4",
        "architectures": ["Llama4ForConditionalGeneration"],
        "text_config": text,
    }
    subject = measured_small(read_config(config))
    assert subject.found == ()
    assert [(form.family, form.window, form.window_kind) for form in subject.measured or ()] == [
        ("rope", 700, "chunked"),
        ("none", None, None),
    ]
    assert disagreements(subject) == ()


def test_a_part_that_reads_text_stands_for_what_cannot_be_built() -> None:
    """Gemma 3n sees by a library that is not installed here."""
    config = hf.Gemma3nConfig().to_dict()
    config["text_config"] |= {"num_hidden_layers": 10, "num_kv_shared_layers": 5,
                              "layer_types": ([SLIDING] * 4 + [FULL]) * 2, "intermediate_size": [8192] * 10,
                              "activation_sparsity_pattern": [0.0] * 10}  # fmt: skip
    (windowed, whole) = measure(small_of(config).model)
    assert (windowed.window, whole.window) == (512, None)


def test_a_class_that_comes_with_the_model_is_never_run_and_said_so() -> None:
    own = {"model_type": "of_its_own", "rope_theta": 1e4, "auto_map": {"AutoModel": "modeling_own.OwnModel"}}
    with pytest.raises(ClockhandsError, match="such code is never run: leave --measure out"):
        measured_small(read_config(own))
    with pytest.raises(ClockhandsError, match="doesn't know: upgrade it, or check the name"):
        measured_small(read_config({**own, "auto_map": None}))
