"""Tiny random models of families whose attention is traced, and a byte-level tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

SIZES: dict[str, Any] = {
    "vocab_size": 300, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
    "num_attention_heads": 4, "max_position_embeddings": 128,
}  # fmt: skip
SHORT: dict[str, Any] = {"vocab_size": 300, "hidden_size": 32, "n_layer": 3, "n_head": 4}
GROUPED: dict[str, Any] = {**SIZES, "num_key_value_heads": 2}


def _llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**GROUPED, eos_token_id=None))


def _mistral() -> Any:
    from transformers import MistralConfig, MistralForCausalLM

    return MistralForCausalLM(MistralConfig(**GROUPED, sliding_window=4))


def _qwen2() -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(**GROUPED, use_sliding_window=True, sliding_window=4, max_window_layers=1)
    return Qwen2ForCausalLM(config)


def _qwen3() -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(Qwen3Config(**GROUPED, head_dim=16))


def _gemma() -> Any:
    from transformers import GemmaConfig, GemmaForCausalLM

    return GemmaForCausalLM(GemmaConfig(**SIZES, num_key_value_heads=1, head_dim=16))


def _gemma2() -> Any:
    from transformers import Gemma2Config, Gemma2ForCausalLM

    return Gemma2ForCausalLM(
        Gemma2Config(**GROUPED, head_dim=16, sliding_window=4, attn_logit_softcapping=2.0)
    )


def _gpt_oss() -> Any:
    from transformers import GptOssConfig, GptOssForCausalLM

    experts = {"num_local_experts": 2, "num_experts_per_tok": 1}
    return GptOssForCausalLM(GptOssConfig(**GROUPED, head_dim=16, sliding_window=4, **experts))


def _neox() -> Any:
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM

    return GPTNeoXForCausalLM(GPTNeoXConfig(**SIZES))


def _gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(**SHORT, n_positions=128, scale_attn_by_inverse_layer_idx=True))


def _bloom() -> Any:
    from transformers import BloomConfig, BloomForCausalLM

    return BloomForCausalLM(BloomConfig(**SHORT))


def _bert() -> Any:
    from transformers import BertConfig, BertModel

    return BertModel(BertConfig(**SIZES))


def _albert() -> Any:
    from transformers import AlbertConfig, AlbertModel

    return AlbertModel(AlbertConfig(**SIZES, embedding_size=16))


def _falcon() -> Any:
    from transformers import FalconConfig, FalconForCausalLM

    return FalconForCausalLM(FalconConfig(vocab_size=300, hidden_size=32, num_hidden_layers=3,
                                          num_attention_heads=4))  # fmt: skip


def _t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    return T5ForConditionalGeneration(
        T5Config(
            vocab_size=300, d_model=32, d_kv=8, d_ff=48, num_layers=3, num_heads=4, decoder_start_token_id=0
        )
    )


MAKERS: dict[str, Callable[[], Any]] = {
    "llama": _llama, "mistral": _mistral, "qwen2": _qwen2, "qwen3": _qwen3, "gemma": _gemma,
    "gemma2": _gemma2, "gpt_oss": _gpt_oss, "gpt_neox": _neox, "gpt2": _gpt2, "bloom": _bloom, "bert": _bert,
    "albert": _albert,
    "falcon": _falcon, "t5": _t5,
}  # fmt: skip


def tiny(name: str) -> Any:
    """A model of a family, evaluating, with weights so large that its attention is far from even."""
    model = MAKERS[name]()
    generator = torch.Generator().manual_seed(1)
    for each, parameter in model.named_parameters():
        if "norm" not in each.lower() and "ln" not in each:
            parameter.data = 0.2 * torch.randn(parameter.shape, generator=generator)
    return model.eval()


def bytes_tokenizer(**signs: str) -> Any:
    """A byte-level tokenizer of 256 bytes and four signs: each Chinese character is three pieces."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["<s>", "</s>", "<pad>", "<unk>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    made = Tokenizer(models.BPE({name: n for n, name in enumerate(names)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    given = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", **signs}
    return PreTrainedTokenizerFast(tokenizer_object=made, **given)
