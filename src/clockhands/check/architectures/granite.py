"""Granite's models: scores are multiplied by ``attention_multiplier``, 1 unless told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clockhands.check.architectures.added import NoPosition
from clockhands.check.architectures.common import OTHER, told_scale
from clockhands.check.architectures.mixtures import Architecture, ByLayer, Chosen, Within
from clockhands.check.architectures.patterns import FULL, LINEAR, SLIDING, first_of, listed, told_or
from clockhands.check.architectures.rope import Rope
from clockhands.check.form import LayerForm
from clockhands.check.read.rope_parameters import RopeParameters
from clockhands.check.settings import Settings, finite

MULTIPLIED = told_scale("attention_multiplier")
GRANITE = Rope(scale=MULTIPLIED)


@dataclass(frozen=True, kw_only=True)
class OwnBase(Rope):
    """The same parameters with another base."""

    base: float

    def parameters(self, s: Settings) -> RopeParameters:
        """Those of the file, but for the base."""
        found = super().parameters(s)
        return replace(
            found,
            values={**found.values, "rope_theta": self.base},
            paths={**found.paths, "rope_theta": "layer_rope_theta"},
        )


def granite_swa(s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
    """Windows but in every fourth layer; ``layer_rope_theta`` has a base for each, 0 or null turns none."""
    kinds, told = first_of(4)(s), listed(s, "layer_rope_theta")
    forms: list[LayerForm] = []
    chosen = [(kind, told[n] if n < len(told) else "the only one") for n, kind in enumerate(kinds)]
    groups: dict[str, list[int]] = {}
    for n, each in enumerate(chosen):
        groups.setdefault(repr(each), []).append(n)
    for members in groups.values():
        mine = tuple(n for n in members if layers is None or n in layers)
        kind, base = chosen[members[0]]
        window = "sliding_window" if kind == SLIDING else None
        number = finite(base)
        if not base:
            part: Architecture = NoPosition(scale=MULTIPLIED, window=window)
        elif number is None:
            part = Rope(scale=MULTIPLIED, window=window)
        else:
            part = OwnBase(base=number, scale=MULTIPLIED, window=window)
        forms.extend(part(s, mine) if mine else ())
    return tuple(forms)


GRANITES: dict[str, Architecture] = {
    "granite": GRANITE,
    "granitemoe": GRANITE,
    "granitemoeshared": GRANITE,
    "granite_swa": granite_swa,
    "granitemoe_swa": granite_swa,
    "granitemoehybrid": ByLayer(
        told_or(lambda s, n, count: LINEAR),
        {
            LINEAR: OTHER,
            FULL: Chosen(
                lambda s: str(s.get("position_embedding_type") == "rope"),
                {"True": GRANITE, "False": NoPosition(scale=MULTIPLIED)},
            ),
        },
    ),
    "granite_speech": Within("text_config", None, "granite"),
    "granite_speech_plus": Within("text_config", None, "granite"),
}
