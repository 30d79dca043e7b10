"""A configuration as its model class sees it: what the file says over what the class takes by default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RopeReading:
    """How a class makes rotary parameters out of a file; a dictionary may be nested by layer type.

    own       parameters where the file has no dictionary of them
    fill      what is added to a dictionary of the file that lacks it
    alone     keys outside a dictionary that are read without one, ``{"rope_theta": "rotary_emb_base"}``
    beside    the same where there is a dictionary: it stands before them
    deaf      layer types to which a flat dictionary says nothing, ``{"rope_scaling": ["sliding_attention"]}``
    types     names of types that the class takes for others, ``{"su": "longrope"}``
    old_type  whether ``type`` of a flat dictionary counts where the class has one for each kind of layers
    by_width  whether ``rotary_dim`` over ``head_dim`` is the part that turns
    alpha     whether type ``dynamic`` multiplies the base by a fixed ``alpha`` (Hunyuan)
    """

    own: Mapping[str, Any] = field(default_factory=dict)
    fill: Mapping[str, Any] = field(default_factory=lambda: {"rope_theta": 10000.0})
    alone: Mapping[str, Any] = field(default_factory=lambda: dict(USUAL))
    beside: Mapping[str, Any] = field(default_factory=lambda: dict(USUAL))
    deaf: Mapping[str, Sequence[str]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    old_type: bool = True
    by_width: bool = False
    alpha: bool = False


USUAL = {"rope_theta": "rope_theta", "partial_rotary_factor": "partial_rotary_factor"}
"""Keys beside the dictionary that transformers 5.24.0 reads for every class that doesn't say otherwise."""


class Settings:
    """Values by name, remembering which names were read and what the file itself calls them.

    file      what was written down
    defaults  what the class takes where nothing is written
    aliases   names of the class for names of the file, ``{"hidden_size": "n_embd"}``; either may be used
    rope      how the class reads rotary parameters
    """

    def __init__(
        self,
        file: Mapping[str, Any],
        *,
        defaults: Mapping[str, Any] | None = None,
        aliases: Mapping[str, str] | None = None,
        model_type: str = "",
        rope: RopeReading | None = None,
    ):
        self.file, self.defaults, self.model_type = file, dict(defaults or {}), model_type
        self._aliases = dict(aliases or {})
        self.rope = rope or RopeReading()
        self.read: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        """The value in use: from the file, else the default of the class, else ``default``."""
        for key in self._names(name):
            self.read.add(key)
            if key in self.file:
                return self.file[key]
        for key in self._names(name):
            if key in self.defaults:
                return self.defaults[key]
        return default

    def whole(self, name: str) -> int | None:
        """The value if it is a whole number above 0, else None."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return int(value) if value == value and 0 < value < 2**63 and value == int(value) else None

    def number(self, name: str) -> float | None:
        """The value if it is a finite number, else None."""
        return finite(self.get(name))

    def written(self, name: str) -> str | None:
        """The key of the file that holds it, None where the file doesn't say it."""
        return next((key for key in self._names(name) if key in self.file), None)

    def within(self, name: str) -> Mapping[str, Any]:
        """The value if it is a dictionary, else an empty one."""
        value = self.get(name)
        return value if isinstance(value, Mapping) else {}

    def _names(self, name: str) -> Iterator[str]:
        yield name
        if name in self._aliases:
            yield self._aliases[name]
        yield from (key for key, value in self._aliases.items() if value == name)


def finite(value: Any) -> float | None:
    """A finite number as a float; None for anything else, true and false among it.

    >>> finite(8), finite(True), finite("8"), finite(float("inf")), finite(10**400)
    (8.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None
