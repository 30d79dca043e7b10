"""Writes ``check/architectures/defaults.json``: what configuration classes of transformers take by default.

Only keys that concern position are kept. How a class makes rotary parameters out of a file is found by
trying: the class is built with each key that may matter, and what it then holds is looked at.

    python -m benchmarks.architectures.defaults [--check]
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import clockhands.check.architectures
from benchmarks.architectures.reading import reading_of

HOME = Path(clockhands.check.architectures.__file__).with_name("defaults.json")

CONCERNS = re.compile(
    r"hidden_size|d_model|n_embd|embed_dim|emb_dim|embedding_size|d_kv|head|layer|block|rope|rotary|position|_ctx"
    r"|n_pos|context_length|max_seq|max_len|window|slid|local|global|attention|attn|bucket|distance|relative"
    r"|rel_|max_rel|offset|alibi|scal|query_pre|nope|pattern|interval|kv_|multi_query|bidirectional|causal"
    r"|is_decoder|pad_token_id|mup|interleave|extent|chunk|max_(source|target|text|encoder|decoder)_pos|^n_|num_layers"
    r"|sinusoidal|d_rel|d_head|pos_|temperature|logit_softcap|floor|theta|base|types$"
)
UNCONCERNED = re.compile(
    r"drop|bias$|(?<!position)_bias|eps|_act|init|loss|prob|classif|expert|conv|mlp|image|vision|audio|mask|router|time|norm|spk"
    r"|output_|chunk_size_feed|summary|softmax_in|adapter|_config|token_(?!id)|feature|patch|pool|codec|video|mamba|scale_embedding"
    r"|layer_scale|layerscale|tie_|moe|vq|quant|prompt|projector|upsampl|downsampl|pixel|memory_|kernel|stride"
)


def records() -> dict[str, dict[str, Any]]:
    """By model type: defaults, aliases, parts and how rotary parameters are read; empty ones left out."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

    found = {name: record_of_class(CONFIG_MAPPING[name]) for name in sorted(CONFIG_MAPPING_NAMES)}
    return {name: record for name, record in found.items() if record}


def record_of_class(cls: Any) -> dict[str, Any]:
    """What is written of one class."""
    record = {
        "defaults": defaults_of(cls),
        "aliases": {ours: theirs for ours, theirs in cls.attribute_map.items() if concerns(ours)},
        "parts": {
            key: kind for key, part in cls.sub_configs.items() if (kind := getattr(part, "model_type", ""))
        },
        "rope": reading_of(cls),
    }
    return {name: value for name, value in record.items() if value}


def concerns(key: str) -> bool:
    """Whether a key says something of position, or of a size that it needs."""
    return bool(CONCERNS.search(key)) and not UNCONCERNED.search(key)


def defaults_of(cls: type) -> dict[str, Any]:
    """What the class takes where nothing is written, before it computes anything; None is left out."""
    found, named = {}, {theirs for ours, theirs in cls.attribute_map.items() if concerns(ours)}
    for each in dataclasses.fields(cls):
        value = each.default
        if value is dataclasses.MISSING and each.default_factory is not dataclasses.MISSING:
            value = each.default_factory()
        if (concerns(each.name) or each.name in named) and is_plain(value):
            found[each.name] = list(value) if isinstance(value, tuple) else value
    return dict(sorted(found.items()))


def is_plain(value: Any) -> bool:
    """A number, a word, or a list of such."""
    if isinstance(value, list | tuple):
        return all(is_plain(each) for each in value)
    return isinstance(value, int | float | str)


def text() -> str:
    """The file: one model type a line, so that a change is one line too."""
    import transformers

    transformers.logging.set_verbosity_error()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes warn of the odd settings that they are tried with
        lines = [f"{json.dumps(name)}: {one_line(record)}" for name, record in records().items()]
    models = ",\n".join(lines)
    return f'{{"transformers": {json.dumps(transformers.__version__)}, "models": {{\n{models}\n}}}}\n'


def one_line(record: Mapping[str, Any]) -> str:
    """JSON without spare blanks."""
    return json.dumps(record, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(
            0
            if HOME.read_text(encoding="utf-8") == text()
            else f"{HOME.name} is out of date: run this without --check"
        )
    HOME.write_text(text(), encoding="utf-8")
