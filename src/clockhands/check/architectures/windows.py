"""Kinds of windows: sliding, unless an entry says that the text is cut into pieces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from clockhands.check.architectures.mixtures import Architecture
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


@dataclass(frozen=True)
class Chunked:
    """The same layers, whose windows are whole pieces of the text."""

    inner: Architecture

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        return tuple(
            form if form.window is None else replace(form, window_kind="chunked")
            for form in self.inner(s, layers)
        )


def kinds_told(forms: Iterable[LayerForm]) -> tuple[LayerForm, ...]:
    """Forms whose windows are sliding where nothing else is said.

    >>> [form.window_kind for form in kinds_told([LayerForm(layers=(0,), family="none", window=8)])]
    ['sliding']
    """
    return tuple(
        replace(form, window_kind="sliding") if form.window is not None and form.window_kind is None else form
        for form in forms
    )
