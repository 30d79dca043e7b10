"""Settings cut down: width, heads, depth, experts and words, while what decides about position stays."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from clockhands.check.probe.hf.refusal import Refusal

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

WIDTHS = {
    "vocab_size": 128, "intermediate_size": 48, "moe_intermediate_size": 16,
    "shared_expert_intermediate_size": 16,
    "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "ffn_dim": 48, "d_ff": 48, "n_inner": 48, "d_inner": 48,
    "intermediate_size_mlp": 48, "shared_intermediate_size": 16, "moe_shared_expert_intermediate_size": 16,
    "vocab_size_per_layer_input": 128, "hidden_size_per_layer_input": 16, "ffn_hidden_size": 48,
    "ffn_hidden": 48,
    "q_lora_rank": 24, "kv_lora_rank": 24, "o_lora_rank": 16, "expert_ffn_hidden_size": 16, "dim_ff": 48,
    "hidden_dim": 48, "mlp_intermediate_size": 48, "feed_forward_size": 48,
    "num_filters": 4,
}  # fmt: skip
"""Sizes that no position depends on, and what they are cut to."""

EXPERTS = {
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "moe_num_experts": 4,
    "num_experts_per_tok": 2,
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

NUMBERS = re.compile("layer.*_(ids|indices|idx)$")
WIDE = re.compile("vocab|size|dim|ffn|inter|inner|rank|units|channels|hash")
KEPT = re.compile(
    "head_dim|rope|rotary|position|length|window|max_|hidden_size|d_model|n_embd|chunk|qk_|block|patch"
)

TOKENS = ("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id", "sep_token_id")
"""Tokens that a whole names whose words are those of a part."""

STACK = "num_layers_per_stack"
"""Depth of a stack that is run several times, where the usual name has the number of all runs."""

SHARED = "num_kv_shared_layers"
"""The last so many layers have keys and values of earlier ones."""

DEPTH = 8
"""Layers kept where no list says of which kind each is: patterns of up to half of that show."""

FEWEST, HEADS = 2, 4
"""Heads kept: as few as a class takes."""

FEW_HEADS = ("num_key_value_heads", "num_kv_heads")
"""Heads of keys, as classes call them; Falcon's name stands in no map of its class."""

NARROW = 512
"""Hidden width from which on it is cut to heads of the same width."""


def cut(
    full: PreTrainedConfig, cuts: tuple[str, ...]
) -> tuple[PreTrainedConfig, tuple[tuple[int, ...], ...]]:
    """The configuration with these things cut, and which layers the kept ones stand for.

    Raises ``Refusal`` where its class doesn't like it.
    """
    values = copy.deepcopy(full.to_dict())
    layers: tuple[tuple[int, ...], ...] = ()
    text = full.get_text_config(decoder=True)
    for inside, config in _parts(values, full):
        names = {
            each: name for each, name in getattr(config, "attribute_map", {}).items() if isinstance(name, str)
        }
        if "depth" in cuts:
            found = _cut_depth(inside, names)
            layers = found if config is text else layers or found
        if "heads" in cuts:
            _cut_heads(inside, names, FEWEST if "few" in cuts else HEADS)
        if "width" in cuts:
            _cut_wide(inside)
            _join_states(inside, names)
        for kind, sizes in (("width", WIDTHS), ("experts", EXPERTS)):
            if kind in cuts:
                for each, most in sizes.items():
                    name = names.get(each, each)
                    if _is_size(inside.get(name)) and inside[name] > most:
                        inside[name] = most
                    elif isinstance(inside.get(name), list) and all(_is_size(one) for one in inside[name]):
                        inside[name] = [min(one, most) for one in inside[name]]
        for name in inside:
            if name in TOKENS or (name.endswith("token_id") and "vocab_size" in inside):
                _cut_token(inside, name)
    try:
        return type(full).from_dict(values), layers
    except Exception as error:  # a class that checks what it is given, and may say it in any way
        raise Refusal(error) from error


