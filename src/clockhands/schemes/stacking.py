"""One encoding for each layer of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from clockhands.catalogue import as_description, describe
from clockhands.catalogue.description import Description
from clockhands.catalogue.rules import require_count
from clockhands.core.encoding import Encoding
from clockhands.errors import ClockhandsError, nearest, shown
from clockhands.schemes.building import build

Scheme = str | Description | Encoding
"""An id of the catalogue, a description, or an encoding."""

Spec = Scheme | Mapping[str, Scheme] | Callable[[int], Scheme]


def layers(
    spec: Spec,
    num_layers: int,
    sizes: Mapping[str, Any] | None = None,
    pattern: str | None = None,
) -> list[Encoding]:
    """One encoding a layer; layers with equal descriptions share one module (and its parameters).

    spec     what all layers use; with a ``pattern``, what each of its letters stands for; or a function of
             the layer (0-based)
    sizes    of the model; they fill in the parameters of ids: ``{"head_dim": 64, "num_heads": 8}``, and
             ``seed`` for what starts at random
    pattern  letters repeated over the layers, such as ``"RRRN"``

    A description that differs by layer (``layered``) is asked for each.

    >>> made = layers({"R": "rope", "N": "nope"}, 8, {"head_dim": 16}, pattern="RRRN")
    >>> [encoding.id for encoding in made[:4]], made[0] is made[4]
    (['rope', 'rope', 'rope', 'nope'], True)
    """
    require_count(num_layers, "num_layers")
    if pattern is not None and not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance] (users)
        raise ClockhandsError(
            f"pattern is {shown(pattern)}, but it must be letters: give for example 'RRRN'",
            f"pattern 为 {shown(pattern)}，但它必须是字母：例如 'RRRN'",
        )
    made: dict[Description, Encoding] = {}
    result: list[Encoding] = []
    for layer in range(num_layers):
        scheme = _scheme_of(spec, pattern, layer)
        if isinstance(scheme, Encoding):
            result.append(scheme)
            continue
        description = _described(scheme, sizes or {}).at_layer(layer, num_layers)
        if description not in made:
            made[description] = build(description)
        result.append(made[description])
    return result


def _scheme_of(spec: Spec, pattern: str | None, layer: int) -> Scheme:
    if isinstance(spec, Mapping):
        if not pattern:
            raise ClockhandsError(
                "a mapping of letters needs a pattern that says which layer has which, such as 'RRRN'",
                "给出字母与方案的对应时，还需要一个 pattern 说明每层用哪个，例如 'RRRN'",
            )
        letter = pattern[layer % len(pattern)]
        if letter not in spec:
            hint = nearest(letter, spec)
            raise ClockhandsError(
                f"the pattern '{pattern}' has the letter '{letter}', which stands for nothing: {hint.en}",
                f"pattern“{pattern}”里的字母“{letter}”没有对应的方案：{hint.zh}",
            )
        return spec[letter]
    if pattern:
        raise ClockhandsError(
            f"the pattern '{pattern}' needs a mapping that says what its letters stand for",
            f"pattern“{pattern}”需要一个字母与方案的对应",
        )
    if callable(spec) and not isinstance(spec, Encoding | type):
        return spec(layer)
    return cast("Scheme", spec)  # anything else is refused where it is described


def _described(scheme: str | Description, sizes: Mapping[str, Any]) -> Description:
    if isinstance(scheme, str):
        return type(describe(scheme)).fitted(dict(sizes))
    return as_description(scheme)
