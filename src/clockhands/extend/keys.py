"""Keys of a configuration that set a method, in the two ways of writing them, and whether they arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.read.config import read_config
from clockhands.check.read.context import LENGTHS
from clockhands.check.read.rope_parameters import rope_parameters_of
from clockhands.check.rules.head_width_null import ASKING, EMPTY, LEFT_EMPTY
from clockhands.check.rules.rope_type_unknown import ALONE
from clockhands.extend.look import head_of
from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.formulas.frequencies import from_rope_parameters

TRAINED = "original_max_position_embeddings"
LISTS = ("short_factor", "long_factor")


def version_5(source: Source, parameters: Mapping[str, Any], to: int, method: Method) -> dict[str, Any]:
    """Everything that turns in one dictionary, or in one for each type of layers.

    Where the file has the base beside it, it is written there too: older programs read it.
    """
    base = _base_key(source)
    beside = {base: parameters["rope_theta"]} if base in _file(source) else {}
    return within(source, {
        **beside, "rope_parameters": _by_layers(source, parameters),
        **_head(source, parameters), **_length(source, method, to),
    })  # fmt: skip


def version_4(source: Source, parameters: Mapping[str, Any], to: int, method: Method) -> dict[str, Any]:
    """The base stands outside, and there is no dictionary where nothing is scaled."""
    scaling: dict[str, Any] | None = {key: value for key, value in parameters.items() if key != "rope_theta"}
    assert scaling is not None
    if set(scaling) == {"rope_type"} and scaling["rope_type"] == "default":
        scaling = None
    elif scaling["rope_type"] == "longrope" and TRAINED in _file(source):  # Phi-3 takes no other keys
        scaling = {"type": scaling["rope_type"], **{name: scaling[name] for name in LISTS if name in scaling}}
    return within(source, {
        _base_key(source): parameters["rope_theta"], "rope_scaling": scaling,
        **_head(source, parameters), **_length(source, method, to),
    })  # fmt: skip


def server(
    source: Source, parameters: Mapping[str, Any], to: int, name: str, method: Method
) -> dict[str, Any]:
    """The dictionary under ``name``, and the base beside it, for model files of either age."""
    return within(source, {
        _base_key(source): parameters["rope_theta"], name: _by_layers(source, parameters),
        **_head(source, parameters), **_length(source, method, to),
    })  # fmt: skip


def within(source: Source, keys: dict[str, Any]) -> dict[str, Any]:
    """Keys of the part that reads text, from the top of the file."""
    for name in reversed(source.path):
        keys = {name: keys}
    return keys


def arrives(source: Source, keys: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Whether its class makes of the file under these keys what ``parameters`` mean, and of no layer more.

    Some classes read no scaling (GPT-J), some take one type for another (Phi-3), some keep the base
    elsewhere: what is proposed is read back, as ``clockhands check`` reads it.
    """
    if source.file is None or source.part is None:
        return False
    kind = parameters["rope_type"]
    if kind not in ALONE.get(source.part.model_type, (kind,)):
        return False
    before, after = read_config(source.file).declared, read_config(source.file, override=keys).declared
    wanted, attention = from_rope_parameters(
        parameters, head_dim=head_of(source), max_position_embeddings=source.trained
    )
    speeds = source.form.inv_freq
    changed = [form for form in before if form.family == "rope" and form.inv_freq == speeds]
    layers = {layer for form in changed for layer in form.layers}
    for form in after:
        if layers.isdisjoint(form.layers):
            if _of(before, form) != form.inv_freq:
                return False
        elif not _turns(form, np.asarray(wanted), attention, parameters):
            return False
    return bool(changed)


def _turns(form: LayerForm, wanted: Any, attention: float, parameters: Mapping[str, Any]) -> bool:
    if form.inv_freq is None or len(form.inv_freq) != len(wanted) or form.attention_factor is None:
        return False
    lists = all(
        np.allclose(form.scaling.get(name, 0), parameters[name], rtol=1e-5)
        for name in LISTS
        if name in parameters
    )
    near = np.allclose(form.inv_freq, wanted, rtol=1e-6, atol=0)
    kind = form.rope_type == parameters["rope_type"]
    return near and lists and kind and abs(form.attention_factor - attention) < 1e-6


def _of(forms: tuple[LayerForm, ...], other: LayerForm) -> tuple[float, ...] | None:
    return next((form.inv_freq for form in forms if other.layers[0] in form.layers), None)


def _file(source: Source) -> Mapping[str, Any]:
    return source.part.file if source.part is not None else {}


def _base_key(source: Source) -> str:
    """What the class calls the base where it stands at the top: GPT-NeoX says ``rotary_emb_base``."""
    key = source.part.rope.alone.get("rope_theta") if source.part is not None else None
    return key if isinstance(key, str) else "rope_theta"


def _head(source: Source, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The width of a head, where three of the formulas stop without it (CH042)."""
    file = _file(source)
    if source.part is None or parameters["rope_type"] not in ASKING or file.get("head_dim") is not None:
        return {}
    null = "head_dim" in file and source.part.model_type in LEFT_EMPTY
    return {"head_dim": source.form.head_dim} if null or source.part.model_type in EMPTY else {}


def _length(source: Source, method: Method, to: int) -> dict[str, int]:
    """The promised length; dynamic NTK takes it for the trained one, of plain hands, so that it must stay."""
    told = [key for key in LENGTHS if source.part is not None and source.part.written(key)]
    key = "max_position_embeddings"
    if source.part is not None and told:
        key = source.part.written(told[0]) or key
    return {key: source.plain if method.id == "dynamic" else to}


def _by_layers(source: Source, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The dictionary, or one for each type of layers: those with a window keep what they have.

    In nested ones each says for itself which part of a head turns.
    """
    if not source.nested or source.part is None:
        return dict(parameters)
    found = {}
    for layer_type in LAYER_TYPES:
        values = rope_parameters_of(source.part, layer_type=layer_type, partial=True).values
        found[layer_type] = {key: values[key] for key in OF_LAYERS if values.get(key) is not None}
    whole = found[source.layer_type]
    part = {key: whole[key] for key in ("partial_rotary_factor",) if key in whole}
    return {**found, source.layer_type: {**part, **parameters}}


LAYER_TYPES = ("sliding_attention", "full_attention")
OF_LAYERS = ("rope_type", "rope_theta", "partial_rotary_factor")
