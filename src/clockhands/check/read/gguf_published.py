"""A GGUF file beside the model that it was converted from: the layout of rows that were moved, undone.

For the llama family the conversion moves rows of q and k from halves to neighbours, and llama.cpp turns
neighbours: the same model, said in another layout. So that the two can be held against each other, the layers
of such a file are told in the layout that its published weights are turned in.
"""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.form import LayerForm, Layout
from clockhands.check.read.gguf_kinds import ROWS_MOVED
from clockhands.check.subject import Subject

OTHER: dict[Layout, Layout] = {"half": "interleaved", "interleaved": "half"}


def comparable(first: Subject, second: Subject) -> tuple[tuple[LayerForm, ...], tuple[LayerForm, ...]]:
    """The layers of both, those of a GGUF file as published where the other is none."""
    if (first.kind == "gguf") == (second.kind == "gguf"):
        return first.layers, second.layers
    return as_published(first), as_published(second)


def as_published(subject: Subject) -> tuple[LayerForm, ...]:
    """The layers of a GGUF file in the layout of the weights before conversion; of anything else, its layers.

    Where rows were measured and contradict the architecture they weren't moved, or were moved twice: then the
    model that this file is, is turned in the other layout than the published one, and that is told.
    """
    if subject.kind != "gguf" or subject.settings is None:
        return subject.layers
    moved = subject.settings.model_type in ROWS_MOVED
    stored = (subject.facts.get("stored_rows") or {}).get("layout")
    told = []
    for form in subject.layers:
        layout = form.layout
        if form.family == "rope" and layout is not None:
            wrong = stored is not None and stored != layout
            layout = OTHER[layout] if moved != wrong else layout
        told.append(replace(form, layout=layout))
    return tuple(told)
