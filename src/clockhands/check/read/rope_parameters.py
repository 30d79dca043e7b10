"""Rotary parameters of a configuration in one shape, whichever of the ways of writing them it uses.

Follows ``convert_rope_params_to_dict`` and ``standardize_rope_params`` of transformers 5.24.0: a non-empty
``rope_scaling`` stands before ``rope_parameters``, and what the dictionary lacks comes from keys beside it,
then from the class. Which keys a class reads is data (``RopeReading``), found by trying each class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clockhands.check.settings import RopeReading, Settings
from clockhands.formulas.frequencies.rope_parameters import OLD_NAMES

DICTIONARIES = ("rope_scaling", "rope_parameters")
"""In the order in which transformers takes them."""

LENGTHS_OF_ITS_OWN = ("llama3", "yarn", "longrope")
"""Types whose trained length transformers puts into the dictionary, from the key beside it first."""


@dataclass(frozen=True)
class RopeParameters:
    """Parameters of one kind of layers: ``values`` by the names of transformers 5, and the ``path`` that
    holds each (``{"factor": "rope_scaling.factor"}``), where the file holds it.

    ignored   paths of what the file says and the class doesn't read
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)


def rope_parameters_of(s: Settings, *, layer_type: str | None, partial: bool) -> RopeParameters:
    """What the class makes of the file, for the layers of ``layer_type`` where they differ.

    partial  whether its code turns a part of the head only where ``partial_rotary_factor`` says so

    Values are as written, of whatever type: nothing is judged here, and nothing raised.
    """
    reading = s.rope
    given, path = _dictionary(s, layer_type, reading)
    values = {key: value for key, value in given.items() if not isinstance(value, Mapping)}
    paths = {key: f"{path}.{key}" for key in values} if path else {}
    ignored = {}
    nested = "." in path or isinstance(reading.own.get(layer_type or ""), Mapping)
    if "type" in values:
        old, where = values.pop("type"), paths.pop("type", "")
        if "rope_type" not in values and ("." in path or reading.old_type):
            values["rope_type"], paths["rope_type"] = old, where
        elif where:
            ignored["type"] = where
    values.setdefault("rope_type", "default")
    for name, key in _of_layer(reading.beside if path else reading.alone, layer_type).items():
        if (name not in values or not path) and key in s.file:
            values[name], paths[name] = s.get(key), key
    if (
        values.get("partial_rotary_factor") is None
        and s.file.get("rotary_dim") is not None
        and reading.by_width
    ):
        _share_of_width(s, values, paths)
    for name, value in _of_layer(reading.fill, layer_type).items():
        values.setdefault(name, value)
    values["rope_type"] = reading.types.get(_text(values["rope_type"]), values["rope_type"])
    _trained_length(s, values, paths, nested=nested)
    if not partial and values.pop("partial_rotary_factor", None) is not None:
        written = paths.pop("partial_rotary_factor", None)
        if written:
            ignored["partial_rotary_factor"] = written
    return RopeParameters(values, paths, ignored)


def _dictionary(s: Settings, layer_type: str | None, reading: RopeReading) -> tuple[Mapping[str, Any], str]:
    """The dictionary for these layers and its path; what the class has itself, and no path, without one."""
    own = _of_layer(reading.own, layer_type)
    for name in DICTIONARIES:
        given = s.get(name) if name in s.file else None
        if not isinstance(given, Mapping) or not given:
            continue
        inner = given.get(layer_type) if layer_type is not None else None
        if isinstance(inner, Mapping):
            return inner, f"{name}.{layer_type}"
        if layer_type is not None and any(isinstance(each, Mapping) for each in given.values()):
            continue  # nested, and says nothing of these layers
        if layer_type is not None and layer_type in reading.deaf.get(name, ()):
            continue
        return given, name
    return own, ""


def _of_layer(told: Mapping[str, Any], layer_type: str | None) -> Mapping[str, Any]:
    """Of a dictionary that may be nested by layer type: the part for these layers."""
    inner = told.get(layer_type) if layer_type is not None else None
    if isinstance(inner, Mapping):
        return inner
    return {key: value for key, value in told.items() if not isinstance(value, Mapping)}


def _share_of_width(s: Settings, values: dict[str, Any], paths: dict[str, str]) -> None:
    """``rotary_dim`` in tokens of the head's width, as MiniMax-M2's files have it."""
    turning, width = s.whole("rotary_dim"), s.whole("head_dim")
    if turning is not None and width is not None:
        values["partial_rotary_factor"], paths["partial_rotary_factor"] = turning / width, "rotary_dim"


def _trained_length(s: Settings, values: dict[str, Any], paths: dict[str, str], *, nested: bool) -> None:
    """A length beside a flat dictionary stands before the one within it (Phi-3)."""
    name = "original_max_position_embeddings"
    kind = OLD_NAMES.get(_text(values["rope_type"]), values["rope_type"])
    if kind not in LENGTHS_OF_ITS_OWN:
        return
    beside = s.get(name)
    if beside is not None and (not nested or values.get(name) is None):
        values[name] = beside
        paths.pop(name, None)
        if s.written(name):
            paths[name] = str(s.written(name))
    elif name not in values:
        values[name] = s.get("max_position_embeddings")
        if s.written("max_position_embeddings"):
            paths[name] = str(s.written("max_position_embeddings"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
