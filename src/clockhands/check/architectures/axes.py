"""Positions of several axes, whose hands alternate."""

from __future__ import annotations

from dataclasses import replace

from clockhands.check.architectures.rope import Rope
from clockhands.check.form import LayerForm
from clockhands.check.settings import Settings


class ThreeAxes(Rope):
    """Height and width take every third hand as often as told; time has all others, whatever is told of it.

    Text has one position on all three.
    """

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        return tuple(replace(form, mrope_section=shares(form)) for form in super().__call__(s, layers))


def shares(form: LayerForm) -> tuple[int, ...] | None:
    """Hands of time, height and width; None where the code doesn't take what is told."""
    told, hands = form.mrope_section or (), len(form.inv_freq or ())
    if len(told) < 3 or not hands:
        return None
    height, width = (len(range(hands)[axis : max(3 * told[axis], 0) : 3]) for axis in (1, 2))
    return hands - height - width, height, width
