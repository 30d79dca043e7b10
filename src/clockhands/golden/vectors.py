"""Making golden vectors from the catalogue, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clockhands import formulas
from clockhands.catalogue import CATALOGUE
from clockhands.catalogue.description import Description
from clockhands.catalogue.rotary import WholeRotary
from clockhands.golden.cases import SIZES, VARIANTS

FORMAT, VERSION = "clockhands.golden", 1

POSITIONS = (0, 1, 2, 17, 300)
DISTANCES = (0, 1, 2, 5, 16, 31, 128, 1000)
PAIRS = {"query": [99, 140], "key": [0, 1, 2, 30, 50, 80, 98]}
ANSWERED = ("inv_freq", "attention_factor", "table", "bias", "rotated", "distance_map")
"""Every quantity, in the order in which a scheme's are listed."""


def document() -> dict[str, Any]:
    """Golden vectors of every scheme whose numbers are neither trained nor read off the tokens.

    >>> document()["vectors"][0]["scheme"]
    'sinusoidal'
    """
    schemes = [kind.fitted(SIZES) for kind in CATALOGUE] + list(VARIANTS)
    vectors = [vector for scheme in schemes for vector in _vectors_of(scheme)]
    counts: dict[str, int] = {}
    for vector in vectors:
        stem = f"{vector['scheme']}/{vector['quantity']}"
        counts[stem] = counts.get(stem, 0) + 1
        vector["name"] = f"{stem}/{counts[stem]}"
    named = [{"name": vector.pop("name"), **vector} for vector in vectors]
    return {"format": FORMAT, "version": VERSION, "vectors": named}


def _vectors_of(scheme: Description) -> Iterator[dict[str, Any]]:
    if scheme.untrained_seed is not None:
        return
    parameters = {name: getattr(scheme, name) for name in scheme.parameters()}
    given = {name: value for name, value in parameters.items() if value is not None}
    for quantity in ANSWERED:
        inputs = _inputs(scheme, quantity)
        output = answer(scheme, quantity, inputs)
        if output is not None:
            yield {
                "scheme": scheme.card.id, "parameters": _plain(given), "quantity": quantity,
                "inputs": inputs, "output": _plain(output),
            }  # fmt: skip


def answer(scheme: Description, quantity: str, inputs: dict[str, Any]) -> Any:
    """What the catalogue computes; None where the scheme has no such quantity."""
    hooks = scheme.touches()
    turns = "inv_freq" in hooks and "table" not in hooks
    match quantity:
        case "inv_freq" if "inv_freq" in hooks:
            return scheme.inv_freq_at(inputs["length"]) if "length" in inputs else scheme.inv_freq()
        case "attention_factor" if turns:
            return scheme.magnitude()
        case "table" if "table" in hooks:
            return scheme.table(np.asarray(inputs["position"]))
        case "bias" if "bias" in hooks:
            return scheme.bias(np.asarray(inputs["distance"]))
        case "rotated" if isinstance(scheme, WholeRotary):
            speeds = scheme.inv_freq()
            assert speeds is not None
            angle = formulas.angles(np.asarray(inputs["position"]), speeds)
            x = np.asarray(inputs["x"], dtype=np.float64)
            return formulas.rotate(x, np.cos(angle), np.sin(angle), scheme.layout)
        case "distance_map" if "distance_map" in hooks:
            found = scheme.distance_map(np.asarray(inputs["query"]), np.asarray(inputs["key"]))
            assert found is not None
            return np.where(np.isnan(found), -np.inf, found)  # what is not seen is null, as a masked bias is
        case _:
            return None


def _inputs(scheme: Description, quantity: str) -> dict[str, Any]:
    match quantity:
        case "inv_freq" if scheme.traits.length_dependent:
            return {"length": 10_000}
        case "table":
            last = scheme.traits.max_position
            return {"position": [p for p in POSITIONS if last is None or p < last]}
        case "bias":
            return {"distance": list(DISTANCES)}
        case "rotated" if isinstance(scheme, WholeRotary):
            width, count = range(scheme.head_dim), range(len(POSITIONS))
            rows = [[(-1) ** (i + j) * (i + 2 * j + 1) / 4 for i in width] for j in count]
            return {"position": list(POSITIONS), "x": rows}
        case "distance_map":
            return {name: list(positions) for name, positions in PAIRS.items()}
        case _:
            return {}


def without_null(value: Any) -> Any:
    """An output as read from JSON, with minus infinity where it has null."""
    if isinstance(value, list):
        return [without_null(each) for each in value]
    return -np.inf if value is None else value


def _plain(value: Any) -> Any:
    """Numbers, words and lists, as JSON has them: it knows no infinity, so what is masked is null."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and value == -np.inf:
        return None
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
