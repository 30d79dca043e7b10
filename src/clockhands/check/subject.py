"""What rules look at: all that is known of a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from clockhands.check.finding import Finding
from clockhands.check.form import Context, Kind, LayerForm, merged
from clockhands.check.settings import Settings

Framework = Literal["transformers", "vllm", "llama.cpp"]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A target, read or measured, and how it is to be served.

    target     as the user named it
    dialect    how it was written: ``transformers``, ``transformers-old``, ``megatron``, ``gguf`` …
    settings   of the configuration, None for a function
    declared   layers as the configuration says
    measured   layers as the implementation does, None where nothing was measured
    facts      what a probe found besides (``{"mutates_input": True}``), by name
    found      what the reader or the probe found wrong itself
    laid_over  paths of the keys that an override wrote: a dictionary of rotary parameters is one
    """

    target: str
    kind: Kind
    dialect: str = ""
    context: Context = field(default_factory=Context)
    settings: Settings | None = None
    declared: tuple[LayerForm, ...] = ()
    measured: tuple[LayerForm, ...] | None = None
    framework: Framework = "transformers"
    dtype: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[Finding, ...] = ()
    laid_over: frozenset[str] = frozenset()

    @property
    def layers(self) -> tuple[LayerForm, ...]:
        """The normal form: what was measured with what only the configuration says, or what is declared."""
        if self.measured is None:
            return merged(self.declared)
        from clockhands.check.agreement import agreed  # it compares subjects' forms

        return agreed(self.declared, self.measured)

    def key(self, name: str) -> str:
        """What the file calls ``name``; ``name`` itself where the file doesn't say it."""
        return name if self.settings is None else self.settings.written(name) or name

    def served(self, length: int | None) -> Subject:
        """The same, served at ``length`` tokens."""
        return replace(self, context=replace(self.context, served=length))
