"""Rotary parameters of a configuration in one shape, whichever of the ways of writing them it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clockhands.check.settings import Settings


@dataclass(frozen=True)
class RopeParameters:
    """Parameters of one kind of layers: ``values`` by the names of transformers 5, and the ``path`` that
    holds each (``{"factor": "rope_scaling.factor"}``)."""

    values: Mapping[str, Any] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """What follows from them; None where they don't determine it."""

    rope_theta: float | None
    rope_type: str | None
    scaling: Mapping[str, Any]
    inv_freq: tuple[float, ...] | None
    attention_factor: float | None


def rope_parameters_of(s: Settings, *, layer_type: str | None, partial: bool) -> RopeParameters:
    raise NotImplementedError


def frequencies_of(s: Settings, parameters: RopeParameters, rotary_dim: int | None) -> Frequencies:
    raise NotImplementedError
