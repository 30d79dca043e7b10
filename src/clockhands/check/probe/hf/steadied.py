"""Layers that turn alike but for the last digits, which code that turns in 32 bits leaves, are one kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clockhands.check.compare import same_speeds
from clockhands.check.form import LayerForm


def steadied(forms: Iterable[LayerForm]) -> list[LayerForm]:
    """Measured forms, each with the frequencies of the first that it is like.

    >>> one = LayerForm(layers=(0,), family="rope", inv_freq=(1.0, 0.01), source="measured")
    >>> steadied([one, replace(one, layers=(1,), inv_freq=(1.0, 0.010000001))])[1].inv_freq
    (1.0, 0.01)
    """
    firsts: list[LayerForm] = []
    found: list[LayerForm] = []
    for form in forms:
        like = next((each for each in firsts if _alike(each, form)), None)
        if like is None:
            firsts.append(form)
        found.append(form if like is None else replace(like, layers=form.layers))
    return found


def _alike(one: LayerForm, other: LayerForm) -> bool:
    """Whether all is equal but frequencies and what is read off them, and these are near enough."""
    if one.inv_freq is None or other.inv_freq is None or _without_speeds(one) != _without_speeds(other):
        return False
    return same_speeds(one, other)


def _without_speeds(form: LayerForm) -> LayerForm:
    return replace(form, layers=(), inv_freq=None, rope_theta=None, rope_type=None, scaling={})
