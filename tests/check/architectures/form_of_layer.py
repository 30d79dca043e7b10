"""The forms that an entry gives for a file of a few keys."""

from __future__ import annotations

from typing import Any

from clockhands.check.architectures import find, settings_of
from clockhands.check.form import LayerForm, merged


def forms(model_type: str, **file: Any) -> tuple[LayerForm, ...]:
    entry = find(model_type)
    assert entry is not None
    return merged(entry(settings_of({"model_type": model_type, **file})))


def only(model_type: str, **file: Any) -> LayerForm:
    (form,) = forms(model_type, **file)
    return form


def of_layer(n: int, model_type: str, **file: Any) -> LayerForm:
    (form,) = (each for each in forms(model_type, **file) if n in each.layers)
    return form
