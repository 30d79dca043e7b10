"""Live models are measured for what they are, whatever their configuration says after they were built."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import nn

from clockhands.check.form import LayerForm
from clockhands.check.probe.hf import examine, measure
from clockhands.errors import ClockhandsError
from clockhands.formulas.frequencies.geometric import default_inv_freq, sinusoid_inv_freq
from clockhands.formulas.slopes import alibi_slopes

WORDS = {"vocab_size": 40}
SIZES = {
    **WORDS, "hidden_size": 72, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 3,
}  # fmt: skip
FEW = {**SIZES, "num_key_value_heads": 1}
ROOT = 24**-0.5


def theta(value: float, **others: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": "default", "rope_theta": value, **others}}


def turned(base: float, **others: Any) -> LayerForm:
    """All of a head of 24 turns, unless said otherwise."""
    width = others.get("rotary_dim", 24)
    fields: dict[str, Any] = {
        "layers": (0, 1), "family": "rope", "layout": "half", "head_dim": 24, "rotary_dim": width,
        "rotary_dims": "whole" if width == 24 else "prefix", "rope_theta": base, "rope_type": "default",
        "inv_freq": tuple(default_inv_freq(width, base).tolist()), "attention_factor": 1.0,
        "score_scale": ROOT, "source": "measured",
    }  # fmt: skip
    return LayerForm(**{**fields, **others})


def added(family: Any, **others: Any) -> LayerForm:
    fields: dict[str, Any] = {"layers": (0, 1), "head_dim": 72, "score_scale": ROOT, "source": "measured"}
    return LayerForm(family=family, **{**fields, **others})


def plain(family: Any, **others: Any) -> LayerForm:
    return added(family, **{"head_dim": 24, **others})


XGLM = {
    **WORDS,
    "d_model": 72,
    "ffn_dim": 32,
    "num_layers": 2,
    "attention_heads": 3,
    "max_position_embeddings": 30,
}
LATENT = {
    **FEW, "num_key_value_heads": 3, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16, "v_head_dim": 16, "moe_intermediate_size": 16, "n_routed_experts": 4,
    "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1,
}  # fmt: skip

CASES: dict[str, tuple[Any, Any, tuple[LayerForm, ...]]] = {
    "llama": (hf.LlamaForCausalLM, hf.LlamaConfig(**FEW, **theta(1234567.0)), (turned(1234567.0),)),
    "llama ignores a partial factor": (
        hf.LlamaForCausalLM, hf.LlamaConfig(**FEW, **theta(1e4, partial_rotary_factor=0.5)), (turned(1e4),),
    ),
    "gpt_neox, a part turns": (
        hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig(**SIZES, **theta(777.0, partial_rotary_factor=0.5)),
        (turned(777.0, rotary_dim=12),),
    ),
    "gptj": (
        hf.GPTJForCausalLM, hf.GPTJConfig(**WORDS, n_embd=72, n_layer=2, n_head=3, rotary_dim=8),
        (turned(1e4, rotary_dim=8, layout="interleaved"),),
    ),
    "deepseek_v3, order changed on the way": (
        hf.DeepseekV3ForCausalLM, hf.DeepseekV3Config(**LATENT, **theta(31000.0)),
        (turned(31000.0, rotary_dim=8, layout="interleaved", rotary_dims="suffix"),),
    ),
    "smollm3, every other layer without": (
        hf.SmolLM3ForCausalLM,
        hf.SmolLM3Config(
            **FEW, no_rope_layers=[1, 0], pad_token_id=0, bos_token_id=1, eos_token_id=2, **theta(5e6)
        ),
        (turned(5e6, layers=(0,)), plain("none", layers=(1,))),
    ),
    "gemma3, nested": (
        hf.Gemma3ForCausalLM,
        hf.Gemma3TextConfig(
            **FEW, head_dim=24, sliding_window=9, query_pre_attn_scalar=24,
            layer_types=["sliding_attention", "full_attention"],
            rope_parameters={
                "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
                "full_attention": {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
            },
        ),
        (
            turned(1e4, layers=(0,), window=9, window_kind="sliding"),
            turned(
                1e6, layers=(1,), rope_type="linear", scaling={"factor": 8.0},
                inv_freq=tuple((default_inv_freq(24, 1e6) / 8).tolist()),
            ),
        ),
    ),
    "qwen2_vl, three axes": (
        hf.Qwen2VLTextModel, hf.Qwen2VLTextConfig(**FEW, **theta(5e5, mrope_section=[2, 4, 6])),
        (turned(5e5, mrope_section=(2, 4, 6), mrope_interleaved=False),),
    ),
    "gpt2": (
        hf.GPT2LMHeadModel, hf.GPT2Config(**WORDS, n_embd=72, n_layer=2, n_head=3, n_positions=30),
        (added("learned", rows=30, offset=0),),
    ),
    "opt": (
        hf.OPTForCausalLM,
        hf.OPTConfig(
            **WORDS, hidden_size=72, ffn_dim=32, num_hidden_layers=2, num_attention_heads=3,
            word_embed_proj_dim=72, max_position_embeddings=30,
        ),
        (added("learned", rows=32, offset=2),),
    ),
    "bert": (
        hf.BertForMaskedLM, hf.BertConfig(**SIZES, max_position_embeddings=30),
        (added("learned", rows=30, offset=0),),
    ),
    "roberta": (
        hf.RobertaForMaskedLM, hf.RobertaConfig(**SIZES, max_position_embeddings=30),
        (added("learned", rows=30, offset=2),),
    ),
    "xglm": (
        hf.XGLMForCausalLM, hf.XGLMConfig(**XGLM),
        (
            added(
                "sinusoidal", rows=32, offset=2, layout="half",
                inv_freq=tuple(sinusoid_inv_freq(72, exponent="i/(d/2-1)").tolist()),
            ),
        ),
    ),
    "bloom": (
        hf.BloomForCausalLM, hf.BloomConfig(**WORDS, hidden_size=72, n_layer=2, n_head=3),
        (plain("alibi", slopes=tuple(alibi_slopes(3)), bidirectional=False),),
    ),
    "mpt": (
        hf.MptForCausalLM, hf.MptConfig(**WORDS, d_model=72, n_layers=2, n_heads=3),
        (plain("alibi", slopes=tuple(alibi_slopes(3)), bidirectional=False),),
    ),
    "falcon, whose bias is scaled too": (
        hf.FalconForCausalLM, hf.FalconConfig(**SIZES, alibi=True),
        (plain("alibi", slopes=tuple(each * ROOT for each in alibi_slopes(3)), bidirectional=False),),
    ),
    "t5": (
        hf.T5ForConditionalGeneration,
        hf.T5Config(
            **WORDS, d_model=40, d_kv=24, d_ff=32, num_layers=2, num_heads=3,
            relative_attention_num_buckets=12, relative_attention_max_distance=48,
        ),
        tuple(
            plain(
                "t5", stack=stack, score_scale=1.0, num_buckets=12, max_distance=48,
                bidirectional=stack == "encoder",
            )
            for stack in ("decoder", "encoder")
        ),
    ),
    "deberta": (
        hf.DebertaV2ForMaskedLM,
        hf.DebertaV2Config(
            **SIZES, max_position_embeddings=30, relative_attention=True, position_buckets=8,
            pos_att_type=["c2p", "p2c"], position_biased_input=False,
        ),
        (plain("deberta", score_scale=(3 * 24) ** -0.5, bidirectional=True),),
    ),
    "xlnet": (
        hf.XLNetLMHeadModel, hf.XLNetConfig(**WORDS, d_model=72, n_layer=2, n_head=3, d_inner=32),
        (plain("transformer_xl", bidirectional=True),),
    ),
    "mamba": (
        hf.MambaForCausalLM, hf.MambaConfig(**WORDS, hidden_size=16, num_hidden_layers=2, state_size=4),
        (LayerForm(layers=(0, 1), family="none", mixer="other", source="measured"),),
    ),
}  # fmt: skip

SCRAMBLED = {
    "rope_theta": 3.0, "max_position_embeddings": 7, "head_dim": 6, "rotary_dim": 2, "n_positions": 5,
    "partial_rotary_factor": 0.1, "relative_attention_num_buckets": 4, "relative_attention_max_distance": 9,
    "position_buckets": 3, "no_rope_layers": [0, 0], "layer_norm_epsilon": 0.5, "query_pre_attn_scalar": 3,
}  # fmt: skip


def built(case: str) -> nn.Module:
    kind, config, _ = CASES[case]
    torch.manual_seed(0)
    return kind(copy.deepcopy(config)).eval()


def scramble(model: nn.Module) -> None:
    """Every value about position, and many others, become wrong after the model has read them."""
    for module in model.modules():
        config = getattr(module, "config", None)
        if config is None:
            continue
        for name, value in SCRAMBLED.items():
            if name in config.__dict__:
                object.__setattr__(config, name, value)
        if isinstance(config.__dict__.get("rope_parameters"), dict):
            object.__setattr__(
                config, "rope_parameters", {"rope_type": "linear", "rope_theta": 2.0, "factor": 99.0}
            )


def same(measured: LayerForm, expected: LayerForm) -> bool:
    loose = {
        "inv_freq": 1e-5,
        "slopes": 1e-3,
        "score_scale": 1e-6,
        "rope_theta": 1e-9,
        "attention_factor": 1e-6,
    }
    close = all(
        getattr(expected, name) is None
        or np.allclose(getattr(measured, name), getattr(expected, name), rtol=tolerance, atol=0)
        for name, tolerance in loose.items()
    )
    return close and replace(measured, **dict.fromkeys(loose)) == replace(expected, **dict.fromkeys(loose))


@pytest.mark.parametrize("case", CASES)
def test_each_layer_is_measured_for_what_it_does(case: str) -> None:
    model = built(case)
    scramble(model)
    measured = measure(model)
    expected = CASES[case][2]
    assert len(measured) == len(expected), measured
    for one, other in zip(measured, expected, strict=True):
        assert same(one, other), f"\n{one}\n{other}"


def test_scaled_frequencies_show_base_and_factor() -> None:
    parameters = {
        "rope_type": "yarn",
        "rope_theta": 1e5,
        "factor": 4.0,
        "original_max_position_embeddings": 2048,
    }
    config = hf.LlamaConfig(
        **{**FEW, "hidden_size": 96, "num_attention_heads": 1}, rope_parameters=parameters
    )
    (form,) = measure(hf.LlamaForCausalLM(config))
    assert (form.rope_theta, form.rope_type, form.scaling) == (1e5, "yarn", {"factor": 4.0})
    assert form.attention_factor == pytest.approx(0.1 * np.log(4.0) + 1, rel=1e-6)


def test_frequencies_that_depend_on_length_are_said() -> None:
    parameters = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    found = examine(
        hf.LlamaForCausalLM(hf.LlamaConfig(**FEW, max_position_embeddings=64, rope_parameters=parameters))
    )
    assert [form.rope_type for form in found.layers] == ["dynamic"]
    assert found.layers[0].rope_theta == 1e4
    # 100,005 tokens on 64: the base grows by (2 * 100005 / 64 - 1) ** (24 / 22)
    grown = 1e4 * (2 * 100_005 / 64 - 1) ** (24 / 22)
    assert found.facts["inv_freq_far"] == pytest.approx(default_inv_freq(24, grown).tolist(), rel=1e-4)


def test_the_model_stays_as_it_was() -> None:
    model = built("llama").train()
    before = {name: each.clone() for name, each in model.state_dict().items()}
    config, state = copy.deepcopy(model.config), torch.get_rng_state()
    measure(model)
    assert model.training
    assert model.config.to_dict() == config.to_dict()
    assert model.config._attn_implementation == config._attn_implementation
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(each, before[name]) for name, each in model.state_dict().items())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert all(each.requires_grad for each in model.parameters())


def test_a_model_that_reads_no_text_is_refused_in_a_sentence() -> None:
    class Deaf(nn.Module):
        def forward(self, picture: torch.Tensor) -> torch.Tensor:
            return picture

    with pytest.raises(ClockhandsError, match=r"^Deaf could not be run on text alone"):
        measure(Deaf())
