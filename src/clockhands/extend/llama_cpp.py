"""Options of llama.cpp that set a method, and whether its hands then turn as planned."""

from __future__ import annotations

from typing import Any

import numpy as np

from clockhands.check.form import LayerForm
from clockhands.check.read.llama_cpp import override
from clockhands.extend.look import head_of
from clockhands.extend.methods import Method
from clockhands.extend.source import Source
from clockhands.extend.words import NO_OPTION, OTHERWISE, OWN_DIVISORS
from clockhands.formulas.frequencies import from_rope_parameters
from clockhands.language import Text

BETAS = {"beta_fast": "yarn-beta-fast", "beta_slow": "yarn-beta-slow"}
DIVIDED = ("llama3", "longrope", "proportional", "divisors")
"""Scalings that a converted file holds as a tensor, with which options of the command line multiply."""


def options_for(
    source: Source, method: Method, to: int, factor: float
) -> tuple[dict[str, Any] | None, Text | None]:
    """Options by their long names; or None, and why."""
    told = _options(source, method, factor)
    if told is None:
        return None, NO_OPTION
    if source.form.rope_type in DIVIDED:
        return None, OWN_DIVISORS
    options = {"ctx-size": to, **told}
    return (options, None) if _arrive(source, method, options, factor) else (None, OTHERWISE)


def _options(source: Source, method: Method, factor: float) -> dict[str, Any] | None:
    none = {"rope-scaling": "none"} if source.scaled else {}
    match method.id:
        case "linear":
            return {"rope-scaling": "linear", "rope-scale": _short(factor)}
        case "ntk":
            return {**none, "rope-freq-base": _short(source.theta * factor**source.stretch)}
        case "yarn":
            own = source.own("yarn")
            return {
                "rope-scaling": "yarn", "rope-scale": _short(factor),
                "yarn-orig-ctx": source.original_for("yarn"),
                **{option: own[name] for name, option in BETAS.items() if name in own},
            }  # fmt: skip
        case _:
            return None


def _arrive(source: Source, method: Method, options: dict[str, Any], factor: float) -> bool:
    """llama.cpp rounds YaRN's bounds; and of some models it slows the layers with a window too."""
    assert method.parameters is not None
    wanted, attention = from_rope_parameters(
        method.parameters(source, factor), head_dim=head_of(source), max_position_embeddings=source.trained
    )
    served = override(source.subject, options).declared
    layers = set(source.form.layers)
    forms = [form for form in served if form.family == "rope" and not layers.isdisjoint(form.layers)]
    return bool(forms) and _left_alone(source, served) and all(_turns(f, wanted, attention) for f in forms)


def _left_alone(source: Source, served: tuple[LayerForm, ...]) -> bool:
    apart = {layer: form.inv_freq for form in source.apart for layer in form.layers}
    return all(apart.get(layer, form.inv_freq) == form.inv_freq for form in served for layer in form.layers)


def _turns(form: LayerForm, wanted: Any, attention: float) -> bool:
    if form.inv_freq is None or len(form.inv_freq) != len(wanted) or form.attention_factor is None:
        return False
    near = np.allclose(form.inv_freq, wanted, rtol=1e-5, atol=0)
    return near and abs(form.attention_factor - attention) < 1e-6


def _short(value: float) -> float:
    short = float(f"{value:.7g}")
    return int(short) if short == int(short) else short
