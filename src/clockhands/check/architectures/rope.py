"""Architectures that turn queries and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clockhands.check.architectures.widths import head_width, layer_count, root_of_width
from clockhands.check.form import LayerForm, Layout, RotaryDims
from clockhands.check.read.frequencies import frequencies_of
from clockhands.check.read.rope_parameters import RopeParameters, rope_parameters_of
from clockhands.check.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Rope:
    """RoPE as one model class of transformers has it; called with settings and layers it gives their forms.

    Each field may be a value, or a function of the settings that gives it.

    layout       how its code pairs dimensions up
    head_dim     width of a whole query, turned and unturned dimensions together
    rotary_dim   width that may turn, before ``partial``; None: the head's
    rotary_dims  where in the head the turned dimensions lie
    partial      whether its code reads ``partial_rotary_factor`` (under this or an older name); False where
                 the key is ignored
    theta        base of a class that reads no rotary parameters from its configuration; None: it reads them
    layer_type   which of nested ``rope_parameters`` these layers read, None for the only ones
    scale        of the scores
    window       tokens that a query sees
    mrope        whether positions have several axes; or the sections that the class takes where none are told
    mrope_interleaved  whether axes alternate hand by hand
    """

    layout: Layout | Callable[[Settings], Layout] = "half"
    head_dim: int | Callable[[Settings], int | None] = head_width
    rotary_dim: int | Callable[[Settings], int | None] | None = None
    rotary_dims: RotaryDims | None = None
    partial: bool | Callable[[Settings], bool] = False
    theta: float | Callable[[Settings], float | None] | None = None
    layer_type: str | None = None
    scale: float | Callable[[Settings, int | None], float | None] = root_of_width
    window: str | Callable[[Settings], int | None] | None = None
    mrope: bool | tuple[int, ...] = False
    mrope_interleaved: bool = False

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        layers = tuple(range(layer_count(s))) if layers is None else layers
        width = _asked(self.head_dim, s)
        turning = width if self.rotary_dim is None else _asked(self.rotary_dim, s)
        parameters = self.parameters(s)
        found = frequencies_of(s, parameters, turning)
        turned = None if found.inv_freq is None else 2 * len(found.inv_freq)
        where = self.rotary_dims
        if where is None and turned is not None and width is not None:
            where = "whole" if turned == width else "prefix"
        usual = self.mrope if isinstance(self.mrope, tuple) else None
        section = parameters.values.get("mrope_section", usual) if self.mrope else None
        return (
            LayerForm(
                layers=layers,
                family="rope",
                layout=_asked(self.layout, s),
                head_dim=width,
                rotary_dim=turned,
                rotary_dims=where,
                rope_theta=found.rope_theta,
                rope_type=found.rope_type,
                scaling=found.scaling,
                inv_freq=found.inv_freq,
                attention_factor=found.attention_factor,
                score_scale=self.scale(s, width) if callable(self.scale) else self.scale,
                window=s.whole(self.window) if isinstance(self.window, str) else _asked(self.window, s),
                mrope_section=_whole_numbers(section),
                mrope_interleaved=self.mrope_interleaved if self.mrope else None,
            ),
        )

    def parameters(self, s: Settings) -> RopeParameters:
        """The rotary parameters its code works with."""
        if self.theta is not None:
            return RopeParameters({"rope_type": "default", "rope_theta": _asked(self.theta, s)})
        return rope_parameters_of(s, layer_type=self.layer_type, partial=_asked(self.partial, s))


def _whole_numbers(section: Any) -> tuple[int, ...] | None:
    if not isinstance(section, list | tuple) or not all(type(each) is int for each in section):
        return None
    return tuple(section)


def _asked(value: Any, s: Settings) -> Any:
    return value(s) if callable(value) else value
