"""Where settings of a model are written: the file, and the part of it that reads text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clockhands.check.architectures import settings_of
from clockhands.check.form import LayerForm
from clockhands.check.read.config import PARTS, text_part
from clockhands.check.settings import Settings
from clockhands.check.subject import Subject

MODEL_TYPES = {
    "gemma": "gemma", "llama": "llama", "olmo2": "olmo2", "qwen2": "qwen2", "qwen2moe": "qwen2_moe",
    "qwen3": "qwen3", "qwen3moe": "qwen3_moe", "starcoder2": "starcoder2",
}  # fmt: skip
"""Classes of transformers by the architecture that llama.cpp's conversion calls them, where all layers are
alike and the base stands at the top: of these a GGUF file says what a ``config.json`` would."""

Home = tuple[Mapping[str, Any] | None, Settings | None, tuple[str, ...]]


def home_of(subject: Subject, form: LayerForm, length: int) -> Home:
    """The file, the settings of the part that reads text, and the keys that lead there."""
    if subject.settings is None:
        return None, None, ()
    if subject.kind == "gguf":
        file = _like_a_config(subject.settings.model_type, form, length)
        return (file, settings_of(file), ()) if file is not None else (None, None, ())
    return subject.settings.file, text_part(subject.settings), _path(subject.settings.file)


def _path(file: Mapping[str, Any]) -> tuple[str, ...]:
    """As ``text_part`` goes."""
    path: tuple[str, ...] = ()
    for _ in PARTS:
        name = next((name for name in PARTS if isinstance(file.get(name), Mapping)), None)
        if name is None or "hidden_size" in file:
            break
        path, file = (*path, name), file[name]
    return path


def _like_a_config(architecture: str, form: LayerForm, length: int) -> dict[str, Any] | None:
    kind, width = MODEL_TYPES.get(architecture), form.head_dim
    if kind is None or width is None:
        return None
    own = {key: list(value) if isinstance(value, tuple) else value for key, value in form.scaling.items()}
    scaling = {"rope_type": form.rope_type, **own} if form.rope_type not in (None, "default") else None
    return {
        "model_type": kind, "hidden_size": width, "num_attention_heads": 1, "num_hidden_layers": 1,
        "head_dim": width, "max_position_embeddings": length, "rope_theta": form.rope_theta,
        "rope_scaling": scaling,
    }  # fmt: skip