def _parts(values: dict[str, Any], full: PreTrainedConfig) -> list[tuple[dict[str, Any], PreTrainedConfig]]:
    """A configuration and those that are parts of it, and of those, outermost first; each beside its
    values."""
    found = [(values, full)]
    for inside, config in found:  # which grows
        for name in getattr(config, "sub_configs", {}):
            part = getattr(config, name, None)
            if part is not None and isinstance(inside.get(name), dict):
                found.append((inside[name], part))
    return found


def _is_size(value: Any) -> TypeGuard[int]:
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
    name = name if name in inside else "num_layers"
    count = inside.get(name)
    if not _is_size(count):
        return ()
    if _is_size(stack := inside.get(STACK)) and 0 < stack < count:
        # Layers of the file are all runs of the stacks that it repeats.
        inside[STACK] = min(stack, 2)
        inside[name] = count // stack * inside[STACK]
        return ()
    shared = inside.get(SHARED)
    shared = shared if _is_size(shared) and 0 < shared <= count else 0
    lists = {
        key: value for key, value in inside.items()
        if isinstance(value, list) and len(value) == count
        and key != "architectures" and not NUMBERS.search(key)
    }  # fmt: skip
    lists = {
        key: value
        for key, value in lists.items()
        if count > 4 or "layer" in key or all(isinstance(each, str) for each in value)
    }
    if lists and 0 < shared < count:
        lists[SHARED] = [n >= count - shared for n in range(count)]
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
    if shared:
        inside[SHARED] = sum(n >= count - shared for n in first)
    for key, value in inside.items():  # numbers of layers
        if isinstance(value, list) and NUMBERS.search(key) and all(_is_size(each) for each in value):
            inside[key] = [m for m, n in enumerate(first) if n in value]
    for key, value in inside.items():  # what single layers have of their own
        if isinstance(value, dict) and value and all(str(each).isdigit() for each in value):
            own = {int(n): each for n, each in value.items()}
            inside[key] = {m: own[n] for m, n in enumerate(first) if n in own}
    inside[name] = len(first)
    return tuple(tuple(each) for each in kinds.values())


def _cut_heads(inside: dict[str, Any], names: Mapping[str, str], most: int) -> None:
    """Fewer heads of the same width, where the hidden width is large."""
    width, heads = (
        names.get("hidden_size", "hidden_size"),
        names.get("num_attention_heads", "num_attention_heads"),
    )
    if not _is_size(inside.get(width)) or not _is_size(inside.get(heads)) or inside[width] <= NARROW:
        return
    each = inside[width] // inside[heads]
    kept = min(most, inside[heads])
    for few in (names.get(FEW_HEADS[0], FEW_HEADS[0]), *FEW_HEADS[1:]):
        if _is_size(inside.get(few)):
            inside[few] = max(1, kept * inside[few] // inside[heads])
    inside[heads] = kept
    for name in ("embedding_size", "word_embed_proj_dim"):
        if inside.get(name) == inside[width]:
            inside[name] = kept * each
    inside[width] = kept * each


def _cut_wide(inside: dict[str, Any]) -> None:
    """Cut every other large size that by its name is a width or a number of words."""
    for name, value in inside.items():
        if _is_size(value) and value > NARROW and WIDE.search(name) and not KEPT.search(name):
            inside[name] = 48


def _join_states(inside: dict[str, Any], names: Mapping[str, str]) -> None:
    """Heads of state-space layers, whose widths add up to a multiple of the hidden width."""
    hidden = inside.get(names.get("hidden_size", "hidden_size"))
    # Chunks are tokens that are computed at once: a short text is padded to one.
    if any(each.startswith(("mamba", "state", "ssm")) for each in inside):
        for name in ("chunk_size", "mamba_chunk_size"):
            if _is_size(inside.get(name)):
                inside[name] = min(inside[name], 16)
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
