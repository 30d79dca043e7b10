"""Making golden vectors from the catalogue, in float64."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from clockhands import formulas
from clockhands.catalogue import CATALOGUE
from clockhands.catalogue.description import Description
from clockhands.catalogue.plugins import imported
from clockhands.catalogue.rotary import WholeRotary
from clockhands.errors import ClockhandsError, MissingExtra
from clockhands.golden.cases import FAR, NEAR, ON_AXES, OWN, PLACES, SIZES, VARIANTS, WHOLE, filled
from clockhands.language import Text

FORMAT, VERSION = "clockhands.golden", 2
OLDER = (1,)
"""Versions whose documents mean the same as they did: a version adds quantities and changes none."""

POSITIONS = (0, 1, 2, 17, 300)
DISTANCES = (0, 1, 2, 5, 16, 31, 128, 1000)
PAIRS = {"query": [99, 140], "key": [0, 1, 2, 30, 50, 80, 98]}
ALONE = ("inv_freq", "attention_factor", "table", "bias", "rotated", "distance_map")
"""Parts of a scheme that numpy computes, in the order in which a scheme's are listed."""
PASSED = ("embedded", "attended")
"""What a whole scheme does to tokens or in attention: these need torch."""
ANSWERED = (*ALONE, "places", *PASSED)
"""Every quantity."""


def document() -> dict[str, Any]:
    """Golden vectors of every scheme; without torch, those that need none.

    >>> document()["vectors"][0]["scheme"]
    'sinusoidal'
    """
    schemes = [kind.fitted(SIZES) for kind in CATALOGUE] + list(VARIANTS)
    vectors = [vector for scheme in schemes for vector in _vectors_of(scheme)]
    for kind in CATALOGUE:
        vectors += _whole_vectors(kind.fitted(WHOLE, **OWN.get(kind.card.id, {})))
    counts: dict[str, int] = {}
    for vector in vectors:
        stem = f"{vector['scheme']}/{vector['quantity']}"
        counts[stem] = counts.get(stem, 0) + 1
        vector["name"] = f"{stem}/{counts[stem]}"
    named = [{"name": vector.pop("name"), **vector} for vector in vectors]
    return {"format": FORMAT, "version": VERSION, "vectors": named}


def can_pass() -> bool:
    """Whether what ``PASSED`` needs is there."""
    return find_spec("torch") is not None


def _vectors_of(scheme: Description) -> Iterator[dict[str, Any]]:
    if scheme.untrained_seed is not None:
        return
    for quantity in ALONE:
        inputs = _inputs(scheme, quantity)
        output = answer(scheme, quantity, inputs)
        if output is not None:
            yield _vector(scheme, quantity, inputs, output)


def _whole_vectors(scheme: Description) -> Iterator[dict[str, Any]]:
    """What the scheme as a whole does, with the numbers in place of trained ones among the inputs."""
    inputs = PLACES.get(scheme.card.id)
    if inputs is not None:
        yield _vector(scheme, "places", inputs, answer(scheme, "places", inputs))
    if not can_pass():
        return
    for positions in _positions_for(scheme):
        for quantity in PASSED:
            inputs = _passing(scheme, quantity, positions)
            try:
                output = answer(scheme, quantity, inputs)
            except ClockhandsError:
                if positions != list(FAR):  # a table or window that ends before
                    raise
                continue
            if output is not None:
                yield _vector(scheme, quantity, inputs, output)


def _positions_for(scheme: Description) -> Iterator[list[Any]]:
    axes, plain = imported("clockhands.golden.attention:axes_of")(scheme)
    if plain:
        yield list(NEAR)
        yield list(FAR)
    if axes is not None:
        yield [list(places[:axes]) for places in ON_AXES]


def _passing(scheme: Description, quantity: str, positions: list[Any]) -> dict[str, Any]:
    count, heads = len(positions), (WHOLE["num_heads"], len(positions), WHOLE["head_dim"])
    inputs: dict[str, Any] = {"position": positions}
    states = imported("clockhands.golden.attention:reads_states")(scheme)
    if quantity == "embedded" or states:
        inputs["x"] = filled((count, WHOLE["d_model"]), first=5).tolist()
    if quantity == "attended":
        inputs |= {name: filled(heads, first).tolist() for name, first in (("q", 0), ("k", 4), ("v", 9))}
    weights = imported("clockhands.golden.attention:sample_weights")(scheme)
    return inputs | ({"weights": weights} if weights else {})


def _vector(scheme: Description, quantity: str, inputs: dict[str, Any], output: Any) -> dict[str, Any]:
    parameters = {name: getattr(scheme, name) for name in scheme.parameters()}
    given = {name: value for name, value in parameters.items() if value is not None}
    return {
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
        case "places":
            return _places(scheme, inputs)
        case _ if quantity in PASSED:
            if not can_pass():
                raise MissingExtra(Text(f"The quantity {quantity}", f"{quantity} 这种量"), "torch")
            return imported("clockhands.golden.attention:passed")(scheme, quantity, inputs)
        case _:
            return None


def _places(scheme: Description, inputs: dict[str, Any]) -> Any:
    """Where tokens stand: as read off a text, and as training moves them; None where neither happens."""
    text = inputs.get("text")
    places = np.asarray(inputs["position"]) if text is None else scheme.positions_in(_words(text))
    if places is None or "drawn" not in inputs:
        return None if text is None else places
    moved = scheme.moved(places[None], np.asarray(inputs["drawn"], dtype=np.float64)[None])
    return None if moved is None else moved[0]


def _words(text: Any) -> tuple[str, ...]:
    if not isinstance(text, list) or not all(isinstance(word, str) for word in text):
        raise ClockhandsError("text must be a list of tokens", "text 必须是词元的列表")
    return tuple(text)


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
