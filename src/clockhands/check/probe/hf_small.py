"""A small random model of a configuration: what decides about position kept, width, depth and words cut."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clockhands.errors import ClockhandsError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

WIDTHS = {
    "vocab_size": 128, "intermediate_size": 48, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "ffn_dim": 48, "d_ff": 48, "n_inner": 48, "d_inner": 48,
    "intermediate_size_mlp": 48, "shared_intermediate_size": 16, "moe_shared_expert_intermediate_size": 16,
    "vocab_size_per_layer_input": 128, "hidden_size_per_layer_input": 16, "ffn_hidden_size": 48, "ffn_hidden": 48,
    "q_lora_rank": 24, "kv_lora_rank": 24, "o_lora_rank": 16, "expert_ffn_hidden_size": 16, "dim_ff": 48,
    "hidden_dim": 48, "mlp_intermediate_size": 48, "feed_forward_size": 48, "embedding_size": 32,
}  # fmt: skip
"""Sizes that no position depends on, and what they are cut to."""

EXPERTS = {
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4, "num_experts_per_tok": 2,
    "moe_topk": 2, "top_k_experts": 2, "n_group": 1, "topk_group": 1, "moe_k": 2, "n_shared_experts": 1,
    "num_shared_experts": 1,
}  # fmt: skip
"""Experts, and how many of them a token sees."""

STATES = (
    ("mamba_n_heads", "mamba_d_head", "mamba_d_ssm"),
    ("n_mamba_heads", "mamba_headdim", ""),
    ("mamba_num_heads", "mamba_head_dim", ""),
)
"""Heads, width of each, and the width of all, as classes call them."""

WIDE = re.compile("vocab|size|dim|ffn|inter|inner|rank|units|channels|hash")
KEPT = re.compile(
    "head_dim|rope|rotary|position|length|window|max_|hidden_size|d_model|n_embd|chunk|qk_|block|patch"
)

LIMIT = 60_000_000
"""Parameters of a small model at most."""

DEPTH = 8
"""Layers kept where no list says of which kind each is: patterns of up to half of that show."""

HEADS = 4
"""Heads kept."""

NARROW = 512
"""Hidden width from which on it is cut to heads of the same width."""


@dataclass(frozen=True)
class Small:
    """A small model and the layers of the real one that each of its layers stands for, by stack-less number."""

    model: PreTrainedModel
    layers: tuple[tuple[int, ...], ...]


def build_small(config: Mapping[str, Any]) -> PreTrainedModel:
    """A small random model of the class that ``config`` names. See ``small_of``."""
    return small_of(config).model


def small_of(config: Mapping[str, Any]) -> Small:
    """The same, with the layers that its layers stand for.

    Nothing is downloaded and no code of others is run. Raises ``ClockhandsError`` where transformers doesn't know
    the model type or can't build it.
    """
    import torch
    from transformers import CONFIG_MAPPING

    from clockhands.check.probe.hf_copy import quiet

    kind = str(config.get("model_type", ""))
    if kind not in CONFIG_MAPPING:
        raise ClockhandsError(
            f"model_type is {kind!r}, which the installed transformers doesn't know: nothing can be built from it",
            f"model_type 为 {kind!r}，当前安装的 transformers 不认识它：无法据此构建模型",
        )
    plain = {key: value for key, value in config.items() if key not in ("auto_map", "quantization_config")}
    with quiet():
        torch.manual_seed(0)
        full = CONFIG_MAPPING[kind].from_dict(copy.deepcopy(plain))
        tries = _tries(full)
        error: Exception | None = None
        for small, layers in tries:
            try:
                count = _parameters(small, plain.get("architectures"))
                if count > LIMIT:
                    error = error or ValueError(f"{count:,} parameters where all is cut that can be")
                    continue
                model = _built(small, plain.get("architectures"))
            except Exception as caught:  # noqa: BLE001  whatever a class says of sizes that it doesn't like
                error = error or caught
                continue
            return Small(model.eval(), layers)
    raise ClockhandsError(
        f"a small {kind} model could not be built ({type(error).__name__}: {str(error)[:200]}): check the sizes",
        f"无法构建小型 {kind} 模型（{type(error).__name__}: {str(error)[:200]}）：请检查各尺寸",
    )


def _tries(full: PreTrainedConfig) -> list[tuple[PreTrainedConfig, tuple[tuple[int, ...], ...]]]:
    """Smaller and smaller demands: all is cut; experts left; only depth and words cut; nothing."""
    out = []
    for cuts in (
        ("depth", "width", "heads", "experts"),
        ("depth", "width", "heads"),
        ("depth", "heads"),
        ("depth",),
        (),
    ):
        try:
            out.append(cut(full, cuts))
        except Exception:  # noqa: BLE001  a class that checks what it is given
            continue
    return out


def cut(
    full: PreTrainedConfig, cuts: tuple[str, ...]
) -> tuple[PreTrainedConfig, tuple[tuple[int, ...], ...]]:
    """The configuration with these things cut, and which layers the kept ones stand for."""
    values = copy.deepcopy(full.to_dict())
    layers: tuple[tuple[int, ...], ...] = ()
    parts = [(values, full)]
    for name in getattr(full, "sub_configs", {}):
        part = getattr(full, name, None)
        if part is not None and isinstance(values.get(name), dict):
            parts.append((values[name], part))
    for inside, config in parts:
        names = {
            each: name for each, name in getattr(config, "attribute_map", {}).items() if isinstance(name, str)
        }
        if "depth" in cuts:
            found = _cut_depth(inside, names)
            layers = layers or found
        if "heads" in cuts:
            _cut_heads(inside, names)
        if "width" in cuts:
            _cut_wide(inside)
            _join_states(inside, names)
        for kind, sizes in (("width", WIDTHS), ("experts", EXPERTS)):
            if kind in cuts:
                for each, most in sizes.items():
                    name = names.get(each, each)
                    if _is_size(inside.get(name)) and inside[name] > most:
                        inside[name] = most
        for name in (
            "pad_token_id",
            "bos_token_id",
            "eos_token_id",
            "decoder_start_token_id",
            "sep_token_id",
        ):
            _cut_token(inside, name)
    return type(full).from_dict(values), layers


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cut_token(inside: dict[str, Any], name: str) -> None:
    value, words = inside.get(name), inside.get("vocab_size", 128)
    if _is_size(value) and _is_size(words) and value >= words:
        inside[name] = 1
    elif isinstance(value, list):
        inside[name] = [min(each, words - 1) for each in value if _is_size(each)]


def _cut_depth(inside: dict[str, Any], names: Mapping[str, str]) -> tuple[tuple[int, ...], ...]:
    """One layer of each kind that lists name, else the first few; the real layers that each stands for."""
    for name in ("encoder_layers", "decoder_layers", "num_encoder_layers", "num_decoder_layers"):
        if _is_size(inside.get(name)):
            inside[name] = min(inside[name], 2)
    name = names.get("num_hidden_layers", "num_hidden_layers")
    count = inside.get(name)
    if not _is_size(count):
        return ()
    lists = {
        key: value for key, value in inside.items()
        if isinstance(value, list) and len(value) == count and key not in ("architectures",)
    }  # fmt: skip
    lists = {
        key: value
        for key, value in lists.items()
        if count > 4 or all(isinstance(each, str) for each in value)
    }
    if not lists:
        kept = min(count, DEPTH)
        inside[name] = kept
        return tuple((n,) for n in range(kept))
    kinds: dict[str, list[int]] = {}
    for n in range(count):
        kinds.setdefault(repr([value[n] for value in lists.values()]), []).append(n)
    if len(kinds) == 1:
        kinds = {"first": [0], "rest": list(range(1, count))} if count > 1 else kinds
    first = [each[0] for each in kinds.values()]
    for key, value in lists.items():
        inside[key] = [value[n] for n in first]
    for key, value in inside.items():  # what single layers have of their own
        if isinstance(value, dict) and value and all(str(each).isdigit() for each in value):
            own = {int(n): each for n, each in value.items()}
            inside[key] = {m: own[n] for m, n in enumerate(first) if n in own}
    inside[name] = len(first)
    return tuple(tuple(each) for each in kinds.values())


def _cut_heads(inside: dict[str, Any], names: Mapping[str, str]) -> None:
    """Fewer heads of the same width, where the hidden width is large."""
    width, heads = (
        names.get("hidden_size", "hidden_size"),
        names.get("num_attention_heads", "num_attention_heads"),
    )
    if not _is_size(inside.get(width)) or not _is_size(inside.get(heads)) or inside[width] <= NARROW:
        return
    each = inside[width] // inside[heads]
    few = names.get("num_key_value_heads", "num_key_value_heads")
    kept = min(HEADS, inside[heads])
    if _is_size(inside.get(few)):
        inside[few] = max(1, kept * inside[few] // inside[heads])
    inside[heads] = kept
    inside[width] = kept * each


def _cut_wide(inside: dict[str, Any]) -> None:
    """Cut every other large size that by its name is a width or a number of words."""
    for name, value in inside.items():
        if _is_size(value) and value > NARROW and WIDE.search(name) and not KEPT.search(name):
            inside[name] = 48


def _join_states(inside: dict[str, Any], names: Mapping[str, str]) -> None:
    """Heads of state-space layers, whose widths add up to a multiple of the hidden width."""
    hidden = inside.get(names.get("hidden_size", "hidden_size"))
    for heads, width, whole in STATES:
        expand = inside.get("mamba_expand", inside.get("expand", 2))
        if not (_is_size(hidden) and heads in inside and width in inside and isinstance(expand, int | float)):
            continue
        inner = int(expand * hidden)
        inside[heads], inside[width] = 4, inner // 4
        if _is_size(inside.get(whole)):
            inside[whole] = inner
        for groups in ("mamba_n_groups", "n_groups", "mamba_ngroups"):
            if _is_size(inside.get(groups)):
                inside[groups] = 1


def _parameters(config: PreTrainedConfig, architectures: Any) -> int:
    """How many a model would have, counted without memory."""
    import torch

    with torch.device("meta"):
        return sum(each.numel() for each in _built(config, architectures).parameters())


def _built(config: PreTrainedConfig, architectures: Any) -> PreTrainedModel:
    import transformers
    from transformers.models.auto import modeling_auto

    named = architectures[0] if isinstance(architectures, list) and architectures else None
    known = getattr(transformers, named, None) if isinstance(named, str) else None
    if isinstance(known, type) and issubclass(known, transformers.PreTrainedModel):
        return known(config)
    whole = ["AutoModelForSeq2SeqLM"] if config.is_encoder_decoder else []
    for name in (
        *whole,
        "AutoModelForMaskedLM",
        "AutoModelForCausalLM",
        "AutoModelForSeq2SeqLM",
        "AutoModelForTextEncoding",
        "AutoModel",
    ):
        auto = getattr(modeling_auto, name)
        if type(config) in auto._model_mapping:
            return auto.from_config(config)
    raise ValueError(f"no model class of {type(config).__name__}")
