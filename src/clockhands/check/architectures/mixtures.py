"""Architectures whose layers, stacks or hidden states do several things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from clockhands.check.architectures.widths import counted
from clockhands.check.form import LayerForm, Stack
from clockhands.check.settings import Settings


class Architecture(Protocol):
    """What a model class does with position, from its settings: the forms of its layers."""

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]: ...


@dataclass(frozen=True)
class ByLayer:
    """Layers of several kinds: ``kinds`` names the kind of every layer, ``of`` says what each kind does."""

    kinds: Callable[[Settings], Sequence[str]]
    of: Mapping[str, Architecture]

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        kinds = list(self.kinds(s))
        forms: list[LayerForm] = []
        for kind in dict.fromkeys(kinds):
            mine = tuple(
                n for n, each in enumerate(kinds) if each == kind and (layers is None or n in layers)
            )
            if mine and kind in self.of:
                forms.extend(self.of[kind](s, mine))
        return tuple(forms)


@dataclass(frozen=True)
class Together:
    """Several things at once, such as a table that is added and a bias besides."""

    parts: tuple[Architecture, ...]

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        return tuple(form for part in self.parts for form in part(s, layers))


@dataclass(frozen=True, kw_only=True)
class Stacks:
    """Encoder and decoder, each with a count of layers of its own; a decoder without one is as deep (T5)."""

    encoder: Architecture
    decoder: Architecture
    encoder_layers: str = "encoder_layers"
    decoder_layers: str = "decoder_layers"

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        sides: tuple[tuple[Stack, Architecture, str], ...] = (
            ("encoder", self.encoder, self.encoder_layers),
            (
                "decoder",
                self.decoder,
                self.decoder_layers if s.whole(self.decoder_layers) else self.encoder_layers,
            ),
        )
        return tuple(
            replace(form, stack=stack)
            for stack, side, count in sides
            for form in side(s, tuple(range(counted(s, count))))
        )


@dataclass(frozen=True)
class Chosen:
    """One of several, by what ``by`` makes of the settings."""

    by: Callable[[Settings], str]
    of: Mapping[str, Architecture]

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        chosen = self.of.get(self.by(s))
        return () if chosen is None else chosen(s, layers)


@dataclass(frozen=True)
class Within:
    """What a part of a composite configuration does, such as ``text_config``.

    part        None: whatever the part's own ``model_type`` does
    model_type  of a part that doesn't say its own; whatever it says, where ``part`` is given
    stack       where the part is one side of an encoder-decoder
    usual       settings of a part that the file lacks
    filled      whether they stand in for single keys that a part lacks, too
    """

    key: str
    part: Architecture | None = None
    model_type: str = ""
    stack: Stack | None = None
    usual: Mapping[str, Any] = field(default_factory=dict)
    filled: bool = False

    def __call__(self, s: Settings, layers: tuple[int, ...] | None = None) -> tuple[LayerForm, ...]:
        from clockhands.check.architectures import find, settings_of

        told = s.within(self.key)
        inner = {**(self.usual if self.filled or not told else {}), **told}
        if self.model_type and (self.part is not None or not inner.get("model_type")):
            inner["model_type"] = self.model_type
        part = self.part or find(str(inner.get("model_type", "")))
        forms = () if part is None else part(settings_of(inner), layers)
        return tuple(form if self.stack is None else replace(form, stack=self.stack) for form in forms)
