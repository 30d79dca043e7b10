"""Frequencies that rotary parameters give, and the parameters that mattered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clockhands.check.read.rope_parameters import RopeParameters
from clockhands.check.settings import Settings, finite
from clockhands.errors import shown
from clockhands.formulas.frequencies import from_rope_parameters, ntk_inv_freq
from clockhands.formulas.frequencies.rope_parameters import OLD_NAMES

WIDEST = 65536
"""Dimensions of the widest head worth computing; a wider one is a slip or a trap."""

LENGTH = "original_max_position_embeddings"

READ: dict[str, tuple[str, ...]] = {
    "linear": ("factor",),
    "dynamic": ("factor", "alpha", LENGTH),
    "yarn": ("factor", LENGTH, "beta_fast", "beta_slow", "truncate", "mscale", "mscale_all_dim"),
    "longrope": ("factor", LENGTH, "short_factor", "long_factor"),
    "llama3": ("factor", LENGTH, "low_freq_factor", "high_freq_factor"),
    "proportional": ("factor", "partial_rotary_factor"),
}
"""Parameters that a type reads beside the base, so that two ways of writing it can be told equal."""

ASSUMED: dict[str, dict[str, Any]] = {
    "yarn": {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True},
    "proportional": {"factor": 1.0, "partial_rotary_factor": 1.0},
}
"""What a type takes where a parameter is not given (transformers 5.24.0, ``modeling_rope_utils``)."""


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """What follows from them; None where they don't determine it."""

    rope_theta: float | None
    rope_type: str | None
    scaling: Mapping[str, Any]
    inv_freq: tuple[float, ...] | None
    attention_factor: float | None


def frequencies_of(s: Settings, parameters: RopeParameters, rotary_dim: int | None) -> Frequencies:
    """Frequencies of ``rotary_dim`` dimensions before ``partial_rotary_factor``, for short texts.

    Types whose frequencies depend on the length are given as they are within the trained length. A parameter
    of the wrong kind, or out of range, leaves the numbers None: rules say what is wrong.
    """
    values = parameters.values
    kind = values.get("rope_type")
    kind = "default" if kind is None else kind if isinstance(kind, str) else shown(kind)
    kind = OLD_NAMES.get(kind, kind)
    theta = finite(values.get("rope_theta"))
    scaling = _scaling(s, kind, values)
    inv_freq, attention = None, None
    if theta is not None and theta > 0 and rotary_dim is not None and rotary_dim <= WIDEST:
        inv_freq, attention = _numbers(s, {**values, "rope_type": kind, "rope_theta": theta}, rotary_dim)
    return Frequencies(
        rope_theta=theta, rope_type=kind, scaling=scaling, inv_freq=inv_freq, attention_factor=attention
    )


def _scaling(s: Settings, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
    said = {**ASSUMED.get(kind, {}), **{key: value for key, value in values.items() if value is not None}}
    if kind == "dynamic":  # it counts from the promised length, whatever the dictionary says
        said[LENGTH] = s.get("max_position_embeddings")
    if kind in ("yarn", "longrope") and said.get("factor") is None:
        promised, trained = s.number("max_position_embeddings"), finite(said.get(LENGTH))
        said["factor"] = promised / trained if promised and trained and trained > 0 else None
    found = {name: said.get(name) for name in READ.get(kind, ())}
    return {name: _plain(value) for name, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    """Numbers as floats, so that 8 and 8.0 are the same; what JSON can't say as text."""
    if isinstance(value, list | tuple):
        return tuple(_plain(each) for each in value)
    number = finite(value)
    if number is None:
        return str(value) if isinstance(value, float) else value
    return number


def _numbers(
    s: Settings, values: Mapping[str, Any], rotary_dim: int
) -> tuple[tuple[float, ...] | None, float | None]:
    share = values.get("partial_rotary_factor", 1.0)
    share = 1.0 if share is None else finite(share)
    if share is None or not 0 < share * rotary_dim <= WIDEST or not _in_order(values):
        return None, None
    try:
        with np.errstate(all="ignore"):
            found, attention = _computed(s, {**values, "partial_rotary_factor": share}, rotary_dim)
    except (ValueError, TypeError, ArithmeticError):  # what bad values come to, in whichever formula
        return None, None
    if np.iscomplexobj(found) or found.ndim != 1 or not np.isfinite(found).all() or not len(found):
        return None, None
    return tuple(found.tolist()), attention if finite(attention) is not None else None


def _computed(s: Settings, values: Mapping[str, Any], rotary_dim: int) -> tuple[np.ndarray, float]:
    alpha = finite(values.get("alpha"))
    if values["rope_type"] == "dynamic" and alpha and s.rope.alpha:
        turning = int(rotary_dim * values["partial_rotary_factor"])
        return ntk_inv_freq(turning, values["rope_theta"], factor=alpha), 1.0
    return from_rope_parameters(
        values, head_dim=rotary_dim, max_position_embeddings=s.whole("max_position_embeddings")
    )


def _in_order(values: Mapping[str, Any]) -> bool:
    """Whether every number is one and lists hold numbers above 0; the formulas trust theirs."""
    for name, value in values.items():
        if value is None or (isinstance(value, bool) and name == "truncate") or name in ("rope_type", "type"):
            continue
        if name in ("short_factor", "long_factor"):
            if not isinstance(value, list | tuple) or len(value) > WIDEST:
                return False
            if any((finite(each) or 0.0) <= 0 for each in value):
                return False
        elif name in _LEAST:
            number = finite(value)
            if number is None or number < _LEAST[name]:
                return False
    return values.get("factor") is None or (finite(values["factor"]) or 0.0) > 0


_LEAST = {
    "rope_theta": 0.0, "factor": 0.0, LENGTH: 1.0, "beta_fast": 0.0, "beta_slow": 0.0, "mscale": 0.0,
    "mscale_all_dim": 0.0, "low_freq_factor": 0.0, "high_freq_factor": 0.0, "attention_factor": 0.0,
    "alpha": 0.0,
}  # fmt: skip
