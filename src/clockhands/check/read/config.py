"""A configuration, in whichever dialect it is written, as what rules look at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clockhands.check.architectures import find, parts_of, settings_of, type_of_class
from clockhands.check.architectures.mixtures import Architecture
from clockhands.check.architectures.rope import Rope
from clockhands.check.architectures.windows import kinds_told
from clockhands.check.finding import Finding
from clockhands.check.form import LayerForm, merged
from clockhands.check.read.context import LENGTHS, context_of
from clockhands.check.read.json_file import Told, contents, decoded, looked_over, parse_json
from clockhands.check.read.megatron import is_megatron, megatron_settings, megatron_stack
from clockhands.check.read.plain_text import parse_options, parse_yaml
from clockhands.check.read.remarks import assumed, remarks_on, unreadable
from clockhands.check.read.rope_parameters import DICTIONARIES
from clockhands.check.settings import Settings
from clockhands.check.subject import Subject
from clockhands.errors import ClockhandsError

PARTS = ("text_config", "language_config", "llm_config", "thinker_config")
"""Where composite configurations hold the part that reads text."""

ROTARY_KEYS = (
    "rope_theta", *DICTIONARIES, "rotary_dim", "rotary_pct", "rotary_emb_base", "partial_rotary_factor",
    "rope_ratio", "rotary_emb_fraction", "rope_local_base_freq",
)  # fmt: skip

BAD_VALUES = (TypeError, ValueError, ArithmeticError, AttributeError, LookupError, MemoryError)
"""What values of the wrong kind come to in whichever architecture."""


def read_config(
    target: str | os.PathLike[str] | Mapping[str, Any], *, override: Mapping[str, Any] | None = None
) -> Subject:
    """A configuration: a JSON file, a folder with ``config.json``, YAML or options of Megatron, or a mapping.

    override  keys laid over it, as vLLM's ``--hf-overrides`` and SGLang's ``--json-model-override-args`` do:
              rotary parameters replace what the file has, under either name; a part is merged

    Raises ClockhandsError where the target is unusable; what is wrong with its values becomes findings.

    >>> read_config({"model_type": "gpt2"}).declared[0].rows
    1024
    """
    name, told = _told(target)
    values = laid_over(told.values, looked_over(override, "the override").values) if override else told.values
    found = list(remarks_on(told))
    if values and not is_megatron(values) and not says_something(values):
        raise ClockhandsError(
            f"{name} says nothing of a model (no model_type, no size, no length): give its config.json",
            f"{name} 与模型无关（没有 model_type、尺寸或长度）：请给出模型的 config.json",
        )
    if is_megatron(values):
        settings, stack, dialect = megatron_settings(values), megatron_stack(values), "megatron"
    else:
        settings, dialect = settings_of(values), _dialect(values)
        stack, remark = _stack(settings)
        found += [remark] if remark else []
    forms = _forms(stack, settings, found)
    return Subject(
        target=name,
        kind="config",
        dialect=dialect,
        context=context_of(text_part(settings), forms),
        settings=settings,
        declared=forms,
        found=tuple(found),
        laid_over=frozenset(_paths(override or {})),
    )


def _paths(override: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Of every key, a dictionary of rotary parameters as one: it replaces the file's as a whole."""
    for key, value in override.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and key not in DICTIONARIES:
            yield from _paths(value, f"{path}.")
        else:
            yield path


def says_something(values: Mapping[str, Any]) -> bool:
    """Whether these can be settings of a model: its type, a size, how it turns, a length."""
    named = ("model_type", "architectures", "hidden_size", "num_hidden_layers", *PARTS, *LENGTHS)
    return any(name in values for name in (*named, *ROTARY_KEYS))


def laid_over(file: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """The file with the override's keys in the place of its own."""
    merged_values = dict(file)
    if any(name in override for name in DICTIONARIES):
        for name in DICTIONARIES:
            merged_values.pop(name, None)
    for key, value in override.items():
        mine = merged_values.get(key)
        if isinstance(value, Mapping) and isinstance(mine, Mapping) and key not in DICTIONARIES:
            value = laid_over(mine, value)
        merged_values[key] = value
    return merged_values


def text_part(s: Settings) -> Settings:
    """The settings of the part that reads text; the whole where it has no parts."""
    for _ in PARTS:
        name = next((name for name in PARTS if isinstance(s.file.get(name), Mapping)), None)
        if name is None or "hidden_size" in s.file:
            break
        inner = dict(s.file[name])
        if not isinstance(inner.get("model_type"), str):
            inner["model_type"] = parts_of(s.model_type).get(name, "")
        s = settings_of(inner)
    return s


def _told(target: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[str, Told]:
    if isinstance(target, Mapping):
        return "configuration", looked_over(target, "the configuration")
    path = Path(target)
    if "\0" not in str(path) and path.is_dir():
        path = path / "config.json"
    data = contents(path)
    if path.suffix.lower() == ".json" or data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return str(target), parse_json(data, str(path))
    text = decoded(data, str(path))
    values = parse_yaml(text) if path.suffix.lower() in (".yaml", ".yml") else parse_options(text)
    if not is_megatron(values) and not says_something(values):
        raise ClockhandsError(
            f"{path} is neither JSON nor YAML nor options of a command line: give a config.json",
            f"{path} 既不是 JSON、YAML，也不是命令行选项：请给出 config.json",
        )
    return str(target), looked_over(values, str(path))


def _dialect(values: Mapping[str, Any]) -> str:
    parts = [values, *(values[name] for name in PARTS if isinstance(values.get(name), Mapping))]
    old = any("rope_theta" in part or part.get("rope_scaling") for part in parts)
    return (
        "transformers-old" if old and not any("rope_parameters" in part for part in parts) else "transformers"
    )


def _stack(s: Settings) -> tuple[Architecture | None, Finding | None]:
    """What its layers are, and a remark where that is a guess."""
    known = find(s.model_type) or (find(_named_by_class(s)) if not s.model_type else None)
    if known is not None:
        return known, None
    inner = text_part(s)
    if inner is not s and (known := find(inner.model_type)) is not None:
        return _elsewhere(known, inner), None
    named = _named_by_class(inner)
    if (known := find(named)) is not None:  # code of its own that calls its class as a known one
        remark = assumed(s.model_type, "model_type", rotary=True, taken=named)
        return _elsewhere(known, settings_of({**inner.file, "model_type": named})), remark
    rotary = any(inner.file.get(key) is not None for key in ROTARY_KEYS)
    remark = assumed(s.model_type, "model_type", rotary=rotary)
    return (_elsewhere(Rope(partial=True), inner) if rotary else None), remark


def _elsewhere(stack: Architecture, inner: Settings) -> Architecture:
    return lambda s, layers=None: stack(inner, layers)


def _named_by_class(s: Settings) -> str:
    """The model type that ``architectures`` names: LlamaForCausalLM is a llama; empty where it names none."""
    named = s.file.get("architectures")
    return type_of_class(named[0]) if isinstance(named, list) and named and isinstance(named[0], str) else ""


def _forms(stack: Architecture | None, s: Settings, found: list[Finding]) -> tuple[LayerForm, ...]:
    if stack is None:
        return ()
    try:
        return merged(kinds_told(stack(s)))
    except ClockhandsError:
        raise
    except BAD_VALUES:
        found.append(unreadable(s.model_type))
        return ()
