"""What is declared and what is measured as one normal form, and where the two disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from clockhands.check.compare import Difference, differences
from clockhands.check.form import LayerForm, merged
from clockhands.check.subject import Subject


def agreed(declared: Sequence[LayerForm], measured: Sequence[LayerForm]) -> tuple[LayerForm, ...]:
    """Measured forms; where they agree with the declared ones, these, with the names and digits they have.

    Layers that were not measured stay as declared.

    >>> form = LayerForm(layers=(0,), family="rope", layout="half", rope_type="linear")
    >>> agreed([form], [replace(form, rope_type=None, source="measured")])[0].source
    'both'
    """
    seen = [part for form in measured for part in _beside(form, declared)]
    covered = {(form.stack, layer) for form in measured for layer in form.layers}
    return merged([*seen, *_rest(declared, covered)])


def _beside(form: LayerForm, declared: Sequence[LayerForm]) -> list[LayerForm]:
    """A measured form, in parts where different things are declared of its layers."""
    found, left = [], set(form.layers)
    for said in declared:
        common = left & set(said.layers) if _same_place(said, form) else set()
        if common:
            found.append(_one(tuple(sorted(common)), form, said))
            left -= common
    if left:
        found.append(replace(form, layers=tuple(sorted(left)), source="measured"))
    return sorted(found, key=lambda each: each.layers[0])


def _one(layers: tuple[int, ...], form: LayerForm, said: LayerForm) -> LayerForm:
    seen, said = replace(form, layers=layers, source="measured"), replace(said, layers=layers)
    if differences([said], [seen]):
        return seen
    unsaid = {name: value for name, value in _values(seen).items() if getattr(said, name) in (None, {})}
    return replace(said, **unsaid, source="both")


def _rest(declared: Sequence[LayerForm], covered: set[tuple[str | None, int]]) -> Iterator[LayerForm]:
    """What is declared of layers that were not measured, as in a small model that has fewer."""
    for form in declared:
        left = tuple(layer for layer in form.layers if (form.stack, layer) not in covered)
        if left:
            yield replace(form, layers=left)


def _values(form: LayerForm) -> dict[str, Any]:
    return {each.name: getattr(form, each.name) for each in fields(form)}


def _same_place(said: LayerForm, form: LayerForm) -> bool:
    return said.stack == form.stack and said.family == form.family


def disagreements(subject: Subject) -> tuple[Difference, ...]:
    """Where what was measured is not what was declared, on the layers that were measured."""
    if subject.measured is None or not subject.declared:
        return ()
    declared = subject.declared
    if subject.kind == "config":  # measured on a small model, which has fewer layers
        covered = {(form.stack, layer) for form in subject.measured for layer in form.layers}
        unseen = {(form.stack, layer) for form in _rest(declared, covered) for layer in form.layers}
        declared = tuple(
            replace(form, layers=left)
            for form in declared
            if (left := tuple(layer for layer in form.layers if (form.stack, layer) not in unseen))
        )
    return differences(declared, subject.measured)
