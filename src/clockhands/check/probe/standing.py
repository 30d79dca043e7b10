"""What was measured of a small model, said of the real one that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clockhands.check.compare import differences
from clockhands.check.form import LayerForm, merged

if TYPE_CHECKING:
    from clockhands.check.probe.hf.small import Small


def standing_for(
    small: Small, measured: Sequence[LayerForm], said: Sequence[LayerForm], declared: Sequence[LayerForm]
) -> tuple[LayerForm, ...]:
    """Forms of the real model's layers.

    measured  of the small model
    said      what the small model's own configuration says
    declared  what the real one's says

    What depends on sizes that were cut is left out: fields that ``small`` knows of, and scales that both
    configurations tell otherwise, where the small one's was measured. Layers that are declared as a measured
    one is are taken to be as it is.
    """
    found = [
        replace(_kept(form, layer, real, small, said, declared), layers=(each,))
        for form in measured
        for layer in form.layers
        for real in [small.layers[layer] if layer < len(small.layers) else (layer,)]
        for each in real
    ]
    return merged([*found, *_alike(found, declared)])


def _kept(
    form: LayerForm, layer: int, real: Sequence[int], small: Small, said: Sequence[LayerForm],
    declared: Sequence[LayerForm],
) -> LayerForm:  # fmt: skip
    form = replace(form, **dict.fromkeys(small.unlike.get(form.family, ())))
    here, there = _told(said, form, layer), _told(declared, form, real[0])
    if here is None or there is None or here.score_scale == there.score_scale:
        return form
    one = replace(form, layers=(0,))
    if any(each.field == "score_scale" for each in differences([replace(here, layers=(0,))], [one])):
        return form
    return replace(form, score_scale=None)


def _told(forms: Sequence[LayerForm], form: LayerForm, layer: int) -> LayerForm | None:
    return next(
        (
            each
            for each in forms
            if (each.stack, each.family, each.mixer) == (form.stack, form.family, form.mixer)
            and layer in each.layers
        ),
        None,
    )


def _alike(found: Sequence[LayerForm], declared: Sequence[LayerForm]) -> Iterator[LayerForm]:
    """Measured forms for layers that weren't measured, but are declared as one that was."""
    for stack in {form.stack for form in found}:
        covered = {layer: layer for form in found if form.stack == stack for layer in form.layers}
        by_kind = {_kind(declared, stack, layer): layer for layer in sorted(covered, reverse=True)}
        every = {layer for form in declared if form.stack == stack for layer in form.layers}
        for layer in sorted(every - covered.keys()):
            like = by_kind.get(_kind(declared, stack, layer))
            if like is not None:
                yield from (
                    replace(form, layers=(layer,))
                    for form in found
                    if form.stack == stack and like in form.layers
                )


def _kind(declared: Sequence[LayerForm], stack: str | None, layer: int) -> str:
    """What is declared of a layer, but for its number."""
    return repr(
        [replace(form, layers=()) for form in declared if form.stack == stack and layer in form.layers]
    )
