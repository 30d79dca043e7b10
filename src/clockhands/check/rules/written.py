"""What a file says about positions, key by key, before anything is made of it: what most rules look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clockhands.check.architectures import settings_of
from clockhands.check.architectures.widths import head_width
from clockhands.check.read.rope_parameters import DICTIONARIES, rope_parameters_of
from clockhands.check.settings import USUAL, Settings, finite
from clockhands.check.subject import Subject
from clockhands.formulas.frequencies.rope_parameters import OLD_NAMES

TRAINED, PROMISED = "original_max_position_embeddings", "max_position_embeddings"

PARTS = ("text_config", "language_config", "llm_config", "thinker_config")
"""Where composite files hold the part that reads text."""

_DEEPEST = 4
_SIZES = ("hidden_size", "num_hidden_layers", "n_embd", "d_model", *DICTIONARIES)


@dataclass(frozen=True)
class Part:
    """A configuration, or one within it, whose keys have the path ``prefix`` in the file."""

    settings: Settings
    prefix: str = ""

    def key(self, name: str) -> str:
        """Where the file says ``name``, or would say it."""
        return f"{self.prefix}{self.settings.written(name) or name}"

    @property
    def promised(self) -> int | None:
        return self.settings.whole(PROMISED)

    @property
    def rotary_width(self) -> int | None:
        """Dimensions of a head that may turn, before ``partial_rotary_factor``."""
        return self.settings.whole("qk_rope_head_dim") or head_width(self.settings)


@dataclass(frozen=True)
class Given:
    """One dictionary of rotary parameters: as written, and as the class reads it.

    path    of the dictionary in the file; empty where there is none
    given   what it holds
    values  what the class makes of it, keys beside it and its own defaults included
    paths   where in the part each of these is written
    """

    part: Part
    path: str
    layer_type: str | None
    given: Mapping[str, Any]
    values: Mapping[str, Any]
    paths: Mapping[str, str]

    def key(self, name: str) -> str:
        """Where the file says ``name``, or would say it."""
        home = self.paths.get(name)
        if home is None:  # files with ``rope_scaling`` have these beside it
            inside = self.path and not (self.path == "rope_scaling" and name in USUAL)
            home = f"{self.path}.{name}" if inside else name
        return f"{self.part.prefix}{home}"

    def number(self, name: str) -> float | None:
        return finite(self.values.get(name))

    def says(self, name: str) -> bool:
        """Whether the file says it, here or beside."""
        return name in self.paths

    @property
    def kind(self) -> str:
        """The ``rope_type``, by its present name; empty where it is no string."""
        kind = self.values.get("rope_type")
        return OLD_NAMES.get(kind, kind) if isinstance(kind, str) else ""


def parts(subject: Subject) -> tuple[Part, ...]:
    """The configurations of a target that speak of layers: itself, and those within it."""
    return () if subject.settings is None else tuple(_parts(subject.settings, "", _DEEPEST))


def _parts(settings: Settings, prefix: str, deepest: int) -> Iterator[Part]:
    inner = [(name, settings.file[name]) for name in PARTS if isinstance(settings.file.get(name), Mapping)]
    if not inner or any(name in settings.file for name in _SIZES):
        yield Part(settings, prefix)
    for name, within in inner if deepest else ():
        yield from _parts(settings_of(within), f"{prefix}{name}.", deepest - 1)


def dictionaries(part: Part) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Path and content of every dictionary of rotary parameters in the file, nested ones each by itself."""
    for name in DICTIONARIES:
        given = part.settings.file.get(name)
        if not isinstance(given, Mapping):
            continue
        nested = {key: value for key, value in given.items() if isinstance(value, Mapping)}
        if not nested:
            yield name, given
        for key, value in nested.items():
            yield f"{name}.{key}", value


def givens(subject: Subject) -> Iterator[Given]:
    """Rotary parameters of each part and layer type; one without a path where none is written.

    None of files in other dialects, which have neither these dictionaries nor these keys.
    """
    if subject.kind == "gguf" or subject.dialect == "megatron":
        return
    for part in parts(subject):
        yield from _givens(part)


def _givens(part: Part) -> Iterator[Given]:
    written = part.settings.file
    used = next(
        (name for name in DICTIONARIES if isinstance(written.get(name), Mapping) and written[name]), None
    )
    whole: Mapping[str, Any] = written[used] if used else {}
    nested = [key for key, value in whole.items() if isinstance(value, Mapping)]
    for layer_type in nested or [None]:
        found = rope_parameters_of(part.settings, layer_type=layer_type, partial=True)
        path = "" if used is None else used if layer_type is None else f"{used}.{layer_type}"
        given = whole if layer_type is None else whole[layer_type]
        yield Given(part, path, layer_type, given, found.values, found.paths)


def turning(given: Given) -> int | None:
    """Dimensions that turn: the width, or the part of it that is asked for."""
    width, share = given.part.rotary_width, given.number("partial_rotary_factor")
    if width is None or given.part.settings.whole("qk_rope_head_dim"):
        return width
    return width if share is None or not 0 < share <= 1 else int(width * share)
